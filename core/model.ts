/** A model: a plan fitted to a training set, ready to synthesize any number of batches. */
import type { Kernels } from "./kernels.ts";
import { locations } from "./locations.ts";
import type { Plan, PlanLayer } from "./plan.ts";
import type { TrainingPyramid } from "./pyramid.ts";
import type { ContextPixel, FittedPrior, Location } from "./types.ts";

/** One layer of a plan with its prior and the locations of each iteration (the same list while the offset repeats). */
export interface FittedLayer extends PlanLayer {
  readonly prior: FittedPrior;
  readonly locations: readonly (readonly Location[])[];
}

/** A plan fitted to a training set. Its kernel memory is freed by whoever made it (`mark` before, `release` after). */
export interface Model {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly training: TrainingPyramid;
  /** The most images of a batch. */
  readonly batch: number;
  /** l = 0 first. */
  readonly layers: readonly FittedLayer[];
}

/** Fits the plan's prior to every layer of a training pyramid. Throws where the training set is empty. */
export function fitModel(kernels: Kernels, plan: Plan, training: TrainingPyramid, batch: number): Model {
  if (training.count === 0) throw new Error("Cannot fit a prior: the training set is empty");
  const prior = plan.prior.plugin.create(plan.prior.values);
  const layers = plan.layers.map((layer): FittedLayer => {
    const { size } = layer, { patch } = plan;
    const byPlace = new Map<number, { y: number; x: number; visits: number }>();
    const byOffset = new Map<string, Location[]>();
    const lists = layer.iterations.map(({ offset }) => {
      const places = locations(size, patch, layer.overlap, offset).map(({ y, x }) => {
        const place = byPlace.get(y * size + x) ?? { y, x, visits: 0 };
        place.visits++;
        byPlace.set(y * size + x, place);
        return place;
      });
      if (!byOffset.has(String(offset))) byOffset.set(String(offset), places);
      return byOffset.get(String(offset))!;
    });
    const fitted = prior.fit({
      layer: layer.layer,
      size,
      patch,
      window: layer.window,
      context: contextOf(plan, size / 2),
      locations: [...byPlace.values()],
      batch,
      hr: training.hr[layer.layer],
      lr: training.lr[layer.layer],
      kernels,
    });
    return { ...layer, prior: fitted, locations: lists };
  });
  return { kernels, plan, training, batch, layers };
}

/**
 * The pixels of all contexts together; a pixel that several name counts with its largest weight. A mirrored one is another
 * pixel than the one at its offset, also where the two meet at the image's axis.
 */
export function contextOf(plan: Plan, lrSize: number): ContextPixel[] {
  const side = plan.patch / 2, byPlace = new Map<string, ContextPixel>();
  for (const { plugin, values } of plan.contexts) {
    for (const pixel of plugin.create(values).mask(side, lrSize)) {
      const { dx, dy, mirrored = false } = pixel;
      const own = !mirrored && dx >= 0 && dx < side && dy >= 0 && dy < side;
      const key = `${dx} ${dy} ${mirrored}`, before = byPlace.get(key);
      if (!own && pixel.weight > (before?.weight ?? 0)) byPlace.set(key, pixel);
    }
  }
  return [...byPlace.values()];
}
