/** What `restore` is compared with, and how near both come to the truth. */
import { meanAndDeviation, psnr, ssim } from "../../../pipelines/restoration/fidelity.ts";
import type { Kernels } from "../../../core/kernels.ts";
import type { Plan } from "../../../core/plan.ts";
import { pad } from "../../../core/pyramid.ts";
import { areaOf, type Size } from "../../../core/shape.ts";
import { bicubic, gaussianBlur, meanFill } from "../../../pipelines/restoration/baselines.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import type { Degradation } from "../../../pipelines/restoration/restoration_profile.ts";
import { byteOf, type DegradedImage, type RestoreGroup } from "../commands/restore.ts";

/** The images of a text-book method. */
export interface Baseline {
  readonly name: string;
  /** Bytes of the profile's size, one for each subject. */
  readonly images: readonly Uint8Array[];
  /** What was measured, as it would be shown at that size; where it says nothing more, undefined. */
  readonly measured?: readonly Uint8Array[];
}

/** How near an image is to the truth. */
export interface Fidelity {
  /** In decibels. */
  readonly psnr: number;
  readonly ssim: number;
}

/** One restored image. */
export interface Restored {
  readonly samples: readonly Uint8Array[];
  /** The mean of the samples, and each pixel's standard deviation in grey levels. */
  readonly mean: Uint8Array;
  readonly deviation: Float64Array;
  /** Where the truth is known; the samples' is the mean of theirs. */
  readonly fidelity?: { readonly baseline: Fidelity; readonly samples: Fidelity; readonly mean: Fidelity };
}

/** Standard deviations that the blur is tried with, in pixels. */
const SIGMAS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2];

/**
 * The baseline of a task: bicubic interpolation in H's phase; the mean of the training images in the hole; the Gaussian blur
 * whose width is best for the very images (the truth is known to it, which no restoration may use; without truth: 0.6).
 */
export function baselineOf(
  kernels: Kernels,
  subjects: readonly DegradedImage[],
  { spoiled, plan, known, data, groups }: {
    spoiled: Degradation;
    plan: Plan;
    known: Float32Array;
    data: DataSet;
    groups: readonly RestoreGroup[];
  },
): Baseline {
  const [full] = plan.sizes, bytes = (values: Float32Array) => Uint8Array.from(values, byteOf);
  if (spoiled.task === "superres") {
    const enlarged = ({ measured }: DegradedImage) => {
      return plan.sizes.slice(1).reverse().reduce<Float32Array>(bicubic, measured);
    };
    return { name: "bicubic", images: subjects.map((subject) => bytes(enlarged(subject))) };
  }
  if (spoiled.task === "inpaint") {
    const means = groups.map(({ label }) => meanImage(data, label, full));
    const groupOf = (n: number) => groups.findIndex(({ of }) => of.includes(n));
    const images = subjects.map(({ measured }, n) => bytes(meanFill(measured, known, means[groupOf(n)], full)));
    return { name: "mean-fill", images };
  }
  const blurred = SIGMAS.map((sigma) => ({
    sigma,
    images: subjects.map(({ measured }) => bytes(gaussianBlur(kernels, measured, full, sigma))),
  }));
  const scoreOf = ({ images }: { images: readonly Uint8Array[] }) => {
    return images.reduce((sum, image, n) => sum + psnr(image, subjects[n].truth!), 0);
  };
  const best = subjects[0].truth
    ? blurred.reduce((best, next) => scoreOf(next) > scoreOf(best) ? next : best)
    : blurred.find(({ sigma }) => sigma === 0.6)!;
  const measured = subjects.map((subject) => bytes(subject.measured));
  return { name: `blur-${best.sigma}`, images: best.images, measured };
}

/** The mean of the training images of a class, in [0, 1]. */
function meanImage({ train }: DataSet, label: number | undefined, size: Size): Float64Array {
  const chosen = chosenBy(train.labels, label, train.images.count), mean = new Float64Array(areaOf(size));
  const image = new Uint8Array(mean.length);
  for (const index of chosen) pad(train.images, index, size, image).forEach((grey, p) => mean[p] += grey);
  return mean.map((sum) => sum / 255 / chosen.length);
}

/** The mean of each image's samples, and how near they and the baseline come to the truth. */
export function compareWithTruth(
  subjects: readonly DegradedImage[],
  restored: readonly (readonly Uint8Array[])[],
  baseline: readonly Uint8Array[],
  size: Size,
): Restored[] {
  return subjects.map(({ truth }, n) => {
    const samples = restored[n], { mean, deviation } = meanAndDeviation(samples, size);
    if (!truth) return { samples, mean, deviation };
    const of = (image: Uint8Array): Fidelity => ({ psnr: psnr(image, truth), ssim: ssim(image, truth, size) });
    const fidelity = { baseline: of(baseline[n]), samples: meanOf(samples.map(of)), mean: of(mean) };
    return { samples, mean, deviation, fidelity };
  });
}

/** The mean of fidelities. */
export function meanOf(all: readonly Fidelity[]): Fidelity {
  const mean = (name: keyof Fidelity) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return { psnr: mean("psnr"), ssim: mean("ssim") };
}
