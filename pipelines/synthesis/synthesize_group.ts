/** Synthesizes images from a training pyramid: fits the prior, synthesizes batch after batch, and describes the images. */
import type { Kernels } from "../../core/kernels.ts";
import { fitModel, type FittedParts, type Model } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { type Batch, type IterationResult, synthesize } from "../../core/synthesize.ts";
import type { Observations } from "../../core/types.ts";
import { describeImages, originalityOf, type SynthesizedImage } from "./synthesized_image.ts";

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
  /**
   * The least originality of an image, for aligned images: one that is nearer to a training image is drawn again with other random
   * numbers, until it is original enough or was drawn `MOST_TRIES` times; the most original one is kept. By default nothing is
   * drawn again. An image depends on its number and this value, not on the rest of the batch.
   */
  readonly minOriginality?: number;
  /** Called after each draw, as `Batch.onDraw`. */
  readonly onDraw?: Batch["onDraw"];
}

/** How often an image is drawn at most. */
export const MOST_TRIES = 8;

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
 * Synthesizes the images of a group and yields after every iteration, also of images that are drawn again. Kernel memory is
 * released at the end, also if the caller closes the generator early.
 */
export function* synthesizeGroup(group: GroupModel, images: GroupImages): Generator<GroupIteration, TracedImage[]> {
  const { kernels, plan, training, batch, fitted, minOriginality } = group, count = images.images.length;
  const mark = kernels.mark(), described: TracedImage[] = [];
  let model: Model | undefined;
  try {
    model = fitModel(kernels, plan, training, batch, fitted);
    for (let first = 0; first < count; first += batch) {
      const chosen = Array.from({ length: Math.min(batch, count - first) }, (_, i) => first + i);
      const drawn = yield* synthesizeBatch(group, model, images, chosen, 0);
      described.push(...minOriginality === undefined ? drawn : yield* redraw(group, model, images, chosen, drawn));
    }
    return described;
  } finally {
    model?.dispose();
    kernels.release(mark);
  }
}

/** Draws those images of a batch again that are not original enough; returns the most original one of each. */
function* redraw(
  group: GroupModel,
  model: Model,
  images: GroupImages,
  chosen: readonly number[],
  drawn: readonly TracedImage[],
): Generator<GroupIteration, TracedImage[]> {
  const best = drawn.map((image) => ({ ...image, tries: 1 }));
  for (let attempt = 1; attempt < MOST_TRIES; attempt++) {
    const low = [...best.keys()].filter((i) => originalityOf(best[i]) < group.minOriginality!);
    if (low.length === 0) break;
    const others = yield* synthesizeBatch(group, model, images, low.map((i) => chosen[i]), attempt);
    low.forEach((i, n) => {
      const better = originalityOf(others[n]) > originalityOf(best[i]) ? others[n] : best[i];
      best[i] = { ...better, tries: attempt + 1 };
    });
  }
  return best;
}

/** Synthesizes and describes images of a group in one batch; `chosen` are their positions in `images`. */
function* synthesizeBatch(
  { kernels, plan, training, seed, onDraw }: GroupModel,
  model: Model,
  { images, seedImages, observed }: GroupImages,
  chosen: readonly number[],
  attempt: number,
): Generator<GroupIteration, TracedImage[]> {
  const numbers = chosen.map((i) => images[i]);
  const own = (values: Float32Array) => {
    const length = values.length / images.length, taken = new Float32Array(chosen.length * length);
    chosen.forEach((i, n) => taken.set(values.subarray(i * length, (i + 1) * length), n * length));
    return taken;
  };
  const steps = synthesize(model, {
    seed,
    images: numbers,
    seedImages: own(seedImages),
    observed: observed?.map(({ values, weights }) => ({ values: own(values), weights: own(weights) })),
    attempt,
    onDraw,
  });
  try {
    let step = steps.next();
    for (; !step.done; step = steps.next()) yield { ...step.value, numbers };
    const { provenance } = step.value, described = describeImages({ kernels, plan }, training, numbers, step.value);
    return described.map((image, i) => ({ ...image, provenance: provenance[i] }));
  } finally {
    steps.return({ pixels: new Uint8Array(), provenance: [] }); // releases its memory if the caller closed this generator
  }
}

/** Returns the number of iterations of all layers. */
export function iterationsOf({ layers }: Plan): number {
  return layers.reduce((sum, { iterations }) => sum + iterations.length, 0);
}
