/** Synthesizes images from a training pyramid: fits the prior, synthesizes batch after batch, and describes the images. */
import type { Kernels } from "../../core/kernels.ts";
import { fitModel, type FittedParts, type Model } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { type Batch, type IterationResult, synthesize } from "../../core/synthesize.ts";
import type { Observations } from "../../core/types.ts";
import { describeImages, type SynthesizedImage } from "./synthesized_image.ts";

/** What the images of a group are synthesized from. */
export interface GroupModel {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly training: TrainingPyramid;
  /** The random seed. */
  readonly seed: number;
  /** The most images of a batch. */
  readonly batch: number;
  /** The prior's fit to the training pyramid, if it is fitted in parts and was fitted before. */
  readonly fitted?: FittedParts;
  /** Called after each draw, as `Batch.onDraw`. */
  readonly onDraw?: Batch["onDraw"];
}

/** The images to synthesize from one training pyramid. */
export interface GroupImages {
  /** Their numbers. */
  readonly images: readonly number[];
  /** A seed image for each: `images.length` x channels x height x width values in [0, 1]. */
  readonly seedImages: Float32Array;
  /** The observations of each layer, l = 0 first: see `Batch`. */
  readonly observed?: readonly Observations[];
}

/** The state that is yielded after every iteration of every batch. */
export interface GroupIteration extends IterationResult {
  /** The numbers of the batch's images, in the order of `images`. */
  readonly numbers: readonly number[];
}

/** A described image with the origin of each of its pixels. */
export interface TracedImage extends SynthesizedImage {
  /** Which training image each pixel was copied from. */
  readonly provenance: Provenance;
}

/**
 * Synthesizes the images of a group and yields after every iteration. Kernel memory is released at the end, also if the caller
 * closes the generator early.
 */
export function* synthesizeGroup(
  { kernels, plan, training, seed, batch, fitted, onDraw }: GroupModel,
  { images, seedImages, observed }: GroupImages,
): Generator<GroupIteration, TracedImage[]> {
  const mark = kernels.mark(), described: TracedImage[] = [];
  let model: Model | undefined;
  try {
    model = fitModel(kernels, plan, training, batch, fitted);
    for (let first = 0; first < images.length; first += batch) {
      const numbers = images.slice(first, first + batch);
      const own = (values: Float32Array) => {
        const length = values.length / images.length;
        return values.subarray(first * length, (first + numbers.length) * length);
      };
      const steps = synthesize(model, {
        seed,
        images: numbers,
        seedImages: own(seedImages),
        observed: observed?.map(({ values, weights }) => ({ values: own(values), weights: own(weights) })),
        onDraw,
      });
      try {
        let step = steps.next();
        for (; !step.done; step = steps.next()) yield { ...step.value, numbers };
        const { provenance } = step.value;
        described.push(
          ...describeImages({ kernels, plan }, training, numbers, step.value).map((image, i) => {
            return { ...image, provenance: provenance[i] };
          }),
        );
      } finally {
        steps.return({ pixels: new Uint8Array(), provenance: [] }); // releases its memory if the caller closed this generator
      }
    }
    return described;
  } finally {
    model?.dispose();
    kernels.release(mark);
  }
}

/** Returns the number of iterations of all layers. */
export function iterationsOf({ layers }: Plan): number {
  return layers.reduce((sum, { iterations }) => sum + iterations.length, 0);
}
