import { definePlugin, type MetricInput, type MetricResult, readImage, type Rows } from "@patchloom/patchloom";

/** A metric: how much pixels differ from their neighbours, relative to training images. */
export const myMetric = definePlugin({
  api: 1,
  kind: "metric",
  name: "my-metric",
  about: "roughness; near 1: as rough as training images, below: smoother, above: noisier",
  options: {
    apart: {
      default: 1,
      min: 1,
      max: 8,
      integer: true,
      about: "pixels between neighbours; larger: coarser structures",
    },
  },
  // Separable: an image's value depends on no other generated image, so that threads may share them.
  create: ({ apart }) => ({ separable: true, measure: (input) => measure(input, apart) }),
});
export default myMetric;

function measure({ generated, training, kernels }: MetricInput, apart: number): MetricResult {
  if (generated.count === 0 || training.count === 0) {
    throw new Error("Cannot measure my-metric: expected images, got none");
  }
  const roughness = (images: Rows) => {
    const { count, channels, height, width } = images, rows = channels * height;
    return Float64Array.from({ length: count }, (_, image) => {
      const pixels = readImage(kernels, images, image);
      let sum = 0;
      for (let start = 0; start < rows * width; start += width) {
        for (let x = apart; x < width; x++) sum += Math.abs(pixels[start + x] - pixels[start + x - apart]);
      }
      return sum / (rows * Math.max(width - apart, 1)) / 255;
    });
  };
  const usual = roughness(training).reduce((sum, value) => sum + value, 0) / training.count;
  const own = roughness(generated);
  return {
    // NaN where there is no score: such images are left out of the mean.
    values: own.map((value) => usual > 0 ? value / usual : NaN),
    of: "generated",
    series: { roughness: own },
    settings: { apart },
    warnings: usual > 0 ? [] : ["the training images are all flat: there is nothing to compare with"],
  };
}
