import type { Kernels } from "./kernels.ts";
import type { Shape, Size } from "./shape.ts";

/**
 * A set of images of one shape, 8 bits a value: image i, channel c, row y, column x is
 * `pixels[((i * channels + c) * height + y) * width + x]`.
 */
export interface Images extends Shape {
  /** Number of images. */
  readonly count: number;
  /** The values, 0 (black) to 255 (white): count x channels x height x width. */
  readonly pixels: Uint8Array;
}

/** The training images of one layer, image by image, in kernel memory: where HR patches are read. */
export interface Rows extends Shape {
  /** Number of images. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** Address of `count` x `channels` x `height` x `width` bytes. */
  readonly at: number;
}

/**
 * The training images of one layer, pixel by pixel, in kernel memory: where LR patches are searched. Pixel (y, x) of channel c
 * of all images is the plane at `at + ((c * height + y) * width + x) * stride`, one byte an image.
 */
export interface Planes extends Shape {
  /** Number of images. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** Address of the first plane. */
  readonly at: number;
  /** Bytes from one plane to the next, `count` rounded up. */
  readonly stride: number;
  /** The same bytes once more, image by image as in `Rows`: their address. */
  readonly rows: number;
}

/** One pixel of a context: its offset from the top left of the LR patch and its weight in the distance, in (0, 1]. */
export interface ContextPixel {
  /** Columns to the right of the top left pixel of the LR patch; negative: to the left. */
  readonly dx: number;
  /** Rows below the top left pixel of the LR patch; negative: above. */
  readonly dy: number;
  /** Weight of its squared difference, in (0, 1]; a pixel of the patch itself has 1. */
  readonly weight: number;
  /** Counted at its mirror place: column width - 1 - (x + dx) of the LR image, where the patch's first pixel is in column x. */
  readonly mirrored?: boolean;
}

/** All that a prior is fitted on: one layer of the training pyramid and how its patches are taken. */
export interface LayerData extends Size {
  /** l of the paper: 0 is the finest. */
  readonly layer: number;
  /** Height and width of the images to synthesize, both even; their LR images have half of both. */
  readonly height: number;
  /** Width of the images to synthesize, even; their LR images have half of it. */
  readonly width: number;
  /** 1 grey, 3 colour; a patch has n x n values in each. */
  readonly channels: number;
  /** n: side of an HR patch; an LR patch has half of it. */
  readonly patch: number;
  /** neighbor-window-size: a neighbouring position has an offset below it in both axes; 0 and 1 mean the location itself. */
  readonly window: number;
  /** Pixels around the LR patch that count in its distance. */
  readonly context: readonly ContextPixel[];
  /** Whether places mean the same in all images; true where it is left out. Not so of exemplars of textures. */
  readonly aligned?: boolean;
  /** Every location that the layer's iterations visit. */
  readonly locations: readonly Location[];
  /** The most images that will be drawn for together. */
  readonly batch: number;
  /** The training images. They may be of another size than the images to synthesize, where a prior does not care for places. */
  readonly hr: Rows;
  /** The LR training images: V^(l+1). */
  readonly lr: Planes;
  /** The kernels over the memory that holds the training images. */
  readonly kernels: Kernels;
}

/** Where a patch lies: its top left pixel in the HR image. */
export interface Location {
  /** Row of its top left pixel. */
  readonly y: number;
  /** Column of its top left pixel. */
  readonly x: number;
  /** How many of the layer's iterations visit it: what does not change within a layer need not be computed again. */
  readonly visits: number;
}

/** What was measured of a layer's images X, pixel by pixel: the X-step adds 1/2 sum_p weight_p (X_p - value_p)^2. */
export interface Observations {
  /** V: a value for each pixel of each image. */
  readonly values: Float32Array;
  /** W: one over the variance of its noise; 0 where it was not measured. Up to Infinity. */
  readonly weights: Float32Array;
}

/** What is known of a batch of images at one location. All arrays lie in kernel memory (`byteOffset` is the address). */
export interface Measurements {
  /** Number of images. */
  readonly batch: number;
  /** R_i X + u_i of each image: `batch` x channels x n^2, about [0, 1]. */
  readonly patches: Float32Array;
  /** X_(l+1), the LR images: `batch` x channels x height / 2 x width / 2 in [0, 1]. */
  readonly lr: Float32Array;
  /** The same object for as long as `lr` holds the same images: what is found from them may be kept with it. */
  readonly lrKey: object;
}

/** What `draw` fills: a patch for each image and, where there is one, the place it was copied from. */
export interface Drawn {
  /** z_i: `batch` x channels x n^2, in [0, 1]. */
  readonly patches: Float32Array;
  /** `batch` x (training image, y, x) of the patch's first pixel; training image -1 where it is no copy. */
  readonly sources: Int32Array;
}

/** Random numbers of one (seed, layer, iteration, location), a different one for each image. */
export interface Keyed {
  /** Fills `out[b]` for each image b of the batch with a uniform number in [0, 1); other `draw`s give other numbers. */
  uniforms(out: Float64Array, draw?: number): void;
}

/**
 * What the z-step takes from the posterior of equation (patch posterior): a random patch of it, as the paper does; the
 * likeliest one, as EPLL does; or its mean.
 */
export type ZStep = "sample" | "map" | "mean";

/** The parameters of one iteration that a prior may use (Algorithm 1). */
export interface Step {
  /** Penalty weight of equation (epll admm), > 0: larger draws patches nearer to R_i X + u_i. */
  readonly rho: number;
  /** Randomness of the prior, equation (local prior), > 0. */
  readonly h: number;
  /** Number of the iteration within the layer, from 0. */
  readonly iteration: number;
  /** What to take from the posterior. */
  readonly zStep: ZStep;
}

/** A patch prior before it has seen images. */
export interface Prior {
  /**
   * Fits the prior to one layer, once for all images. All the kernel memory that `draw` works in is allocated here, for
   * `batch` images; the engine frees it.
   */
  fit(layer: LayerData): FittedPrior;
  /** Where fitting takes long: the same work in parts, which a host may spread over threads, show the progress of, and keep. */
  readonly parts?: PriorParts;
}

/** A fit in parts: `fit(layer)` equals `load(layer, parts)` of all parts in their order, to the bit. */
export interface PriorParts {
  /** How many parts the fit to a layer has. */
  count(layer: LayerData): number;
  /** Fits part number `part` alone: all that was found, as bytes. Gives back the kernel memory that it takes. */
  fit(layer: LayerData, part: number): Uint8Array;
  /**
   * Puts the parts together, reading them where they lie: they must not change afterwards. Throws one sentence where bytes
   * are not those of the layer's parts.
   */
  load(layer: LayerData, parts: readonly Uint8Array[]): FittedPrior;
}

/** A patch prior of one layer. */
export interface FittedPrior {
  /** Draws one patch for each image of the batch at one location: z ~ T(z | i, X, u) of equation (patch posterior). */
  draw(at: Location, now: Measurements, step: Step, random: Keyed, out: Drawn): void;
  /**
   * log P_i of `out.length` patches (channels x n^2 values each, in [0, 1]) at a location, where the prior has a density: natural
   * logarithm, up to no constant, so that e^ of it integrates to 1.
   */
  logDensity?(at: Location, patches: Float32Array, out: Float64Array): void;
  /** What image `image` of the batch is drawn from at a location, where that is a list; for people who look inside. */
  candidates?(at: Location, now: Measurements, step: Step, image: number): Candidates;
  /**
   * Lets go of what is not kernel memory, such as handles and caches. The model that it belongs to calls it at its end; to
   * call it again does nothing.
   */
  dispose?(): void;
}

/** The patches that one is drawn from. */
export interface Candidates {
  /** For each (training image, y, x) of its first pixel in the HR image. */
  readonly sources: Int32Array;
  /** log T of each up to a common constant, equation (posterior example based). */
  readonly logT: Float64Array;
}

/** A context (section "Patch with Context"): which pixels around an LR patch count in its distance. */
export interface Context {
  /**
   * The pixels around an LR patch of side `patch` in an LR image whose longer side is `size`; those outside the image are
   * left out later, and each counts in every channel.
   */
  mask(patch: number, size: number): readonly ContextPixel[];
}

/** What a metric judges: images of one class (or of all together), in kernel memory, padded to one size. */
export interface MetricInput {
  /** The images to measure. */
  readonly generated: Rows;
  /** The training images of the same class. */
  readonly training: Rows;
  /** Images that were held out from training: the baseline that a score is read against. */
  readonly heldOut?: Rows;
  /** The class of each image, where a metric asks for all classes together and there are classes. */
  readonly labels?: { readonly generated: Uint8Array; readonly training: Uint8Array; readonly heldOut?: Uint8Array };
  /** n, the side of a patch. */
  readonly patch: number;
  /** Overlap of neighbouring patches and neighbour window of the finest layer. */
  readonly overlap: number;
  /** Neighbour window of the finest layer: neighbouring positions have an offset below it. */
  readonly window: number;
  /** The kernels over the memory that holds the images. */
  readonly kernels: Kernels;
}

/** What a metric found. The score is the mean of the values. */
export interface MetricResult {
  /** One value for each image of the set that `of` names; where sets are cut to one size, of the images left, with a warning. */
  readonly values: Float64Array;
  /** The set whose images have the values; "both": the generated images, then the training images. */
  readonly of: "generated" | "training" | "both";
  /** More numbers for each of those images, by name, for plots. */
  readonly series: Readonly<Record<string, Float64Array>>;
  /** What the values depend on beside the images: window, perplexity, counts. */
  readonly settings: Readonly<Record<string, number | string>>;
  /** Sentences about what makes the score less than it seems. */
  readonly warnings: readonly string[];
}

/** A measure of how good generated images are (section "Assessment of Synthesis Performance"). */
export interface Metric {
  /** Whether each generated image's value depends on that image alone, so that a host may split the set. */
  readonly separable: boolean;
  /** Whether it judges all classes at once, with their labels; otherwise each class by its own training images. */
  readonly together?: boolean;
  /** Measures; the kernel memory that it takes is given back. */
  measure(input: MetricInput): MetricResult;
}
