// How near the eyes that `data import --faces` finds come to known ones.
//   PATCHLOOM_DATA=DIR deno run -A bench/eyes.ts [SET]...
// It needs DIR/photographs with eyes.csv, and the sets of aligned faces to learn from: DIR/faces and DIR/faces-colour by default.
import { parse } from "@std/csv/parse";
import { join } from "@std/path";
import type { Images } from "../core/types.ts";
import { pick } from "../datasets/data_set.ts";
import { correction, type EyePair } from "../datasets/faces/windows.ts";
import { resized } from "../datasets/resize.ts";
import { findFaces, learnFinder } from "../hosts/deno/data/find_faces.ts";
import { ALIGNED_SIDE, alignEyes } from "../datasets/faces/align_eyes.ts";
import { readData } from "../hosts/deno/data/read_data.ts";
import { readPicture } from "../hosts/deno/data/read_picture.ts";

/** Faces are compared by the inner 20x20 pixels of images of 32x32, which show little background. */
const SIDE = 32, FROM = 6, TO = 26;
/**
 * Correlation from which two images count as the same photograph: 110 of 260 photographs reach it with an image of `faces`, most of
 * them far above, and 2 with one of `faces-colour`, which shows other people (0.94 at most).
 */
const SAME = 0.92;

const data = Deno.env.get("PATCHLOOM_DATA");
if (!data) throw new Error("Cannot measure without PATCHLOOM_DATA: expected a folder with photographs/ and faces/");
const folder = join(data, "photographs"), names = Deno.args.length > 0 ? Deno.args : ["faces", "faces-colour"];
const truth = new Map(
  parse(await Deno.readTextFile(join(folder, "eyes.csv")), { skipFirstRow: true }).map((row): [string, EyePair] => {
    return [row.file, { leftX: +row.left_x, leftY: +row.left_y, rightX: +row.right_x, rightY: +row.right_y }];
  }),
);

// An image of a photograph that is measured on must not be learned from.
const known = innerFaces(await alignedPhotographs()), files = [...truth.keys()], shared = new Set<string>();
const sets: Images[] = [];
for (const name of names) {
  const { images } = (await readData(join(data, name), { channels: 1 })).train, faces = innerFaces(images);
  const kept = faces.flatMap((face, i) => {
    const same = files.filter((_, j) => correlation(face, known[j]) >= SAME);
    for (const file of same) shared.add(file);
    return same.length === 0 ? [i] : [];
  });
  console.log(`${name}: ${images.count - kept.length} of ${images.count} images left out: the photographs show them`);
  sets.push(pick({ images }, kept).images);
}

const looked = await findFaces(folder, await learnFinder(sets));
const errors = new Map<string, number[]>();
for (const { file, reason, face } of looked) {
  const eyes = truth.get(file);
  if (eyes && face && !reason) errors.set(file, correction(eyes, face.eyes));
}
console.log(`${errors.size} of ${truth.size} photographs used\n`);
const all = [...errors.values()], mean = [0, 1, 2, 3].map((i) => meanOf(all.map((error) => error[i])));
console.log(
  "| photographs | count | worse eye | both eyes, the mean | the point between | worse eye, offset taken off |",
);
console.log("| --- | --- | --- | --- | --- | --- |");
row("all", all);
row("in a set, too", [...errors].flatMap(([file, error]) => shared.has(file) ? [error] : []));
row("in no set", [...errors].flatMap(([file, error]) => shared.has(file) ? [] : [error]));
const spread = mean.map((m, i) => Math.sqrt(meanOf(all.map((error) => (error[i] - m) ** 2))));
for (const [eye, i] of [["left", 0], ["right", 2]] as const) {
  const text = (i: number) => `${(100 * mean[i]).toFixed(2)} % +- ${(100 * spread[i]).toFixed(2)} %`;
  console.log(`The ${eye} eye is found ${text(i)} to the right and ${text(i + 1)} below`);
}

/** A line of the table: the percentages with an error of at most 5 % and of at most 10 % of the distance between the eyes. */
function row(name: string, errors: readonly number[][]): void {
  const within = (errorOf: (error: readonly number[]) => number) => {
    const share = (most: number) => meanOf(errors.map((error) => errorOf(error) <= most ? 100 : 0)).toFixed(1);
    return `${share(0.05)}, ${share(0.1)}`;
  };
  const left = ([x, y]: readonly number[]) => Math.hypot(x, y),
    right = ([, , x, y]: readonly number[]) => Math.hypot(x, y);
  const worse = (error: readonly number[]) => Math.max(left(error), right(error));
  const between = ([a, b, c, d]: readonly number[]) => Math.hypot(a + c, b + d) / 2;
  const columns = [
    within(worse),
    within((error) => (left(error) + right(error)) / 2),
    within(between),
    within((error) => worse(error.map((value, i) => value - mean[i]))),
  ];
  console.log(`| ${[name, errors.length, ...columns].join(" | ")} |`);
}

async function alignedPhotographs(): Promise<Images> {
  const area = ALIGNED_SIDE ** 2, pixels = new Uint8Array(truth.size * area);
  for (const [i, [file, { leftX, leftY, rightX, rightY }]] of [...truth].entries()) {
    const photograph = await readPicture(await Deno.readFile(join(folder, file)), file, { largestSide: 16384 });
    pixels.set(alignEyes(photograph, { x: leftX, y: leftY }, { x: rightX, y: rightY }, ALIGNED_SIDE), i * area);
  }
  return { count: truth.size, height: ALIGNED_SIDE, width: ALIGNED_SIDE, pixels };
}

/** The inner pixels of each face, with mean 0 and length 1. */
function innerFaces(images: Images): Float64Array[] {
  const { count, pixels } = resized(images, { height: SIDE, width: SIDE });
  return Array.from({ length: count }, (_, i) => {
    const face = new Float64Array((TO - FROM) ** 2);
    for (let y = FROM, p = 0; y < TO; y++) {
      for (let x = FROM; x < TO; x++) face[p++] = pixels[(i * SIDE + y) * SIDE + x];
    }
    const mean = meanOf(face), centred = face.map((value) => value - mean), length = Math.hypot(...centred) || 1;
    return centred.map((value) => value / length);
  });
}

function correlation(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
