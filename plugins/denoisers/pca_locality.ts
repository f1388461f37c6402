import type { DenoiserData, FittedDenoiser } from "../../core/denoiser.ts";
import type { Address, Kernels } from "../../core/kernels.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { NoiseLevel } from "../../core/schedule.ts";
import { fitGaussian, type Gaussian, solveTridiagonal, toBasis } from "./gaussian.ts";

/**
 * Locality from the covariance of the training images (Lukoianov et al., 2025): a value of x_t is compared with training images
 * not in a square window, but in those values by which the Wiener filter estimates it.
 */
export const pcaLocality = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "pca-locality",
  about: "each value is the mean of the training images that fit where the training images' covariance says to look",
  options: {
    tau: {
      default: 0.02,
      min: 0,
      max: 1,
      about: "values count whose influence is at least this part of the greatest; larger: more local, newer",
    },
  },
  create: ({ tau }) => ({ fit: (data) => fit(data, tau) }),
});

function fit(data: DenoiserData, tau: number): FittedDenoiser {
  const { training, kernels } = data;
  const { count } = training;
  const gaussian = fitGaussian(data, "pca-locality");
  const length = gaussian.mean.length;
  const basis = basisOf(gaussian);
  const weightsAt = kernels.allocate(count * 8);
  // Fits are asked for a few levels, again and again.
  const masksOf = new Map<number, readonly Int32Array[]>();
  const masks = (alphaBar: number) => {
    const known = masksOf.get(alphaBar) ?? masksOfLevel(gaussian, basis, alphaBar, tau);
    masksOf.set(alphaBar, known);
    return known;
  };
  return {
    denoise({ batch, images }, noise, out) {
      for (let b = 0; b < batch; b++) {
        const logs = logWeights(data, masks(noise.alphaBar), images.subarray(b * length, (b + 1) * length), noise);
        const bytes = kernels.u8(training.at, count * length);
        for (let i = 0; i < length; i++) {
          const weights = softmax(kernels, logs.subarray(i * count, (i + 1) * count), weightsAt);
          let sum = 0;
          for (let n = 0; n < count; n++) sum += weights[n] * bytes[n * length + i];
          out.images[b * length + i] = 2 * sum / 255 - 1;
        }
      }
    },
  };
}

/** log w of each training image in each value of one noisy image, value by value. */
function logWeights(
  { training, kernels }: DenoiserData,
  masks: readonly Int32Array[],
  noisy: Float32Array,
  { alphaBar }: NoiseLevel,
): Float64Array {
  const { count, at } = training;
  const length = noisy.length;
  const logs = new Float64Array(length * count);
  const squares = new Float64Array(length);
  const scale = Math.sqrt(alphaBar);
  const factor = -1 / (2 * (1 - alphaBar));
  for (let n = 0; n < count; n++) {
    const pixels = kernels.u8(at + n * length, length);
    for (let i = 0; i < length; i++) {
      const difference = noisy[i] - scale * (2 * pixels[i] / 255 - 1);
      squares[i] = difference * difference;
    }
    for (let i = 0; i < length; i++) {
      const mask = masks[i];
      let sum = 0;
      for (let m = 0; m < mask.length; m++) sum += squares[mask[m]];
      logs[i * count + n] = sum * factor;
    }
  }
  return logs;
}

/** Writes the weights of one value, which sum to 1, from their logarithms. */
function softmax(kernels: Kernels, logs: Float64Array, weightsAt: Address): Float64Array {
  const count = logs.length;
  const weights = kernels.f64(weightsAt, count);
  let most = -Infinity;
  let sum = 0;
  for (let n = 0; n < count; n++) most = Math.max(most, logs[n]);
  for (let n = 0; n < count; n++) weights[n] = logs[n] - most;
  kernels.expInPlace(weightsAt, count);
  for (let n = 0; n < count; n++) sum += weights[n];
  for (let n = 0; n < count; n++) weights[n] /= sum;
  return weights;
}

/** Row p is Q^T e_p: the values' own axes in the basis of the covariance. */
function basisOf({ covariance, mean: { length } }: Gaussian): Float64Array {
  const rows = new Float64Array(length * length);
  for (let p = 0; p < length; p++) {
    const row = rows.subarray(p * length, (p + 1) * length);
    row[p] = 1;
    toBasis(covariance, row);
  }
  return rows;
}

/** For each value p the values q with |A_pq| >= tau max_q |A_pq|, A = I - b (a Sigma + b I)^-1. */
function masksOfLevel(gaussian: Gaussian, basis: Float64Array, alphaBar: number, tau: number): Int32Array[] {
  const { covariance, mean: { length } } = gaussian;
  const b = 1 - alphaBar;
  const solved = new Float64Array(4 * length);
  const matrix = new Float64Array(length * length);
  for (let first = 0; first < length; first += 4) {
    const rows = Math.min(4, length - first);
    for (let r = 0; r < rows; r++) {
      const row = solved.subarray(r * length, (r + 1) * length);
      row.set(basis.subarray((first + r) * length, (first + r + 1) * length));
      solveTridiagonal(covariance, alphaBar, b, row);
    }
    // A is symmetric: a row is computed up to its diagonal.
    for (let q = 0; q < first + rows; q++) {
      const dots = fourProducts(basis, q * length, solved, length);
      for (let p = Math.max(first, q); p < first + rows; p++) {
        const value = Math.abs((q === p ? 1 : 0) - b * dots[p - first]);
        matrix[p * length + q] = value;
        matrix[q * length + p] = value;
      }
    }
  }
  return Array.from({ length }, (_, p) => {
    const row = matrix.subarray(p * length, (p + 1) * length);
    const chosen: number[] = [];
    const least = tau * row.reduce((most, value) => Math.max(most, value), 0);
    for (let q = 0; q < length; q++) if (q === p || row[q] >= least) chosen.push(q);
    return Int32Array.from(chosen);
  });
}

/** The inner products of a row with four others, which follow each other: each value of it is read once. */
function fourProducts(rows: Float64Array, at: number, four: Float64Array, length: number): readonly number[] {
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  for (let k = 0; k < length; k++) {
    const value = rows[at + k];
    sum0 += value * four[k];
    sum1 += value * four[length + k];
    sum2 += value * four[2 * length + k];
    sum3 += value * four[3 * length + k];
  }
  return [sum0, sum1, sum2, sum3];
}
