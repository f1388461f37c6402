/** Compares restorations and their baseline with the truth. */
import type { Size } from "../../core/shape.ts";
import type { DegradedImage } from "./degradation.ts";
import { meanAndDeviation, psnr, ssim } from "./fidelity.ts";

/** The fidelity of an image to the truth. */
interface Fidelity {
  /** Peak signal-to-noise ratio in decibels. */
  readonly psnr: number;
  /** Structural similarity, in (-1, 1]. */
  readonly ssim: number;
}

/** One restored image. Images are bytes of the profile's size. */
export interface RestoredImage {
  /** Restorations drawn independently, at least one. */
  readonly samples: readonly Uint8Array[];
  /** The mean of the samples. */
  readonly mean: Uint8Array;
  /** The standard deviation of each value over the samples, in levels of 0 to 255. */
  readonly deviation: Float64Array;
  /** Undefined if the truth is unknown. `samples` is the mean fidelity of the samples, `mean` that of their mean. */
  readonly fidelity?: { readonly baseline: Fidelity; readonly samples: Fidelity; readonly mean: Fidelity };
}

/** Averages the samples of each image, and measures them and the baseline if the truth is known. */
export function compareWithTruth(
  degraded: readonly DegradedImage[],
  restored: readonly (readonly Uint8Array[])[],
  baseline: readonly Uint8Array[],
  size: Size,
): RestoredImage[] {
  return degraded.map(({ truth }, n) => {
    const samples = restored[n], { mean, deviation } = meanAndDeviation(samples);
    if (!truth) return { samples, mean, deviation };
    const fidelityOf = (image: Uint8Array): Fidelity => ({ psnr: psnr(image, truth), ssim: ssim(image, truth, size) });
    const fidelity = {
      baseline: fidelityOf(baseline[n]),
      samples: meanFidelity(samples.map(fidelityOf)),
      mean: fidelityOf(mean),
    };
    return { samples, mean, deviation, fidelity };
  });
}

/** Averages fidelities. */
export function meanFidelity(all: readonly Fidelity[]): Fidelity {
  const mean = (name: keyof Fidelity) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return { psnr: mean("psnr"), ssim: mean("ssim") };
}
