/** Standard normal random numbers: mean 0, variance 1. */
import { type Address, borrowing, type Kernels } from "./kernels.ts";
import type { Stream } from "./random.ts";

/**
 * Fills `out` with standard normal numbers by Marsaglia's polar method. Of the functions in which engines differ, it needs the
 * logarithm only, and takes the kernels'.
 *
 * @param next gives uniform numbers in [0, 1)
 * @param scratch the address of 8 bytes
 */
export function fillNormals(kernels: Kernels, next: () => number, out: Float64Array, scratch: Address): void {
  const log = kernels.f64(scratch, 1);
  for (let filled = 0; filled < out.length;) {
    const a = 2 * next() - 1;
    const b = 2 * next() - 1;
    const s = a * a + b * b;
    if (s >= 1 || s === 0) continue;
    log[0] = s;
    kernels.logInPlace(scratch, 1);
    const factor = Math.sqrt(-2 * log[0] / s);
    out[filled++] = a * factor;
    if (filled < out.length) out[filled++] = b * factor;
  }
}

/** Draws `count` standard normal numbers from a stream. Frees the kernel memory that it allocates. */
export function normals(kernels: Kernels, numbers: Stream, count: number): Float64Array {
  const values = new Float64Array(count);
  borrowing(kernels, () => fillNormals(kernels, numbers.next, values, kernels.allocate(8)));
  return values;
}
