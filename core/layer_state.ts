/** One layer of a batch while Algorithm 1 works on it: its variables, its locations, and where its patches came from. */
import { Admm } from "./admm.ts";
import type { Batch, IterationResult } from "./batch.ts";
import { drawPatches, PER_DRAW, type RandomSource } from "./draw.ts";
import { DrawGuard } from "./draw_guard.ts";
import { type DrawHistory, drawHistory } from "./draw_history.ts";
import type { Address } from "./kernel_arguments.ts";
import { mergeWeights } from "./merge_weights.ts";
import type { FittedLayer, Model } from "./model.ts";
import { PROJECTING } from "./projection.ts";
import { aroundPeriod, batchProvenance, type Provenance } from "./provenance.ts";
import { lengthOf } from "./shape.ts";
import { hasMargin, repeatedPixels, withMargin, withoutMargin } from "./tiling.ts";
import type { FittedPrior, Location, Measurements, Step } from "./types.ts";

/** One iteration of a layer: its parameters, its locations, and what draws there. */
export interface LayerIteration {
  /** The parameters that a prior is given. */
  readonly step: Step;
  /** Weight of the LR image, equation (epll admm); >= 0. */
  readonly lambda: number;
  /** I_k; the same list while the offset repeats. */
  readonly locations: readonly Location[];
  /** The prior of the layer, or its projection. */
  readonly prior: FittedPrior;
}

/** What a layer starts from. */
export interface LayerInput {
  /** The address of Y, the LR images of the batch. */
  readonly lr: Address;
  /** Which training images the LR images were drawn from; undefined for seed images. */
  readonly coarserSources?: DrawHistory;
  /** The random numbers of the batch. */
  readonly random: RandomSource;
}

/** The state of one layer. Its kernel memory belongs to the caller: `mark` before, `release` after. */
export class LayerState {
  /** X, all z_i and all u_i. X starts as Y, interpolated bilinearly. */
  readonly admm: Admm;
  /** All iterations, those that project last. */
  readonly iterations: readonly LayerIteration[];
  readonly #model: Model;
  readonly #batch: Batch;
  readonly #layer: FittedLayer;
  readonly #input: LayerInput;
  /** Of an image with its margin. */
  readonly #shape: { readonly height: number; readonly width: number; readonly channels: number };
  readonly #measured: Address;
  readonly #drawnFrom: Address;
  readonly #guard?: DrawGuard;
  readonly #lrKey = {};
  #history: DrawHistory;
  #previousHistory: DrawHistory;
  #iteration?: LayerIteration;
  #measurements?: Measurements;

  /** Allocates what the layer needs. */
  constructor(model: Model, batch: Batch, layer: FittedLayer, input: LayerInput) {
    const { kernels, plan: { channels } } = model;
    const { patch, margin, feather } = layer;
    const images = batch.images.length;
    this.#model = model;
    this.#batch = batch;
    this.#layer = layer;
    this.#input = input;
    this.#shape = { ...withMargin(layer, margin), channels };
    this.iterations = iterationsOf(layer, model);
    if (layer.plugin.from !== undefined) {
      const { hr, lr } = model.training;
      this.#guard = new DrawGuard(kernels, {
        plugin: layer.plugin,
        hr: hr[layer.layer],
        lr: lr[layer.layer],
        batch: images,
        patch,
      });
    }
    this.#measured = this.#guard?.measured ?? kernels.allocate(images * channels * patch * patch * 4);
    this.#drawnFrom = kernels.allocate(images * 3 * 4);
    const maxLocations = Math.max(...this.iterations.map(({ locations }) => locations.length));
    const history = () => {
      return drawHistory(this.#shape, patch, images, maxLocations, model.training.hr[layer.layer].count);
    };
    this.#history = history();
    this.#previousHistory = history();
    this.admm = new Admm(kernels, {
      batch: images * channels, // channels do not meet: each is an image of its own
      size: this.#shape,
      patch,
      maxLocations,
      lr: input.lr,
      observed: batch.observed?.[layer.layer],
      feather,
      repeated: hasMargin(margin) ? repeatedPixels(layer, margin) : undefined,
    });
  }

  /** Number of images. */
  get batch(): number {
    return this.#batch.images.length;
  }

  /** Which training images the patches of the present iteration were drawn from. */
  get sources(): DrawHistory {
    return this.#history;
  }

  /** X of the whole batch, with the margins. */
  get #images(): Float32Array {
    return this.#model.kernels.f32(this.admm.x, this.batch * lengthOf(this.#shape));
  }

  /** Begins an iteration. Other locations are other constraints, whose u_i start at 0; while the offset repeats, they persist. */
  begin(iteration: LayerIteration): void {
    const { kernels } = this.#model;
    const { patch } = this.#layer;
    const { height, width, channels } = this.#shape;
    if (iteration.locations !== this.#iteration?.locations) this.admm.restart(iteration.locations);
    // The histories of this iteration and of the one before take turns.
    [this.#history, this.#previousHistory] = [this.#previousHistory, this.#history];
    this.#history.restart(iteration.locations);
    this.#measurements = {
      batch: this.batch,
      patches: kernels.f32(this.#measured, this.batch * channels * patch * patch),
      lr: kernels.f32(this.#input.lr, this.batch * channels * height * width / 4),
      lrKey: this.#lrKey,
      sources: this.#history,
      previousSources: this.#iteration && this.#previousHistory,
      coarserSources: this.#input.coarserSources,
    };
    this.#iteration = iteration;
  }

  /** Draws z_i of every image of the batch at random from T(z | i, X, u). */
  draw(i: number): void {
    const { kernels, training } = this.#model;
    const { layer, plugin, patch } = this.#layer;
    const { step, prior, locations } = this.#iteration!;
    const measurements = this.#measurements!;
    const location = locations[i];
    this.admm.measure(i, this.#measured); // R_i X + u_i
    const patches = kernels.f32(this.admm.z(i), measurements.patches.length);
    const out = this.#guard?.out ?? { patches, sources: kernels.i32(this.#drawnFrom, measurements.batch * 3) };
    const draw = { layer, location, measurements, step, prior, out };
    drawPatches(plugin, draw, this.#input.random.of(layer, step.iteration, location), training.hr[layer], patch);
    if (this.#guard) {
      this.#guard.check(draw);
      patches.set(out.patches);
    }
    this.#batch.onDraw?.(draw);
    this.#history.add(out.sources);
    kernels.addWork(measurements.batch * PER_DRAW);
  }

  /** The result of the present iteration. */
  result(residual: number): IterationResult {
    const { layer, height, width, margin } = this.#layer;
    const { channels } = this.#shape;
    const { iteration } = this.#iteration!.step;
    return {
      type: "iteration",
      layer,
      iteration,
      height,
      width,
      channels,
      images: withoutMargin(this.#images, this.#layer, margin),
      residual,
    };
  }

  /** Clamps X to [0, 1] and copies it, with its margin, to `target`, the place of the next layer's LR images. */
  finish(target: Address): void {
    const { kernels } = this.#model;
    const images = this.#images;
    this.#guard?.checkTraining();
    kernels.clamp(images.byteOffset, images.length);
    kernels.f32(target, images.length).set(images);
  }

  /** Where each pixel of the finished images came from. */
  provenance(): Provenance[] {
    const { layer, height, width, patch, feather, margin } = this.#layer;
    const merged = withoutMargin(this.admm.merged(), this.#layer, margin);
    const traced = batchProvenance({
      shape: { height, width, channels: this.#shape.channels },
      kernels: this.#model.kernels,
      patch,
      weights: feather > 0 ? mergeWeights(patch, feather) : undefined,
      positions: this.#iteration!.locations,
      training: this.#model.training.hr[layer],
      batch: this.batch,
      sources: this.#history.sources,
      x: withoutMargin(this.#images, this.#layer, margin),
      merged,
    });
    return hasMargin(margin) ? traced.map((one) => aroundPeriod(one, margin)) : traced;
  }
}

/** Lists the iterations of a layer, those that project last. */
function iterationsOf(layer: FittedLayer, { plan: { zStep } }: Model): LayerIteration[] {
  const { prior, projector, hUnit } = layer;
  const drawing = layer.iterations.map(({ rho, lambda, h }, iteration) => ({
    step: { rho, h: h * hUnit, iteration, zStep },
    lambda,
    locations: layer.locations[iteration],
    prior,
  }));
  const { rho, lambda, h } = PROJECTING;
  const projecting = Array.from({ length: layer.projection }, (_, k) => ({
    step: { rho, h, iteration: drawing.length + k, zStep },
    lambda,
    ...projector!,
  }));
  return [...drawing, ...projecting];
}
