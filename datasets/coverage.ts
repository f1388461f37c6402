/** Chooses few images that represent many. */
import type { Address, Kernels } from "../core/kernels.ts";
import { numbersFrom } from "../core/numbers.ts";
import type { Images } from "../core/types.ts";
import { pick } from "./data_set.ts";

/** Images whose distances to all others are computed together: as many as the kernel takes at once. */
const BLOCK = 4;

/** Images are compared at this many pixels a side at most: their content counts, not the last pixel of a stroke. */
const SIDE = 16;

/**
 * Chooses `k` images so that the sum of squared distances from every image to its nearest chosen one is small. It is greedy
 * (facility location): starting from a black image, each step chooses the image that reduces the sum most, and the lower number
 * between equals. Gains only ever shrink, so each step recomputes few of them. The sums are exact, so every host chooses
 * the same images.
 *
 * Takes the time of about (n + 10 k) n distances between images that are halved until no side is above 16.
 *
 * @param among the numbers of the images to choose from
 * @param progress gets the part that is done, 0..1
 * @returns the numbers of the chosen images, ascending
 */
export function coverage(
  kernels: Kernels,
  images: Images,
  among: ArrayLike<number>,
  k: number,
  progress: (done: number) => void = () => {},
): number[] {
  const steps = coverageSteps(kernels, images, among, k);
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return step.value;
    progress(step.value);
  }
}

/** The images to choose from, small, and how well those that are chosen cover them, in kernel memory. */
interface Candidates {
  readonly kernels: Kernels;
  readonly count: number;
  /** Address of the images, and bytes from one to the next. */
  readonly images: Address;
  readonly length: number;
  /** Room for BLOCK images, and for their distances to all. */
  readonly queries: Address;
  readonly distances: Address;
  /** Squared distance from each image to its nearest chosen one; at first, to a black image. */
  readonly nearest: Float64Array;
  /** By how much these distances would become less in all, if an image were chosen: at least, where it is not fresh. */
  readonly gains: Float64Array;
}

/** The same in small steps. After each it yields the part that is done, 0..1. */
export function* coverageSteps(
  kernels: Kernels,
  images: Images,
  among: ArrayLike<number>,
  k: number,
): Generator<number, number[]> {
  const count = among.length;
  if (k >= count) return Array.from(among);
  let small = pick({ images }, Array.from(among)).images;
  while (Math.max(small.height, small.width) > SIDE) small = halved(small);
  const mark = kernels.mark();
  try {
    const candidates = openCandidates(kernels, small);
    for (let first = 0; first < count; first += BLOCK) {
      evaluate(candidates, numbersFrom(first, Math.min(first + BLOCK, count)));
      yield first / count / 2;
    }
    const chosen: number[] = [];
    for (const best of greedily(candidates, k)) {
      chosen.push(best);
      yield 0.5 + chosen.length / k / 2;
    }
    return chosen.sort((a, b) => a - b).map((i) => among[i]);
  } finally {
    kernels.release(mark);
  }
}

/** Puts images into kernel memory, and finds how far each is from a black one. */
function openCandidates(kernels: Kernels, { count, pixels }: Images): Candidates {
  const inImage = pixels.length / count;
  const length = Math.ceil(inImage / 16) * 16; // whole vectors are faster
  const images = kernels.allocate(count * length);
  for (let i = 0; i < count; i++) {
    kernels.u8(images + i * length, inImage).set(pixels.subarray(i * inImage, (i + 1) * inImage));
  }
  const queries = kernels.allocate(BLOCK * length);
  const distances = kernels.allocate(BLOCK * count * 8);
  kernels.distances(queries, 1, images, count, length, distances);
  const nearest = kernels.f64(distances, count).slice();
  const gains = new Float64Array(count).fill(Infinity);
  return { kernels, count, images, length, queries, distances, nearest, gains };
}

/** Computes the gains of up to BLOCK images. */
function evaluate(candidates: Candidates, block: readonly number[]): void {
  const { kernels, count, images, length, queries, distances, nearest, gains } = candidates;
  block.forEach((i, b) => kernels.u8(queries + b * length, length).set(kernels.u8(images + i * length, length)));
  kernels.distances(queries, block.length, images, count, length, distances);
  block.forEach((i, b) => {
    const row = kernels.f64(distances + b * count * 8, count);
    let gain = 0;
    for (let j = 0; j < count; j++) if (row[j] < nearest[j]) gain += nearest[j] - row[j];
    gains[i] = gain;
  });
}

/** Chooses `k` images, one by one: always that of the largest gain. A gain only becomes less, so that few are computed again. */
function* greedily(candidates: Candidates, k: number): Generator<number> {
  const { kernels, count, images, length, distances, nearest, gains } = candidates;
  const isChosen = new Uint8Array(count);
  const isFresh = new Uint8Array(count).fill(1);
  for (let chosen = 0; chosen < k;) {
    const best = largest(gains, BLOCK, (i) => !isChosen[i]);
    if (!isFresh[best[0]]) {
      const stale = best.filter((i) => !isFresh[i]);
      evaluate(candidates, stale);
      for (const i of stale) isFresh[i] = 1;
      continue;
    }
    chosen++;
    isChosen[best[0]] = 1;
    kernels.distances(images + best[0] * length, 1, images, count, length, distances);
    const row = kernels.f64(distances, count);
    for (let j = 0; j < count; j++) nearest[j] = Math.min(nearest[j], row[j]);
    isFresh.fill(0);
    yield best[0];
  }
}

/** Images of half the sides (rounded down): each pixel the mean of four. */
function halved({ count, height, width, channels = 1, pixels }: Images): Images {
  const h = height >> 1;
  const w = width >> 1;
  const out = new Uint8Array(count * channels * h * w);
  for (let plane = 0; plane < count * channels; plane++) {
    for (let y = 0; y < h; y++) {
      for (let x = 0; x < w; x++) {
        const at = (plane * height + 2 * y) * width + 2 * x;
        const sum = pixels[at] + pixels[at + 1] + pixels[at + width] + pixels[at + width + 1];
        out[(plane * h + y) * w + x] = (sum + 2) >> 2;
      }
    }
  }
  return { count, height: h, width: w, channels, pixels: out };
}

/** The indices of the `most` largest allowed values, the largest first, the lower index first between equals. */
function largest(values: Float64Array, most: number, allowed: (index: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (!allowed(i) || (found.length === most && values[i] <= values[found[most - 1]])) continue;
    let at = found.length;
    for (; at > 0 && values[found[at - 1]] < values[i]; at--);
    found.splice(at, 0, i);
    if (found.length > most) found.pop();
  }
  return found;
}
