/** A model: a plan fitted to a training set, ready to synthesize any number of batches. */
import type { Kernels } from "./kernels.ts";
import { inOrder, locations } from "./locations.ts";
import { lrVariance } from "./lr_variance.ts";
import type { Plan, PlanLayer } from "./plan.ts";
import type { Chosen } from "./registry.ts";
import type { Plugin } from "./plugin.ts";
import { createFrom } from "./create_plugin.ts";
import { during, duringSteps, pluginError, requireFunction } from "./plugin_error.ts";
import { hrPlanesOf } from "./hr_planes.ts";
import { projector } from "./projection.ts";
import type { TrainingPyramid } from "./pyramid.ts";
import { shown } from "./shown.ts";
import { PROGRESS, type Steps } from "./steps.ts";
import { type Margin, marginOf, NO_MARGIN, withMargin } from "./tiling.ts";
import type { ContextPixel, FittedPrior, LayerData, Location, Prior, PriorParts } from "./types.ts";

/** One layer of a plan with its prior and the locations of each iteration (the same list while the offset repeats). */
export interface FittedLayer extends Omit<PlanLayer, "prior"> {
  /** The prior, fitted to this layer. */
  readonly prior: FittedPrior;
  /** The plugin that made the prior. */
  readonly plugin: Plugin<"prior">;
  /** The locations of each iteration, in images with their margin; the same list while the offset repeats. */
  readonly locations: readonly (readonly Location[])[];
  /** What repeats the other edge around images that tile. */
  readonly margin: Margin;
  /** What h counts in: 1, or the variance of the LR training images where the plan's h is relative to it. */
  readonly hUnit: number;
  /** What draws in the iterations that project, and their locations; undefined where there are none. */
  readonly projector?: { readonly prior: FittedPrior; readonly locations: readonly Location[] };
}

/**
 * A plan fitted to a training set. The caller of `fitModel` frees it: its kernel memory (`mark` before, `release` after), and
 * with `dispose` what its priors hold beside that.
 */
export interface Model {
  /** The kernels over the memory that holds the model. */
  readonly kernels: Kernels;
  /** The plan that was fitted. */
  readonly plan: Plan;
  /** The training images of every layer. */
  readonly training: TrainingPyramid;
  /** The most images of a batch. */
  readonly batch: number;
  /** l = 0 first. */
  readonly layers: readonly FittedLayer[];
  /** The margin of the seed images. */
  readonly seedMargin: Margin;
  /** Disposes of the priors of all layers. */
  dispose(): void;
}

/** The result of priors that fit in parts: for every layer, l = 0 first, the bytes of its parts; none if its prior does not. */
export type FittedParts = readonly (readonly Uint8Array[])[];

/**
 * Fits the prior of every layer to its training images. It is work that can pause: `finish` runs it to its end. If it
 * is closed early, it gives back the memory that it took.
 *
 * @example
 * ```ts
 * import { builtins, digits, finish, fitModel, plan, referenceKernels, trainingPyramid } from "@patchloom/patchloom";
 *
 * const pixels = Uint8Array.from({ length: 40 * 32 * 32 }, (_, i) => (i * i) % 256);
 * const training = { count: 40, height: 32, width: 32, pixels };
 * const kernels = referenceKernels(), planned = plan(digits, builtins);
 * const pyramid = finish(trainingPyramid(kernels, training, planned.sizes));
 * const model = finish(fitModel(kernels, planned, pyramid, 16)); // for batches of up to 16 images
 * console.log(model.layers.length); // 3
 * model.dispose();
 * ```
 *
 * @param batch The most images that will be synthesized together.
 * @param parts The result of `fitAllParts` for the same plan and images: it is loaded instead of fitting again.
 * @throws Error where the pyramid is empty or of other channels than the plan's, and where the parts are not this prior's.
 */
export function* fitModel(
  kernels: Kernels,
  plan: Plan,
  training: TrainingPyramid,
  batch: number,
  parts?: FittedParts,
): Steps<Model> {
  const layers: FittedLayer[] = [];
  const priors = createPriors(plan);
  const mark = kernels.mark();
  const dispose = () => layers.forEach(({ prior, plugin }) => during(plugin, "dispose", () => prior.dispose?.()));
  let isComplete = false;
  try {
    for (const { data: prepared, locations, margin } of trainingLayers(kernels, plan, training, batch)) {
      const layer = plan.layers[prepared.layer];
      const data = layer.projection === 0 ? prepared : { ...prepared, hrPlanes: hrPlanesOf(prepared) };
      const { plugin } = layer.prior;
      const unfitted = priors[data.layer];
      const phase = () => `fit, layer ${data.layer}`;
      const prior = yield* duringSteps(plugin, phase, () => {
        return parts && unfitted.parts ? unfitted.parts.load(data, parts[data.layer]) : unfitted.fit(data);
      });
      requireFunction(plugin, phase, prior, "draw");
      const hUnit = plan.relativeH ? lrVariance(kernels, data.lr) : 1;
      layers.push({ ...layer, prior, plugin, locations, margin, hUnit, projector: projectorOf(layer, data) });
      kernels.addWork(data.locations.length * PER_LOCATION);
      yield PROGRESS;
    }
    isComplete = true;
    return { kernels, plan, training, batch, layers, seedMargin: marginAt(plan, plan.layers.length), dispose };
  } finally {
    if (!isComplete) {
      dispose();
      kernels.release(mark);
    }
  }
}

/** Preparing a location takes about a microsecond, beside what the prior does. */
const PER_LOCATION = 10_000;

/** Fits the projection of a layer. Its locations are those without offset. */
function projectorOf(layer: PlanLayer, data: LayerData): FittedLayer["projector"] {
  if (layer.projection === 0) return undefined;
  const visits = layer.projection;
  const visited = locations(layer, layer.patch, layer.overlap, [0, 0]).map((position) => ({ ...position, visits }));
  return { prior: projector.fit(data), locations: visited };
}

/** Fits a plan's priors in all their parts, for `fitModel`; undefined where none fits in parts. Throws as `fitModel`. */
export function* fitAllParts(
  kernels: Kernels,
  plan: Plan,
  training: TrainingPyramid,
): Steps<FittedParts | undefined> {
  const partsOfLayers = priorParts(plan);
  const fitted: Uint8Array[][] = [];
  if (!partsOfLayers.some((parts) => parts)) return undefined;
  for (const { data } of trainingLayers(kernels, plan, training, 1)) {
    const { plugin } = plan.layers[data.layer].prior;
    const parts = partsOfLayers[data.layer];
    const bytes: Uint8Array[] = [];
    const phase = () => `fit, layer ${data.layer}`;
    const count = during(plugin, phase, () => parts?.count(data) ?? 0);
    for (let part = 0; part < count; part++) {
      bytes.push(during(plugin, phase, () => parts!.fit(data, part)));
      yield PROGRESS;
    }
    fitted.push(bytes);
  }
  return fitted;
}

/** How the prior of each layer is fitted in parts; undefined for one that is not. */
export function priorParts(plan: Plan): (PriorParts | undefined)[] {
  return createPriors(plan).map(({ parts }) => parts);
}

/** The prior of every layer, not yet fitted; layers without one of their own share the profile's. */
function createPriors({ layers }: Plan): Prior[] {
  const created = new Map<Chosen<"prior">, Prior>();
  for (const { prior, prior: { plugin, values } } of layers) {
    if (!created.has(prior)) created.set(prior, createFrom(plugin, values));
  }
  return layers.map(({ prior }) => created.get(prior)!);
}

/** Writes down all that a fit depends on beside the training images: plans of the same text have the same fit. */
export function fitText({ channels, aligned, tile, sizes, layers }: Plan): string {
  const named = ({ plugin, values }: Chosen<"prior" | "context">) => [plugin.name, values];
  return JSON.stringify({
    channels,
    aligned,
    tile, // the margin adds locations, and pixels of the context that lie inside the image
    sizes,
    layers: layers.map(({ patch, overlap, window, iterations, prior, contexts }) => {
      return [patch, overlap, window, iterations.map(({ offset }) => offset), named(prior), contexts.map(named)];
    }),
  });
}

/** Prepares the data that the prior of every layer is fitted on, l = 0 first, and the locations of each iteration, as in `FittedLayer`. */
export function trainingLayers(
  kernels: Kernels,
  plan: Plan,
  training: TrainingPyramid,
  batch: number,
): ({ readonly data: LayerData } & Pick<FittedLayer, "locations" | "margin">)[] {
  if (training.count === 0) throw new Error("Cannot fit a prior: the training set is empty");
  const { channels } = training.hr[0];
  const kind = (count: number) => count === 1 ? "grey" : `of ${count} channels`;
  if (channels !== plan.channels) {
    throw new Error(
      `Cannot fit a prior: expected training images ${kind(plan.channels)}, got images ${kind(channels)}`,
    );
  }
  return plan.layers.map((layer) => {
    const { patch } = layer;
    const { channels } = plan;
    const margin = marginAt(plan, layer.layer);
    const { visited, lists } = visitedLocations(layer, margin);
    const data = {
      layer: layer.layer,
      ...withMargin(layer, margin),
      channels,
      patch,
      window: layer.window,
      aligned: plan.aligned,
      context: contextOf(layer),
      locations: visited,
      batch,
      hr: training.hr[layer.layer],
      lr: training.lr[layer.layer],
      kernels,
    };
    return { data, locations: lists, margin };
  });
}

/**
 * The margin of images that tile, l = L for the seed images: as wide as a patch that begins at the end of the period reaches, with
 * its context, at every layer.
 */
export function marginAt(plan: Plan, level: number): Margin {
  const { tile, layers } = plan;
  const depth = layers.length;
  if (!tile) return NO_MARGIN;
  const ofSeeds = Math.max(...layers.map((layer) => {
    const { patch, overlap } = layer;
    const side = patch / 2;
    // A context of the whole image would compare the same image once more.
    const reach = contextOf(layer).reduce((most, { dx, dy }) => {
      return Math.max(most, Math.min(Math.max(-dx, -dy, dx - side + 1, dy - side + 1), patch));
    }, 0);
    return Math.ceil((2 * patch - overlap + 2 * reach) / 2 ** (depth - layer.layer));
  }));
  return marginOf(tile, ofSeeds * 2 ** (depth - level));
}

/**
 * I_k of every iteration k of a layer, the same list while the offset repeats, and all locations with their visits. The latter
 * do not depend on the order of an iteration, and neither does a fit.
 */
function visitedLocations({ patch, overlap, order, iterations, ...period }: PlanLayer, margin: Margin) {
  const { height, width } = withMargin(period, margin);
  // The number of a position among those visited, from 1 on: large images have millions.
  const numbers = new Uint32Array(height * width);
  const visited: { y: number; x: number; visits: number }[] = [];
  const byOffset = new Map<string, Location[]>();
  const lists = iterations.map(({ offset }) => {
    const list = locations(period, patch, overlap, offset, margin).map(({ y, x }) => {
      const number = numbers[y * width + x] ||= visited.push({ y, x, visits: 0 });
      const location = visited[number - 1];
      location.visits++;
      return location;
    });
    if (!byOffset.has(String(offset))) byOffset.set(String(offset), inOrder(list, order, patch, width));
    return byOffset.get(String(offset))!;
  });
  return { visited, lists };
}

/**
 * Joins the pixels of all contexts of a layer (section "Patch with Context"); a pixel that several name counts with its largest weight. A
 * mirrored one is another pixel than the one at its offset, also where the two meet at the image's axis.
 *
 * @throws Error where a context names a pixel without whole offsets or a weight in (0, 1].
 */
export function contextOf(layer: Pick<PlanLayer, "height" | "width" | "patch" | "contexts">): readonly ContextPixel[] {
  if (!contextsByLayer.has(layer)) contextsByLayer.set(layer, joinContexts(layer));
  return contextsByLayer.get(layer)!;
}

/** The joined contexts of layers: the estimate of work, the margins and the fit ask for the same ones. */
const contextsByLayer = new WeakMap<object, readonly ContextPixel[]>();

function joinContexts(
  { height, width, patch, contexts }: Pick<PlanLayer, "height" | "width" | "patch" | "contexts">,
): ContextPixel[] {
  const side = patch / 2;
  const lrSize = Math.max(height, width) / 2;
  const byPosition = new Map<string | number, ContextPixel>();
  for (const { plugin, values } of contexts) {
    const context = createFrom(plugin, values);
    const mask = during(plugin, "mask", () => context.mask(side, lrSize));
    for (const pixel of during(plugin, "mask", () => listed(mask))) {
      const { dx, dy, weight, mirrored = false } = pixel ?? {};
      // An offset that is no whole number would be an address anywhere in memory.
      if (!(Number.isInteger(dx) && Number.isInteger(dy) && typeof weight === "number" && weight > 0 && weight <= 1)) {
        const wanted = "whole numbers dx and dy and a weight in (0, 1]";
        throw pluginError(plugin, `masks a pixel wrongly: expected ${wanted}, got ${shown(pixel)}`);
      }
      const own = !mirrored && dx >= 0 && dx < side && dy >= 0 && dy < side;
      const key = keyOf(dx, dy, mirrored);
      const before = byPosition.get(key);
      if (!own && weight > (before?.weight ?? 0)) byPosition.set(key, pixel);
    }
  }
  return [...byPosition.values()];
}

/** A key of a pixel's offset: a number where it can be one, which is faster than a text. */
function keyOf(dx: number, dy: number, mirrored: boolean): string | number {
  const isNear = Math.max(Math.abs(dx), Math.abs(dy)) < REACH;
  return isNear ? ((dx + REACH) * 2 * REACH + dy + REACH) * 2 + Number(mirrored) : `${dx} ${dy} ${mirrored}`;
}

/** Offsets below it have numbers as keys: no layer is as large. */
const REACH = 2 ** 14;

/** The most pixels that a context may name: a mask of 1000 x 1000, more than any image of patches has use for. */
const MAX_PIXELS = 1e6;

/** Reads a mask. A plugin could return anything, also a list that never ends. */
function listed(mask: unknown): ContextPixel[] {
  const pixels: ContextPixel[] = [];
  if (typeof (mask as Partial<Iterable<ContextPixel>> | undefined | null)?.[Symbol.iterator] !== "function") {
    throw new Error(`expected a list of pixels, got ${shown(mask)}`);
  }
  for (const pixel of mask as Iterable<ContextPixel>) {
    // Read once: a getter could return something else later, or throw.
    const own = typeof pixel === "object" && pixel !== null ? { ...pixel } : pixel;
    if (pixels.push(own) > MAX_PIXELS) throw new Error(`expected at most ${MAX_PIXELS} pixels, got more`);
  }
  return pixels;
}
