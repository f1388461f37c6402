/**
 * The X-step and u-step of section "EPLL via ADMM" on a batch of images of one layer: all arithmetic on lambda and rho. Nothing
 * here couples the channels of an image: each counts as an image of the batch.
 */
import type { Kernels } from "./kernels.ts";
import type { PatchPosition } from "./locations.ts";
import { areaOf, type Size } from "./shape.ts";
import type { Observations } from "./types.ts";

/**
 * The X-step's linear system is solved until the residual is below this part of its right side. A pixel is then right
 * within a grey level, up to the paper's largest lambda / rho, 64 (measured on 16x16 images: 0.8 at the most).
 */
const TOLERANCE = 1e-4;
/** Conjugate gradient steps at the most. The paper's parameters need fewer than 30. */
const MOST_STEPS = 200;
/**
 * An observed pixel counts as this many patches at the most: it is then right within a hundredth of what patches differ
 * from it, and more would leave the pixels around it below the solver's tolerance.
 */
const MOST_OBSERVED = 1000;

/** The variables of Algorithm 1 in kernel memory. */
export interface Admm {
  /** X: `batch` x height x width f32. */
  readonly x: number;
  /** z_i of the present locations: `batch` x patch^2 f32 each. */
  z(location: number): number;
  /** u_i of the present locations, as z. */
  u(location: number): number;
  /** Takes new locations: u = 0 (they are other constraints), nothing merged. */
  restart(places: readonly PatchPosition[]): void;
  /** How many of the present patches cover each pixel: height x width f32. */
  readonly cover: number;
  /** X-step, equation (epll x step), from the present z and u. Returns the largest relative residual. */
  xStep(lambda: number, rho: number): number;
  /** u-step, equation (epll u step). */
  uStep(): void;
  /** What the patches alone make: sum R^T z / C, as X, valid until the next X-step. */
  merged(): Float32Array;
}

/**
 * Allocates the variables of one layer. `low` is the address of Y, `batch` images of half the size; X starts as Y, interpolated.
 * Where pixels are `observed` (`batch` x height x width), the X-step also minimizes 1/2 |X - V|^2 weighted by W.
 */
export function admm(
  kernels: Kernels,
  batch: number,
  size: Size,
  patch: number,
  mostPlaces: number,
  low: number,
  observed?: Observations,
): Admm {
  const { height, width } = size, pixels = areaOf(size), length = batch * patch * patch * 4;
  const x = kernels.allocate(batch * pixels * 4), sums = kernels.allocate(batch * pixels * 4);
  const cover = kernels.allocate(pixels * 4),
    diagonal = kernels.allocate(batch * pixels * 4),
    scratch = kernels.allocate(pixels * 17);
  const zs = kernels.allocate(mostPlaces * length), us = kernels.allocate(mostPlaces * length);
  const none = kernels.allocate(length);
  let places: readonly PatchPosition[] = [];
  const z = (location: number) => zs + location * length, u = (location: number) => us + location * length;
  const corner = (place: PatchPosition) => place.y * width + place.x;
  kernels.up(low, x, height, width, batch);
  return {
    x,
    z,
    u,
    cover,
    restart(next) {
      places = next;
      kernels.f32(us, places.length * length / 4).fill(0);
      const counts = kernels.f32(cover, pixels).fill(0);
      for (const place of places) {
        for (let row = 0; row < patch; row++) {
          for (let column = 0; column < patch; column++) counts[corner(place) + row * width + column]++;
        }
      }
    },
    xStep(lambda, rho) {
      kernels.f32(sums, batch * pixels).fill(0);
      places.forEach((place, i) => kernels.merge(sums, height, width, batch, corner(place), patch, z(i), u(i)));
      const counts = kernels.f32(cover, pixels), own = kernels.f32(diagonal, batch * pixels);
      for (let b = 0; b < batch; b++) own.set(counts, b * pixels);
      if (observed) observe(observed, rho, own, kernels.f32(sums, batch * pixels));
      return kernels.solve(x, sums, diagonal, low, height, width, batch, lambda / rho, TOLERANCE, MOST_STEPS, scratch);
    },
    uStep() {
      places.forEach((place, i) => kernels.updateDual(x, height, width, batch, corner(place), patch, z(i), u(i)));
    },
    merged() {
      const all = kernels.f32(sums, batch * pixels).fill(0), counts = kernels.f32(cover, pixels);
      places.forEach((place, i) => kernels.merge(sums, height, width, batch, corner(place), patch, z(i), none));
      for (let i = 0; i < all.length; i++) all[i] /= counts[i % pixels];
      return all;
    },
  };
}

/** Adds W / rho to the diagonal and W V / rho to the right side of the X-step. */
function observe({ values, weights }: Observations, rho: number, diagonal: Float32Array, sums: Float32Array): void {
  for (let i = 0; i < diagonal.length; i++) {
    const weight = Math.min(weights[i] / rho, MOST_OBSERVED);
    diagonal[i] += weight;
    if (weight > 0) sums[i] += weight * values[i];
  }
}
