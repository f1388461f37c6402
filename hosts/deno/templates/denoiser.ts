import { definePlugin, type DenoiserData, type FittedDenoiser, readImage } from "@patchloom/patchloom";

/** A denoiser: each pixel is a mean of training images, where those count most that fit the window around it. */
export const myDenoiser = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "my-denoiser",
  about: "each pixel is the mean of the training images that fit its window",
  options: {
    examples: {
      default: 300,
      min: 1,
      max: 100000,
      integer: true,
      about: "training images that are compared, at most; more: newer images, slower",
    },
  },
  create: ({ examples }) => ({ fit: (data) => fit(data, examples) }),
});
export default myDenoiser;

/** Called once, before anything is denoised. */
function fit({ training, kernels }: DenoiserData, most: number): FittedDenoiser {
  const { channels, height, width } = training, area = height * width, length = channels * area;
  const count = Math.min(most, training.count);
  // Bytes stand for [-1, 1].
  const examples = Array.from({ length: count }, (_, n) => {
    const image = readImage(kernels, training, Math.floor(n * training.count / count));
    return Float64Array.from(image, (byte) => 2 * byte / 255 - 1);
  });

  return {
    /** Called for each step, for a batch of images x_t = sqrt(alphaBar) x_0 + sqrt(1 - alphaBar) eps. */
    denoise({ batch, images }, { alphaBar, window }, out) {
      const scale = Math.sqrt(alphaBar);
      for (let b = 0; b < batch; b++) {
        const noisy = images.subarray(b * length, (b + 1) * length);
        const distances = examples.map((example) => {
          const squares = new Float64Array(area);
          for (let i = 0; i < length; i++) squares[i % area] += (scale * example[i] - noisy[i]) ** 2;
          return windowSums(squares, height, width, window);
        });
        for (let pixel = 0; pixel < area; pixel++) {
          const least = distances.reduce((least, one) => Math.min(least, one[pixel]), Infinity);
          const weights = distances.map((one) => expOfMinus((one[pixel] - least) / (2 * (1 - alphaBar))));
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          for (let i = pixel; i < length; i += area) { // all values must be written
            out.images[b * length + i] = examples.reduce((sum, example, n) => sum + weights[n] * example[i], 0) / total;
          }
        }
      }
    },
  };
}

/** The sum of the values in the window around each pixel, as far as it is in the image. */
function windowSums(values: Float64Array, height: number, width: number, window: number): Float64Array {
  // The sum of all values above and left of each corner.
  const row = width + 1, sums = new Float64Array((height + 1) * row), radius = (window - 1) / 2;
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0, sum = 0; x < width; x++, p++) {
      sum += values[p];
      sums[(y + 1) * row + x + 1] = sums[y * row + x + 1] + sum;
    }
  }
  return values.map((_, p) => {
    const y = Math.floor(p / width), x = p % width;
    const top = Math.max(y - radius, 0) * row, bottom = Math.min(y + radius + 1, height) * row;
    const left = Math.max(x - radius, 0), right = Math.min(x + radius + 1, width);
    return sums[bottom + right] - sums[top + right] - sums[bottom + left] + sums[top + left];
  });
}

/** About e^-x for x of at least 0. The last bits of `Math.exp` differ between engines, and so would the images. */
function expOfMinus(x: number): number {
  const second = (1 + x / 16) ** 2, eighth = (second * second) ** 2;
  return 1 / (eighth * eighth);
}
