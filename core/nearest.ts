/**
 * Whole images against whole images: nearest neighbours, and the distances of the paper's originality measure. Squared
 * distances are exact, in grey levels of 0 to 255.
 */
import { blockMeans, hasBlocks, nearestByMeans } from "./block_means.ts";
import { eachRow, type Neighbours } from "./image_distances.ts";
import { borrowing, type Kernels } from "./kernels.ts";
import type { TrainingPyramid } from "./pyramid.ts";
import { lengthOf } from "./shape.ts";
import type { Images, Rows } from "./types.ts";

/** Converts a squared distance in grey levels to an L2 distance of pixels in [0, 1]. */
export function toUnits(squared: number): number {
  return Math.sqrt(squared) / 255;
}

/**
 * Finds the `k` nearest images of a set to each query.
 *
 * @param except gives the number of the image that a query leaves out, if it is itself in the set; -1: none
 * @param least images at a smaller squared distance are left out: 1 leaves out those that are the same as the query
 */
export function nearestIn(
  kernels: Kernels,
  queries: Rows,
  set: Rows,
  k = 1,
  except: (query: number) => number = () => -1,
  least = 0,
): Neighbours {
  const index = new Int32Array(queries.count * k).fill(-1);
  const squared = new Float64Array(index.length).fill(Infinity);
  eachRow(kernels, queries, set, (query, row) => {
    const first = query * k;
    const last = first + k - 1;
    const left = except(query);
    for (let i = 0; i < row.length; i++) {
      if (row[i] >= squared[last] || row[i] < least || i === left) continue;
      let at = last;
      for (; at > first && squared[at - 1] > row[i]; at--) {
        squared[at] = squared[at - 1];
        index[at] = index[at - 1];
      }
      squared[at] = row[i];
      index[at] = i;
    }
  });
  return { index, squared };
}

/** Copies images to new kernel memory. */
export function rowsOf(kernels: Kernels, { count, height, width, channels = 1, pixels }: Images): Rows {
  const at = kernels.allocate(pixels.length);
  kernels.u8(at, pixels.length).set(pixels);
  return { count, height, width, channels, at };
}

/** Copies the images of these numbers to new kernel memory, one after another. */
export function gather(kernels: Kernels, rows: Rows, numbers: ArrayLike<number>): Rows {
  const length = lengthOf(rows);
  const count = numbers.length;
  const to = kernels.allocate(count * length);
  for (let i = 0; i < count; i++) {
    kernels.u8(to + i * length, length).set(kernels.u8(rows.at + numbers[i] * length, length));
  }
  return { ...rows, count, at: to };
}

/** For each query its nearest training image and the distances d_G and d_T of section "Originality", pixels in [0, 1]. */
export interface Originality {
  /** X_NN: the number of the nearest training image; -1 if there is none. */
  readonly nearest: Int32Array;
  /** d_G: the distance to it; Infinity if there is none. */
  readonly dG: Float64Array;
  /** d_T: the distance from it to the nearest training image that is not the same; Infinity if there is none. */
  readonly dT: Float64Array;
  /** The number of that other one; -1 if there is none. */
  readonly other: Int32Array;
}

/** The queries that a set was compared with, and the means of its images, once there were many. */
const searchesBySet = new WeakMap<Rows, { queries: number; means?: Uint8Array }>();
/** From so many queries on, it pays to compute the means of the set: that takes as long as to compare some twelve. */
const MANY_QUERIES = 16;

/** Finds the nearest training image of each query as `nearestIn` does. Training images stay as they are. */
function nearestOf(kernels: Kernels, queries: Rows, training: Rows, least: number): Neighbours {
  if (!hasBlocks(training)) return nearestIn(kernels, queries, training, 1, undefined, least);
  const compared = searchesBySet.get(training) ?? { queries: 0 };
  searchesBySet.set(training, compared);
  compared.queries += queries.count;
  if (compared.queries < MANY_QUERIES) return nearestIn(kernels, queries, training, 1, undefined, least);
  compared.means ??= blockMeans(kernels, training);
  return nearestByMeans(kernels, queries, training, compared.means, least);
}

/** Finds the nearest training image of each query, and the distance of that one to its own nearest. */
export function originalityDistances(kernels: Kernels, queries: Rows, training: Rows): Originality {
  const { index: nearest, squared } = nearestOf(kernels, queries, training, 0);
  // Each training image that is nearest to some query is compared with all others once. One that stands there twice is compared
  // with the nearest that differs: at a distance of 0 from its like, every near copy of it would count as original.
  const asked = [...new Set(nearest)].filter((image) => image >= 0);
  const ofNearest = borrowing(
    kernels,
    () => nearestOf(kernels, gather(kernels, training, asked), training, 1),
  );
  const queryOf = new Map(asked.map((image, query) => [image, query]));
  const dT = Float64Array.from(nearest, (image) => toUnits(ofNearest.squared[queryOf.get(image)!] ?? Infinity));
  const other = nearest.map((image) => ofNearest.index[queryOf.get(image)!] ?? -1);
  return { nearest, dG: squared.map(toUnits), dT, other };
}

/** `Originality` of one image. */
export interface Nearest {
  /** X_NN: the number of the nearest training image; -1 if there is none. */
  readonly image: number;
  /** d_G. */
  readonly distance: number;
  /** d_T. */
  readonly trainingDistance: number;
  /** The number of the training image at that distance from it; -1 if there is none. */
  readonly other: number;
}

/**
 * Measures the originality of images that are not in kernel memory: `pixels` holds them one after another. They are compared with
 * the training images of layer `layer`, whose size they have.
 */
export function nearestTraining(
  kernels: Kernels,
  { hr }: Pick<TrainingPyramid, "hr">,
  pixels: Uint8Array,
  layer = 0,
): Nearest[] {
  const training = hr[layer];
  return borrowing(kernels, () => {
    const queries = rowsOf(kernels, { ...training, count: pixels.length / lengthOf(training), pixels });
    const { nearest, dG, dT, other } = originalityDistances(kernels, queries, training);
    return Array.from(nearest, (image, i) => {
      return { image, distance: dG[i], trainingDistance: dT[i], other: other[i] };
    });
  });
}
