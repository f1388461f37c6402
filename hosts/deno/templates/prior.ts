import { definePlugin, type FittedPrior, type LayerData, lrDistance, readPatch } from "@patchloom/patchloom";

/** A prior: the patch of the same place that fits best, of a few training images chosen at random. */
export const myPrior = definePlugin({
  api: 1,
  kind: "prior",
  name: "my-prior",
  about: "the best of a few random training patches of the same place",
  options: {
    tries: {
      default: 30,
      min: 1,
      max: 10000,
      integer: true,
      about: "patches to choose from; more: closer to the seed image, fewer: more variety",
    },
  },
  create: ({ tries }) => ({ fit: (layer) => fit(layer, tries) }),
});
export default myPrior;

/** Called once a layer, before anything is drawn. */
function fit(layer: LayerData, tries: number): FittedPrior {
  const { height, width, channels, patch, hr } = layer, length = channels * patch * patch;
  if (hr.height !== height || hr.width !== width) {
    const expected = `training images of the size of the results, ${width}x${height}`;
    throw new Error(`Cannot fit my-prior: expected ${expected}, got ${hr.width}x${hr.height}`);
  }
  const high = new Float64Array(length); // room for one HR patch, used again for every comparison

  return {
    /** Called for each location of each iteration, for a batch of images. */
    draw(location, measurements, { rho, h, zStep }, random, out) {
      const { batch, patches } = measurements;
      const best = new Int32Array(batch);
      const least = new Float64Array(batch).fill(Infinity);
      const uniforms = new Float64Array(batch);
      // "map" wants the likeliest patch, "mean" an average, which this prior does not make: both take the best of all images.
      for (let one = 0; one < (zStep === "sample" ? tries : hr.count); one++) {
        random.uniforms(uniforms, one); // the only randomness allowed: with Math.random results would not be reproducible
        for (let b = 0; b < batch; b++) {
          const image = zStep === "sample" ? Math.floor(uniforms[b] * hr.count) : one;
          // -log T of equation (posterior example based): the LR patches' distance, with contexts, and the HR patches'.
          const far = lrDistance(layer, measurements, b, location, image);
          const near = distance(readPatch(layer, image, location, high), patches.subarray(b * length));
          const sum = far / h + rho / 2 * near;
          if (sum < least[b]) [best[b], least[b]] = [image, sum];
        }
      }
      for (let b = 0; b < batch; b++) {
        readPatch(layer, best[b], location, out.patches.subarray(b * length));
        out.sources.set([best[b], location.y, location.x], 3 * b); // its source; -1 stays where it is no copy
      }
    },
  };
}

/** Squared distance of a patch to the patch that an array begins with. */
function distance(patch: Float64Array, other: ArrayLike<number>): number {
  let sum = 0;
  for (let p = 0; p < patch.length; p++) sum += (patch[p] - other[p]) ** 2;
  return sum;
}
