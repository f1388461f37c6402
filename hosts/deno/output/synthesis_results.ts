/** The folder that `synth` writes. Every file is written beside its name and renamed, so none is ever half there. */
import { join } from "@std/path";
import type { Plan } from "../../../core/plan.ts";
import { pad } from "../../../core/pyramid.ts";
import { lengthOf, type Shape, type Size } from "../../../core/shape.ts";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import type { Images } from "../../../core/types.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { writeNpy } from "../../../datasets/formats/npy.ts";
import { chosenBy, type ClassGroup } from "../../../datasets/groups.ts";
import type { GroupImage } from "../../../pipelines/synthesis/synthesis_tasks.ts";
import type { Plugins } from "../plugins/load_plugins.ts";
import { describeImage, describePlan } from "../../../pipelines/synthesis/run_record.ts";
import { png, pngOf } from "../../../datasets/formats/write_png.ts";

/** What a run was, for `run.json`. */
export interface Run {
  readonly plan: Plan;
  readonly plugins: Plugins;
  /** Of the images, where they are cropped to less than the plan's. */
  readonly size: Size;
  readonly seed: number;
  readonly from: string;
  readonly data: DataSet;
  readonly groups: readonly ClassGroup[];
  /** Which of the seed images each image took, by the image's number; undefined where they were drawn from a model. */
  readonly seedOf?: readonly number[];
  /** The pictures that the seed images came from, where they are larger than those. */
  readonly originals?: Images;
  /** At least one, in the order of their numbers. */
  readonly done: readonly GroupImage[];
  /** How many images were asked for. */
  readonly wanted: number;
  /** Milliseconds. */
  readonly times: { readonly load: number; readonly fit: number; readonly synthesis: number };
  /** The SHA-256 of the kernels. */
  readonly kernels: string;
  readonly threads: number;
}

/** A folder of results. Where it cannot be written one sentence is thrown. */
export interface Results {
  /** Writes `images/NNNN.png`. The first one takes the place of all that an earlier run left. */
  image(number: number, shape: Shape, pixels: Uint8Array): Promise<void>;
  /** Writes the sheet, the IDX files and `run.json`, all or none; returns what `run.json` holds. */
  finish(run: Run): Promise<object>;
}

/** The sheet shows this many images at the most. */
const MOST_ON_SHEET = 100;
/** About how wide the sheet is, in pixels. */
const SHEET_WIDTH = 1400;

/** Opens a folder for results: makes it and sees that it can be written, but leaves what is there as it is. */
export async function openResults(folder: string): Promise<Results> {
  const images = join(folder, "images");
  const writing = <T>(work: Promise<T>) =>
    work.catch((cause) => {
      throw new Error(`Cannot write to --out ${folder}: ${cause.message}`, { cause });
    });
  await writing(Deno.mkdir(images, { recursive: true }));
  for (const dir of [folder, images]) await writing(Deno.makeTempFile({ dir }).then((file) => Deno.remove(file)));
  let cleared: Promise<void> | undefined;
  return {
    async image(number, shape, pixels) {
      await writing(cleared ??= removeEarlier(folder));
      await writing(
        writeWhole([[join(images, fileName(number)), pngOf(shape, pixels)]]),
      );
    },
    async finish(run) {
      const { done, size: { height, width }, plan: { channels } } = run, count = done.length;
      const summary = describe(run), length = channels * height * width, pixels = new Uint8Array(count * length);
      done.forEach((image, i) => pixels.set(image.pixels, i * length));
      const labels = done.map(({ group }) => run.groups[group].label).filter((label) => label !== undefined);
      const files: [name: string, bytes: Uint8Array][] = [
        channels === 1
          ? ["images.idx3-ubyte", writeIdx([count, height, width], pixels)]
          : ["images.npy", writeNpy({ count, height, width, channels, pixels })],
        ["sheet.png", png(drawSheet(run))],
        ["run.json", new TextEncoder().encode(JSON.stringify(summary, null, 2) + "\n")],
      ];
      if (labels.length > 0) files.unshift(["labels.idx1-ubyte", writeIdx([labels.length], Uint8Array.from(labels))]);
      await writing(writeWhole(files.map(([name, bytes]) => [join(folder, name), bytes])));
      return summary;
    },
  };
}

function fileName(number: number): string {
  return `${String(number).padStart(4, "0")}.png`;
}

/** Removes the files of an earlier run, which its `run.json` tells of, and nothing else. */
async function removeEarlier(folder: string): Promise<void> {
  if (!await Deno.stat(join(folder, "run.json")).then(() => true, () => false)) return;
  for (const name of ["run.json", "sheet.png", "images.idx3-ubyte", "images.npy", "labels.idx1-ubyte"]) {
    for (const path of [join(folder, name), join(folder, `${name}.part`)]) await Deno.remove(path).catch(ignoreMissing);
  }
  for await (const { name } of Deno.readDir(join(folder, "images"))) {
    if (/^\d{4,}\.png(\.part)?$/.test(name)) await Deno.remove(join(folder, "images", name));
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Writes all of some files, or none: each is put in its place only when all are written. */
async function writeWhole(files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, bytes] of files) {
      written.push(`${path}.part`);
      await Deno.writeFile(`${path}.part`, bytes);
    }
    for (const [path] of files) {
      await Deno.rename(`${path}.part`, path);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await Deno.remove(path).catch(() => {});
    throw error;
  }
}

function drawSheet(run: Run) {
  const { plan, groups, seedOf, originals, done, data, size } = run;
  if (!plan.aligned) return drawTextures(run);
  const scale = Math.max(1, Math.floor(96 / Math.max(size.height, size.width)));
  const training = groups.map(({ label }) => chosenBy(data.train.labels, label, data.train.images.count));
  const picture = (images: Images, index: number) => pad(images, index, size);
  const shown = done.slice(0, MOST_ON_SHEET).map(({ number, group, pixels, nearest }): Framed[] => {
    if (!nearest) return [{ pixels, colour: "blue" }];
    const { image, distance, trainingDistance } = nearest;
    const original = originals && seedOf && picture(originals, seedOf[number]);
    const twice = Number.isFinite(trainingDistance) ? trainingDistance.toFixed(2) : undefined;
    return [
      ...(original ? [{ pixels: original, colour: "green" as const }] : []),
      { pixels, colour: "blue", text: distance.toFixed(2) },
      { pixels: picture(data.train.images, training[group][image]), colour: "red", text: twice },
    ];
  });
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / (shown[0].length * (size.width * scale + 12))));
  return sheet(shown, size, columns, scale);
}

/** Exemplars in red, what was made of them in blue. */
function drawTextures({ groups, data, done, size }: Run) {
  const { images, labels } = data.train, length = lengthOf(images);
  const used = groups.flatMap(({ label }) => [...chosenBy(labels, label, images.count)]);
  const parts = used.map((i) => ({
    ...images,
    count: 1,
    pixels: images.pixels.subarray(i * length, (i + 1) * length),
  }));
  const { exemplars } = data,
    wholes = exemplars && new Set(used.map((i) => exemplars.images[exemplars.crops[i].image]));
  const shown = [...wholes ?? parts].slice(0, MOST_ON_SHEET);
  const framed = shown.map((image): Framed[] => [{ pixels: image.pixels, size: image, colour: "red" }]);
  const made = done.slice(0, MOST_ON_SHEET).map(({ pixels }): Framed[] => [{ pixels, size, colour: "blue" }]);
  const largest = (side: "height" | "width") => Math.max(size[side], ...shown.map((image) => image[side]));
  const cell = { height: largest("height"), width: largest("width") };
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / (cell.width + 20)));
  return sheet([...framed, ...made], cell, Math.min(columns, framed.length + made.length), 1);
}

/** The plugins that did not come along; nothing where all did. */
function loadedOf({ registry, sandbox }: Plugins) {
  const loaded = registry.plugins.filter(({ from }) => from !== undefined);
  if (loaded.length > 0) return loaded.map(({ kind, name, from }) => ({ kind, name, from, sandbox }));
}

function describe(run: Run): object {
  const { plan, data, groups, seedOf, done, times } = run;
  const training = groups.map(({ label }) => chosenBy(data.train.labels, label, data.train.images.count));
  // A crop's number would tell nobody anything: an exemplar's, and where in it the crop begins.
  const placed = (image: number) => data.exemplars?.crops[image] ?? { image: image ?? null };
  return {
    ...describePlan(plan),
    plugins: loadedOf(run.plugins),
    seed: run.seed,
    from: run.from,
    data: { name: data.name, origin: data.origin, files: data.files },
    kernels: { sha256: run.kernels },
    runtime: { deno: Deno.version.deno, threads: run.threads },
    milliseconds: { load: Math.round(times.load), fit: Math.round(times.fit), synthesis: Math.round(times.synthesis) },
    finished: done.length,
    wanted: run.wanted,
    images: done.map(({ number, group, nearest, contributors, correction }) => ({
      file: `images/${fileName(number)}`,
      seedImage: seedOf?.[number],
      // By their numbers in the data; a patch that no training image has has none.
      ...describeImage({
        number,
        label: groups[group].label,
        nearest: nearest && { ...nearest, image: training[group][nearest.image] },
        contributors: contributors.map(({ image, share }) => ({ ...placed(training[group][image]), share })),
        correction,
      }),
    })),
  };
}
