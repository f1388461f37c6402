/** The images that Algorithm 2 starts from: X_L = Y, the seed images, with noise and a margin where the plan says so. */
import type { Batch } from "./batch.ts";
import type { Address } from "./kernel_arguments.ts";
import type { Kernels } from "./kernels.ts";
import type { Model } from "./model.ts";
import { normals } from "./normals.ts";
import { stream } from "./random.ts";
import { addMargin } from "./tiling.ts";

/** In the counter of an image's random numbers, in place of the layer and the iteration: those of its seed noise. */
const SEED_NOISE = 0xffffffff;

/** Writes the seed images of a batch, f32 in [0, 1], to kernel memory. */
export function writeSeeds({ kernels, plan, seedMargin }: Model, batch: Batch, target: Address): void {
  const { sizes, seedNoise } = plan;
  const values = batch.seedImages.slice();
  if (seedNoise > 0) addNoise(kernels, seedNoise, batch, values);
  const seeds = addMargin(values, sizes[sizes.length - 1], seedMargin);
  kernels.f32(target, seeds.length).set(seeds);
}

/** Adds Gaussian noise to the seed images and clamps them to [0, 1]. An image's noise depends on seed, number and attempt alone. */
function addNoise(kernels: Kernels, deviation: number, batch: Batch, values: Float32Array): void {
  const { seed, images, attempts } = batch;
  const length = values.length / images.length;
  for (let b = 0; b < images.length; b++) {
    const noise = normals(kernels, stream(seed, images[b], SEED_NOISE, attempts?.[b] ?? 0), length);
    for (let v = 0; v < length; v++) {
      const i = b * length + v;
      values[i] = Math.min(Math.max(values[i] + deviation * noise[v], 0), 1);
    }
  }
}
