import { definePlugin } from "../../core/plugin.ts";
import { fitGaussian, shrink } from "./gaussian.ts";

/**
 * The Wiener filter, x̂ = mean + A (x_t / s - mean) with A = a Sigma (a Sigma + b I)^-1: the exact denoiser of images of a Gaussian
 * distribution, and the baseline of the others. What it makes from noise are draws from that distribution.
 */
export const wiener = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "wiener",
  about: "the best linear estimate, from the mean and the covariance of the training images: soft, the baseline",
  options: {},
  create: () => ({
    fit(data) {
      const gaussian = fitGaussian(data, "wiener");
      const { mean } = gaussian;
      const length = mean.length;
      return {
        denoise({ batch, images }, { alphaBar }, out) {
          const deviation = new Float64Array(length);
          const scale = Math.sqrt(alphaBar);
          for (let b = 0; b < batch; b++) {
            for (let i = 0; i < length; i++) deviation[i] = images[b * length + i] / scale - mean[i];
            shrink(gaussian, alphaBar, deviation);
            for (let i = 0; i < length; i++) out.images[b * length + i] = mean[i] + deviation[i];
          }
        },
      };
    },
  }),
});
