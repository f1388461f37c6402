/** The contract of metrics: what they are given, and what they give back. */
import type { Kernels } from "./kernels.ts";
import type { Rows } from "./types.ts";

/** What a metric is given: images of one class, or of all together, in kernel memory, padded to one size. */
export interface MetricInput {
  /** The images to measure. */
  readonly generated: Rows;
  /** The training images of the same class. */
  readonly training: Rows;
  /** Images that were held out from training: the baseline that a score is compared with. */
  readonly heldOut?: Rows;
  /** The class of each image, for a metric that judges all classes `together`, if there are classes. */
  readonly labels?: { readonly generated: Uint8Array; readonly training: Uint8Array; readonly heldOut?: Uint8Array };
  /**
   * How far each training image's nearest other training images are, for a metric that asks for it with `trainingNeighbours`. A
   * host computes it once for all metrics; where it is left out, the metric computes it.
   */
  readonly trainingNeighbours?: NeighbourDistances;
  /** The part of each generated image that its largest contributor gives, in [0, 1], where the images' sources are known. */
  readonly shares?: Float64Array;
  /** Parts of the images in which a metric may measure, too. */
  readonly regions?: readonly Region[];
  /** n of the profile, the side of a patch. */
  readonly patch: number;
  /** Pixels that neighbouring patches share: the finest layer's overlap; a quarter of `patch` where that layer has another patch. */
  readonly overlap: number;
  /** Neighbour window of the finest layer: neighbouring positions have an offset below it. */
  readonly window: number;
  /** The kernels over the memory that holds the images. */
  readonly kernels: Kernels;
}

/** A rectangle of aligned images, by parts of their sides, 0..1. */
export interface Region {
  /** One word, such as eyes. */
  readonly name: string;
  /** Left edge. */
  readonly x: number;
  /** Upper edge. */
  readonly y: number;
  /** Part of the width. */
  readonly width: number;
  /** Part of the height. */
  readonly height: number;
}

/** The distances of each image of a set to its nearest other images of the set. */
export interface NeighbourDistances {
  /** Number of distances of each image. A set with fewer images has Infinity in place of the missing ones. */
  readonly each: number;
  /** Squared distances in grey levels of 0 to 255, `each` of an image, ascending, image by image. */
  readonly squared: Float64Array;
}

/** The result of a metric. The score is the mean of the values; NaN stands for an image without one. */
export interface MetricResult {
  /** One value for each image of the set that `of` names. A metric that cuts sets to one size gives those of the images left, and a warning. */
  readonly values: Float64Array;
  /** The set whose images have the values; "both": the generated images, then the training images. */
  readonly of: "generated" | "training" | "both";
  /** More numbers for each of those images, by name, for plots. */
  readonly series: Readonly<Record<string, Float64Array>>;
  /** What the values depend on beside the images: window, perplexity, counts. */
  readonly settings: Readonly<Record<string, number | string>>;
  /** Sentences about what limits the score's meaning. */
  readonly warnings: readonly string[];
  /**
   * The standard error of the score, where resampling the values would not show it because they depend on each other, as those
   * of an area under a curve do.
   */
  readonly standardError?: number;
  /** Where there are too few images for the score to mean something: a sentence that says so. Reports show it in place of the score. */
  readonly tooFew?: string;
}

/** A measure of how good generated images are (section "Assessment of Synthesis Performance"). */
export interface Metric {
  /** Whether each generated image's value depends on that image alone, so that a host may split the set. */
  readonly separable: boolean;
  /** Whether it judges all classes at once, with their labels; otherwise each class by its own training images. */
  readonly together?: boolean;
  /** How many of the nearest other training images of each training image it asks for, in `MetricInput.trainingNeighbours`. */
  readonly trainingNeighbours?: number;
  /** Judges the generated images. Gives back the kernel memory that it takes. */
  measure(input: MetricInput): MetricResult;
}
