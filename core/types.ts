/** The contract of plugins: images, and what priors and contexts are given and give back. */
import type { Kernels } from "./kernels.ts";
import type { Shape, Size } from "./shape.ts";
import type { Steps } from "./steps.ts";

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

/** A set of images, image by image, in kernel memory. `readPatch` and `readImage` (core/patches.ts) read them. */
export interface Rows extends Shape {
  /** Number of images. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** Address of `count` x `channels` x `height` x `width` bytes. */
  readonly at: number;
}

/**
 * The LR training images of one layer, pixel by pixel, in kernel memory, as the search kernel reads them. Pixel (y, x) of
 * channel c of all images is the plane at `at + ((c * height + y) * width + x) * stride`, one byte an image. `readLrPatch`
 * (core/patches.ts) reads one image's patch.
 */
export interface Planes extends Shape {
  /** Number of images. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** Address of the first plane. */
  readonly at: number;
  /** Bytes from one plane to the next: `count` rounded up to a multiple of 16. */
  readonly stride: number;
  /** Address of the same bytes image by image, as in `Rows`. */
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
  /** Whether it is the pixel's mirror image: in column width - 1 - (x + dx) of the LR image for a patch that begins in column x. */
  readonly mirrored?: boolean;
}

/** The properties of a layer that are known before its training images are in kernel memory. */
export interface LayerOutline extends Size {
  /** Height and width of the images to synthesize, both even; their LR images have half of both. */
  readonly height: number;
  /** Width of the images to synthesize, even; their LR images have half of it. */
  readonly width: number;
  /** 1 grey, 3 red, green and blue. A patch is `channels` x n x n values: channel by channel, row by row. */
  readonly channels: number;
  /** n: side of an HR patch; an LR patch has half of it. */
  readonly patch: number;
  /** neighbor-window-size: a neighbouring position has an offset below it in both axes; 0 and 1 mean the location itself. */
  readonly window: number;
  /** The pixels of all the profile's contexts, each counted in every channel. */
  readonly context: readonly ContextPixel[];
  /** Whether a place means the same in all images, as in faces; true where it is left out. False for exemplars of textures. */
  readonly aligned?: boolean;
  /** The number of the training images, and their size. */
  readonly hr: Pick<Rows, "count" | "height" | "width">;
}

/** All that a prior is fitted on: the training images of one layer of the pyramid, and which patches they are taken apart into. */
export interface LayerData extends LayerOutline {
  /** l of the paper: 0 is the finest. */
  readonly layer: number;
  /** Every location that the layer's iterations visit; `draw` is called for no other. */
  readonly locations: readonly Location[];
  /** The most images that `draw` will be called for together. */
  readonly batch: number;
  /**
   * The training images, V^l, numbered from 0: those of one class where the profile works class by class. These are not the
   * numbers of the data set, which results give. They may be of another size than the images to synthesize, where `aligned` is
   * false.
   */
  readonly hr: Rows;
  /** The same images at half the size, V^(l+1). */
  readonly lr: Planes;
  /** V^l pixel by pixel, where a projection ends the layer: it compares them so, and others may read them. */
  readonly hrPlanes?: Planes;
  /** The kernels over the memory that holds the training images. */
  readonly kernels: Kernels;
}

/** A location i: the top left pixel of a patch in the HR image. */
export interface Location {
  /** Row of its top left pixel. */
  readonly y: number;
  /** Column of its top left pixel. */
  readonly x: number;
  /** How many of the layer's iterations visit it: what does not change within a layer need not be computed again. */
  readonly visits: number;
}

/** What was observed of a layer's images X, pixel by pixel: the X-step then minimizes 1/2 sum_p W_p (X_p - V_p)^2, too. */
export interface Observations {
  /** V: a value in [0, 1] for each pixel of each image; any number where it was not observed. */
  readonly values: Float32Array;
  /** W: one over the variance of its noise, in 0 .. Infinity; 0 where it was not observed. */
  readonly weights: Float32Array;
}

/** The measurements of a batch of images at one location. All arrays lie in kernel memory (`byteOffset` is the address). */
export interface Measurements {
  /** Number of images. */
  readonly batch: number;
  /** R_i X + u_i of each image: `batch` x channels x n^2, about [0, 1]. */
  readonly patches: Float32Array;
  /** X_(l+1), the LR images: `batch` x channels x height / 2 x width / 2 in [0, 1]. */
  readonly lr: Float32Array;
  /** The same object as long as `lr` holds the same images: a prior may keep what it found from them. */
  readonly lrKey: object;
  /** Where the patches came from that this iteration has drawn so far. */
  readonly sources: PatchSources;
  /** Where the patches of the iteration before came from; undefined in a layer's first iteration. */
  readonly previousSources?: PatchSources;
  /**
   * Where the patches came from that the LR images were made of, in the last iteration of the coarser layer; its pixels are those
   * of `lr`. Undefined in the coarsest layer, whose LR images are the seed images.
   */
  readonly coarserSources?: PatchSources;
}

/**
 * Which training images the patches of one iteration were drawn from, image by image of the batch. Asking costs nothing until
 * the first question of a layer. Valid during the call that it is given to.
 */
export interface PatchSources {
  /** How many locations the iteration visits. */
  readonly total: number;
  /**
   * The training image that pixel (y, x) of image number `image` of the batch was drawn from: of the patches that cover the
   * pixel, the one drawn last counts. -1 where none was drawn yet, and for a patch that is no copy.
   */
  sourceAt(image: number, y: number, x: number): number;
  /** How many patches of image number `image` of the batch were drawn from training image number `source`, which is >= 0. */
  count(image: number, source: number): number;
}

/** What `draw` fills: a patch for each image and, if it was copied or made from one of a training image, the position of that. */
export interface DrawOutput {
  /** z_i: `batch` x channels x n^2, in [0, 1]. All values must be written. */
  readonly patches: Float32Array;
  /**
   * `batch` x (training image, y, x): the first pixel of what the patch was copied or made from. Training images are counted as in
   * `LayerData.hr`, from 0. -1 as the training image, which
   * is there before the call, says that the patch has no single source.
   */
  readonly sources: Int32Array;
}

/** The random numbers of one (seed, layer, iteration, location): different for each image, and reproducible. */
export interface RandomNumbers {
  /**
   * Fills `out[b]` for each image b of the batch with a uniform number in [0, 1).
   *
   * @param out Room for `batch` numbers; in kernel memory it is filled faster.
   * @param draw Names another number of the same image, an integer >= 0; 0 where it is left out.
   */
  uniforms(out: Float64Array, draw?: number): void;
}

/**
 * The estimator of the z-step, from the posterior of equation (patch posterior): "sample" draws a random patch, as the paper
 * does; "map" takes the likeliest one, equation (epll z step); "mean" takes the posterior's mean.
 */
export type ZStep = "sample" | "map" | "mean";

/** The parameters of one iteration that a prior may use (Algorithm 1). */
export interface Step {
  /** Penalty weight of equation (epll admm), > 0: the larger, the nearer patches must lie to R_i X + u_i. */
  readonly rho: number;
  /**
   * Randomness of equation (local prior), > 0, in squared LR distance of pixels in [0, 1]; where the profile's h is relative, it is
   * already multiplied by the variance.
   */
  readonly h: number;
  /** k, from 0. */
  readonly iteration: number;
  /** What to take from the posterior. */
  readonly zStep: ZStep;
}

/** What a layer has drawn already when a location is drawn: the location itself, or another one over the same LR patch, or neither. */
export type Revisit = "nothing" | "patch" | "location";

/** What the work of a prior depends on, beside the layer. */
export interface CostQuestion {
  /** What is taken from the posterior. */
  readonly zStep: ZStep;
  /** How many LR patches the locations lie over. */
  readonly patches: number;
  /** The most images that `draw` will be called for together. */
  readonly batch: number;
}

/** An estimate of the work of a prior, in comparisons: of one value of an example with one of an image. */
export interface PriorCost {
  /** The work of a fit. */
  readonly fit: number;
  /**
   * The work of drawing one patch for one image.
   *
   * @param revisit What the layer has drawn already, for priors that keep what they find.
   */
  draw(revisit: Revisit): number;
}

/** A patch prior before it has seen images. */
export interface Prior {
  /**
   * Fits the prior to one layer, once for all images. All the kernel memory that `draw` works in is allocated here, for
   * `batch` images; the caller frees it.
   *
   * @returns the fitted prior; of a fit that takes more than some 20 ms a generator, which yields where a server may answer
   * other requests. A fit that computes for long without kernels tells its work to `LayerData.kernels.addWork`.
   */
  fit(layer: LayerData): FittedPrior | Steps<FittedPrior>;
  /** For priors that take long to fit: the same work in parts, which a host may spread over threads, show as progress, and keep. */
  readonly parts?: PriorParts;
  /**
   * Estimates the work of the prior on a layer, before anything runs: one core does some 10^10 comparisons a second for a batch
   * of images. Servers refuse requests of too much work. By default a fit counts for nothing, and a draw for the comparison with
   * all examples in the neighbour window.
   */
  cost?(layer: LayerOutline, question: CostQuestion): PriorCost;
  /**
   * For priors whose draws depend on the training images that `FittedPrior.compared` names, and on no others. Returns, as text, what
   * else a fit takes from the training images, such as a number of neighbours that follows from theirs. As long as the text stays
   * the same, a training image that a draw did not compare can be taken away without changing the draw. Returns undefined if the
   * fit depends on all training images. Without this function, it does.
   */
  fitChoices?(layer: LayerOutline): string | undefined;
}

/** A fit in parts: `fit(layer)` equals `load(layer, parts)` of all parts in their order, to the bit. */
export interface PriorParts {
  /** How many parts the fit to a layer has. */
  count(layer: LayerData): number;
  /** Fits part number `part` alone and returns the result as bytes. Gives back the kernel memory that it takes. */
  fit(layer: LayerData, part: number): Uint8Array;
  /**
   * Puts the parts together. The bytes are read where they lie: they must not change afterwards.
   *
   * @throws one sentence where the bytes are not those of the layer's parts.
   */
  load(layer: LayerData, parts: readonly Uint8Array[]): FittedPrior;
}

/** A patch prior of one layer. */
export interface FittedPrior {
  /**
   * Draws one patch for each image of the batch at one location: z_i ~ T(z | i, X, u) of equation (patch posterior). Randomness
   * comes from `random` alone. Kernel memory must not grow.
   */
  draw(location: Location, measurements: Measurements, step: Step, random: RandomNumbers, out: DrawOutput): void;
  /**
   * For priors with a density: writes log P_i of `out.length` patches (channels x n^2 values each, in [0, 1]) at a location, in
   * nats, with all constants, so that e^ of it integrates to 1.
   */
  logDensity?(location: Location, patches: Float32Array, out: Float64Array): void;
  /** For priors that draw from a list: the list of image number `image` of the batch at a location, for traces and tests. */
  candidates?(location: Location, measurements: Measurements, step: Step, image: number): Candidates;
  /**
   * For priors with `Prior.fitChoices`: names all training images that the last draw of image number `image` of the batch depended
   * on, drawn or not. Without one of them the list of the draw, and so its probabilities, would be different. A training image may
   * be named several times.
   */
  compared?(image: number, name: (source: number) => void): void;
  /** Frees what is not kernel memory, such as handles and caches. The caller of `fit` calls it at the end; a second call does nothing. */
  dispose?(): void;
}

/** The candidates that one patch is drawn from. */
export interface Candidates {
  /** For each candidate (training image, y, x) of its first pixel in the HR image. */
  readonly sources: Int32Array;
  /** log T of each candidate up to a common constant, equation (posterior example based). */
  readonly logT: Float64Array;
}

/** A context (section "Patch with Context"): which pixels around an LR patch count in its distance. */
export interface Context {
  /**
   * The pixels around an LR patch. Those that lie outside the image at a location are left out there; each counts in every
   * channel.
   *
   * @param patch Side of the LR patch, n / 2.
   * @param size Longer side of the LR image, in pixels.
   */
  mask(patch: number, size: number): readonly ContextPixel[];
}
