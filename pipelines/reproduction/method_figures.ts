/** The figures of the paper's sections on the method. Each function makes one figure. */
import { squareOf } from "../../core/shape.ts";
import { cutPatch } from "../synthesis/pixel_trace.ts";
import { pluginText } from "./captions.ts";
import { byteOf } from "../../core/bytes.ts";
import type { PatchPosition } from "../../core/locations.ts";
import { contextOf } from "../../core/model.ts";
import type { Draw } from "../../core/batch.ts";
import type { Candidates } from "../../core/types.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { decimalsOf, fixed } from "../report/numbers.ts";
import type { Figure } from "../report/report.ts";
import type { Framed } from "../report/sheet.ts";
import type { Experiment, SeededImage } from "./experiment.ts";
import { enlarge, FIGURE_NUMBERS, picture } from "./figure_parts.ts";

/** Figure 1: the Gaussian pyramid of a training image. */
export function pyramidFigure(experiment: Experiment): Figure {
  const caption = "The Gaussian pyramid of a training image: blurred, every second pixel kept.";
  return levels(experiment, experiment.trainingImage(0), "1", caption);
}

/** Figure 7: a test image brought down to the seed image. */
export function seedFigure(experiment: Experiment): Figure {
  const caption = "A test image brought down to the size of a seed image, which is all that synthesis knows of it.";
  return levels(experiment, experiment.testImage(0), "7", caption);
}

/** Draws an image at the size of every level of the pyramid. */
function levels(experiment: Experiment, image: Uint8Array, number: string, caption: string): Figure {
  const { kernels, sides } = experiment, mark = kernels.mark(), size = sides[0];
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
  return picture({ number, caption, groups: [framed], size, alt: "the levels side by side, side lengths below" });
}

/** Figure 2: an HR patch and the LR patch that it is paired with, in three training images. */
export function pairFigure(experiment: Experiment): Figure {
  const { kernels, sides: [size, half], plan: { patch } } = experiment, mark = kernels.mark();
  const bytes = kernels.allocate(size * size), fine = kernels.allocate(size * size * 4);
  const coarse = kernels.allocate(half * half * 4), at = showcasePosition(experiment);
  const count = Math.min(PAIRS, experiment.data.train.images.count);
  const groups = Array.from({ length: count }, (_, i): Framed[] => {
    const image = experiment.trainingImage(i);
    kernels.u8(bytes, size * size).set(image);
    kernels.toUnit(bytes, fine, size * size);
    kernels.down(fine, coarse, size, size, 1);
    const low = enlarge(kernels.f32(coarse, half * half), half, size);
    return [low, image].map((pixels) => ({ pixels: lit(pixels, size, at, patch), colour: "grey" }));
  });
  kernels.release(mark);
  return picture({
    number: "2",
    caption:
      `The patches of three training images in the dictionaries of the location (${at.x}, ${at.y}): the HR patch (right) and its LR patch (left), drawn at the same scale.`,
    groups,
    size,
    columns: 3,
    alt: "pairs of images with a lit patch",
  });
}

/** Darkens an image outside one patch. */
function lit(pixels: Uint8Array, size: number, { x, y }: PatchPosition, patch: number): Uint8Array {
  return pixels.map((value, p) => {
    const dx = p % size - x, dy = Math.floor(p / size) - y;
    return dx >= 0 && dx < patch && dy >= 0 && dy < patch ? 64 + 0.75 * value : value / 3;
  });
}

/** The first training images: figure 2 shows a patch of each at the same location. */
const PAIRS = 3;

/** Returns the position in the finest layer, in whole LR pixels, at which the patches of figure 2 have the most contrast. */
function showcasePosition(experiment: Experiment): PatchPosition {
  const { sides: [size], plan: { patch }, data: { train } } = experiment;
  const images = Array.from({ length: Math.min(PAIRS, train.images.count) }, (_, i) => experiment.trainingImage(i));
  let best = { y: 0, x: 0 }, most = -1;
  for (let y = 0; y <= size - patch; y += 2) {
    for (let x = 0; x <= size - patch; x += 2) {
      const least = Math.min(...images.map((image) => variance(cutPatch(squareOf(size), image, { x, y }, patch))));
      if (least > most) [best, most] = [{ y, x }, least];
    }
  }
  return best;
}

function variance(values: ArrayLike<number>): number {
  let sum = 0, squares = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i];
    squares += values[i] * values[i];
  }
  return squares / values.length - (sum / values.length) ** 2;
}

/**
 * Figure 3: the candidates of one draw in the finest layer, with log T of equation (posterior example based), and the patch
 * that they were matched to. It shows the location of the iteration whose measurements have the most contrast. Returns no
 * figure if the prior has no list of candidates or the layer no such iteration.
 */
export function candidatesFigure(
  experiment: Experiment,
  number: string,
  { label, test }: SeededImage,
  iteration: number,
): Figure | Figure[] {
  const { sides, plan: { patch, layers } } = experiment;
  const parameters = layers[0].iterations[iteration];
  if (!parameters) return [];
  let seen: { found: Candidates; matched: Float32Array; contrast: number; x: number; y: number } | undefined;
  const look = ({ layer, location: { x, y }, location, measurements, step, prior }: Draw) => {
    if (layer !== 0 || step.iteration !== iteration || !prior.candidates) return;
    const matched = measurements.patches.slice(0, patch * patch), contrast = variance(matched);
    if (!seen || contrast > seen.contrast) {
      seen = { found: prior.candidates(location, measurements, step, 0), matched, contrast, x, y };
    }
  };
  experiment.synthesizeSeeds(label, [FIGURE_NUMBERS], experiment.seeds([test]), look);
  if (!seen) return [];
  const { found: { sources, logT }, matched, x, y } = seen;
  const order = [...logT.keys()].sort((a, b) => logT[b] - logT[a]);
  const { train } = experiment.learned;
  const training = numbersOfClass(train.labels, label, train.images.count);
  const chosen = spaced(order, 15), relative = chosen.map((c) => logT[c] - logT[order[0]]);
  const decimals = decimalsOf(relative);
  const shown = chosen.map((c, i): Framed => ({
    pixels: cutPatch(
      squareOf(sides[0]),
      experiment.trainingImage(training[sources[3 * c]]),
      { y: sources[3 * c + 1], x: sources[3 * c + 2] },
      patch,
    ),
    colour: "blue",
    text: fixed(relative[i], decimals),
  }));
  const measurements: Framed = { pixels: Uint8Array.from(matched, byteOf), colour: "green" };
  const what = iteration === 0 ? "still the blurred interpolation" : "sharpened by the iterations before";
  return picture({
    number,
    caption: `The sampling process at location (${x}, ${y}) of the finest layer in iteration ${iteration} (h = ${
      short(parameters.h)
    }, rho = ${
      short(parameters.rho)
    }). Green: the measurements R X + u, ${what}. Blue: ${shown.length} of the ${order.length} candidates from the likeliest to the least likely; log T relative to the first below.`,
    groups: [measurements, ...shown].map((one) => [one]),
    size: patch,
    columns: 8,
    alt: "patches in frames with numbers below",
    scale: Math.floor(72 / patch),
  });
}

/** Takes `count` items evenly, the first and the last among them. */
function spaced<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.round(i * (items.length - 1) / (count - 1))]);
}

/** Rounds to three significant digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Figure 4: patch locations of the first iterations of the finest layer. */
export function cycleSpinningFigure(experiment: Experiment): Figure {
  const { sides: [size], plan: { patch, layers: [{ overlap, iterations }] } } = experiment;
  const stride = patch - overlap, base = experiment.testImage(0);
  const frames = iterations.slice(0, 4).map(({ offset: [dx, dy] }): Framed => {
    const pixels = base.map((value) => value >> 1);
    for (let p = 0; p < pixels.length; p++) {
      const x = p % size, y = Math.floor(p / size);
      const onGrid = (at: number, offset: number) => at >= offset && (at - offset) % stride === 0;
      if (onGrid(x, dx) || onGrid(y, dy)) pixels[p] = Math.min(255, pixels[p] + 110);
    }
    return { pixels, colour: "grey" };
  });
  return picture({
    number: "4",
    caption:
      "Cycle spinning: the first pixels of the patches in the first iterations of the finest layer. The grid moves, so that no seam stays.",
    groups: [frames],
    size,
    alt: "a shifted grid over an image",
    scale: Math.max(1, Math.floor(160 / size)),
  });
}

/** Figure 5: the context of a patch in the finest layer. */
export function contextFigure(experiment: Experiment): Figure {
  const { plan, plan: { layers: [finest] }, sides: [, size] } = experiment, side = plan.patch / 2;
  const context = contextOf(finest);
  const x0 = Math.floor(size / 3), y0 = Math.floor(size / 3);
  const pixels = new Uint8Array(size * size).fill(20);
  const most = Math.max(...context.map(({ weight }) => weight), 0.001);
  for (const { dx, dy, weight, mirrored } of context) {
    const x = mirrored ? size - 1 - (x0 + dx) : x0 + dx, y = y0 + dy;
    if (x >= 0 && x < size && y >= 0 && y < size) pixels[y * size + x] = 40 + 120 * Math.sqrt(weight / most);
  }
  for (let p = 0; p < side * side; p++) pixels[(y0 + Math.floor(p / side)) * size + x0 + p % side] = 255;
  const names = finest.contexts.map(pluginText).join(" and ");
  return picture({
    number: "5",
    caption: `The context of an LR patch (white) in the finest layer, brighter where it counts more: ${names}.`,
    groups: [[{ pixels, colour: "grey" }]],
    size,
    alt: "a patch and the pixels around it",
    scale: Math.max(1, Math.floor(320 / size)),
  });
}
