import { borrowing, type Kernels } from "../../core/kernels.ts";
import { eachRow } from "../../core/image_distances.ts";
import { gather, nearestIn } from "../../core/nearest.ts";
import { definePlugin } from "../../core/plugin.ts";
import { range } from "../../core/numbers.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { heldOutDecisions } from "./judge/discriminant.ts";
import { foldsOfPairs } from "./judge/folds.ts";
import { gradientHistograms, histogramsLength } from "./judge/gradient_histograms.ts";
import { requireImages } from "./metric_input.ts";
import { rankings } from "./judge/rankings.ts";

/**
 * DeLong's standard error leaves out that another sample teaches another judge: of 100 runs of 80 and of 800 softened digits the scores
 * deviated 1.2 and 1.33 times as much (`deno run -A bench/coverage.ts 10000 100`), of 100 faces 1.25 times.
 */
const JUDGED_ANEW = 1.3;
/** The least images of each set that the judge can learn from: with fewer, a fold may hold images of one set only. */
const MIN_IMAGES = 10;

/**
 * The judge: a classifier two-sample test (Lopez-Paz and Oquab, "Revisiting Classifier Two-Sample Tests", 2017). A regularized
 * linear discriminant of gradient histograms learns to distinguish generated from real images, which are as many held-out
 * images (training images where there are not enough). It is cross-validated in 5 folds. The score is the area under the ROC
 * curve (AUC): the probability that a real image looks more real to the judge than a generated one.
 *
 * In [0, 1], 0.5 is best: the sets cannot be distinguished. 1: all images are recognized. A value is the part of the real
 * images of the fold that look more real than this image; the series `decision` is the discriminant itself, larger for real
 * images. Brightness and contrast hardly matter, edges and textures do. A copier scores 0.5: read it after the originality.
 * Repeated images and noise score near 1. The standard error is that of DeLong et al., "Comparing the Areas under Two or More
 * Correlated Receiver Operating Characteristic Curves" (1988), times `JUDGED_ANEW`. The score depends on the number of images that the
 * judge learned from: with more images it is farther from 0.5.
 *
 * Measured on the faces of `PATCHLOOM_DATA`: 30 times 100 training images against 100 others 0.502 in the mean; 300 images of
 * `deno task synth --profile faces-paper --count 300`, then `deno task assess --profile faces-paper --images out/faces-paper
 * --metric judge`:
 * 0.993, as an independent judge of the same kind finds; the first 300 test images against as many others 0.47 with a
 * standard error of 0.024; test images averaged half with such synthesized ones 0.89; patchwork of squares of 32 pixels 1.000.
 */
export const judge = definePlugin({
  api: 1,
  kind: "metric",
  name: "judge",
  about:
    "how well a classifier of edges and textures recognizes the images among real ones; 0.5: not at all, 1: always",
  options: {
    ridge: {
      default: 0.1,
      min: 0.0001,
      max: 1000,
      about: "regularization of the classifier; larger: only what most images differ in counts",
    },
    most: {
      default: 500,
      min: MIN_IMAGES,
      max: 2000,
      integer: true,
      about: "the most images of each set that are compared, evenly taken; more: a narrower interval, more time",
    },
  },
  create: (values) => ({
    separable: false,
    measure: (input) => borrowing(input.kernels, () => measure(input, values)),
  }),
});

function measure(input: MetricInput, { ridge, most }: { ridge: number; most: number }): MetricResult {
  requireImages("judge", input);
  const { generated, kernels } = input;
  const warnings: string[] = [];
  const made = sortedImages(kernels, generated, evenly(generated.count, most));
  const fakes = made.images.count;
  const { real, baseline } = realImages(input, fakes);
  const values = new Float64Array(generated.count).fill(NaN);
  const decision = values.slice();
  const settings = { ridge, count: fakes, real: real.count, against: baseline };
  if (fakes < generated.count) warnings.push(`compares ${fakes} of ${generated.count} generated images`);
  if (Math.min(fakes, real.count) < MIN_IMAGES) {
    const tooFew =
      `${fakes} generated and ${real.count} real images are too few: the judge needs ${MIN_IMAGES} of each`;
    return { values, of: "generated", series: { decision }, settings, warnings: [...warnings, tooFew], tooFew };
  }
  const squared = featureDistances(kernels, [made.images, real]);
  const sign = new Int8Array(fakes + real.count).fill(1).fill(-1, 0, fakes);
  const fold = foldsOfPairs(squared, sign);
  const decisions = heldOutDecisions({ squared, sign, fold }, ridge);
  const { places, standardError } = rankings(decisions, sign, fold);
  made.numbers.forEach((image, i) => {
    values[image] = places[i];
    decision[image] = decisions[i];
  });
  return {
    values,
    of: "generated",
    series: { decision },
    settings,
    warnings,
    standardError: JUDGED_ANEW * standardError,
  };
}

/**
 * Takes real images to compare with, without those that are among the generated images: as many held-out images, else the
 * rest from the training images.
 */
function realImages({ generated, training, heldOut, kernels }: MetricInput, count: number) {
  const unlike = (set: Rows, numbers: Uint32Array) =>
    borrowing(kernels, () => {
      const { squared } = nearestIn(kernels, gather(kernels, set, numbers), generated);
      return numbers.filter((_, i) => squared[i] > 0);
    });
  const others = heldOut ? unlike(heldOut, range(heldOut.count)) : new Uint32Array();
  const first = evenly(others.length, count).map((i) => others[i]);
  const more = unlike(training, evenly(training.count, count - first.length));
  const joined = join(kernels, gather(kernels, heldOut ?? training, first), gather(kernels, training, more));
  const sets = [...first.length > 0 ? ["held-out"] : [], ...more.length > 0 ? ["training"] : []];
  const { images: real } = sortedImages(kernels, joined, range(joined.count));
  return { real, baseline: `${sets.join(" and ") || "no"} images` };
}

/** Copies two sets of one shape to new kernel memory, one after the other. */
function join(kernels: Kernels, a: Rows, b: Rows): Rows {
  const count = a.count + b.count;
  const first = a.count * lengthOf(a);
  const second = b.count * lengthOf(b);
  const at = kernels.allocate(first + second);
  kernels.u8(at, first).set(kernels.u8(a.at, first));
  kernels.u8(at + first, second).set(kernels.u8(b.at, second));
  return { ...a, count, at };
}

/** Copies the images of these numbers, sorted by their bytes: so folds do not depend on the order in which images come. */
function sortedImages(kernels: Kernels, rows: Rows, chosen: Uint32Array): { images: Rows; numbers: Uint32Array } {
  const length = lengthOf(rows);
  const pixels = kernels.u8(rows.at, rows.count * length);
  const numbers = chosen.toSorted((a, b) => {
    for (let p = 0; p < length; p++) {
      const difference = pixels[a * length + p] - pixels[b * length + p];
      if (difference !== 0) return difference;
    }
    return a - b;
  });
  return { images: gather(kernels, rows, numbers), numbers };
}

/** Computes the squared distances of the gradient histograms of all images, in whole numbers, so the same on every host. */
function featureDistances(kernels: Kernels, sets: readonly Rows[]): Float64Array {
  const length = histogramsLength(sets[0]);
  const count = sets.reduce((sum, set) => sum + set.count, 0);
  const at = kernels.allocate(count * length);
  const squared = new Float64Array(count * count);
  let to = at;
  for (const set of sets) {
    const features = gradientHistograms(set, kernels.u8(set.at, set.count * lengthOf(set)));
    kernels.u8(to, features.length).set(features);
    to += features.length;
  }
  const features: Rows = { at, count, height: 1, width: length, channels: 1 };
  eachRow(kernels, features, features, (i, row) => squared.set(row, i * count));
  return squared;
}

/** At most `most` of the numbers below `count`, evenly spaced. */
function evenly(count: number, most: number): Uint32Array {
  const taken = Math.min(count, most);
  return range(taken).map((i) => Math.floor(i * count / taken));
}
