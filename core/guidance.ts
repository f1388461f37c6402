/**
 * Guidance: what was observed of images corrects the estimates of a diffusion. After each step x̂ becomes the image that minimizes
 *
 *   |x - x̂|^2 / (2 r^2) + lambda / 2 |Y - H^L x|^2 + 1/2 sum_p W_p (x_p - V_p)^2,
 *
 * the X-step of the paper, equation (epll x step), with one patch that is the whole image and rho = 1 / r^2. r^2 is the variance
 * that a pixel still has given x_t, sigma^2 v / (sigma^2 + v) with the variance v of the pixels and sigma^2 = (1 - a) / a (Song,
 * Vahdat, Mardani and Kautz, 2023). So rho grows as the noise falls, as in the paper, and the correction fades.
 */
import type { Kernels } from "./kernels.ts";
import type { NoiseLevel } from "./schedule.ts";
import { areaOf, type Shape } from "./shape.ts";
import type { Observations } from "./types.ts";

/** What was observed of the images of a batch. */
export interface Observed {
  /** LR images: Y and how surely they are known. */
  readonly lr?: {
    /** Y: batch x channels x height / 2^layers x width / 2^layers, in [0, 1]. */
    readonly values: Float32Array;
    /** L: how often H was applied, at least 1. Both sides are multiples of 2^L. */
    readonly layers: number;
    /** lambda: one over the variance of Y's noise, > 0. */
    readonly lambda: number;
  };
  /** Pixels: values in [0, 1] and one over the variances of their noise, as many as the batch has. */
  readonly pixels?: Observations;
  /** v: the variance of the images' pixels in [0, 1]; 0.1 by default, of the order of MNIST's. */
  readonly variance?: number;
}

/** What leads a diffusion: both functions change their first argument in place, and allocate no kernel memory. */
export interface Guide {
  /** Corrects x̂ of a batch, values in [-1, 1]. */
  correct(denoised: Float32Array, noise: NoiseLevel): void;
  /**
   * Takes out of the first noise what hides observations: what is known of x_0 is then known of x_t, and windows compare it as it
   * is. Without this function the noise stays.
   */
  calm?(noise: Float64Array): void;
}

/** The system is solved until the residual is below this part of the right side. A pixel is then right within a grey level. */
const TOLERANCE = 1e-4;
/** The most steps of conjugate gradients. */
const MAX_STEPS = 200;
/** A term counts at most so much against x̂: larger ones leave what is around it below the tolerance. */
const MAX_RATIO = 1000;

/**
 * Makes the guide of a batch of images of one shape. It works in kernel memory that is allocated here and that the caller frees.
 *
 * @throws {Error} where the arrays have other lengths than the batch, or a side is no multiple of 2^L
 */
export function guideBy(kernels: Kernels, shape: Shape, batch: number, observed: Observed): Guide {
  const { height, width, channels = 1 } = shape, planes = batch * channels, length = planes * areaOf(shape);
  const { lr, pixels, variance = 0.1 } = observed, layers = lr?.layers ?? 0;
  const refuse = (wanted: string, got: string | number): never => {
    throw new Error(`Cannot guide a diffusion: expected ${wanted}, got ${got}`);
  };
  if (!(variance > 0)) refuse("a variance above 0", variance);
  if (lr) {
    if (!Number.isInteger(layers) || layers < 1) refuse("an LR image of at least one layer below", layers);
    if (!(lr.lambda > 0)) refuse("lambda above 0", lr.lambda);
    if (height % 2 ** layers > 0 || width % 2 ** layers > 0) {
      refuse(`sides that are multiples of ${2 ** layers}`, `${width}x${height}`);
    }
    if (lr.values.length !== length / 4 ** layers) refuse(`${length / 4 ** layers} LR values`, lr.values.length);
  }
  if (pixels && pixels.values.length !== length) refuse(`${length} observed values`, pixels.values.length);
  if (pixels && pixels.weights.length !== length) refuse(`${length} weights`, pixels.weights.length);

  const operator = lr ? lrOperator(kernels, shape, planes, layers) : undefined;
  const back = lr && operator?.transposed(lr.values);

  /** Replaces x by the minimum, where what was observed is `target` times what it was. */
  const minimize = (x: Float64Array, left: number, target: 0 | 1) => {
    const ratio = lr ? Math.min(lr.lambda * left, MAX_RATIO) : 0, right = new Float64Array(length);
    const weights = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      weights[i] = pixels ? Math.min(pixels.weights[i] * left, MAX_RATIO) : 0;
      const ofPixel = weights[i] > 0 ? weights[i] * pixels!.values[i] : 0, ofLr = back ? ratio * back[i] : 0;
      right[i] = x[i] + target * (ofPixel + ofLr);
    }
    const apply = (values: Float64Array) => {
      const spread = operator?.normal(values);
      return values.map((value, i) => (1 + weights[i]) * value + (spread ? ratio * spread[i] : 0));
    };
    solveEach(apply, right, x, areaOf(shape));
  };

  return {
    correct(denoised, { alphaBar }) {
      const noiseVariance = (1 - alphaBar) / alphaBar / 4; // pixels in [0, 1] have half the deviation of those in [-1, 1]
      const x = Float64Array.from(denoised, (value) => (value + 1) / 2);
      minimize(x, noiseVariance * variance / (noiseVariance + variance), 1);
      for (let i = 0; i < length; i++) denoised[i] = 2 * x[i] - 1;
    },
    calm: (noise) => minimize(noise, variance, 0),
  };
}

/** H^L and its transpose on planes. */
function lrOperator(kernels: Kernels, { height, width }: Shape, planes: number, layers: number) {
  const at = Array.from({ length: layers + 1 }, (_, l) => kernels.allocate(planes * height * width / 4 ** l * 4));
  const view = (l: number) => kernels.f32(at[l], planes * height * width / 4 ** l);
  const up = () => {
    for (let l = layers; l > 0; l--) {
      kernels.downTransposed(at[l], at[l - 1], height >> (l - 1), width >> (l - 1), planes);
    }
    return view(0);
  };
  return {
    /** H^L^T applied to LR images; valid until the next call. */
    transposed(values: Float32Array) {
      view(layers).set(values);
      return up().slice();
    },
    /** H^L^T H^L applied to images; valid until the next call. */
    normal(values: Float64Array) {
      view(0).set(values);
      for (let l = 0; l < layers; l++) kernels.down(at[l], at[l + 1], height >> l, width >> l, planes);
      return up();
    },
  };
}

/**
 * Solves A x = right by conjugate gradients from the given x, in place. Each stretch of `area` values is a system of its own, so that
 * an image does not depend on its batch.
 */
function solveEach(
  apply: (values: Float64Array) => Float64Array,
  right: Float64Array,
  x: Float64Array,
  area: number,
): void {
  const count = right.length / area;
  const dots = (a: Float64Array, b: Float64Array) => {
    const sums = new Float64Array(count);
    for (let n = 0, i = 0; n < count; n++) for (let j = 0; j < area; j++, i++) sums[n] += a[i] * b[i];
    return sums;
  };
  const first = apply(x), residual = right.map((value, i) => value - first[i]), direction = residual.slice();
  const enough = dots(right, right).map((norm) => norm * TOLERANCE * TOLERANCE);
  let norms = dots(residual, residual);
  for (let step = 0; step < MAX_STEPS && norms.some((norm, n) => norm > enough[n]); step++) {
    const product = apply(direction), along = dots(direction, product);
    for (let i = 0; i < x.length; i++) {
      const n = Math.floor(i / area);
      if (norms[n] <= enough[n]) continue;
      x[i] += norms[n] / along[n] * direction[i];
      residual[i] -= norms[n] / along[n] * product[i];
    }
    const next = dots(residual, residual);
    for (let i = 0; i < x.length; i++) {
      const n = Math.floor(i / area);
      if (norms[n] > enough[n]) direction[i] = residual[i] + next[n] / norms[n] * direction[i];
    }
    norms = norms.map((norm, n) => norm > enough[n] ? next[n] : norm);
  }
}
