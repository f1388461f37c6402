/** Balls around the images of a set, by which metrics tell whether images lie among others. Distances are squared L2, exact, in grey levels of 0 to 255. */
import { counted } from "../../core/counted.ts";
import type { Kernels } from "../../core/kernels.ts";
import { eachRow } from "../../core/image_distances.ts";
import { nearestIn } from "../../core/nearest.ts";
import type { Rows } from "../../core/types.ts";
import type { NeighbourDistances } from "../../core/metric.ts";

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
  const { count } = centres;
  const k = Math.min(wanted, count - 1);
  const warnings: string[] = [];
  if (k === 0) {
    warnings.push(`one ${what} image alone has no neighbours: there is no score`);
    return { centres, k, squared: new Float64Array(1).fill(NaN), warnings };
  }
  if (k < wanted) {
    warnings.push(`${count} ${what} images are too few for ${wanted} neighbours: ${counted(k, "is", "are")} used`);
  }
  const { each, squared: all } = known && known.each >= k && known.squared.length === count * known.each
    ? known
    : { each: k, ...nearestIn(kernels, centres, centres, k, (i) => i) };
  const squared = Float64Array.from({ length: count }, (_, i) => all[i * each + k - 1]);
  const points = squared.filter((radius) => radius === 0).length;
  if (points > 0) {
    warnings.push(`points in place of balls, because of ${k} or more copies: ${points} of ${count} ${what} images`);
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
