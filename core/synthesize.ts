/**
 * The method of the paper on one page: Algorithm 2 (`synthesize`), a pyramid of Layer-Syntheses from the seed image to the whole
 * image, and Algorithm 1 (`layerSynthesis`), which draws patches at random and merges them. A batch of images goes through both
 * together; all arrays lie in kernel memory, where a number is an address.
 */
import { type Admm, admm } from "./admm.ts";
import { drawPatches, keyed } from "./draw.ts";
import { drawnBefore } from "./draw_work.ts";
import { type DrawHistory, drawHistory } from "./draw_history.ts";
import type { Address } from "./kernel_functions.ts";
import { mergeWeights } from "./merge_weights.ts";
import type { Kernels } from "./kernels.ts";
import type { FittedLayer, Model } from "./model.ts";
import { normals } from "./normals.ts";
import { PROJECTING } from "./projection.ts";
import { aroundPeriod, batchProvenance, type Provenance } from "./provenance.ts";
import { stream } from "./random.ts";
import { lengthOf, type Shape } from "./shape.ts";
import { MIN_STEP, withoutSteps, type WorkDone } from "./steps.ts";
import { addMargin, hasMargin, repeatedPixels, withMargin, withoutMargin } from "./tiling.ts";
import type { Drawn, FittedPrior, Location, Measurements, Observations, Step } from "./types.ts";

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
  /** Called after each draw, for traces and tests; what it is shown is valid during the call only. */
  readonly onDraw?: (draw: Draw) => void;
}

/** One draw of a batch at one location. */
export interface Draw {
  /** l: 0 is the finest. */
  readonly layer: number;
  /** The location. */
  readonly at: Location;
  /** What the prior was given. */
  readonly now: Measurements;
  /** The parameters of the iteration. */
  readonly step: Step;
  /** The fitted prior of the layer. */
  readonly prior: FittedPrior;
  /** What the prior drew. */
  readonly out: Drawn;
}

/** One iteration of Algorithm 1, as it is yielded. */
export interface IterationResult extends Shape {
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
 * Algorithm 2: synthesizes a batch of images and yields after every iteration of every layer. An image depends on the plan, the
 * training images, the random seed, its number, its attempt, its seed image and what was observed of it, not on the rest of the
 * batch. Kernel memory is given back at the end.
 *
 * @example Two images from two seed images
 * ```ts
 * import { builtins, digits, fitModel, plan, referenceKernels } from "@patchloom/patchloom";
 * import { seedImages, synthesize, trainingPyramid } from "@patchloom/patchloom";
 *
 * const pixels = Uint8Array.from({ length: 40 * 32 * 32 }, (_, i) => (i * i) % 256);
 * const training = { count: 40, height: 32, width: 32, pixels };
 * const kernels = referenceKernels(), planned = plan(digits, builtins);
 * const pyramid = trainingPyramid(kernels, training, planned.sizes);
 * const images = [0, 1], model = fitModel(kernels, planned, pyramid, images.length);
 * const seeds = seedImages(kernels, training, planned.sizes, images);
 * const iterations = synthesize(model, { seed: 1, images, seedImages: seeds });
 * let next = iterations.next();
 * while (!next.done) next = iterations.next(); // next.value is an IterationResult
 * console.log(next.value.pixels.length); // 2 x 32 x 32 bytes
 * model.dispose();
 * ```
 *
 * @throws RangeError where the batch is larger than the model's, where `seedImages`, `attempts` or an array of `observed` has another
 * length, and where pixels of images that tile are observed; Error where a prior throws, leaves a patch unfilled or allocates kernel memory.
 */
export function synthesize(model: Model, work: Batch): Generator<IterationResult, SynthesizedBatch> {
  return withoutSteps(synthesizeInSteps(model, work));
}

/** Does the same as `synthesize`, and yields also inside an iteration: the work of the draws since the last yield. */
export function* synthesizeInSteps(
  model: Model,
  work: Batch,
): Generator<IterationResult | WorkDone, SynthesizedBatch> {
  const { kernels, plan: { sizes, channels, seedNoise } } = model, { images } = work, batch = images.length;
  checkBatch(model, work);
  const seedSize = sizes[sizes.length - 1], seedValues = work.seedImages.length;
  const mark = kernels.mark();
  try {
    // X_(l+1) and X_l take turns in two places for the largest images; what else a layer needs is allocated above them.
    const { layers: [finest], seedMargin } = model, tiles = hasMargin(seedMargin);
    const largest = batch * lengthOf({ ...withMargin(finest, finest.margin), channels });
    let low = kernels.allocate(largest * 4), high = kernels.allocate(largest * 4);
    const numbersAt = kernels.allocate(batch * 4);
    kernels.u32(numbersAt, batch).set(images);
    let provenance: readonly Provenance[] = [], coarser: DrawHistory | undefined;

    // Initialization: X_L = Y, the seed images.
    const seeds = kernels.f32(low, seedValues);
    seeds.set(work.seedImages);
    if (seedNoise > 0) addNoise(kernels, seedNoise, work, seeds);
    if (tiles) {
      const repeated = addMargin(seeds.slice(), seedSize, seedMargin);
      kernels.f32(low, repeated.length).set(repeated);
    }
    // For l = L-1, ..., 0: X_l = Layer-Synthesis(X_(l+1), {P_(i,l)}).
    for (const layer of model.layers.toReversed()) {
      const inner = kernels.mark(), length = batch * lengthOf({ ...withMargin(layer, layer.margin), channels });
      const synthesized = yield* layerSynthesis(model, work, layer, low, numbersAt, coarser);
      kernels.clamp(synthesized.x, length);
      kernels.f32(high, length).set(kernels.f32(synthesized.x, length));
      if (layer.layer === 0) provenance = synthesized.provenance();
      coarser = synthesized.drawn;
      [low, high] = [high, low];
      kernels.release(inner);
    }
    const bytes = kernels.allocate(largest);
    kernels.toBytes(low, bytes, largest);
    const pixels = kernels.u8(bytes, largest).slice();
    return { pixels: tiles ? withoutMargin(pixels, finest, finest.margin) : pixels, provenance };
  } finally {
    kernels.release(mark);
  }
}

/** Checks the sizes of what is given for a batch, before any memory is taken. */
function checkBatch({ batch: most, plan: { sizes, channels }, seedMargin }: Model, work: Batch): void {
  const batch = work.images.length, { seedImages, attempts, observed } = work;
  const expect = (wanted: number, what: string, got: number) => {
    if (got !== wanted) throw new RangeError(`Cannot synthesize: expected ${wanted} ${what}, got ${got}`);
  };
  if (batch > most) throw new RangeError(`Cannot synthesize: expected at most ${most} images at once, got ${batch}`);
  expect(batch * lengthOf({ ...sizes[sizes.length - 1], channels }), "values of seed images", seedImages.length);
  if (attempts) expect(batch, "attempts", attempts.length);
  if (!observed) return;
  if (hasMargin(seedMargin)) {
    throw new RangeError("Cannot observe pixels of images that tile: expected a plan without tile");
  }
  observed.forEach(({ values, weights }, layer) => {
    const pixels = batch * lengthOf({ ...sizes[layer], channels });
    expect(pixels, `observed values of layer ${layer}`, values.length);
    expect(pixels, `weights of observed values of layer ${layer}`, weights.length);
  });
}

/** In the counter of an image's random numbers, in place of the layer and the iteration: those of its seed noise. */
const SEED_NOISE = 0xffffffff;

/** Adds Gaussian noise to the seed images and clamps them to [0, 1]; an image's noise depends on seed, number and attempt alone. */
function addNoise(
  kernels: Kernels,
  deviation: number,
  { seed, images, attempts }: Batch,
  values: Float32Array,
): void {
  const length = values.length / images.length;
  for (let b = 0; b < images.length; b++) {
    const noise = normals(kernels, stream(seed, images[b], SEED_NOISE, attempts?.[b] ?? 0), length);
    for (let v = 0; v < length; v++) {
      const at = b * length + v;
      values[at] = Math.min(Math.max(values[at] + deviation * noise[v], 0), 1);
    }
  }
}

/**
 * Algorithm 1: X = Layer-Synthesis(Y, {P_i}), with cycle spinning. `low` is the address of Y, the LR images of the batch. X is
 * left at the address `x`, until the caller releases the memory.
 */
function* layerSynthesis(
  model: Model,
  work: Batch,
  layer: FittedLayer,
  low: Address,
  numbersAt: Address,
  coarser: DrawHistory | undefined,
): Generator<
  IterationResult | WorkDone,
  Pick<Admm, "x"> & { readonly drawn: DrawHistory; provenance(): Provenance[] }
> {
  const { kernels, plan: { channels, zStep } } = model, { patch, margin } = layer, batch = work.images.length;
  const { height, width } = withMargin(layer, margin),
    repeated = hasMargin(margin) ? repeatedPixels(layer, margin) : undefined;
  const shape = { height, width, channels },
    period = { height: layer.height, width: layer.width, channels },
    length = batch * lengthOf(shape),
    inPatches = batch * channels * patch * patch;
  const { prior, projector, drawWork, hUnit } = layer, beforeOf = drawnBefore();
  const steps = layer.iterations.map((step, k) => {
    return { ...step, h: step.h * hUnit, prior, drawWork, visited: layer.locations[k] };
  });
  for (let k = 0; k < layer.projection; k++) steps.push({ ...PROJECTING, ...projector! });
  const most = Math.max(...steps.map(({ visited }) => visited.length));
  const measured = kernels.allocate(inPatches * 4), drawnFrom = kernels.allocate(batch * 3 * 4);
  const training = model.training.hr[layer.layer], lrKey = {};
  // The histories of this iteration and of the one before take turns.
  let [drawn, before] = [0, 1].map(() => drawHistory(shape, patch, batch, most, training.count));

  // Initialization: X^0 is Y, interpolated bilinearly. Here channels do not meet: each is an image of its own.
  const planes = batch * channels;
  const state = admm(kernels, planes, shape, patch, most, low, work.observed?.[layer.layer], layer.feather, repeated);

  const inPeriodOf = (images: Float32Array) => repeated ? withoutMargin(images, layer, margin) : images;

  let locations: readonly Location[] = [];
  for (const [iteration, { rho, lambda, h, prior, drawWork, visited }] of steps.entries()) {
    // Cycle spinning: I_k is I shifted by offset_k. Other locations are other constraints, whose u_i start at 0; while the offset
    // repeats, they persist.
    if (locations !== visited) state.restart(locations = visited);
    [drawn, before] = [before, drawn];
    drawn.restart(locations);
    const step = { rho, h, iteration, zStep }, drawing = { ...layer, prior };
    const now = {
      batch,
      patches: kernels.f32(measured, inPatches),
      lr: kernels.f32(low, length / 4),
      lrKey,
      drawn,
      before: iteration > 0 ? before : undefined,
      coarser,
    };

    // z-step: for all i in I_k, draw z_i at random from T(z | i, X, u), equation (patch posterior).
    let done: WorkDone = 0;
    for (const [i, at] of locations.entries()) {
      // R_i X + u_i
      kernels.measurements(state.x, height, width, planes, at.y * width + at.x, patch, state.u(i), measured);
      const out = { patches: kernels.f32(state.z(i), inPatches), sources: kernels.i32(drawnFrom, batch * 3) };
      const random = keyed(model, work.seed, work.images, numbersAt, layer.layer, iteration, at, work.attempts);
      drawPatches(drawing, at, now, step, random, out);
      work.onDraw?.({ layer: layer.layer, at, now, step, prior, out });
      drawn.add(out.sources);
      done += batch * drawWork[beforeOf(at)];
      if (done < MIN_STEP) continue;
      yield done;
      done = 0;
    }
    // X-step: reconstruct X from all z_i and Y, equation (epll x step).
    const residual = yield* state.xStep(lambda, rho);
    // u-step: for all i in I_k, u_i += R_i X - z_i, equation (epll u step).
    state.uStep();

    const images = inPeriodOf(kernels.f32(state.x, length));
    yield { layer: layer.layer, iteration, ...period, images, residual };
  }

  return {
    x: state.x,
    drawn,
    provenance: () => {
      const merged = inPeriodOf(state.merged()), x = inPeriodOf(kernels.f32(state.x, length));
      const weights = layer.feather > 0 ? mergeWeights(patch, layer.feather) : undefined;
      const made = { shape: period, patch, weights, positions: locations, training };
      const traced = batchProvenance({ ...made, batch, sources: drawn.sources, x, merged });
      return repeated ? traced.map((one) => aroundPeriod(one, margin)) : traced;
    },
  };
}
