import { definePlugin, type FittedPrior, type LayerData } from "@patchloom/patchloom";

/** A prior: of some training images that chance names, the patch of the same place that fits best. */
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
  const { kernels, height, width, channels, patch, hr, lr } = layer;
  if (hr.height !== height || hr.width !== width) throw new Error("training images must have the size of the results");
  const side = patch / 2, length = channels * patch * patch, lrWidth = width / 2, lrHeight = height / 2;

  return {
    /** Called for each location of each iteration, for a batch of images. */
    draw(at, now, { rho, h, zStep }, random, out) {
      // Kernel memory may move when it grows: views of it are made anew each time.
      const hrBytes = kernels.u8(hr.at, hr.count * channels * height * width);
      const lrBytes = kernels.u8(lr.at, lr.stride * channels * lrHeight * lrWidth);
      const y = at.y >> 1, x = at.x >> 1;

      /** Value p of an image's HR patch, in [0, 1]. */
      const high = (image: number, p: number) => {
        const channel = Math.floor(p / (patch * patch)), row = Math.floor(p / patch) % patch;
        return hrBytes[((image * channels + channel) * height + at.y + row) * width + at.x + p % patch] / 255;
      };
      /** Squared distance of training image `image` to image b of the batch: of LR patches, and of HR patches. */
      const distances = (image: number, b: number) => {
        let far = 0, near = 0;
        for (let p = 0; p < channels * side * side; p++) {
          const channel = Math.floor(p / (side * side)), row = Math.floor(p / side) % side;
          const pixel = (channel * lrHeight + y + row) * lrWidth + x + p % side;
          far += (lrBytes[pixel * lr.stride + image] / 255 - now.lr[b * channels * lrHeight * lrWidth + pixel]) ** 2;
        }
        for (let p = 0; p < length; p++) near += (high(image, p) - now.patches[b * length + p]) ** 2;
        return far / h + rho / 2 * near;
      };

      const best = new Int32Array(now.batch), least = new Float64Array(now.batch).fill(Infinity);
      const uniforms = new Float64Array(now.batch);
      // Where no sample is asked for but the likeliest patch (or the mean, which it does not know), it looks at all of them.
      for (let one = 0; one < (zStep === "sample" ? tries : hr.count); one++) {
        random.uniforms(uniforms, one); // the only chance there is: Math.random would make results irreproducible
        for (let b = 0; b < now.batch; b++) {
          const image = zStep === "sample" ? Math.floor(uniforms[b] * hr.count) : one, distance = distances(image, b);
          if (distance < least[b]) [best[b], least[b]] = [image, distance];
        }
      }
      for (let b = 0; b < now.batch; b++) {
        for (let p = 0; p < length; p++) out.patches[b * length + p] = high(best[b], p);
        out.sources.set([best[b], at.y, at.x], 3 * b); // where it was copied from; -1 stays where it is no copy
      }
    },
  };
}
