import { definePlugin, type DenoiserData, type FittedDenoiser, readImage } from "@patchloom/patchloom";

/** A denoiser: the mean of the training images that are nearest to the noisy image. */
export const myDenoiser = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "my-denoiser",
  about: "the mean of the nearest training images, fewer of them the less noise there is",
  options: {
    nearest: {
      default: 8,
      min: 1,
      max: 10000,
      integer: true,
      about: "images that are averaged where noise and image are equally strong; more: smoother",
    },
  },
  create: ({ nearest }) => ({ fit: (data) => fit(data, nearest) }),
});
export default myDenoiser;

/** Called once, before anything is denoised. */
function fit({ training, kernels }: DenoiserData, nearest: number): FittedDenoiser {
  const { count } = training;
  // Bytes stand for [-1, 1].
  const examples = Array.from({ length: count }, (_, n) => {
    return Float64Array.from(readImage(kernels, training, n), (byte) => 2 * byte / 255 - 1);
  });
  const length = examples[0].length;

  return {
    /** Called for each step, for a batch of images x_t = sqrt(alphaBar) x_0 + sqrt(1 - alphaBar) eps. */
    denoise({ batch, images }, { alphaBar }, out) {
      const scale = Math.sqrt(alphaBar), averaged = Math.ceil(nearest * (1 - alphaBar) / alphaBar);
      for (let b = 0; b < batch; b++) {
        const noisy = images.subarray(b * length, (b + 1) * length), estimate = new Float64Array(length);
        const distances = examples.map((example) => {
          return example.reduce((sum, value, i) => sum + (scale * value - noisy[i]) ** 2, 0);
        });
        const inOrder = examples.map((_, n) => n).sort((a, b) => distances[a] - distances[b] || a - b);
        const chosen = inOrder.slice(0, averaged);
        for (const n of chosen) for (let i = 0; i < length; i++) estimate[i] += examples[n][i] / chosen.length;
        out.images.set(estimate, b * length); // all values must be written
      }
    },
  };
}
