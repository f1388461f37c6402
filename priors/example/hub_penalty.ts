/**
 * Finds the hubs among training images: images that are among the nearest of very many others. Synthesis gathers around them; a
 * penalty on them makes images more various. Not in the paper.
 */
import { gather, nearestIn } from "../../core/nearest.ts";
import { borrowing } from "../../core/kernels.ts";
import { lengthOf } from "../../core/shape.ts";
import { MIN_STEP, PROGRESS, type Steps } from "../../core/steps.ts";
import type { LayerData, Rows } from "../../core/types.ts";

/** Images are compared at this longer side or less: in outline, as the coarsest layer of 32x32 digits sees them (8x8). */
const SIDE = 8;
/** How many of the nearest images count, at most. */
const NEAREST = 50;
/** And as a part of all: of 30 images, 50 would be no neighbours. */
const NEAREST_PART = 1 / 8;
/** How many training images are looked up; more change the counts by less than their chance (occ is about 10 at 6000 images). */
const SAMPLE = 1000;
/** So many are looked up together at least: the kernel reads the images once for four. */
const MIN_QUERIES = 4;
/** Keeping the nearest takes as long as comparing bytes of whole images. */
const PER_BYTE = 2;

/** Returns the work of `hubPenalties` on so many channels of training images. */
export function hubWork(channels: number): number {
  return SAMPLE * channels * SIDE * SIDE * PER_BYTE;
}

/**
 * The logarithms of training images that were counted, which every batch of a task fits anew: for 6131 digits that took a tenth of
 * a synthesis (`bench/throughput.ts digits 3 1`). Training images do not change where they lie.
 */
const logsByImages = new WeakMap<Rows, Float64Array>();

/**
 * Computes for each training image what is subtracted from log T:
 *
 *   hubPenalty log((occ + 1) / (mean + 1)).
 *
 * occ counts how often the image is among the 50 nearest (an eighth of all, if that is less) of a sample of the training images,
 * which is spread evenly over them; mean is the mean of occ over all training images. All layers find nearly the same penalties:
 * each halves its own training images down to `SIDE`.
 */
export function* hubPenalties(layer: LayerData, hubPenalty: number): Steps<Float64Array> {
  const logs = logsByImages.get(layer.hr) ?? (yield* logOccurrences(layer));
  logsByImages.set(layer.hr, logs);
  return logs.map((log) => hubPenalty * log);
}

/** Computes log((occ + 1) / (mean + 1)) of each training image. */
function* logOccurrences({ kernels, hr, lr }: LayerData): Steps<Float64Array> {
  const mark = kernels.mark();
  try {
    const { count, channels } = hr;
    let { height, width } = hr;
    let at = hr.at;
    if (Math.max(height, width) > SIDE) ({ height, width, rows: at } = lr);
    for (; Math.max(height, width) > SIDE && height % 4 === 0 && width % 4 === 0; height /= 2, width /= 2) {
      const planes = count * channels;
      const pixels = planes * height * width;
      const halves = kernels.allocate(pixels / 4);
      borrowing(kernels, () => {
        const whole = kernels.allocate(pixels * 4);
        const half = kernels.allocate(pixels);
        kernels.toUnit(at, whole, pixels);
        kernels.down(whole, half, height, width, planes);
        kernels.toBytes(half, halves, pixels / 4);
      });
      at = halves;
    }
    const small = { count, channels, height, width, at };
    const size = Math.min(SAMPLE, count);
    const sample = Array.from({ length: size }, (_, i) => Math.floor(i * count / size));
    const nearest = Math.min(NEAREST, Math.ceil(count * NEAREST_PART));
    const occurrences = new Float64Array(count);
    const perQuery = count * lengthOf(small);
    const together = Math.max(MIN_QUERIES, Math.floor(MIN_STEP / perQuery));
    for (let first = 0; first < size; first += together) {
      const some = sample.slice(first, first + together);
      const { index } = borrowing(kernels, () => {
        return nearestIn(kernels, gather(kernels, small, some), small, nearest, (query) => some[query]);
      });
      for (const image of index) if (image >= 0) occurrences[image]++;
      kernels.addWork(some.length * perQuery * (PER_BYTE - 1)); // the kernel counts the comparison
      yield PROGRESS;
    }
    const mean = occurrences.reduce((sum, occurs) => sum + occurs, 0) / count;
    const address = kernels.allocate(count * 8);
    const logs = kernels.f64(address, count);
    logs.set(occurrences.map((occurs) => (occurs + 1) / (mean + 1)));
    kernels.logInPlace(address, count);
    return logs.slice();
  } finally {
    kernels.release(mark);
  }
}
