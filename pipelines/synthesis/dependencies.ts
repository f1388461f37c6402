/**
 * Which training images an image depends on: all that any draw of any layer compared, drawn or not, in drawings that were
 * rejected, too, and those that its originality compares it with. Without another training image it would have the same bytes and
 * the same description. Where something is computed from all training images, it depends on all of its class.
 */
import { createFrom } from "../../core/create_plugin.ts";
import { isNoiseChosen, type Plan, type PlanNoise } from "../../core/plan.ts";
import type { Size } from "../../core/shape.ts";
import { isRedrawn } from "../run/redraw_forecast.ts";
import { outlinesOf } from "../run/cost.ts";
import type { SeedSource } from "./seed_images.ts";

/**
 * Says what makes every image depend on all training images of its class, or, if classes do not count, on all; undefined if
 * nothing does.
 *
 * @param images the size of the training images, and `training`, their number
 */
export function dependsOnAll(
  { plan, seedSource, minLl }: { readonly plan: Plan; readonly seedSource: SeedSource; readonly minLl?: number },
  images: Size,
  training: number,
): string | undefined {
  if (!plan.aligned) return "exemplars are cut to one size, and seed images are made of all of them";
  if (seedSource === "model") return "seed images are drawn from a model of all training images (--from model)";
  if (seedSource === "quilt") return "seed images are blocks of all training images (--from quilt)";
  if (minLl !== undefined) return "the log-likelihood compares an image with all training images (--ll, --min-ll)";
  if (plan.relativeH) return "h counts in the variance of all training images (relativeH)";
  if (plan.morph > 0) return "the pairs that are morphed are chosen among all training images (morph)";
  if (plan.noise && isNoiseChosen(plan.noise)) return chosenText(plan.noise);
  if (plan.noise && plan.noise.minLikelihood > 0) {
    return "images are held against how likely training images are (noise.minLikelihood)";
  }
  if (plan.noise?.whiteBalance && plan.channels > 1) return "training images get their mean tone (noise.whiteBalance)";
  const choices = layerChoices(plan, images, training), layer = choices.indexOf(undefined);
  if (layer < 0) return undefined;
  const { plugin, values } = plan.layers[layer].prior, outline = outlinesOf(plan, images, training)[layer];
  // The option by which it depends on all: with its default the prior would depend on some images only.
  const option = Object.entries(plugin.options).find(([name, { default: usual }]) => {
    return createFrom(plugin, { ...values, [name]: usual }).fitChoices?.(outline) !== undefined;
  });
  const why = option ? ` (${option[0]} ${values[option[0]]})` : "";
  return `the prior "${plugin.name}" is fitted to all training images${why}`;
}

/** Returns in words what of images from noise depends on all training images. */
function chosenText({ areWindowsChosen, minTypicality, minMutualInformation }: PlanNoise): string {
  if (areWindowsChosen) return "windows are chosen by training images that are left out (noise.windows auto)";
  if (minTypicality > 0) return "images are held against how typical all training images are (noise.minTypicality)";
  if (minMutualInformation > 0) {
    return "images are held against the halves of training images (noise.minMutualInformation)";
  }
  return "images keep the distance of training images that are left out (noise.minOriginality, noise.maxStructure)";
}

/**
 * Writes down what follows from the number of training images: if it is the same without some, images that depend on none of
 * these are the same. Undefined if images depend on all training images.
 */
export function numberText(plan: Plan, images: Size, training: number): string | undefined {
  const choices = layerChoices(plan, images, training);
  if (choices.includes(undefined)) return undefined;
  return JSON.stringify([choices, isRedrawn(plan, training)]);
}

/** What the prior of each layer chooses by the number of training images. */
function layerChoices(plan: Plan, images: Size, training: number): (string | undefined)[] {
  const outlines = outlinesOf(plan, images, training);
  return plan.layers.map(({ prior: { plugin, values } }, l) => {
    // A projection of the layer depends on the nearest patches alone.
    return createFrom(plugin, values).fitChoices?.(outlines[l]);
  });
}
