/** Estimates the work of a synthesis before anything runs, so that servers can refuse what takes too long. */
import { createFrom } from "../../core/create_plugin.ts";
import { positions } from "../../core/locations.ts";
import { contextOf } from "../../core/model.ts";
import type { Plan, PlanLayer } from "../../core/plan.ts";
import { drawWork, mergeWork, type WorkDone } from "../../core/steps.ts";
import type { Images } from "../../core/types.ts";
import { describeWork, MOST_TRIES } from "./synthesize_group.ts";

/** The work of a request, in comparisons of a value of an example with one of an image: a core does some 10^9 a second. */
export interface RequestWork {
  /** All of it: compared values x examples x locations, and what merging and describing the images takes. */
  readonly total: number;
  /** The most that one draw takes for one image: a host cannot pause in it. */
  readonly draw: number;
}

/**
 * Estimates the work of synthesizing images of several groups.
 *
 * @param images the training images
 * @param groups for each group the number of its training images and of the images to synthesize
 */
export function requestWork(
  plan: Plan,
  images: Images,
  groups: readonly (readonly [training: number, images: number])[],
): RequestWork {
  let total = 0, draw = 0;
  for (const [training, count] of groups) {
    draw = Math.max(draw, mostDrawWork(plan, images, training));
    total += drawings(plan) * groupWork(plan, images, training, count);
  }
  return { total, draw };
}

/** Estimates the work of drawing and describing `count` images of a group once, after the prior was fitted. */
export function groupWork(
  plan: Plan,
  images: Pick<Images, "height" | "width">,
  training: number,
  count: number,
): WorkDone {
  const draws = layerDraws(plan, images, training);
  const perImage = plan.layers.reduce((sum, layer, l) => sum + layerWork(plan, layer, draws[l]), 0);
  return count * perImage + describeWork(plan, training, count);
}

/**
 * Returns how often an image is drawn: most often once or twice where every layer's least originality is 1 or less, otherwise as
 * often as it can be, and once more.
 */
function drawings({ layers }: Plan): number {
  const least = Math.max(...layers.map(({ minOriginality }) => minOriginality));
  return least === 0 ? 1 : least <= 1 ? 2 : MOST_TRIES + 1;
}

/** Returns the work of the largest draw for one image. */
export function mostDrawWork(plan: Plan, images: Images, training: number): WorkDone {
  return Math.max(...layerDraws(plan, images, training));
}

/** Returns the work of a draw for one image in each layer. */
function layerDraws(plan: Plan, { height, width }: Pick<Images, "height" | "width">, count: number): WorkDone[] {
  const { channels, aligned, zStep } = plan;
  return plan.layers.map((layer, l) => {
    const { prior: { plugin, values }, window, patch } = layer, context = contextOf(layer);
    const hr = { count, ...(aligned ? plan.sizes[l] : { height: height / 2 ** l, width: width / 2 ** l }) };
    const outline = { height: layer.height, width: layer.width, channels, patch, window, aligned, context, hr };
    return drawWork(createFrom(plugin, values), outline, zStep);
  });
}

/**
 * Returns the work of a layer's iterations for one image. An iteration that projects counts as the others: it compares all
 * examples of a place, too.
 */
function layerWork({ channels }: Plan, layer: PlanLayer, draw: WorkDone): WorkDone {
  const { height, width, patch, overlap, iterations, projection } = layer;
  const work = ([x, y]: readonly [x: number, y: number]) => {
    const columns = positions(width, patch, overlap, x, true).length;
    const rows = positions(height, patch, overlap, y, true).length;
    return rows * columns * draw + mergeWork({ height, width, channels });
  };
  return iterations.reduce((sum, { offset }) => sum + work(offset), projection * work([0, 0]));
}
