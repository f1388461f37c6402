import type { Denoised, DenoiserData, FittedDenoiser, Noisy } from "../../core/denoiser.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { NoiseLevel } from "../../core/schedule.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";

/**
 * The local score machine (Kamb and Ganguli, 2025): each pixel of x_t asks its own window which training images it could come from,
 * w_n(p) ~ exp(-|x_t - s x_n|^2 / (2 b)) over the window, and x̂(p) is their mean. It is equation (posterior example based) of the
 * paper with h = infinity and rho = a / b, and the mean as z-step.
 */
export const localScore = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "local-score",
  about: "each pixel is the mean of the training images that its window could come from",
  options: {
    response: {
      default: "centre",
      choices: ["centre", "patch"],
      about: "what a window decides: its centre pixel, or all its pixels, where windows that overlap are averaged",
    },
    draw: {
      default: "mean",
      choices: ["mean", "one"],
      about: "what is taken of the training images that a window could come from: their mean, or one at random",
    },
  },
  create: ({ response, draw }) => ({ fit: (data) => fit(data, response === "patch", draw === "one") }),
});

/** Training images whose weight in a pixel is below e^-CUT of the largest there do not count: the sum over 100,000 of them is 4e-6. */
const CUT = 24;

function fit({ training, kernels }: DenoiserData, inPatches: boolean, one: boolean): FittedDenoiser {
  const { count, channels } = training, area = areaOf(training), length = lengthOf(training);
  const scratch = kernels.allocate(area * 8);
  const distances = new Float64Array(area), rows = new Float64Array(area);
  const least = new Float64Array(area), sums = new Float64Array(area), estimate = new Float64Array(length);

  /** Calls `each` with the windows' distances of x_t to each training image. */
  const compare = (noisy: Float32Array, noise: NoiseLevel, each: (n: number, pixels: Uint8Array) => void) => {
    const scale = Math.sqrt(noise.alphaBar);
    for (let n = 0; n < count; n++) {
      const pixels = kernels.u8(training.at + n * length, length);
      distances.fill(0);
      for (let c = 0; c < channels; c++) {
        for (let p = 0; p < area; p++) {
          const difference = noisy[c * area + p] - scale * (2 * pixels[c * area + p] / 255 - 1);
          distances[p] += difference * difference;
        }
      }
      box(distances, rows, training, noise.window);
      each(n, pixels);
    }
  };
  const weigh = (noise: NoiseLevel) => {
    const logits = kernels.f64(scratch, area), factor = 1 / (2 * (1 - noise.alphaBar));
    for (let p = 0; p < area; p++) logits[p] = (least[p] - distances[p]) * factor;
    const near = logits.map((logit) => logit >= -CUT ? 1 : 0);
    kernels.expInPlace(scratch, area);
    for (let p = 0; p < area; p++) logits[p] *= near[p];
    return logits;
  };

  return {
    denoise({ batch, images, random }: Noisy, noise: NoiseLevel, out: Denoised) {
      const uniforms = new Float64Array(batch);
      if (one) random.uniforms(uniforms);
      for (let b = 0; b < batch; b++) {
        const noisy = images.subarray(b * length, (b + 1) * length);
        least.fill(Infinity);
        compare(noisy, noise, () => {
          for (let p = 0; p < area; p++) least[p] = Math.min(least[p], distances[p]);
        });
        sums.fill(0);
        compare(noisy, noise, () => {
          const weights = weigh(noise);
          for (let p = 0; p < area; p++) sums[p] += weights[p];
        });
        estimate.fill(0);
        const passed = new Float64Array(area);
        compare(noisy, noise, (_, pixels) => {
          const weights = weigh(noise);
          for (let p = 0; p < area; p++) {
            weights[p] /= sums[p];
            if (!one) continue;
            const before = passed[p];
            passed[p] += weights[p];
            weights[p] = before <= uniforms[b] && uniforms[b] < passed[p] ? 1 : 0;
          }
          if (inPatches) box(weights, rows, training, noise.window, true);
          for (let i = 0; i < length; i++) estimate[i] += weights[i % area] * pixels[i];
        });
        for (let i = 0; i < length; i++) out.images[b * length + i] = 2 * estimate[i] / 255 - 1;
      }
    },
  };
}

/** Sums, or averages, the values in the window around each pixel, as far as it lies in the image. */
function box(
  values: Float64Array,
  rows: Float64Array,
  { height, width }: { height: number; width: number },
  window: number,
  average = false,
): void {
  const reach = (window - 1) / 2;
  const inWindow = (at: number, side: number) => Math.min(at + reach, side - 1) - Math.max(at - reach, 0) + 1;
  const sum = (from: Float64Array, to: Float64Array, lines: number, line: number, length: number, step: number) => {
    for (let i = 0; i < lines; i++) {
      let total = 0;
      for (let j = 0; j < Math.min(reach, length); j++) total += from[i * line + j * step];
      for (let j = 0; j < length; j++) {
        if (j + reach < length) total += from[i * line + (j + reach) * step];
        if (j - reach - 1 >= 0) total -= from[i * line + (j - reach - 1) * step];
        to[i * line + j * step] = total;
      }
    }
  };
  sum(values, rows, height, width, width, 1);
  sum(rows, values, width, 1, height, width);
  if (!average) return;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) values[y * width + x] /= inWindow(y, height) * inWindow(x, width);
  }
}
