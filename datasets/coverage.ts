/** Choosing few images that stand for many. */
import { borrowing, type Kernels } from "../core/kernels.ts";
import type { Images } from "../core/types.ts";
import { pick } from "./data_set.ts";

/** Images whose distances to all others are computed together: as many as the kernel takes at once. */
const BLOCK = 4;

/** Images are compared at no more than this many pixels a side: what they show counts, and not the last pixel of a stroke. */
const SIDE = 16;

/**
 * Chooses `k` of the `among` images (their numbers; the result is such numbers too, ascending) so that the sum of squared
 * distances from every one of them to the nearest chosen one is small: greedily, each time the image that lessens it most
 * (facility location; the lower number where two are as good), beginning with a black image. Gains only ever shrink, so
 * that few have to be computed again for each choice. The sums are exact: every host chooses the same.
 *
 * Takes as much time as about (n + 10 k) n distances of images that are halved until no side is above 16.
 *
 * @param progress is told the part that is done, 0..1
 */
export function coverage(
  kernels: Kernels,
  images: Images,
  among: ArrayLike<number>,
  k: number,
  progress: (done: number) => void = () => {},
): number[] {
  const count = among.length;
  if (k >= count) return Array.from(among);
  let small = pick({ images }, Array.from(among)).images;
  while (Math.max(small.height, small.width) > SIDE) small = halved(small);
  const own = small.pixels.length / count, length = Math.ceil(own / 16) * 16; // whole vectors are faster
  return borrowing(kernels, () => {
    const at = kernels.allocate(count * length);
    for (let i = 0; i < count; i++) {
      kernels.u8(at + i * length, own).set(small.pixels.subarray(i * own, (i + 1) * own));
    }
    const queries = kernels.allocate(BLOCK * length), out = kernels.allocate(BLOCK * count * 8);
    // From each image to the nearest chosen one; at first, to the black one.
    const nearest = new Float64Array(count), gains = new Float64Array(count).fill(Infinity);
    kernels.distances(queries, 1, at, count, length, out);
    nearest.set(kernels.f64(out, count));

    /** Computes the gains of up to BLOCK images anew. */
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
      progress(i / count / 2);
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
      progress(0.5 + chosen.length / k / 2);
    }
    return chosen.sort((a, b) => a - b).map((i) => among[i]);
  });
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

/** The places of the `most` largest values among those allowed, the largest first, the lower place first where two are equal. */
function largest(values: Float64Array, most: number, allowed: (place: number) => boolean): number[] {
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
