/**
 * The method of the paper on one page: Algorithm 2 (`synthesize`), a pyramid of Layer-Syntheses from the seed image to the whole
 * image, and Algorithm 1 (`layerSynthesis`), which draws patches at random and merges them. A batch of images goes through both
 * together; all arrays lie in kernel memory, where a number is an address.
 */
import { type Batch, checkBatch, type IterationResult, type SynthesizedBatch } from "./batch.ts";
import { randomSource } from "./draw.ts";
import type { DrawHistory } from "./draw_history.ts";
import { LayerState } from "./layer_state.ts";
import type { Model } from "./model.ts";
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
    const random = randomSource(kernels, batch);
    let coarserSources: DrawHistory | undefined;
    let provenance: readonly Provenance[] = [];

    // Initialization: X_L = Y, the seed images.
    writeSeeds(model, batch, images);
    // For l = L-1, ..., 0: X_l = Layer-Synthesis(X_(l+1), {P_(i,l)}).
    for (const layer of model.layers.toReversed()) {
      const inner = kernels.mark();
      const state = new LayerState(model, batch, layer, { lr: images, coarserSources, random });
      yield* layerSynthesis(state, stepCounter(kernels));
      state.finish(images);
      if (layer === finest) provenance = state.provenance();
      coarserSources = state.sources;
      kernels.release(inner);
    }
    const bytes = kernels.allocate(length);
    kernels.toBytes(images, bytes, length);
    return { pixels: withoutMargin(kernels.u8(bytes, length), finest, finest.margin).slice(), provenance };
  } finally {
    kernels.release(mark);
  }
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
