/** The squared distances of whole images, exact, in grey levels of 0 to 255. */
import { borrowing, type Kernels } from "./kernels.ts";
import { lengthOf } from "./shape.ts";
import type { Rows } from "./types.ts";

/** Bytes of distances that are held at once; more if `MIN_QUERIES` queries need more. */
const MAX_BYTES_HELD = 2 ** 21;
/** The least number of queries that are compared together: the kernel reads the images once for all of them. */
const MIN_QUERIES = 4;

/**
 * Calls `each` with the squared distances of each query to all images of a set, in their order. The array is valid until `each`
 * returns.
 */
export function eachRow(
  kernels: Kernels,
  queries: Rows,
  rows: Rows,
  each: (query: number, squared: Float64Array) => void,
): void {
  const { at, count } = rows;
  const length = lengthOf(rows);
  borrowing(kernels, () => {
    const most = Math.min(Math.max(MIN_QUERIES, Math.floor(MAX_BYTES_HELD / (count * 8))), queries.count);
    const out = kernels.allocate(most * count * 8);
    for (let first = 0; first < queries.count; first += most) {
      const batch = Math.min(most, queries.count - first);
      kernels.distances(queries.at + first * length, batch, at, count, length, out);
      for (let b = 0; b < batch; b++) each(first + b, kernels.f64(out + b * count * 8, count));
    }
  });
}

/** The nearest images of each query: `queries` x `k`, the nearest first, of two as near the one with the lower number. */
export interface Neighbours {
  /** Their numbers in the set; -1 if the set has fewer than `k`. */
  readonly index: Int32Array;
  /** Their squared distances; Infinity if the set has fewer than `k`. */
  readonly squared: Float64Array;
}
