import { CholeskyDecomposition, Matrix } from "ml-matrix";
import type { Kernels } from "../core/kernels.ts";
import { normals } from "../core/normals.ts";
import { stream } from "../core/random.ts";

/** Added to the variances: seed pixels that never change still get a Cholesky factor; (1/4 grey level)^2. */
const FLOOR = (0.25 / 255) ** 2;
/** Names the stream of random numbers that seed images are drawn from. */
const SEED_STREAM = 0x73656564;

/** A Gaussian model of seed images, which the paper names as the way to do without test images (section 3.1). */
export interface SeedModel {
  /** The seed image number `image` under a random seed: as many values as a seed image has pixels, in [0, 1]. */
  draw(seed: number, image: number): Float32Array;
}

/** Fits mean and covariance to `count` seed images of `pixels` values each. Throws where there are none. */
export function seedModel(kernels: Kernels, seeds: Float32Array, pixels: number): SeedModel {
  const count = seeds.length / pixels;
  if (count < 1) throw new Error("Cannot fit a model of the seed images: there are none");
  const data = new Matrix(Array.from({ length: count }, (_, i) => [...seeds.subarray(i * pixels, (i + 1) * pixels)]));
  const mean = data.mean("column");
  data.subRowVector(mean);
  const covariance = data.transpose().mmul(data).div(count).add(Matrix.eye(pixels, pixels, FLOOR));
  const lower = new CholeskyDecomposition(covariance).lowerTriangularMatrix;
  return {
    draw(seed, image) {
      const normal = normals(kernels, stream(seed, SEED_STREAM, image), pixels);
      return Float32Array.from({ length: pixels }, (_, p) => {
        let value = mean[p];
        for (let q = 0; q <= p; q++) value += lower.get(p, q) * normal[q];
        return Math.min(Math.max(value, 0), 1);
      });
    },
  };
}
