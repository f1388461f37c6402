import { positions } from "../../core/locations.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult, Planes } from "../../core/types.ts";

/**
 * The likelihood of section "Log-Likelihood": equations (ll pixel), (ll image) and (patch ll). A patch's density is a Parzen
 * window over the training patches of its place and window. Locations are the plain grid: the last columns may stay
 * uncovered. The value of an image is in nats, larger (nearer to 0) is better.
 */
export const likelihood = definePlugin({
  api: 1,
  kind: "metric",
  name: "likelihood",
  about: "log-likelihood of the patches under the training patches; higher: more plausible, low: unique or failed",
  options: {
    sigma: {
      default: 0.3989422804014327, // 1 / sqrt(2 pi): then the rank of the patches does not matter
      min: 0.001,
      max: 10,
      about: "width of the Parzen window; 1/sqrt(2 pi) is the paper's",
    },
  },
  create: ({ sigma }) => ({ separable: true, measure: (input) => measure(input, sigma) }),
});

function measure(input: MetricInput, sigma: number): MetricResult {
  const { generated, training, patch, overlap, window, kernels } = input;
  const { size, count } = training, pixels = size * size, reach = Math.max(window - 1, 0);
  const mark = kernels.mark();
  const stride = Math.ceil(count / 16) * 16,
    planes: Planes = { count, size, stride, at: kernels.allocate(stride * pixels) };
  kernels.toPlanes(training.at, count, pixels, planes.at, stride);
  const inPatch = patch * patch, most = (2 * reach + 1) ** 2;
  const table = kernels.allocate(most * inPatch * 4), at = kernels.allocate(inPatch * 4);
  const scratch = kernels.allocate(40960 + 8 * inPatch + 64), out = kernels.allocate(generated.count * 8);
  const values = new Float64Array(generated.count);
  // 0 where 2 pi sigma^2 = 1; rounding must not make it anything else.
  const normalizer = Math.abs(2 * Math.PI * sigma * sigma - 1) < 1e-12 ? 0 : Math.log(2 * Math.PI * sigma * sigma);
  const grid = positions(size, patch, overlap, 0, false);
  for (const y of grid) {
    for (const x of grid) {
      const numbers = kernels.u32(at, inPatch);
      for (let p = 0; p < inPatch; p++) numbers[p] = (y + Math.floor(p / patch)) * size + x + p % patch;
      let segments = 0;
      for (let dy = -reach; dy <= reach; dy++) {
        for (let dx = -reach; dx <= reach; dx++) {
          const inside = (first: number) => first >= 0 && first + patch <= size;
          if (!inside(y + dy) || !inside(x + dx)) continue;
          const addresses = kernels.u32(table + segments++ * inPatch * 4, inPatch);
          for (let p = 0; p < inPatch; p++) addresses[p] = planes.at + (numbers[p] + dy * size + dx) * stride;
        }
      }
      const perDistance = 1 / (2 * sigma * sigma * 255 * 255);
      kernels.parzen(
        table,
        at,
        inPatch,
        count,
        segments,
        generated.at,
        pixels,
        generated.count,
        perDistance,
        scratch,
        out,
      );
      const sums = kernels.f64(out, generated.count), inDictionary = Math.log(count * segments);
      for (let i = 0; i < values.length; i++) values[i] += sums[i] - inDictionary - inPatch / 2 * normalizer;
    }
  }
  const perImage = pixels / (grid.length * grid.length * inPatch);
  for (let i = 0; i < values.length; i++) values[i] *= perImage;
  kernels.release(mark);
  return {
    values,
    of: "generated",
    series: {},
    settings: { sigma, window: `+-${reach}`, locations: grid.length * grid.length, training: count },
    warnings: count < 100 ? [`only ${count} training images: the likelihood is that of a sparse dictionary`] : [],
  };
}
