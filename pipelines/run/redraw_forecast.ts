/** How often images are drawn again to reach their least originality, and how much work that is expected to be. */
import type { Plan, PlanLayer } from "../../core/plan.ts";

/**
 * How often an image is drawn at most to reach the least likelihood and the least originality of the finest layer. Each time its coarser
 * layers are drawn as often at most to reach theirs.
 */
export const MAX_TRIES = 8;

/**
 * With fewer training images nothing is drawn again. Images that are made of two lie between them, nearer to one than half of their
 * distance, and one alone has no distance to compare with.
 */
const MIN_TRAINING = 3;

/** Whether images of a plan may be drawn again. */
export function isRedrawn({ layers, noise }: Plan, training: number): boolean {
  const isNoiseLimited = noise && (noise.minOriginality !== 0 || noise.maxStructure !== 1 || isHeldBack({ noise }));
  return training >= MIN_TRAINING && (isNoiseLimited === true || layers.some(isLimited));
}

/** Whether images from noise have to be typical, so that most are made again, some of them many times. */
export function isHeldBack({ noise }: Pick<Plan, "noise">): boolean {
  return noise !== undefined && (noise.minTypicality > 0 || noise.minMutualInformation > 0 || noise.minLikelihood > 0);
}

/** How near a training image the images of a layer may come. */
export type NearnessLimits = Pick<PlanLayer, "minOriginality" | "maxStructure">;

/** Whether images are drawn again that are too near to a training image. */
export function isLimited({ minOriginality, maxStructure }: NearnessLimits): boolean {
  return minOriginality > 0 || maxStructure < 1;
}

/**
 * The limits of finished images that a plan states: those of the finest layer, or those of images from noise that no layer follows.
 * Where the latter are chosen by held-out images, there are none.
 */
export function finishedLimits({ layers: [finest], noise }: Plan): NearnessLimits {
  const { minOriginality = 0, maxStructure = 1 } = finest ?? noise ?? {};
  return { minOriginality, maxStructure };
}

/** The work of drawing one image, as in `WorkCounter`: its layers down to the last but the finest that has a least originality, and all. */
export interface ImageWork {
  readonly coarse: number;
  readonly whole: number;
}

/** The expected work of images that are not original enough yet. */
export interface RedrawForecast {
  /** Notes how many images were drawn, in their coarser layers or whole, and how many of these are to be drawn again. */
  drew(part: keyof ImageWork, images: number, again: number): void;
  /**
   * Returns the work that is expected before the coarser layers of `images` images are drawn, for the `tries`-th time of the `wholes`-th
   * whole image, both from 0.
   */
  beforeCoarse(images: number, tries: number, wholes: number): number;
  /** Returns the work that is expected before `images` whole images are drawn. */
  beforeWhole(images: number, wholes: number): number;
}

/** The part of the images that is drawn again, before it is known: of 4500 photographs it is a third, of 20 nearly all. */
const USUAL = 1 / 3;
/** Counts for as many images. */
const USUAL_WEIGHT = 2;

/** How often the coarser layers of an image are drawn at most. */
export function mostCoarseTries({ noise }: Pick<Plan, "noise">): number {
  return noise?.tries ?? MAX_TRIES;
}

/**
 * Makes a forecast that learns from what is drawn.
 *
 * @param mostCoarse how often the coarser layers of an image are drawn at most
 */
export function redrawForecast({ coarse, whole }: ImageWork, mostCoarse = MAX_TRIES): RedrawForecast {
  const drawn = { coarse: 0, whole: 0 }, open = { coarse: 0, whole: 0 };
  const rate = (part: keyof ImageWork, usual: number) => {
    return (open[part] + USUAL_WEIGHT * usual) / (drawn[part] + USUAL_WEIGHT);
  };
  const coarseRate = () => coarse > 0 ? rate("coarse", USUAL) : USUAL;
  // Where few training images leave no coarse draft original enough, hardly a whole image will be.
  const wholeRate = () => rate("whole", coarseRate());
  /** How often an image is drawn that is drawn again with a probability, at most `most` times. */
  const times = (probability: number, most: number) => {
    return probability < 1 ? (1 - probability ** most) / (1 - probability) : most;
  };
  const drafts = (tries: number) => coarse * times(coarseRate(), mostCoarse - tries);
  const beforeWhole = (images: number, wholes: number) => {
    const again = times(wholeRate(), MAX_TRIES - wholes) - 1, least = wholeRate() ** (MAX_TRIES - wholes);
    // An image that never was original enough is drawn once more, to be yielded last.
    return images * (whole + again * (whole + drafts(0)) + least * whole);
  };
  return {
    drew(part, images, again) {
      drawn[part] += images;
      open[part] += again;
    },
    beforeCoarse: (images, tries, wholes) => images * drafts(tries) + beforeWhole(images, wholes),
    beforeWhole,
  };
}
