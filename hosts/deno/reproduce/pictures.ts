/** The pictures of the paper's figures, made anew. Each function makes one figure. */
import { contextOf } from "../../../core/model.ts";
import { nearestTraining } from "../../../core/nearest.ts";
import type { PatchPosition } from "../../../core/locations.ts";
import { contributors, pixelSources, type Provenance } from "../../../core/provenance.ts";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import type { Draw } from "../../../core/synthesize.ts";
import type { Candidates } from "../../../core/types.ts";
import type { Figure } from "../../../pipelines/report/report.ts";
import { squareOf } from "../../../core/shape.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import type { GroupImage } from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { squareImages } from "../../../pipelines/assessment/square_images.ts";
import { runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { png } from "../../../datasets/formats/write_png.ts";
import type { Experiment, Label } from "./world.ts";

/** An image among all that were made, with its log-likelihood. */
export interface Scored {
  readonly image: GroupImage;
  readonly label: Label;
  readonly likelihood: number;
}

/** Numbers from here on key the random choices of images that are made for a figure alone. */
const FIGURE_NUMBERS = 1_000_000;

/** The Gaussian pyramid of a training image. */
export function pyramidFigure(world: Experiment): Figure {
  return levels(
    world,
    world.trainingImage(0),
    "1",
    "The Gaussian pyramid of a training image: blurred, every second pixel kept.",
  );
}

/** A test image brought down to the seed image. */
export function seedFigure(world: Experiment): Figure {
  return levels(
    world,
    world.testImage(0),
    "7",
    "A test image brought down to the size of a seed image, which is all that synthesis knows of it.",
  );
}

/** An HR patch and the LR patch that it is paired with, in three training images. */
export function pairFigure(world: Experiment): Figure {
  const { kernels, sides: [size, half], plan: { patch } } = world, mark = kernels.mark();
  const bytes = kernels.allocate(size * size), fine = kernels.allocate(size * size * 4);
  const coarse = kernels.allocate(half * half * 4), place = telling(world);
  const groups = [0, 1, 2].filter((i) => i < world.data.train.images.count).map((i): Framed[] => {
    const image = world.trainingImage(i);
    kernels.u8(bytes, size * size).set(image);
    kernels.toUnit(bytes, fine, size * size);
    kernels.down(fine, coarse, size, size, 1);
    const low = enlarge(kernels.f32(coarse, half * half), half, size);
    return [low, image].map((pixels) => ({ pixels: lit(pixels, size, place, patch), colour: "grey" }));
  });
  kernels.release(mark);
  return picture(
    "2",
    `What the dictionaries of the location (${place.x}, ${place.y}) hold of three training images: the HR patch (right) and the LR patch below it (left), drawn at the same scale.`,
    groups,
    size,
    3,
    "pairs of images with a lit patch",
  );
}

/** An image darkened but for one patch. */
function lit(pixels: Uint8Array, size: number, { x, y }: PatchPosition, patch: number): Uint8Array {
  return pixels.map((value, p) => {
    const dx = p % size - x, dy = Math.floor(p / size) - y;
    return dx >= 0 && dx < patch && dy >= 0 && dy < patch ? 64 + 0.75 * value : value / 3;
  });
}

/** A place in the finest layer where there is something to see: the stroke of a digit, the left eye of a face. */
function telling({ sides: [size], plan: { patch } }: Experiment): PatchPosition {
  const even = (middle: number) => 2 * Math.floor((middle * size - patch / 2) / 2);
  return { x: even(0.34), y: even(0.4) };
}

function levels(world: Experiment, image: Uint8Array, number: string, caption: string): Figure {
  const { kernels, sides } = world, mark = kernels.mark(), size = sides[0];
  const framed: Framed[] = [{ pixels: image, colour: "grey", text: String(size) }];
  let from = kernels.allocate(size * size * 4);
  const bytes = kernels.allocate(size * size);
  kernels.u8(bytes, size * size).set(image);
  kernels.toUnit(bytes, from, size * size);
  for (let l = 1; l < sides.length; l++) {
    const to = kernels.allocate(sides[l] ** 2 * 4);
    kernels.down(from, to, sides[l - 1], sides[l - 1], 1);
    framed.push({
      pixels: enlarge(kernels.f32(to, sides[l] ** 2), sides[l], size),
      colour: "grey",
      text: String(sides[l]),
    });
    from = to;
  }
  kernels.release(mark);
  return picture(number, caption, [framed], size, 1, "the levels side by side, side lengths below");
}

/** The candidates of a draw in the middle of the finest layer, with log T, and what they were matched to. */
export function candidatesFigure(
  world: Experiment,
  number: string,
  label: Label,
  test: number,
  iteration: number,
): Figure | Figure[] {
  const { sides, plan: { patch, layers } } = world, place = telling(world);
  const parameters = layers[0].iterations[iteration];
  if (!parameters) return [];
  let seen: { found: Candidates; measured: Float32Array; x: number; y: number } | undefined;
  const look = ({ layer, at, now, step, prior }: Draw) => {
    if (layer !== 0 || step.iteration !== iteration || seen) return;
    if (Math.abs(at.y - place.y) > patch / 2 || Math.abs(at.x - place.x) > patch / 2) return;
    const found = prior.candidates?.(at, now, step, 0);
    if (found) seen = { found, measured: now.patches.slice(0, patch * patch), x: at.x, y: at.y };
  };
  world.synthesizeSeeds(label, [FIGURE_NUMBERS], world.seeds([test]), look);
  if (!seen) return [];
  const { found: { sources, logT }, measured, x, y } = seen;
  const order = [...logT.keys()].sort((a, b) => logT[b] - logT[a]);
  const best = logT[order[0]], training = chosenBy(world.data.train.labels, label, world.data.train.images.count);
  const shown = spaced(order, 15).map((c): Framed => ({
    pixels: cut(world.trainingImage(training[sources[3 * c]]), sides[0], sources[3 * c + 2], sources[3 * c + 1], patch),
    colour: "blue",
    text: (logT[c] - best).toFixed(2),
  }));
  const measurement: Framed = { pixels: bytesOf(measured), colour: "green" };
  const what = iteration === 0 ? "still the blurred interpolation" : "sharpened by the iterations before";
  return picture(
    number,
    `The sampling process at location (${x}, ${y}) of the finest layer in iteration ${iteration} (h = ${
      short(parameters.h)
    }, rho = ${
      short(parameters.rho)
    }). Green: the HR measurement, ${what}. Blue: ${shown.length} of the ${order.length} candidates from the likeliest to the least likely, log T relative to the first below.`,
    [measurement, ...shown].map((one) => [one]),
    patch,
    8,
    "patches in frames with numbers below",
    Math.floor(72 / patch),
  );
}

/** Patch locations of the first iterations of the finest layer. */
export function cycleSpinningFigure(world: Experiment): Figure {
  const { sides: [size], plan: { patch, layers: [{ overlap, iterations }] } } = world;
  const stride = patch - overlap, base = world.testImage(0);
  const frames = iterations.slice(0, 4).map(({ offset: [dx, dy] }): Framed => {
    const pixels = base.map((value) => value >> 1);
    for (let p = 0; p < pixels.length; p++) {
      const x = p % size, y = Math.floor(p / size);
      const onGrid = (at: number, offset: number) => at >= offset && (at - offset) % stride === 0;
      if (onGrid(x, dx) || onGrid(y, dy)) pixels[p] = Math.min(255, pixels[p] + 110);
    }
    return { pixels, colour: "grey" };
  });
  return picture(
    "4",
    "Cycle spinning: the first pixels of the patches in the first iterations of the finest layer. The grid moves, so that no seam stays.",
    [frames],
    size,
    1,
    "a shifted grid over an image",
    Math.max(1, Math.floor(160 / size)),
  );
}

/** The context of a patch in the finest layer. */
export function contextFigure(world: Experiment): Figure {
  const { plan } = world,
    size = world.sides[1],
    side = plan.patch / 2,
    x0 = Math.floor(size / 3),
    y0 = Math.floor(size / 3);
  const pixels = new Uint8Array(size * size).fill(20);
  const most = Math.max(...contextOf(plan, size).map(({ weight }) => weight), 0.001);
  for (const { dx, dy, weight, mirrored } of contextOf(plan, size)) {
    const x = mirrored ? size - 1 - (x0 + dx) : x0 + dx, y = y0 + dy;
    if (x >= 0 && x < size && y >= 0 && y < size) pixels[y * size + x] = 40 + 120 * Math.sqrt(weight / most);
  }
  for (let p = 0; p < side * side; p++) pixels[(y0 + Math.floor(p / side)) * size + x0 + p % side] = 255;
  const names = plan.contexts.map(({ plugin, values }) => `${plugin.name} ${JSON.stringify(values)}`).join(" and ");
  return picture(
    "5",
    `The context of an LR patch (white) in the finest layer, brighter where it counts more: ${names}.`,
    [[{ pixels, colour: "grey" }]],
    size,
    1,
    "a patch and the pixels around it",
    Math.max(1, Math.floor(320 / size)),
  );
}

/** One row a seed: its original, then synthesized images with their nearest training images. */
export function gridFigure(
  world: Experiment,
  number: string,
  caption: string,
  rows: readonly { readonly label: Label; readonly test: number }[],
  runs: number,
): Figure {
  const size = world.sides[0];
  const groups = rows.map(({ label, test }, row): Framed[] => {
    const numbers = Array.from({ length: runs }, (_, run) => FIGURE_NUMBERS + 1000 * (row + 1) + run);
    const { pixels } = world.synthesizeSeeds(label, numbers, world.seeds(numbers.map(() => test)));
    return [{ pixels: world.testImage(test), colour: "green" }, ...withNearest(world, label, pixels, size)];
  });
  return picture(number, caption, groups, size, 1, "rows of framed images with distances below");
}

function withNearest(world: Experiment, label: Label, pixels: Uint8Array, size: number): Framed[] {
  const training = chosenBy(world.data.train.labels, label, world.data.train.images.count), length = size * size;
  return nearestTraining(world.kernels, world.pyramid(label), pixels).flatMap((nearest, i): Framed[] => [
    { pixels: pixels.slice(i * length, (i + 1) * length), colour: "blue", text: nearest.distance.toFixed(2) },
    { pixels: world.trainingImage(training[nearest.image]), colour: "red", text: nearest.trainingDistance.toFixed(2) },
  ]);
}

/** Several runs from one seed image, layer by layer. */
export function branchFigure(world: Experiment, number: string, label: Label, test: number): Figure {
  const size = world.sides[0], numbers = [0, 1, 2].map((run) => FIGURE_NUMBERS + 500 + run);
  const seeds = world.seeds(numbers.map(() => test)), { pixels, layers } = world.synthesizeSeeds(label, numbers, seeds);
  const coarsest = world.sides.at(-1)!;
  const rows = numbers.map((_, run): Framed[] => [
    { pixels: enlarge(seeds.subarray(0, coarsest ** 2), coarsest, size), colour: "green", text: String(coarsest) },
    ...layers.slice(0, -1).map((layer): Framed => ({
      pixels: enlarge(layer.images.subarray(run * layer.size ** 2, (run + 1) * layer.size ** 2), layer.size, size),
      colour: "grey",
      text: String(layer.size),
    })),
    { pixels: pixels.slice(run * size * size, (run + 1) * size * size), colour: "blue", text: String(size) },
  ]);
  return picture(
    number,
    "Different runs from the same seed image (green), one a row, layer by layer to the result (blue); side lengths below.",
    rows,
    size,
    1,
    "rows of images growing sharper",
  );
}

/** Images with their log-likelihood below. */
export function scoredFigure(
  world: Experiment,
  number: string,
  caption: string,
  images: readonly Scored[],
  across = 8,
): Figure {
  const framed = images.map(({ image, likelihood }): Framed[] => [
    { pixels: image.pixels, colour: "blue", text: likelihood.toFixed(1) },
  ]);
  return picture(number, caption, framed, world.sides[0], across, "images with their log-likelihood below");
}

/** Results from one seed image by falling log-likelihood, the original of the seed image first. */
export function likelihoodFigure(
  world: Experiment,
  number: string,
  caption: string,
  label: Label,
  test: number,
): Figure {
  const { sides: [size], plan: { patch, layers: [{ overlap, window }] }, kernels, data: { train } } = world;
  const numbers = Array.from({ length: 8 }, (_, run) => FIGURE_NUMBERS + 2000 + run), length = size * size;
  const { pixels } = world.synthesizeSeeds(label, numbers, world.seeds(numbers.map(() => test)));
  const { values } = runMetricJob(kernels, {
    metric: "likelihood",
    options: {},
    generated: { count: numbers.length, size, pixels },
    training: squareImages(train, chosenBy(train.labels, label, train.images.count), size),
    patch,
    overlap,
    window,
  });
  const order = [...values.keys()].sort((a, b) => values[b] - values[a]);
  const framed = order.map((i): Framed => ({
    pixels: pixels.slice(i * length, (i + 1) * length),
    colour: "blue",
    text: values[i].toFixed(1),
  }));
  const original: Framed = { pixels: world.testImage(test), colour: "green" };
  return picture(number, caption, [[original, ...framed]], size, 1, "a row of framed images with numbers below");
}

/** Test images with their log-likelihood below. */
export function scoredTestFigure(
  world: Experiment,
  number: string,
  caption: string,
  tests: readonly { test: number; likelihood: number }[],
): Figure {
  const framed = tests.map(({ test, likelihood }): Framed[] => [
    { pixels: world.testImage(test), colour: "green", text: likelihood.toFixed(1) },
  ]);
  return picture(number, caption, framed, world.sides[0], 8, "test images with their log-likelihood below");
}

/** The same seed images through the model of all classes together and through that of their own class. */
export function allClassesFigure(
  world: Experiment,
  rows: readonly { readonly label: Label; readonly test: number }[],
): Figure {
  const size = world.sides[0], numbers = rows.map((_, i) => FIGURE_NUMBERS + 700 + i);
  const all = world.synthesizeSeeds(undefined, numbers, world.seeds(rows.map(({ test }) => test))).pixels;
  const groups = rows.map(({ label, test }, i): Framed[] => [
    { pixels: world.testImage(test), colour: "green" },
    { pixels: all.slice(i * size * size, (i + 1) * size * size), colour: "blue" },
    { pixels: world.synthesizeSeeds(label, [numbers[i]], world.seeds([test])).pixels, colour: "grey" },
  ]);
  return picture(
    "6",
    "The model of all digits together (blue) beside that of the digit's own class (grey), from the seed image of the same test image (green). Without the class, parts of different digits may be merged into one that is none.",
    groups,
    size,
    4,
    "triples of framed images",
  );
}

/** The five training images that contributed most to an image, and the parts that they gave. */
export function stitchingFigure(
  world: Experiment,
  number: string,
  caption: string,
  label: Label,
  test: number,
): Figure {
  const { pixels, provenance: [provenance] } = world.synthesizeSeeds(
    label,
    [FIGURE_NUMBERS + 900],
    world.seeds([test]),
  );
  return stitching(world, number, caption, label, pixels, provenance);
}

function stitching(
  world: Experiment,
  number: string,
  caption: string,
  label: Label,
  pixels: Uint8Array,
  provenance: Provenance,
): Figure {
  const size = world.sides[0], training = chosenBy(world.data.train.labels, label, world.data.train.images.count);
  const top = contributors(provenance).slice(0, 5);
  const parts = top.map(() => new Uint8Array(size * size).fill(128)), sum = new Uint8Array(size * size).fill(128);
  for (let p = 0; p < size * size; p++) {
    for (const { image } of pixelSources(provenance, Math.floor(p / size), p % size)) {
      const at = top.findIndex((one) => one.image === image);
      if (at >= 0) parts[at][p] = sum[p] = pixels[p];
    }
  }
  const rows: Framed[][] = [
    [
      ...top.map(({ image, share }): Framed => ({
        pixels: world.trainingImage(training[image]),
        colour: "red",
        text: share.toFixed(3),
      })),
      {
        pixels: world.trainingImage(training[nearestTraining(world.kernels, world.pyramid(label), pixels)[0].image]),
        colour: "red",
      },
      { pixels, colour: "blue" },
    ],
    [...parts.map((part): Framed => ({ pixels: part, colour: "grey" })), { pixels: sum, colour: "grey" }, {
      pixels,
      colour: "blue",
    }],
  ];
  return picture(number, caption, rows, size, 1, "training images above, the parts that they gave below");
}

/** The generated image of least originality, and where it came from: made anew, since its patches were not kept. */
export function leastOriginalFigure(
  world: Experiment,
  number: string,
  image: GroupImage,
  label: Label,
  test: number,
  originality: number,
): Figure {
  const { pixels, provenance: [provenance] } = world.synthesizeSeeds(label, [image.number], world.seeds([test]));
  const caption = `The image of least originality, ${
    originality.toFixed(3)
  } (blue), and the training images that gave most of it, with their shares; the last red one is its nearest training image. Below the parts that each gave, and their sum.`;
  return stitching(world, number, caption, label, pixels, provenance);
}

function picture(
  number: string,
  caption: string,
  groups: readonly (readonly Framed[])[],
  size: number,
  columns: number,
  alt: string,
  scale = Math.max(1, Math.floor(64 / size)),
): Figure {
  return {
    kind: "picture",
    number,
    caption,
    alt,
    png: png(sheet(groups, squareOf(size), columns, scale)),
    pixelated: size <= 64,
  };
}

/** Values in [0, 1] of an image of side `size`, every pixel repeated, as bytes of an image of side `to`. */
function enlarge(values: Float32Array, size: number, to: number): Uint8Array {
  const bytes = bytesOf(values);
  return Uint8Array.from({ length: to * to }, (_, p) => {
    return bytes[Math.floor(Math.floor(p / to) * size / to) * size + Math.floor((p % to) * size / to)];
  });
}

function bytesOf(values: Float32Array): Uint8Array {
  return Uint8Array.from(values, (value) => Math.min(Math.max(Math.floor(value * 255 + 0.5), 0), 255));
}

function cut(image: Uint8Array, size: number, x: number, y: number, side: number): Uint8Array {
  return Uint8Array.from({ length: side * side }, (_, p) => image[(y + Math.floor(p / side)) * size + x + p % side]);
}

/** `count` items evenly spaced through a list, the first and the last among them. */
function spaced<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.round(i * (items.length - 1) / (count - 1))]);
}

/** Three significant digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
