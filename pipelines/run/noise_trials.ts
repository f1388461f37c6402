/** Makes images from noise to see how they come out, before those are made that somebody asked for. */
import { diffuse, fitDiffusion } from "../../core/diffuse.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { PlanNoise } from "../../core/plan.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import type { Rows } from "../../core/types.ts";
import { saturate, saturatedRows } from "./saturation.ts";

/** Images to try. */
export interface Trial {
  /** What they are made of. */
  readonly set: Rows;
  /** Side of the window in each step, most noise first. */
  readonly windows: readonly number[];
  /** Number of the first image. */
  readonly first: number;
  /** How many. */
  readonly count: number;
}

/** The random seed of images that are tried. */
const TRIAL_SEED = 0;

/** Makes images. Returns `count` x channels x height x width bytes. */
export function* trialImages(
  kernels: Kernels,
  noise: PlanNoise,
  { set, windows, first, count }: Trial,
): Steps<Uint8Array> {
  const vivid = saturatedRows(kernels, set, noise.saturation);
  const settings = { ...noise, windows };
  const model = fitDiffusion({ kernels, ...noise, settings, training: vivid, batch: count });
  try {
    const steps = diffuse(model, { seed: TRIAL_SEED, images: Array.from({ length: count }, (_, i) => first + i) });
    let next = steps.next();
    for (; !next.done; next = steps.next()) yield PROGRESS;
    const { pixels } = next.value;
    saturate(pixels, set, 1 / noise.saturation);
    return pixels;
  } finally {
    model.dispose();
  }
}
