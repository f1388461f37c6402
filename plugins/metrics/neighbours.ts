/** Shared by metrics: what they refuse, the patches that they compare, neighbouring images. Distances are squared L2, exact, in grey levels of 0 to 255. */
import { positions } from "../../core/locations.ts";
import { sameShape, shapeText, type Size } from "../../core/shape.ts";
import { eachRow, nearestIn } from "../../core/nearest.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { MetricInput, NeighbourDistances, Rows } from "../../core/types.ts";

/** Throws one sentence if a metric has no images to measure, or images of different shapes. */
export function requireImages(metric: string, { generated, training, heldOut }: MetricInput): void {
  const fail = (wanted: string, found: string) => {
    throw new Error(`Cannot measure ${metric}: expected ${wanted}, got ${found}`);
  };
  if (!(generated.count > 0)) fail("at least one generated image", "none");
  if (!(training.count > 0)) fail("at least one training image", "none");
  for (const [what, rows] of [["generated", generated], ["held-out", heldOut ?? training]] as const) {
    if (sameShape(rows, training)) continue;
    fail(`${what} images of the training images' shape, ${shapeText(training)}`, shapeText(rows));
  }
}

/** The grid of locations on which patches are compared, and where the values of a patch are in an image. */
export interface ComparedPatches {
  /** First rows of the locations. */
  readonly rows: readonly number[];
  /** First columns of the locations. */
  readonly columns: readonly number[];
  /** Writes the numbers, in an image, of the values of the patch at (y, x): channel by channel, row by row. */
  numbersAt(y: number, x: number, out: Uint32Array): void;
}

/** The plain grid of section "Log-Likelihood": the last rows and columns may stay uncovered. */
export function patchesOf({ height, width }: Size, patch: number, overlap: number): ComparedPatches {
  const along = (side: number) => [...positions(side, patch, overlap, 0, false)], inChannel = patch * patch;
  return {
    rows: along(height),
    columns: along(width),
    numbersAt(y, x, out) {
      for (let p = 0; p < out.length; p++) {
        const row = Math.floor(p / patch) % patch, channel = Math.floor(p / inChannel);
        out[p] = (channel * height + y + row) * width + x + p % patch;
      }
    },
  };
}

/** Cuts the larger set to the size of the smaller one (its first images), with a warning if that drops any. */
export function equallyMany({ generated, training }: MetricInput) {
  const count = Math.min(generated.count, training.count);
  const warnings = generated.count === training.count
    ? []
    : [`compares the first ${count} of ${training.count} training and ${generated.count} generated images`];
  return { count, generated: { ...generated, count }, training: { ...training, count }, warnings };
}

/** Balls around images; the radius is the distance to the `k`-th nearest other image. */
export interface Balls {
  readonly centres: Rows;
  readonly k: number;
  /** Squared radii; NaN for a lone image, which has no neighbour. */
  readonly squared: Float64Array;
  readonly warnings: readonly string[];
}

/**
 * The balls around the images of a set. `k` is `wanted`, or less in a set that has not so many neighbours.
 *
 * @param known the distances of the images to their neighbours, if they were computed before
 */
export function ballsAround(
  kernels: Kernels,
  centres: Rows,
  wanted: number,
  what: string,
  known?: NeighbourDistances,
): Balls {
  const { count } = centres, k = Math.min(wanted, count - 1), warnings: string[] = [];
  if (k === 0) {
    warnings.push(`one ${what} image alone has no neighbours: there is no score`);
    return { centres, k, squared: new Float64Array(1).fill(NaN), warnings };
  }
  if (k < wanted) warnings.push(`${count} ${what} images are too few for ${wanted} neighbours: ${k} are used`);
  const { each, squared: all } = known && known.each >= k && known.squared.length === count * known.each
    ? known
    : { each: k, ...nearestIn(kernels, centres, centres, k, (i) => i) };
  const squared = Float64Array.from({ length: count }, (_, i) => all[i * each + k - 1]);
  const points = squared.filter((radius) => radius === 0).length;
  if (points > 0) {
    warnings.push(`${points} of ${count} ${what} images have ${k} or more copies: their balls are points`);
  }
  return { centres, k, squared, warnings };
}

/** The number of balls that each image lies in, the boundary included. NaN if there are no balls. */
export function ballsAt(kernels: Kernels, images: Rows, { centres, k, squared }: Balls): Float64Array {
  const counts = new Float64Array(images.count);
  if (k === 0) return counts.fill(NaN);
  eachRow(kernels, images, centres, (image, row) => {
    let inside = 0;
    for (let i = 0; i < row.length; i++) if (row[i] <= squared[i]) inside++;
    counts[image] = inside;
  });
  return counts;
}
