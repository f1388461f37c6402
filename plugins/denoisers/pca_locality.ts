import type { DenoiserData, FittedDenoiser } from "../../core/denoiser.ts";
import { borrowing } from "../../core/kernels.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { NoiseLevel } from "../../core/schedule.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";
import { fitGaussian, type Gaussian, solveTridiagonal, toBasis } from "./gaussian.ts";
import { maskChanges, mostChanges } from "./mask_changes.ts";

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

/** A weight below e^-24 of the largest is 0. */
const CUT = 24;

/** Leaves out values that are the same in all training images: they influence no other value, and their estimate is known. */
function fit(data: DenoiserData, tau: number): FittedDenoiser {
  const { training, kernels } = data, { count } = training, length = lengthOf(training);
  const first = kernels.u8(training.at, count * length).slice(0, length), varying = varyingValues(data);
  const values = varying.length, stride = Math.ceil(count / 16) * 16;
  const planes = kernels.allocate(values * stride), image = kernels.allocate(values * 4);
  const masksAt = kernels.allocate(mostChanges(values) * 4), scratch = kernels.allocate(values * 128);
  const distancesAt = kernels.allocate(values * stride * 4), weightsAt = kernels.allocate(count * 8);
  const gaussian = borrowing(kernels, () => {
    const compared = valuesAlone(data, varying);
    kernels.toPlanes(compared.at, count, values, planes, stride);
    return fitGaussian({ ...data, training: compared }, "pca-locality");
  });
  const masks = masksByLevel(gaussian, tau), chosen = new Uint32Array(count);

  /** Measures the distances of one image to all training images, mask by mask. */
  const measure = (noisy: Float32Array, { alphaBar }: NoiseLevel) => {
    const scale = Math.sqrt(alphaBar), changes = masks(alphaBar), x = kernels.f32(image, values);
    varying.forEach((i, v) => x[v] = noisy[i] + scale);
    kernels.u32(masksAt, changes.length).set(changes);
    kernels.maskedDistances(image, planes, stride, values, 2 * scale / 255, masksAt, scratch, distancesAt);
  };

  /** The weighted mean of all training images' bytes of a value, by the distances over its mask. */
  const meanByte = (v: number, variance: number) => {
    const distances = kernels.f32(distancesAt + v * stride * 4, count), weights = kernels.f64(weightsAt, count);
    const bytes = kernels.u8(planes + v * stride, count);
    let least = Infinity;
    for (let n = 0; n < count; n++) if (distances[n] < least) least = distances[n];
    const limit = least + 2 * variance * CUT, factor = -1 / (2 * variance);
    let found = 0;
    for (let n = 0; n < count; n++) {
      if (distances[n] > limit) continue;
      chosen[found] = n;
      weights[found++] = (distances[n] - least) * factor;
    }
    kernels.expInPlace(weightsAt, found);
    let total = 0;
    let sum = 0;
    for (let i = 0; i < found; i++) {
      total += weights[i];
      sum += weights[i] * bytes[chosen[i]];
    }
    return sum / total;
  };

  return {
    denoise({ batch, images }, noise, out) {
      for (let b = 0; b < batch; b++) {
        measure(images.subarray(b * length, (b + 1) * length), noise);
        const denoised = out.images.subarray(b * length, (b + 1) * length);
        for (let i = 0; i < length; i++) denoised[i] = 2 * first[i] / 255 - 1;
        varying.forEach((i, v) => denoised[i] = 2 * meanByte(v, 1 - noise.alphaBar) / 255 - 1);
      }
    },
  };
}

/** The numbers of the values in which training images differ, ascending. */
function varyingValues({ training, kernels }: DenoiserData): Uint32Array {
  const { count, at } = training, length = lengthOf(training), bytes = kernels.u8(at, count * length);
  const differs = new Uint8Array(length);
  for (let i = length; i < bytes.length; i++) if (bytes[i] !== bytes[i % length]) differs[i % length] = 1;
  return Uint32Array.from(differs.keys()).filter((i) => differs[i] === 1);
}

/** The training images with some of their values alone, as images of one row. Allocates. */
function valuesAlone({ training, kernels }: DenoiserData, numbers: Uint32Array): Rows {
  const { count } = training, length = lengthOf(training), width = numbers.length, at = kernels.allocate(count * width);
  const from = kernels.u8(training.at, count * length), to = kernels.u8(at, count * width);
  for (let n = 0; n < count; n++) {
    for (let v = 0; v < width; v++) to[n * width + v] = from[n * length + numbers[v]];
  }
  return { count, channels: 1, height: 1, width, at };
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

/** Computes masks once for each level: fits are asked for a few levels, again and again. */
function masksByLevel(gaussian: Gaussian, tau: number): (alphaBar: number) => Uint32Array {
  const basis = basisOf(gaussian), masks = new Map<number, Uint32Array>();
  return (alphaBar) => {
    const known = masks.get(alphaBar) ?? masksOfLevel(gaussian, basis, alphaBar, tau);
    masks.set(alphaBar, known);
    return known;
  };
}

/** For each value p the mask of the values q with |A_pq| >= tau max_q |A_pq|, A = I - b (a Sigma + b I)^-1. */
function masksOfLevel(gaussian: Gaussian, basis: Float64Array, alphaBar: number, tau: number): Uint32Array {
  const { mean: { length } } = gaussian, matrix = influences(gaussian, basis, alphaBar);
  const masks = new Uint8Array(length * length);
  for (let p = 0; p < length; p++) {
    const row = matrix.subarray(p * length, (p + 1) * length);
    const least = tau * row.reduce((most, value) => Math.max(most, value), 0);
    for (let q = 0; q < length; q++) if (q === p || row[q] >= least) masks[p * length + q] = 1;
  }
  return maskChanges(masks, length);
}

/** The matrix of |A_pq|. */
function influences(gaussian: Gaussian, basis: Float64Array, alphaBar: number): Float64Array {
  const { covariance, mean: { length } } = gaussian, b = 1 - alphaBar;
  const solved = new Float64Array(4 * length), matrix = new Float64Array(length * length);
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
  return matrix;
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
