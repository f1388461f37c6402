/** A model: a plan fitted to a training set, ready to synthesize any number of batches. */
import type { Kernels } from "./kernels.ts";
import { locations } from "./locations.ts";
import type { Plan, PlanLayer } from "./plan.ts";
import { during, nameOf } from "./plugin_error.ts";
import type { TrainingPyramid } from "./pyramid.ts";
import { shown } from "./options.ts";
import type { ContextPixel, FittedPrior, LayerData, Location } from "./types.ts";

/** One layer of a plan with its prior and the locations of each iteration (the same list while the offset repeats). */
export interface FittedLayer extends PlanLayer {
  readonly prior: FittedPrior;
  readonly locations: readonly (readonly Location[])[];
}

/**
 * A plan fitted to a training set. Whoever made it frees it: its kernel memory (`mark` before, `release` after), and with
 * `dispose` what its priors hold beside that.
 */
export interface Model {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly training: TrainingPyramid;
  /** The most images of a batch. */
  readonly batch: number;
  /** l = 0 first. */
  readonly layers: readonly FittedLayer[];
  /** Disposes of the priors of all layers. */
  dispose(): void;
}

/** What a prior that fits in parts found: for every layer, l = 0 first, the bytes of its parts. */
export type FittedParts = readonly (readonly Uint8Array[])[];

/**
 * Fits the plan's prior to every layer of a training pyramid, or loads what was found earlier from the same. Throws where it is
 * empty or of other channels, and where the parts are not this prior's.
 */
export function fitModel(
  kernels: Kernels,
  plan: Plan,
  training: TrainingPyramid,
  batch: number,
  parts?: FittedParts,
): Model {
  const { plugin, values } = plan.prior, prior = during(plugin, "create", () => plugin.create(values));
  const fitted: FittedPrior[] = [];
  const dispose = () => fitted.forEach((one) => during(plugin, "dispose", () => one.dispose?.()));
  try {
    const layers = trainingLayers(kernels, plan, training, batch).map(({ data, locations }): FittedLayer => {
      const own = during(plugin, () => `fit, layer ${data.layer}`, () => {
        return parts && prior.parts ? prior.parts.load(data, parts[data.layer]) : prior.fit(data);
      });
      fitted.push(own);
      return { ...plan.layers[data.layer], prior: own, locations };
    });
    return { kernels, plan, training, batch, layers, dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Fits a plan's prior in all its parts, for `fitModel`; undefined where it is not fitted in parts. Throws as `fitModel`. */
export function fitAllParts(kernels: Kernels, plan: Plan, training: TrainingPyramid): FittedParts | undefined {
  const { plugin, values } = plan.prior, { parts } = during(plugin, "create", () => plugin.create(values));
  if (!parts) return undefined;
  return trainingLayers(kernels, plan, training, 1).map(({ data }) => {
    const fit = (_: unknown, part: number) => parts.fit(data, part);
    return during(plugin, () => `fit, layer ${data.layer}`, () => Array.from({ length: parts.count(data) }, fit));
  });
}

/** All that a fit depends on beside the training images: plans of the same text have the same fit. */
export function fitText({ patch, channels, sizes, prior, contexts, layers }: Plan): string {
  return JSON.stringify({
    patch,
    channels,
    sizes,
    prior: [prior.plugin.name, prior.values],
    contexts: contexts.map(({ plugin, values }) => [plugin.name, values]),
    layers: layers.map(({ overlap, window, iterations }) => [overlap, window, iterations.map(({ offset }) => offset)]),
  });
}

/** What the prior of every layer is fitted on, l = 0 first, and the locations of each iteration, as in `FittedLayer`. */
export function trainingLayers(
  kernels: Kernels,
  plan: Plan,
  training: TrainingPyramid,
  batch: number,
): { readonly data: LayerData; readonly locations: FittedLayer["locations"] }[] {
  if (training.count === 0) throw new Error("Cannot fit a prior: the training set is empty");
  const { channels } = training.hr[0], kind = (count: number) => count === 1 ? "grey" : `of ${count} channels`;
  if (channels !== plan.channels) {
    throw new Error(
      `Cannot fit a prior: expected training images ${kind(plan.channels)}, got images ${kind(channels)}`,
    );
  }
  return plan.layers.map((layer) => {
    const { height, width } = layer, { patch, channels } = plan;
    const byPlace = new Map<number, { y: number; x: number; visits: number }>();
    const byOffset = new Map<string, Location[]>();
    const lists = layer.iterations.map(({ offset }) => {
      const places = locations(layer, patch, layer.overlap, offset).map(({ y, x }) => {
        const place = byPlace.get(y * width + x) ?? { y, x, visits: 0 };
        place.visits++;
        byPlace.set(y * width + x, place);
        return place;
      });
      if (!byOffset.has(String(offset))) byOffset.set(String(offset), places);
      return byOffset.get(String(offset))!;
    });
    const data = {
      layer: layer.layer,
      height,
      width,
      channels,
      patch,
      window: layer.window,
      aligned: plan.aligned,
      context: contextOf(plan, Math.max(height, width) / 2),
      locations: [...byPlace.values()],
      batch,
      hr: training.hr[layer.layer],
      lr: training.lr[layer.layer],
      kernels,
    };
    return { data, locations: lists };
  });
}

/**
 * The pixels of all contexts together; a pixel that several name counts with its largest weight. A mirrored one is another
 * pixel than the one at its offset, also where the two meet at the image's axis.
 */
export function contextOf(plan: Plan, lrSize: number): ContextPixel[] {
  const side = plan.patch / 2, byPlace = new Map<string, ContextPixel>();
  for (const { plugin, values } of plan.contexts) {
    const context = during(plugin, "create", () => plugin.create(values));
    const mask = during(plugin, "mask", () => Array.from(context.mask(side, lrSize)));
    for (const pixel of mask) {
      const { dx, dy, weight, mirrored = false } = pixel ?? {};
      // What is no pixel would be read from anywhere in memory.
      if (!(Number.isInteger(dx) && Number.isInteger(dy) && weight > 0 && weight <= 1)) {
        const wanted = "whole numbers dx and dy and a weight in (0, 1]";
        throw new Error(`${nameOf(plugin)} masks a pixel wrongly: expected ${wanted}, got ${shown(pixel)}`);
      }
      const own = !mirrored && dx >= 0 && dx < side && dy >= 0 && dy < side;
      const key = `${dx} ${dy} ${mirrored}`, before = byPlace.get(key);
      if (!own && weight > (before?.weight ?? 0)) byPlace.set(key, pixel);
    }
  }
  return [...byPlace.values()];
}
