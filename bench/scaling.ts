/**
 * How time and memory grow: with the number of training images, the size of the images and the neighbours drawn from.
 * Every point is measured in a process of its own on one core; the exponent is fitted to the times by least squares in
 * logarithms, so that 1 is linear growth. `deno run -A bench/scaling.ts`.
 */
import { finish } from "../core/steps.ts";
import { loadKernels } from "../core/kernels.ts";
import { fitModel } from "../core/model.ts";
import { plan } from "../core/plan.ts";
import type { Profile } from "../core/profile.ts";
import { range } from "../core/numbers.ts";
import { seedImages, trainingPyramid } from "../core/pyramid.ts";
import { synthesize } from "../core/synthesize.ts";
import type { Images } from "../core/types.ts";
import { digitsPaper, facesPaper } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { builtins } from "../plugins/mod.ts";

/** One point: a profile's name, how many training images, the images' side and the neighbours. */
interface Point {
  readonly profile: "digits" | "faces-paper";
  readonly count: number;
  readonly side: number;
  readonly neighbours: number;
  /** How many of the profile's contexts count. */
  readonly contexts?: number;
}

/** Seconds an image, and megabytes: peak of the process, and its planes and rows alone. */
interface Measured {
  readonly seconds: number;
  readonly peak: number;
  readonly planes: number;
}

const BATCH = 16, ROUNDS = 3, EMPTY_PROCESS = 150;

/** The profile for other sizes: its finest layer again for each doubling beyond its own. */
function profileOf({ profile, side, neighbours, contexts: many }: Point): Profile {
  const own: Profile = profile === "digits" ? digitsPaper : facesPaper,
    depth = Math.log2(side / (profile === "digits" ? 4 : 8));
  const more = Array.from({ length: Math.max(depth - own.layers.length, 0) }, () => own.layers[0]);
  const layers = [...more, ...own.layers].slice(-depth);
  const contexts = own.contexts.slice(0, many);
  return { ...own, size: side, classwise: false, prior: ["local-nn", { neighbours }], contexts, layers };
}

/** Images at another side: every pixel repeated, or every n-th kept. */
function resized({ count, width, pixels }: Images, side: number, chosen: number): Images {
  const out = new Uint8Array(chosen * side * side);
  for (let i = 0; i < chosen; i++) {
    for (let p = 0; p < side * side; p++) {
      const y = Math.floor(Math.floor(p / side) * width / side), x = Math.floor(p % side * width / side);
      out[i * side * side + p] = pixels[(i % count) * width * width + y * width + x];
    }
  }
  return { count: chosen, height: side, width: side, pixels: out };
}

async function measure(point: Point): Promise<Measured> {
  const planned = plan(profileOf(point), builtins), { train, test } = await findData(planned.profile.dataset);
  const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(wasm));
  const fitting = (images: Images, count: number) =>
    point.profile === "digits" ? { images, chosen: range(count) } : {
      images: resized(images, point.side, count),
      chosen: range(count),
    };
  const before = kernels.mark(), { images, chosen } = fitting(train.images, point.count);
  const training = finish(trainingPyramid(kernels, images, planned.sizes, chosen)),
    planes = (kernels.mark() - before) / 1e6;
  const of = fitting(test.images, BATCH), seeds = seedImages(kernels, of.images, planned.sizes, of.chosen);
  const model = finish(fitModel(kernels, planned, training, BATCH));
  let seconds = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    finish(synthesize(model, { seed: round, images: range(BATCH), seedImages: seeds }));
    seconds = Math.min(seconds, (performance.now() - started) / 1000 / BATCH);
  }
  const status = await Deno.readTextFile("/proc/self/status").catch(() => "");
  return { seconds, planes, peak: Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) / 1000 };
}

/** Slope of the straight line through (log x, log y). */
function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i: number) => logs.reduce((sum, log) => sum + log[i], 0) / logs.length, [mx, my] = [mean(0), mean(1)];
  const over = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return over / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

const SIDES = [32, 64, 128, 256, 512];
/** What grows, with the points that show it. */
const GROWTHS: readonly { title: string; column: string; of: (point: Point) => number; points: readonly Point[] }[] = [
  {
    title: "training images (digits, all classes pooled)",
    column: "images",
    of: ({ count }) => count,
    points: [600, 2000, 6000, 20000, 60000].map((count) => ({ profile: "digits", count, side: 32, neighbours: 100 })),
  },
  {
    title: "pixels (faces-paper brought to other sizes, 300 training images, both contexts)",
    column: "pixels",
    of: ({ side }) => side * side,
    points: SIDES.map((side) => ({ profile: "faces-paper", count: 300, side, neighbours: 5 })),
  },
  {
    title: "pixels (the same, square context alone)",
    column: "pixels",
    of: ({ side }) => side * side,
    points: SIDES.map((side) => ({ profile: "faces-paper", count: 300, side, neighbours: 5, contexts: 1 })),
  },
  {
    title: "neighbours (digits, 6000 training images)",
    column: "neighbours",
    of: ({ neighbours }) => neighbours,
    points: [10, 30, 100, 300, 1000].map((neighbours) => ({ profile: "digits", count: 6000, side: 32, neighbours })),
  },
];

if (Deno.args[0]) {
  console.log(JSON.stringify(await measure(JSON.parse(Deno.args[0]))));
} else {
  for (const { title, column, of, points } of GROWTHS) {
    console.log(`### Growth with ${title}\n`);
    console.log(`| ${column} | ms an image | images/s | peak MB | planes MB | (peak - ${EMPTY_PROCESS}) / planes |`);
    console.log("| --- | --- | --- | --- | --- | --- |");
    const times: [number, number][] = [];
    for (const point of points) {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--allow-all", import.meta.filename!, JSON.stringify(point)],
      }).output();
      if (!success) throw new Error(new TextDecoder().decode(stderr));
      const { seconds, peak, planes }: Measured = JSON.parse(new TextDecoder().decode(stdout));
      times.push([of(point), seconds]);
      const shown = [seconds * 1000, 1 / seconds, peak, planes, (peak - EMPTY_PROCESS) / planes];
      console.log(`| ${of(point)} | ${shown.map((value) => value.toFixed(value < 10 ? 2 : 0)).join(" | ")} |`);
    }
    console.log(`\nTime grows with the power ${exponent(times).toFixed(2)} of the ${column}.\n`);
  }
}
