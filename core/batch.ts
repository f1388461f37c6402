/** A batch of images that are synthesized together: what is given, what is shown on the way, and what comes out. */
import type { CoarseBatch } from "./coarse_batch.ts";
import type { Model } from "./model.ts";
import type { Provenance } from "./provenance.ts";
import { lengthOf, type Shape } from "./shape.ts";
import { hasMargin } from "./tiling.ts";
import type { DrawOutput, FittedPrior, Location, Measurements, Observations, Step } from "./types.ts";

/** A batch of images to synthesize together. */
export interface Batch {
  /** The random seed: a safe integer >= 0. */
  readonly seed: number;
  /** Each image's number, an integer in 0 .. 2^32 - 1: with the seed and the attempt, all that its random choices depend on. */
  readonly images: ArrayLike<number>;
  /** Y of each image: `images.length` x channels x height x width (the last size's) values in [0, 1]. */
  readonly seedImages: Float32Array;
  /** What was observed of each layer, l = 0 first: images.length x channels x height x width; by default nothing. */
  readonly observed?: readonly Observations[];
  /** For each image 0 .. 127: another one draws another image with the same number. 0 where they are left out. */
  readonly attempts?: readonly number[];
  /** The same images up to a layer, as `synthesizeCoarse` made them: the finer layers go on from there. By default none is done. */
  readonly coarse?: CoarseBatch;
  /** Called after each draw, for traces and tests; what it is shown is valid during the call only. */
  readonly onDraw?: (draw: Draw) => void;
}

/** One draw of a batch at one location. */
export interface Draw {
  /** l: 0 is the finest. */
  readonly layer: number;
  /** The location. */
  readonly location: Location;
  /** What the prior was given. */
  readonly measurements: Measurements;
  /** The parameters of the iteration. */
  readonly step: Step;
  /** The fitted prior of the layer. */
  readonly prior: FittedPrior;
  /** What the prior drew. */
  readonly out: DrawOutput;
}

/** One iteration of Algorithm 1, as it is yielded. */
export interface IterationResult extends Shape {
  /** Tells it from other events. */
  readonly type: "iteration";
  /** l: 0 is the finest. */
  readonly layer: number;
  /** k, from 0. */
  readonly iteration: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** X^(k+1): images.length x channels x height x width, about [0, 1]. A view of kernel memory: copy it to keep it. */
  readonly images: Float32Array;
  /** Largest relative residual of the X-step. */
  readonly residual: number;
}

/** The finished images. */
export interface SynthesizedBatch {
  /** X_0: images.length x channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** One for each image. */
  readonly provenance: readonly Provenance[];
}

/**
 * Checks the sizes of what is given for a batch, before any memory is taken.
 *
 * @throws RangeError where the batch is larger than the model's, where `seedImages`, `attempts` or an array of `observed` has another
 * length, and where pixels of images that tile are observed.
 */
export function checkBatch(model: Model, batch: Batch): void {
  const { sizes, channels } = model.plan;
  const { seedImages, attempts, observed, coarse } = batch;
  const count = batch.images.length;
  const pixels = (layer: number) => count * lengthOf({ ...sizes[layer], channels });
  const expect = (wanted: number, what: string, got: number) => {
    if (got !== wanted) throw new RangeError(`Cannot synthesize: expected ${wanted} ${what}, got ${got}`);
  };
  if (count > model.batch) {
    throw new RangeError(`Cannot synthesize: expected at most ${model.batch} images at once, got ${count}`);
  }
  expect(pixels(sizes.length - 1), "values of seed images", seedImages.length);
  if (attempts) expect(count, "attempts", attempts.length);
  if (coarse) expect(count, "images up to a layer", coarse.count);
  if (observed && hasMargin(model.seedMargin)) {
    throw new RangeError("Cannot observe pixels of images that tile: expected a plan without tile");
  }
  observed?.forEach(({ values, weights }, layer) => {
    expect(pixels(layer), `observed values of layer ${layer}`, values.length);
    expect(pixels(layer), `weights of observed values of layer ${layer}`, weights.length);
  });
}
