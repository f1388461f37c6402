/**
 * The posterior of one Gaussian of a mixture of pairs. Component k says that the LR features l and the HR patch z are normal
 * together; with l known, z is N(E, V diag(s) V^T), where E = mu_z + B (l - mu_l), the rows of V^T are the component's `axes` and
 * s its `variances`. The patch is seen as y = R X + u = z + noise of variance 1 / rho. Then
 *
 *   log N(l; mu_l, Sigma_l) N(y; E, V diag(s) V^T + I / rho)
 *     = const - 1/2 (|W (l - mu_l)|^2 + sum_a rho / (1 + rho s_a) (v_a . (y - E))^2 + sum_a log(1 + rho s_a)),
 *   z | y, l  is normal with mean  E + sum_a v_a rho s_a / (1 + rho s_a) (v_a . (y - E))   (Wiener's estimate)
 *             and variance s_a / (1 + rho s_a) along v_a.
 */
import { squaredNorm } from "./mixture.ts";
import type { Component } from "./patch_mixture.ts";

/** What is known of one image at a location. */
export interface Known {
  /** l: the features of its LR patch. */
  readonly low: Float64Array;
  /** y = R X + u. */
  readonly y: Float32Array;
}

/** Compares a component with an image; the other functions speak of the pair that was compared last. */
export interface ComponentEstimate {
  compare(component: Component, known: Known): void;
  /** |W (l - mu_l)|^2 + sum_a rho / (1 + rho s_a) (v_a . (y - E))^2. */
  squaredDistance(rho: number): number;
  /**
   * Adds `part` of the posterior's mean to `z`, and with `noise` (one standard normal number for each axis) a sample of the
   * posterior instead.
   */
  add(rho: number, part: number, z: Float64Array, noise?: Float64Array): void;
}

/**
 * Makes room for one comparison.
 *
 * @param high Values of an HR patch.
 * @param features The most features of an LR patch.
 */
export function componentEstimate(high: number, features: number): ComponentEstimate {
  /** l - mu_l, E, and v_a . (y - E). */
  const away = new Float64Array(features);
  const expected = new Float64Array(high);
  const along = new Float64Array(high);
  let component: Component;
  let count = 0;
  return {
    compare(next, { low, y }) {
      component = next;
      count = low.length;
      const { highMean, lowMean, slope, axes } = component;
      for (let f = 0; f < count; f++) away[f] = low[f] - lowMean[f];
      for (let p = 0; p < high; p++) {
        let sum = highMean[p];
        for (let f = 0; f < count; f++) sum += slope[p * count + f] * away[f];
        expected[p] = sum;
      }
      for (let a = 0; a < high; a++) {
        let sum = 0;
        for (let p = 0; p < high; p++) sum += axes[a * high + p] * (y[p] - expected[p]);
        along[a] = sum;
      }
    },
    squaredDistance(rho) {
      let distance = squaredNorm(component.lowWhite, away, count);
      for (let a = 0; a < high; a++) distance += rho * along[a] * along[a] / (1 + rho * component.variances[a]);
      return distance;
    },
    add(rho, part, z, noise) {
      const { variances, axes } = component;
      for (let p = 0; p < high; p++) z[p] += part * expected[p];
      for (let a = 0; a < high; a++) {
        const variance = variances[a] / (1 + rho * variances[a]);
        const length = part * (rho * variance * along[a] + (noise ? Math.sqrt(variance) * noise[a] : 0));
        for (let p = 0; p < high; p++) z[p] += length * axes[a * high + p];
      }
    },
  };
}
