import { counted } from "../../core/counted.ts";
import { definePlugin } from "../../core/plugin.ts";
import { range } from "../../core/numbers.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import { borrowing } from "../../core/kernels.ts";
import { patchesOf, requireImages, windowTable } from "./metric_input.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";

/**
 * The likelihood of section "Log-Likelihood": equations (ll pixel), (ll image) and (patch ll). A patch's density is a Parzen
 * window over the training patches of its location and window. Locations are the plain grid, so the last columns may stay
 * uncovered. The value of an image is in nats, larger (nearer to 0) is better.
 *
 * A patch of a colour image holds all its channels. Its squared distance is their mean, so that the density counts pixels, not
 * values: a grey image given as three equal channels scores as the grey one does.
 */
export const likelihood = definePlugin({
  api: 1,
  kind: "metric",
  name: "likelihood",
  about: "log-likelihood of the patches under the training patches; higher: more plausible, low: unique or failed",
  options: {
    sigma: {
      default: 0.3989422804014327, // 1 / sqrt(2 pi): with it, the rank of the patches does not matter
      min: 0.001,
      max: 10,
      about: "width of the Parzen window; 1/sqrt(2 pi) is the paper's",
    },
  },
  create: ({ sigma }) => ({
    separable: true,
    measure: (input) => borrowing(input.kernels, () => measure(input, sigma)),
  }),
});

function measure(input: MetricInput, sigma: number): MetricResult {
  const { generated, training, patch, overlap } = input;
  const { count } = training;
  requireImages("likelihood", input);
  const { rows, columns, numbersAt } = patchesOf(training, patch, overlap);
  const windows = windowTable(input, training.channels * patch * patch);
  const values = new Float64Array(generated.count);
  const add = patchDensities(input, windows, sigma);
  const numbers = new Uint32Array(training.channels * patch * patch);
  for (const y of rows) {
    for (const x of columns) {
      numbersAt(y, x, numbers);
      add(windows.segmentsAt(y, x, numbers), numbers, values);
    }
  }
  const locations = rows.length * columns.length;
  const factor = imageFactor(training, patch, locations);
  for (let i = 0; i < values.length; i++) values[i] *= factor;
  return {
    values,
    of: "generated",
    series: {},
    settings: { sigma, window: `+-${windows.reach}`, locations, training: count },
    warnings: count < 100
      ? [`only ${counted(count, "training image")}: the likelihood is that of a sparse dictionary`]
      : [],
  };
}

/**
 * Equation (patch ll): returns what adds, to the value of each image, the log-density of its patch with pixels `numbers`, a Parzen
 * window over the patches of `segments` places.
 */
function patchDensities(input: MetricInput, { table }: ReturnType<typeof windowTable>, sigma: number) {
  const { generated, training: { count, channels }, patch, kernels } = input;
  const inPatch = channels * patch * patch;
  const scratch = kernels.allocate(40960 + 8 * inPatch + 64);
  const out = kernels.allocate(generated.count * 8);
  const patches = kernels.allocate(generated.count * inPatch);
  const inOrder = kernels.allocate(inPatch * 4);
  kernels.u32(inOrder, inPatch).set(range(inPatch));
  const examples = { table, numbers: inOrder, planes: inPatch, count, images: patches, pixels: inPatch, scratch };
  // 1 / (2 sigma^2) in grey levels, and log(2 pi sigma^2): exactly 0 for 2 pi sigma^2 = 1, whatever the rounding.
  const perDistance = 1 / (2 * sigma * sigma * 255 * 255 * channels);
  const normalizer = Math.abs(2 * Math.PI * sigma * sigma - 1) < 1e-12 ? 0 : Math.log(2 * Math.PI * sigma * sigma);
  return (segments: number, numbers: Uint32Array, values: Float64Array) => {
    const distinct = distinctPatches(kernels, generated, numbers, patches);
    kernels.parzen({ ...examples, segments, batch: distinct.count }, perDistance, out);
    const sums = kernels.f64(out, distinct.count);
    const rest = Math.log(count * segments) + patch * patch / 2 * normalizer;
    for (let i = 0; i < values.length; i++) values[i] += sums[distinct.of[i]] - rest;
  };
}

/** |X| / Tr(sum_i R_i^T R_i): equation (ll pixel) divides by the pixels of all patches, (ll image) multiplies by those of the image. */
function imageFactor(training: Rows, patch: number, locations: number): number {
  return areaOf(training) / (locations * patch * patch);
}

/**
 * Copies the distinct patches of all images at one location to `to` (many are blank, so this saves work), and returns the
 * number of each image's patch among them.
 */
function distinctPatches(kernels: Kernels, rows: Rows, numbers: Uint32Array, to: number) {
  const { at, count } = rows;
  const pixels = lengthOf(rows);
  const length = numbers.length;
  const images = kernels.u8(at, count * pixels);
  const patches = kernels.u8(to, count * length);
  const of = new Int32Array(count);
  const known = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const next = known.size * length;
    for (let p = 0; p < length; p++) patches[next + p] = images[i * pixels + numbers[p]];
    const key = String.fromCharCode(...patches.subarray(next, next + length));
    of[i] = known.get(key) ?? known.size;
    known.set(key, of[i]);
  }
  return { count: known.size, of };
}
