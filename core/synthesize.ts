/**
 * The method of the paper on one page: Algorithm 2 (`synthesize`), a pyramid of Layer-Syntheses from the seed image to the whole
 * image, and Algorithm 1 (`layerSynthesis`), which draws patches at random and merges them. A batch of images goes through both
 * together; all arrays lie in kernel memory, where a number is an address.
 */
import { type Batch, checkBatch, type IterationResult, type SynthesizedBatch } from "./batch.ts";
import { type CoarseBatch, historyOf } from "./coarse_batch.ts";
import { randomSource } from "./draw.ts";
import type { DrawHistory } from "./draw_history.ts";
import type { Address } from "./kernel_arguments.ts";
import { LayerState } from "./layer_state.ts";
import type { PatchPosition } from "./locations.ts";
import type { FittedLayer, Model } from "./model.ts";
import type { Provenance } from "./provenance.ts";
import { writeSeeds } from "./seeds.ts";
import { lengthOf } from "./shape.ts";
import { PROGRESS, type Progress, stepCounter } from "./steps.ts";
import { withMargin, withoutMargin } from "./tiling.ts";

/**
 * Algorithm 2: synthesizes a batch of images. Yields an event after every iteration of every layer, and `Progress` in between, where
 * a server may pause. An image depends on the plan, the training images, the random seed, its number, its attempt, its seed image
 * and what was observed of it, not on the rest of the batch. Kernel memory is given back at the end.
 *
 * @example Two images from two seed images
 * ```ts
 * import { builtins, digits, finish, fitModel, plan, referenceKernels } from "@patchloom/patchloom";
 * import { seedImages, synthesize, trainingPyramid } from "@patchloom/patchloom";
 *
 * const pixels = Uint8Array.from({ length: 40 * 32 * 32 }, (_, i) => (i * i) % 256);
 * const training = { count: 40, height: 32, width: 32, pixels };
 * const kernels = referenceKernels(), planned = plan(digits, builtins);
 * const pyramid = finish(trainingPyramid(kernels, training, planned.sizes));
 * const images = [0, 1], model = finish(fitModel(kernels, planned, pyramid, images.length));
 * const seeds = seedImages(kernels, training, planned.sizes, images);
 * const { pixels: bytes } = finish(synthesize(model, { seed: 1, images, seedImages: seeds }));
 * console.log(bytes.length); // 2 x 32 x 32
 * model.dispose();
 * ```
 *
 * @throws RangeError where the batch is larger than the model's, where `seedImages`, `attempts` or an array of `observed` has another
 * length, and where pixels of images that tile are observed; Error where a prior throws, leaves a patch unfilled or allocates kernel memory.
 */
export function* synthesize(model: Model, batch: Batch): Generator<IterationResult | Progress, SynthesizedBatch> {
  checkBatch(model, batch);
  const { kernels, plan: { channels }, layers: [finest] } = model;
  const length = batch.images.length * lengthOf({ ...withMargin(finest, finest.margin), channels });
  const mark = kernels.mark();
  try {
    // The images of one layer after another lie at the same address, with room for the finest.
    const images = kernels.allocate(length * 4);
    const { provenance } = yield* synthesizeLayers(model, batch, finest, images);
    const bytes = kernels.allocate(length);
    kernels.toBytes(images, bytes, length);
    return { pixels: withoutMargin(kernels.u8(bytes, length), finest, finest.margin).slice(), provenance };
  } finally {
    kernels.release(mark);
  }
}

/**
 * Synthesizes the layers of a batch from the coarsest to one of them, for those who look at images before they are made whole: the same
 * images go on from there, as `Batch.coarse`. Otherwise as `synthesize`.
 */
export function* synthesizeCoarse(
  model: Model,
  batch: Batch,
  last: number,
): Generator<IterationResult | Progress, CoarseBatch> {
  checkBatch(model, batch);
  const { kernels, plan: { channels }, layers } = model, layer = layers[last], count = batch.images.length;
  const length = count * lengthOf({ ...withMargin(layer, layer.margin), channels }), mark = kernels.mark();
  try {
    const images = kernels.allocate(length * 4);
    const { sources, locations } = yield* synthesizeLayers(model, batch, layer, images);
    const drawn = sources!.sources.slice(0, locations.length * count * 3);
    return { layer: last, count, images: kernels.f32(images, length).slice(), locations, sources: drawn };
  } finally {
    kernels.release(mark);
  }
}

/**
 * Synthesizes layers down to `last`, which may be the first of them: X_l = Layer-Synthesis(X_(l+1), {P_(i,l)}), l = L-1, ..., from the seed
 * images or from the layer that is done.
 *
 * @param images the address of X, with room for that of `last`
 */
function* synthesizeLayers(
  model: Model,
  batch: Batch,
  last: FittedLayer,
  images: Address,
): Generator<IterationResult | Progress, LayersDone> {
  const { kernels, layers } = model, { coarse } = batch, random = randomSource(kernels, batch);
  let sources: DrawHistory | undefined, provenance: readonly Provenance[] = [];
  let locations: readonly PatchPosition[] = [];
  // Initialization: X_L = Y, the seed images.
  if (!coarse) writeSeeds(model, batch, images);
  else {
    kernels.f32(images, coarse.images.length).set(coarse.images);
    sources = historyOf(model, coarse);
  }
  for (const layer of layers.slice(last.layer, coarse?.layer).toReversed()) {
    const inner = kernels.mark();
    const state = new LayerState(model, batch, layer, { lr: images, coarserSources: sources, random });
    yield* layerSynthesis(state, stepCounter(kernels));
    state.finish(images);
    if (layer === layers[0]) provenance = state.provenance();
    sources = state.sources;
    locations = state.iterations.at(-1)!.locations;
    kernels.release(inner);
  }
  return { sources, locations, provenance };
}

/** What is known of layers that are done. */
interface LayersDone {
  /** What the last one drew, and its locations. */
  readonly sources?: DrawHistory;
  readonly locations: readonly PatchPosition[];
  /** Of the finest layer; [] where it is not done. */
  readonly provenance: readonly Provenance[];
}

/** Algorithm 1: X = Layer-Synthesis(Y, {P_i}), with cycle spinning. X^0 is Y, interpolated bilinearly. */
function* layerSynthesis(state: LayerState, isStep: () => boolean): Generator<IterationResult | Progress, void> {
  for (const iteration of state.iterations) {
    const { step: { rho }, lambda, locations } = iteration;
    // Cycle spinning: I_k is I shifted by offset_k.
    state.begin(iteration);

    // z-step: for all i in I_k, draw z_i at random from T(z | i, X, u), equation (patch posterior).
    for (const i of locations.keys()) {
      state.draw(i);
      if (isStep()) yield PROGRESS;
    }
    // X-step: reconstruct X from all z_i and Y, equation (epll x step).
    const residual = yield* state.admm.xStep(lambda, rho);
    // u-step: for all i in I_k, u_i += R_i X - z_i, equation (epll u step).
    state.admm.uStep();

    yield state.result(residual);
  }
}
