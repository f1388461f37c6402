/** What the metrics of neighbouring images share. Distances are L2, squared and exact: in grey levels of 0 to 255. */
import type { Kernels } from "../../core/kernels.ts";
import type { MetricInput, Rows } from "../../core/types.ts";

/** Queries whose distances are held at once, 8 MB for 60000 images; a multiple of the four that the kernel takes together. */
const BLOCK = 16;

/** An L2 distance in pixels of [0, 1] from a squared one in grey levels. */
export function toUnits(squared: number): number {
  return Math.sqrt(squared) / 255;
}

/** Runs a job and gives back the kernel memory that it takes, also where it fails. */
export function borrowing<T>(kernels: Kernels, job: () => T): T {
  const mark = kernels.mark();
  try {
    return job();
  } finally {
    kernels.release(mark);
  }
}

/** Throws one sentence where a metric has no images to measure, or images of different sizes. */
export function requireImages(metric: string, { generated, training, heldOut }: MetricInput): void {
  const fail = (wanted: string, found: string) => {
    throw new Error(`Cannot measure ${metric}: expected ${wanted}, got ${found}`);
  };
  if (!(generated.count > 0)) fail("at least one generated image", "none");
  if (!(training.count > 0)) fail("at least one training image", "none");
  for (const [what, rows] of [["generated", generated], ["held-out", heldOut ?? training]] as const) {
    if (rows.size === training.size) continue;
    fail(`${what} images of the training images' side, ${training.size}`, String(rows.size));
  }
}

/** Both sets cut to the images of the smaller one, the first ones of the larger: with a warning where that leaves out any. */
export function equallyMany({ generated, training }: MetricInput) {
  const count = Math.min(generated.count, training.count);
  const warnings = generated.count === training.count
    ? []
    : [`compares the first ${count} of ${training.count} training and ${generated.count} generated images`];
  return { count, generated: { ...generated, count }, training: { ...training, count }, warnings };
}

/** Copies the images of these numbers to new kernel memory, one after another. */
export function gather(kernels: Kernels, { at, size }: Rows, numbers: ArrayLike<number>): Rows {
  const length = size * size, count = numbers.length, to = kernels.allocate(count * length);
  for (let i = 0; i < count; i++) {
    kernels.u8(to + i * length, length).set(kernels.u8(at + numbers[i] * length, length));
  }
  return { count, size, at: to };
}

/** Calls `each` with the squared distances of each query to all images of a set; the row holds until `each` returns. */
export function eachRow(
  kernels: Kernels,
  queries: Rows,
  { at, count, size }: Rows,
  each: (query: number, squared: Float64Array) => void,
): void {
  const length = size * size;
  borrowing(kernels, () => {
    const out = kernels.allocate(BLOCK * count * 8);
    for (let first = 0; first < queries.count; first += BLOCK) {
      const batch = Math.min(BLOCK, queries.count - first);
      kernels.distances(queries.at + first * length, batch, at, count, length, out);
      for (let b = 0; b < batch; b++) each(first + b, kernels.f64(out + b * count * 8, count));
    }
  });
}

/** The nearest images of each query: `queries` x `k`, the nearest first, the lower number first where two are as near. */
export interface Nearest {
  /** Their numbers in the set, -1 where it has no more. */
  readonly index: Int32Array;
  /** Their squared distances, Infinity where it has no more. */
  readonly squared: Float64Array;
}

/** Finds the `k` nearest images of a set to each query. `except` is the number of the one that a query leaves out: itself. */
export function nearestIn(
  kernels: Kernels,
  queries: Rows,
  set: Rows,
  k = 1,
  except: (query: number) => number = () => -1,
): Nearest {
  const index = new Int32Array(queries.count * k).fill(-1), squared = new Float64Array(index.length).fill(Infinity);
  eachRow(kernels, queries, set, (query, row) => {
    const first = query * k, last = first + k - 1, left = except(query);
    for (let i = 0; i < row.length; i++) {
      if (row[i] >= squared[last] || i === left) continue;
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

/** Balls around images, each just so large that its `k`-th nearest other image lies on it. */
export interface Balls {
  readonly centres: Rows;
  readonly k: number;
  /** Squared radii; NaN for a lone image, which has no neighbour. */
  readonly squared: Float64Array;
  readonly warnings: readonly string[];
}

/** The balls around the images of a set, with fewer neighbours than `wanted` where there are not so many. */
export function ballsAround(kernels: Kernels, centres: Rows, wanted: number, what: string): Balls {
  const { count } = centres, k = Math.min(wanted, count - 1), warnings: string[] = [];
  if (k === 0) {
    warnings.push(`one ${what} image alone has no neighbours: there is no score`);
    return { centres, k, squared: new Float64Array(1).fill(NaN), warnings };
  }
  if (k < wanted) warnings.push(`${count} ${what} images are too few for ${wanted} neighbours: ${k} are used`);
  const squared = nearestIn(kernels, centres, centres, k, (i) => i).squared.filter((_, n) => n % k === k - 1);
  const points = squared.filter((radius) => radius === 0).length;
  if (points > 0) {
    warnings.push(`${points} of ${count} ${what} images have ${k} or more copies: their balls are points`);
  }
  return { centres, k, squared, warnings };
}

/** How many balls each image lies in; those on the rim are in. NaN where there are no balls. */
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
