/**
 * The axes that the search projects examples on where they are very many. Patches vary along few directions: distances between
 * projections on these are lower bounds of the distances, and rule out nearly all of a million examples. The search stays exact.
 */
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { Address } from "../../core/kernel_arguments.ts";
import type { Kernels } from "../../core/kernels.ts";
import { RUNS_FROM } from "./runs.ts";

/**
 * Axes that examples are projected on, an even number. Of 250,000 images of digits, 6 took 76 ms an image, 8 took 78, 10 took 88,
 * and 4 took 89; without axes it was 100. Of a million, 8 took 300 ms in place of 446 (`bench/million.ts`).
 */
export const AXES = 8;
/**
 * Projections pay if at most this part of the examples is to be found. It is 1.9e-4 for 100 neighbours in windows of 60,000 images,
 * where they gain nothing, and 4.4e-5 with 250,000.
 */
const MAX_FOUND = 1e-4;
/** With fewer values a comparison takes as long as a projection; of more (`RUNS_FROM`), sums of planes take less to compute. */
const MIN_VALUES = 2 * AXES;
/** Stretches of examples that show how patches vary. */
const STRETCHES = 32;
/** Examples of a stretch: a cache line of a plane. */
const STRETCH = 64;
/** The largest singular value that the kernel takes of the matrix of the axes. */
const LARGEST = 2 ** 12.5;

/** Whether projections rule out so many of `examples`, of so many values, that they pay. */
export function axesPay(examples: number, values: number, neighbours: number): boolean {
  return values >= MIN_VALUES && values < RUNS_FROM && neighbours <= MAX_FOUND * examples;
}

/** How many stretches of a plane of `count` examples show how patches vary, and how many examples each has. */
function stretchesOf(count: number): { readonly stretches: number; readonly stretch: number } {
  const stretch = Math.min(STRETCH, count);
  return { stretches: Math.min(STRETCHES, Math.floor(count / stretch)), stretch };
}

/** To multiply two values of the covariance takes some 1.5 nanoseconds, and to find its axes some 3 for the cube of its side. */
const PER_PRODUCT = 15, PER_CUBED = 30;

/** Returns the work of `writePrincipalAxes` for planes of `count` examples. */
export function axesWork(planes: number, count: number): number {
  const { stretches, stretch } = stretchesOf(count);
  return planes ** 2 * (PER_PRODUCT * stretches * stretch + PER_CUBED * planes);
}

/** Where examples lie that are projected. */
interface ProjectedExamples {
  /** The u32 address of each plane, and the i16 scale of each. */
  readonly planesAt: Address;
  readonly scale: Address;
  readonly planes: number;
  /** Examples of a plane. */
  readonly count: number;
}

/**
 * Writes the principal axes of the examples, those along which they vary most, to `out`: AXES x `planes` i16. The floating-point
 * numbers that they come from may differ between engines: what is found does not depend on the axes.
 */
export function writePrincipalAxes(
  kernels: Kernels,
  { planesAt, scale, planes, count }: ProjectedExamples,
  out: Address,
): void {
  const { stretches, stretch } = stretchesOf(count);
  const addresses = kernels.u32(planesAt, planes).slice();
  const scales = kernels.i16(scale, planes).slice();
  const columns = Array.from(addresses, (address, p) => {
    const values = new Float64Array(stretches * stretch);
    for (let s = 0; s < stretches; s++) {
      const bytes = kernels.u8(address + Math.floor(s * (count - stretch) / stretches), stretch);
      for (let i = 0; i < stretch; i++) values[s * stretch + i] = scales[p] * bytes[i];
    }
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  });
  const covariance = columns.map((a) =>
    columns.map((b) => {
      let sum = 0;
      for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
      return sum;
    })
  );
  const { eigenvectorMatrix } = new EigenvalueDecomposition(new Matrix(covariance), { assumeSymmetric: true });
  // Rounding moves each of the AXES x planes numbers by 1/2 at the most, and the singular values by the root of the sum of squares.
  const length = LARGEST - 0.5 * Math.sqrt(AXES * planes) - 1;
  // Eigenvalues ascend: the last axes are the principal ones.
  kernels.i16(out, AXES * planes).forEach((_, i, axes) => {
    axes[i] = Math.round(length * eigenvectorMatrix.get(i % planes, planes - 1 - Math.floor(i / planes)));
  });
  kernels.addWork(axesWork(planes, count));
}
