/** Algorithm 2: a pyramid of Layer-Syntheses (Algorithm 1), each drawing patches and merging them, from seed to image. */
import { type Admm, admm } from "./admm.ts";
import type { FittedLayer, Model } from "./model.ts";
import { during, nameOf } from "./plugin_error.ts";
import type { Provenance } from "./provenance.ts";
import { philox, seedKey, toUniform } from "./random.ts";
import { lengthOf, type Shape } from "./shape.ts";
import type { Drawn, FittedPrior, Keyed, Location, Measurements, Observations, Step } from "./types.ts";

/** A batch of images to synthesize together. */
export interface Batch {
  /** The random seed: a safe integer >= 0. */
  readonly seed: number;
  /** Each image's number: with the seed, all that its random choices depend on. */
  readonly images: ArrayLike<number>;
  /** A seed image for each: `images.length` x channels x height x width (the last size's) values in [0, 1]. */
  readonly seedImages: Float32Array;
  /** What was measured of each layer, l = 0 first: images.length x channels x height x width; by default nothing. */
  readonly observed?: readonly Observations[];
  /** Called after each draw, for people who look inside; what it is shown is valid during the call only. */
  readonly onDraw?: (draw: Draw) => void;
}

/** One draw of a batch at one location. */
export interface Draw {
  readonly layer: number;
  readonly at: Location;
  readonly now: Measurements;
  readonly step: Step;
  readonly prior: FittedPrior;
  readonly out: Drawn;
}

/** What is yielded after every iteration. */
export interface IterationResult extends Shape {
  readonly layer: number;
  readonly iteration: number;
  readonly channels: number;
  /** X after the iteration: images.length x channels x height x width, about [0, 1]. A view of kernel memory: copy it to keep it. */
  readonly images: Float32Array;
  /** Largest relative residual of the X-step. */
  readonly residual: number;
}

/** The finished images. */
export interface SynthesizedBatch {
  /** images.length x channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** One for each image. */
  readonly provenance: readonly Provenance[];
}

/**
 * Synthesizes a batch of images and yields after every iteration of every layer. An image depends on the plan, the training
 * images, the random seed, its number and its seed image, not on the rest of the batch. Kernel memory is given back at the end.
 * Throws where the batch is larger than the model's, and where a prior throws or leaves its patches unfilled.
 */
export function* synthesize(model: Model, work: Batch): Generator<IterationResult, SynthesizedBatch> {
  const { kernels, plan } = model, { images } = work, batch = images.length;
  if (batch > model.batch) {
    throw new Error(`Cannot synthesize ${batch} images at once: the model has room for ${model.batch}`);
  }
  const mark = kernels.mark();
  try {
    // Y and X take turns in two stretches that hold the largest images; what else a layer needs lies above them.
    const most = batch * lengthOf({ ...plan.sizes[0], channels: plan.channels });
    const lows = [0, 1].map(() => kernels.allocate(most * 4));
    const ids = kernels.allocate(batch * 4);
    kernels.u32(ids, batch).set(images);
    kernels.f32(lows[0], work.seedImages.length).set(work.seedImages);
    let provenance: readonly Provenance[] = [];
    for (const layer of [...model.layers].reverse()) {
      const inner = kernels.mark();
      const state = yield* layerSynthesis(model, work, layer, lows[0], ids);
      const length = batch * lengthOf({ ...layer, channels: plan.channels });
      kernels.clamp(state.x, length);
      kernels.f32(lows[1], length).set(kernels.f32(state.x, length));
      if (layer.layer === 0) provenance = state.provenance();
      lows.reverse();
      kernels.release(inner);
    }
    const bytes = kernels.allocate(most);
    kernels.toBytes(lows[0], bytes, most);
    return { pixels: kernels.u8(bytes, most).slice(), provenance };
  } finally {
    kernels.release(mark);
  }
}

/** Algorithm 1: `low` is the address of Y, X is left in the returned state. */
function* layerSynthesis(
  model: Model,
  work: Batch,
  layer: FittedLayer,
  low: number,
  ids: number,
): Generator<IterationResult, Admm & { provenance(): Provenance[] }> {
  const { kernels, plan: { patch, channels } } = model, { height, width } = layer, batch = work.images.length;
  const shape = { height, width, channels }, length = lengthOf(shape), planes = batch * channels;
  const inPatch = channels * patch * patch;
  const most = Math.max(...layer.locations.map((places) => places.length));
  const state = admm(kernels, planes, shape, patch, most, low, work.observed?.[layer.layer]);
  const measured = kernels.allocate(batch * inPatch * 4), drawnFrom = kernels.allocate(batch * 3 * 4);
  const sources = new Int32Array(most * batch * 3), lrKey = {}, hr = model.training.hr[layer.layer];

  let places: readonly Location[] = [];
  for (const [iteration, step] of layer.iterations.entries()) {
    // Other locations are other constraints: u starts again. While the offset repeats it persists.
    if (places !== layer.locations[iteration]) state.restart(places = layer.locations[iteration]);
    const now = {
      batch,
      patches: kernels.f32(measured, batch * inPatch),
      lr: kernels.f32(low, batch * length / 4),
      lrKey,
    };
    places.forEach((at, i) => {
      kernels.measurements(state.x, height, width, planes, at.y * width + at.x, patch, state.u(i), measured);
      const out = {
        patches: kernels.f32(state.z(i), batch * inPatch),
        sources: kernels.i32(drawnFrom, batch * 3),
      };
      const random = keyed(model, work, ids, layer.layer, iteration, at);
      const parameters = { rho: step.rho, h: step.h, iteration, zStep: model.plan.zStep };
      draw(model, layer, at, now, parameters, random, out);
      work.onDraw?.({ layer: layer.layer, at, now, step: parameters, prior: layer.prior, out });
      sources.set(out.sources, i * batch * 3);
    });
    const residual = state.xStep(step.lambda, step.rho);
    state.uStep();
    yield { layer: layer.layer, iteration, ...shape, images: kernels.f32(state.x, batch * length), residual };
  }

  return {
    ...state,
    provenance: () => {
      const x = kernels.f32(state.x, batch * length), merged = state.merged();
      return Array.from({ length: batch }, (_, b) => ({
        ...shape,
        patch,
        places,
        training: { height: hr.height, width: hr.width },
        sources: Int32Array.from(
          { length: places.length * 3 },
          (_, n) => sources[(Math.floor(n / 3) * batch + b) * 3 + n % 3],
        ),
        correction: Float32Array.from({ length }, (_, p) => x[b * length + p] - merged[b * length + p]),
      }));
    },
  };
}

/** Calls a prior's draw and makes sure that it filled what it had to fill. */
function draw(
  { plan: { prior: { plugin } } }: Model,
  { prior, layer }: FittedLayer,
  ...[at, now, step, random, out]: Parameters<FittedPrior["draw"]>
): void {
  const phase = () => `draw at (${at.x}, ${at.y}), layer ${layer}`;
  out.patches.fill(NaN);
  out.sources.fill(-1);
  during(plugin, phase, () => prior.draw(at, now, step, random, out));
  if (out.patches.length === 0 && now.batch > 0) {
    throw new Error(`${nameOf(plugin)} grew kernel memory in ${phase()}: allocate in fit`);
  }
  if (out.patches.includes(NaN)) {
    throw new Error(`${nameOf(plugin)} left a patch unfilled or not a number in ${phase()}`);
  }
}

/** The random numbers of one place of the computation. */
function keyed(
  { kernels }: Model,
  work: Batch,
  ids: number,
  layer: number,
  iteration: number,
  { y, x }: Location,
): Keyed {
  const [low, high] = seedKey(work.seed);
  const stage = layer * 0x10000 + iteration, location = y * 0x10000 + x;
  return {
    uniforms(out, draw = 0) {
      if (out.buffer === kernels.memory.buffer) {
        kernels.uniforms(low, high, ids, work.images.length, stage, location, draw, out.byteOffset);
        return;
      }
      const words = new Uint32Array(4);
      for (let b = 0; b < work.images.length; b++) {
        philox([work.images[b], stage, location, draw], [low, high], words);
        out[b] = toUniform(words[0], words[1]);
      }
    },
  };
}
