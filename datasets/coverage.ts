/** Chooses few images that represent many. */
import type { Kernels } from "../core/kernels.ts";
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
  const own = small.pixels.length / count, length = Math.ceil(own / 16) * 16; // whole vectors are faster
  const mark = kernels.mark();
  try {
    const at = kernels.allocate(count * length);
    for (let i = 0; i < count; i++) {
      kernels.u8(at + i * length, own).set(small.pixels.subarray(i * own, (i + 1) * own));
    }
    const queries = kernels.allocate(BLOCK * length), out = kernels.allocate(BLOCK * count * 8);
    // Squared distance from each image to its nearest chosen one; at first, to a black image.
    const nearest = new Float64Array(count), gains = new Float64Array(count).fill(Infinity);
    kernels.distances(queries, 1, at, count, length, out);
    nearest.set(kernels.f64(out, count));

    /** Recomputes the gains of up to BLOCK images. */
    const evaluate = (block: readonly number[]) => {
      block.forEach((i, b) => kernels.u8(queries + b * length, length).set(kernels.u8(at + i * length, length)));
      kernels.distances(queries, block.length, at, count, length, out);
      block.forEach((i, b) => {
        const row = kernels.f64(out + b * count * 8, count);
        let gain = 0;
        for (let j = 0; j < count; j++) if (row[j] < nearest[j]) gain += nearest[j] - row[j];
        gains[i] = gain;
      });
    };
    for (let i = 0; i < count; i += BLOCK) {
      evaluate(Array.from({ length: Math.min(BLOCK, count - i) }, (_, b) => i + b));
      yield i / count / 2;
    }
    const chosen: number[] = [], isChosen = new Uint8Array(count), fresh = new Uint8Array(count).fill(1);
    while (chosen.length < k) {
      const best = largest(gains, BLOCK, (i) => !isChosen[i]), stale = best.filter((i) => !fresh[i]);
      if (!fresh[best[0]]) {
        evaluate(stale);
        for (const i of stale) fresh[i] = 1;
        continue;
      }
      chosen.push(best[0]);
      isChosen[best[0]] = 1;
      kernels.distances(at + best[0] * length, 1, at, count, length, out);
      const row = kernels.f64(out, count);
      for (let j = 0; j < count; j++) nearest[j] = Math.min(nearest[j], row[j]);
      fresh.fill(0);
      yield 0.5 + chosen.length / k / 2;
    }
    return chosen.sort((a, b) => a - b).map((i) => among[i]);
  } finally {
    kernels.release(mark);
  }
}

/** Images of half the sides (rounded down): each pixel the mean of four. */
function halved({ count, height, width, channels = 1, pixels }: Images): Images {
  const h = height >> 1, w = width >> 1, out = new Uint8Array(count * channels * h * w);
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
