/**
 * The X-step and u-step of section "EPLL via ADMM" on a batch of images of one layer: all arithmetic on lambda and rho. Nothing
 * here couples the channels of an image: each counts as an image of the batch.
 *
 * Equation (epll x step), divided by rho, is the linear system
 *
 *   (lambda / rho H^T H + C + W / rho) X = lambda / rho H^T Y + sum_i R_i^T (z_i - u_i) + W V / rho,
 *
 * where C = sum_i R_i^T R_i is diagonal: how many patches cover a pixel. W and V, the weights and values of observed pixels, are
 * not the paper's: they restore degraded images, and are 0 in a synthesis. The system is solved by conjugate gradients.
 *
 * Merge weights (`mergeWeights`) are not the paper's either. They replace |R_i X - z_i + u_i|^2 in the X-step by
 * |M^(1/2) (R_i X - z_i + u_i)|^2, M diagonal, R_i^T (z_i - u_i) by R_i^T M (z_i - u_i) and C by sum_i R_i^T M R_i. The u-step
 * stays equation (epll u step). The z-step keeps the paper's distance, which counts all pixels of a patch alike.
 */
import type { Address } from "./kernel_functions.ts";
import type { Kernels } from "./kernels.ts";
import type { PatchPosition } from "./locations.ts";
import { mergeWeights } from "./merge_weights.ts";
import { areaOf, type Size } from "./shape.ts";
import { mergeWork, MIN_STEP, type Steps } from "./steps.ts";
import { fold, repeat } from "./tiling.ts";
import type { Observations } from "./types.ts";

/**
 * The X-step's linear system is solved until the residual is below this part of its right side. A pixel is then right
 * within a grey level, up to the paper's largest lambda / rho, 64 (measured on 16x16 images: 0.8 at the most).
 */
const TOLERANCE = 1e-4;
/** The most steps of conjugate gradients. The paper's parameters need fewer than 30. */
const MAX_STEPS = 200;
/**
 * An observed pixel counts as at most so many patches: it is then right within a hundredth of what patches differ from it, and
 * a larger weight would leave the pixels around it below the solver's tolerance.
 */
const MAX_OBSERVED = 1000;

/** The variables of Algorithm 1 in kernel memory. */
export interface Admm {
  /** X: `batch` x height x width f32. */
  readonly x: Address;
  /** z_i, `batch` x patch^2 f32; i counts the present locations from 0. */
  z(i: number): Address;
  /** u_i, as z_i. */
  u(i: number): Address;
  /** Takes other locations: they are other constraints, so that all u_i are 0 again. */
  restart(locations: readonly PatchPosition[]): void;
  /** C: the sum of the merge weights of the present patches at each pixel, without `feather` their number; height x width f32. */
  readonly cover: Address;
  /**
   * X-step, equation (epll x step), from all z_i and u_i, in steps of a few images. Returns the largest relative residual of the
   * batch.
   */
  xStep(lambda: number, rho: number): Steps<number>;
  /** u-step, equation (epll u step): u_i += R_i X - z_i. */
  uStep(): void;
  /** What the patches alone make: sum_i R_i^T M z_i / C, shaped as X, valid until the next X-step. */
  merged(): Float32Array;
}

/**
 * Allocates the variables of one layer. X starts as Y, interpolated bilinearly.
 *
 * @param batch Number of images, each channel counted as one.
 * @param size Height and width of X.
 * @param patch n: side of a patch.
 * @param mostLocations The most locations that `restart` will be given.
 * @param low The address of Y: `batch` x height / 2 x width / 2 f32.
 * @param observed V and W, `batch` x height x width each: the X-step then also minimizes 1/2 sum_p W_p (X_p - V_p)^2.
 * @param feather How much the merge weights fall towards the border of a patch, as in `mergeWeights`; 0: all are 1.
 * @param repeated For images with a margin that repeats a period: `repeatedPixels` of the size.
 */
export function admm(
  kernels: Kernels,
  batch: number,
  size: Size,
  patch: number,
  mostLocations: number,
  low: Address,
  observed?: Observations,
  feather = 0,
  repeated?: Uint32Array,
): Admm {
  const { height, width } = size, pixels = areaOf(size), length = batch * patch * patch * 4;
  const x = kernels.allocate(batch * pixels * 4), sums = kernels.allocate(batch * pixels * 4);
  const cover = kernels.allocate(pixels * 4),
    diagonal = kernels.allocate(batch * pixels * 4),
    scratch = kernels.allocate(pixels * 17);
  const zs = kernels.allocate(mostLocations * length), us = kernels.allocate(mostLocations * length);
  const none = kernels.allocate(length), weights = kernels.allocate(patch * patch * 4);
  kernels.f32(weights, patch * patch).set(mergeWeights(patch, feather));
  let locations: readonly PatchPosition[] = [];
  const z = (i: number) => zs + i * length, u = (i: number) => us + i * length;
  const corner = (at: PatchPosition) => at.y * width + at.x;
  // The X-steps of images do not depend on each other. Small images make a step together.
  const together = Math.max(1, Math.floor(MIN_STEP / mergeWork(size)));
  kernels.up(low, x, height, width, batch);
  if (repeated) repeat(kernels.f32(x, batch * pixels), repeated);

  function* xStep(lambda: number, rho: number): Steps<number> {
    kernels.f32(sums, batch * pixels).fill(0);
    locations.forEach((at, i) => kernels.merge(sums, height, width, batch, corner(at), patch, z(i), u(i), weights));
    if (repeated) fold(kernels.f32(sums, batch * pixels), repeated);
    const counts = kernels.f32(cover, pixels), own = kernels.f32(diagonal, batch * pixels);
    for (let b = 0; b < batch; b++) own.set(counts, b * pixels);
    if (observed) observe(observed, rho, own, kernels.f32(sums, batch * pixels));
    let residual = 0;
    for (let first = 0; first < batch; first += together) {
      const count = Math.min(together, batch - first), at = first * pixels * 4;
      const images = [x + at, sums + at, diagonal + at, low + at / 4, height, width, count] as const;
      residual = Math.max(residual, kernels.solve(...images, lambda / rho, TOLERANCE, MAX_STEPS, scratch));
      yield count * mergeWork(size);
    }
    // H does not repeat the period: where lambda is not 0, the margins have become a little different.
    if (repeated) repeat(kernels.f32(x, batch * pixels), repeated);
    return residual;
  }

  return {
    x,
    z,
    u,
    cover,
    restart(next) {
      locations = next;
      kernels.f32(us, locations.length * length / 4).fill(0);
      const counts = kernels.f32(cover, pixels).fill(0), own = kernels.f32(weights, patch * patch);
      for (const at of locations) {
        for (let row = 0; row < patch; row++) {
          const first = corner(at) + row * width;
          for (let column = 0; column < patch; column++) counts[first + column] += own[row * patch + column];
        }
      }
      if (repeated) fold(counts, repeated);
    },
    xStep,
    uStep() {
      locations.forEach((at, i) => kernels.updateDual(x, height, width, batch, corner(at), patch, z(i), u(i)));
    },
    merged() {
      const all = kernels.f32(sums, batch * pixels).fill(0), counts = kernels.f32(cover, pixels);
      locations.forEach((at, i) => kernels.merge(sums, height, width, batch, corner(at), patch, z(i), none, weights));
      if (repeated) fold(all, repeated);
      for (let i = 0; i < all.length; i++) all[i] /= counts[i % pixels];
      return all;
    },
  };
}

/** Adds W / rho to the diagonal and W V / rho to the right side of the X-step. */
function observe({ values, weights }: Observations, rho: number, diagonal: Float32Array, sums: Float32Array): void {
  for (let i = 0; i < diagonal.length; i++) {
    const weight = Math.min(weights[i] / rho, MAX_OBSERVED);
    diagonal[i] += weight;
    if (weight > 0) sums[i] += weight * values[i];
  }
}
