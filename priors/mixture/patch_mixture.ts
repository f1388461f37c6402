/**
 * A mixture of Gaussians of pairs of an LR and an HR patch, in the form that patches are drawn from: all that conditioning on an
 * LR patch needs is computed once and kept as bytes. Loading copies nothing: the arrays are views of the bytes.
 */
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { Kernels } from "../../core/kernels.ts";
import { addProducts, logsOf, type Mixture, triangle, whitener } from "./mixture.ts";

/** How many values pairs and their mixture have. */
export interface PairShape {
  /** Of an HR patch. */
  readonly high: number;
  /** Of an LR patch with its context. */
  readonly low: number;
  /** Of the LR patch's features: its coordinates along the principal axes. */
  readonly features: number;
  readonly components: number;
}

/** One Gaussian of the mixture. Matrices are row by row, lower triangles as in `Whitener`. */
export interface Component {
  /** log pi, log of the density of the LR features at their mean, and of the HR patch at its mean. */
  readonly logs: Float32Array;
  /** Mean and whitener of the LR features. */
  readonly lowMean: Float32Array;
  readonly lowWhite: Float32Array;
  /** Mean of the HR patch, and how it moves with the LR features: high x features. */
  readonly highMean: Float32Array;
  readonly slope: Float32Array;
  /** Conditioned on the LR features: the HR patch's variances along its principal axes, and these axes, high x high. */
  readonly variances: Float32Array;
  readonly axes: Float32Array;
  /** Not conditioned on them: the whitener of the HR patch. */
  readonly highWhite: Float32Array;
}

/** The features of LR patches: coordinates along axes, features x low, from a mean. */
export interface Features {
  readonly mean: Float32Array | Float64Array;
  readonly axes: Float32Array | Float64Array;
}

/** A mixture of pairs of patches. */
export interface PatchMixture extends Features {
  readonly shape: PairShape;
  readonly components: readonly Component[];
}

const SHAPE = ["high", "low", "features", "components"] as const;
const MAGIC = 0x314d4d47; // "GMM1"
const HEADER_BYTES = 4 * (1 + SHAPE.length);

function lengthsOf({ high, features }: PairShape): Readonly<Record<keyof Component, number>> {
  return {
    logs: 3,
    lowMean: features,
    lowWhite: triangle(features),
    highMean: high,
    slope: high * features,
    variances: high,
    axes: high * high,
    highWhite: triangle(high),
  };
}

function bytesOf(shape: PairShape): number {
  const one = Object.values(lengthsOf(shape)).reduce((sum, length) => sum + length, 0);
  return HEADER_BYTES + 4 * (shape.low * (1 + shape.features) + shape.components * one);
}

/** The arrays where they lie in the bytes. */
function layout({ buffer, byteOffset }: Uint8Array, shape: PairShape): Omit<PatchMixture, keyof Features> & {
  mean: Float32Array;
  axes: Float32Array;
} {
  let at = byteOffset + HEADER_BYTES;
  const take = (length: number) => new Float32Array(buffer, (at += length * 4) - length * 4, length);
  const mean = take(shape.low);
  const axes = take(shape.features * shape.low);
  const lengths = Object.entries(lengthsOf(shape));
  const components = Array.from({ length: shape.components }, () => {
    return Object.fromEntries(lengths.map(([name, length]) => [name, take(length)])) as unknown as Component;
  });
  return { shape, mean, axes, components };
}

/**
 * Writes a mixture of joined vectors, the LR features first, the HR patch behind them. `floor` is the least variance of its
 * covariances in any direction.
 */
export function packMixture(kernels: Kernels, mixture: Mixture, features: Features, floor: number): Uint8Array {
  const d = mixture.dimensions;
  const low = features.mean.length;
  const known = features.axes.length / low;
  const shape = { high: d - known, low, features: known, components: mixture.weights.length };
  const bytes = new Uint8Array(bytesOf(shape));
  const { mean, axes, components } = layout(bytes, shape);
  new Uint32Array(bytes.buffer, 0, 1 + SHAPE.length).set([MAGIC, ...SHAPE.map((name) => shape[name])]);
  mean.set(features.mean);
  axes.set(features.axes);
  const logWeights = logsOf(kernels, mixture.weights);
  components.forEach((out, k) => {
    const centre = mixture.means.subarray(k * d, (k + 1) * d);
    const covariance = mixture.covariances.subarray(k * d * d, (k + 1) * d * d);
    const block = (row: number, rows: number, column: number, columns: number) => {
      return new Matrix(Array.from({ length: rows }, (_, p) => {
        const first = (row + p) * d + column;
        return [...covariance.subarray(first, first + columns)];
      }));
    };
    const all = block(known, shape.high, known, shape.high);
    const alone = whitener(kernels, flat(all), shape.high);
    out.logs[0] = logWeights[k];
    out.lowMean.set(centre.subarray(0, known));
    out.highMean.set(centre.subarray(known));
    out.logs[2] = alone.logPeak;
    out.highWhite.set(alone.lower);
    let rest = all;
    if (known > 0) {
      // With W Sigma_ll W^T = I: the slope is Sigma_hl Sigma_ll^-1 = (W Sigma_lh)^T W, and it explains (W Sigma_lh)^T (W Sigma_lh).
      const { lower, logPeak } = whitener(kernels, flat(block(0, known, 0, known)), known);
      const white = Matrix.zeros(known, known);
      for (let p = 0; p < known; p++) for (let q = 0; q <= p; q++) white.set(p, q, lower[triangle(p) + q]);
      const explained = white.mmul(block(0, known, known, shape.high));
      out.logs[1] = logPeak;
      out.lowWhite.set(lower);
      out.slope.set(flat(explained.transpose().mmul(white)));
      rest = Matrix.sub(all, explained.transpose().mmul(explained));
    }
    const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(rest, { assumeSymmetric: true });
    // What is left of a covariance of at least the floor has at least the floor, but for rounding.
    out.variances.set(realEigenvalues.map((variance) => Math.max(variance, floor)));
    out.axes.set(flat(eigenvectorMatrix.transpose()));
  });
  return bytes;
}

function flat(matrix: Matrix): Float64Array {
  return Float64Array.from(matrix.to1DArray());
}

/**
 * Reads what `packMixture` wrote. The bytes must not change as long as the mixture is used.
 *
 * @throws Error where they are no mixture, or one of another shape than `wanted`; fewer components are allowed.
 */
export function readMixture(given: Uint8Array, wanted: PairShape): PatchMixture {
  const fail = (wanted: string, found: string): never => {
    throw new Error(`expected ${wanted}, got ${found}`);
  };
  if (given.length < HEADER_BYTES) fail(`at least ${HEADER_BYTES} bytes`, `${given.length}`);
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  const [magic, high, low, features, components] = new Uint32Array(bytes.buffer, bytes.byteOffset, 1 + SHAPE.length);
  if (magic !== MAGIC) fail("the bytes of a mixture of patches", "others");
  const found: PairShape = { high, low, features, components };
  const same = high === wanted.high && low === wanted.low && features === wanted.features;
  if (!same || components < 1 || components > wanted.components) fail(said(wanted), said(found));
  if (bytes.length !== bytesOf(found)) fail(`${bytesOf(found)} bytes`, `${bytes.length}`);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset + HEADER_BYTES, (bytes.length - HEADER_BYTES) / 4);
  const wrong = floats.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) fail("finite numbers", `${wrong}`);
  const read = layout(bytes, found);
  for (const { variances } of read.components) {
    const negative = variances.find((variance) => !(variance > 0));
    if (negative !== undefined) fail("variances above 0", `${negative}`);
  }
  return read;
}

function said({ high, low, features, components }: PairShape): string {
  return `HR patches of ${high} values, ${features} features of ${low} LR values and ${components} components`;
}

/** The mean of weighted vectors of `low` values, and the `count` axes along which they vary most. */
export function principalFeatures(vectors: Float64Array, weights: Float64Array, low: number, count: number): Features {
  const mean = new Float64Array(low);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  weights.forEach((weight, i) => {
    for (let p = 0; p < low; p++) mean[p] += weight / total * vectors[i * low + p];
  });
  if (count === 0) return { mean, axes: new Float64Array(0) };
  const sums = new Float64Array(low * low);
  addProducts(vectors, mean, sums, [...weights.keys()], (i) => weights[i] / total);
  const covariance = Array.from({ length: low }, (_, p) => {
    return Array.from({ length: low }, (_, q) => sums[Math.max(p, q) * low + Math.min(p, q)]);
  });
  const { eigenvectorMatrix } = new EigenvalueDecomposition(new Matrix(covariance), { assumeSymmetric: true });
  // Eigenvalues ascend: the last axes are the principal ones.
  const axes = Float64Array.from({ length: count * low }, (_, i) => {
    return eigenvectorMatrix.get(i % low, low - 1 - Math.floor(i / low));
  });
  return { mean, axes };
}

/** out = axes (vector - mean): the features of one LR patch. */
export function featuresOf({ mean, axes }: Features, vector: Float64Array, out: Float64Array): void {
  const low = vector.length;
  for (let f = 0; f < out.length; f++) {
    let sum = 0;
    for (let p = 0; p < low; p++) sum += axes[f * low + p] * (vector[p] - mean[p]);
    out[f] = sum;
  }
}
