/**
 * Which training images an image depends on: all that any draw of any layer compared, drawn or not, in drawings that were
 * rejected, too, and those that its originality compares it with. Without another training image it would have the same bytes and
 * the same description. Where something is computed from all training images, it depends on all of its class.
 */
import { createFrom } from "../../core/create_plugin.ts";
import type { Nearest } from "../../core/nearest.ts";
import type { Plan } from "../../core/plan.ts";
import type { Size } from "../../core/shape.ts";
import type { Draw } from "../../core/batch.ts";
import { addImage, allImages, type Lineage, noImages } from "./image_bits.ts";
import { isRedrawn } from "./redraws.ts";
import { outlinesOf } from "./request_work.ts";
import type { SeedSource } from "./seed_images.ts";

/** Notes the lineage of a group's images while they are made. Training images are named by their places in the group. */
export interface DependencyTrace {
  /** The lineage of each image, by its position among the group's images. */
  readonly images: readonly Lineage[];
  /** Notes that images are drawn, again perhaps: what they were drawn from before does not count. */
  began(positions: readonly number[]): void;
  /** Notes what a draw compared and drew; `positions` are those of the images of its batch. */
  drew(draw: Draw, positions: readonly number[]): void;
  /** Notes what an image was compared with as a whole. */
  measured(position: number, nearest: Nearest | undefined): void;
  /** Notes that an image depends on all training images. */
  all(position: number): void;
}

/**
 * What a trace notes: what images depend on, too, or only what they are drawn from, since they depend on all training images of
 * their class.
 */
export type Traced = "dependencies" | "sources";

/** Opens a trace of images that are made from `training` training images. */
export function dependencyTrace(images: number, training: number, traced: Traced): DependencyTrace {
  const isWhole = traced === "sources", every = allImages(training);
  const lineages = Array.from({ length: images }, (): Lineage => ({
    dependsOn: isWhole ? every : noImages(training),
    drawnFrom: noImages(training),
  }));
  return {
    images: lineages,
    began(positions) {
      for (const position of positions) lineages[position].drawnFrom.fill(0);
    },
    drew({ prior, out: { sources } }, positions) {
      positions.forEach((position, b) => {
        const { dependsOn, drawnFrom } = lineages[position], drawn = sources[3 * b];
        if (drawn >= 0) addImage(drawnFrom, drawn);
        // A patch that is no copy is made of those that were compared.
        else if (!prior.compared) drawnFrom.set(every);
        else prior.compared(b, (image) => addImage(drawnFrom, image));
        if (isWhole) return;
        if (drawn >= 0) addImage(dependsOn, drawn);
        if (!prior.compared) dependsOn.set(every);
        else prior.compared(b, (image) => dependsOn[image >> 3] |= 0x80 >> (image & 7));
      });
    },
    measured(position, nearest) {
      for (const image of nearest && !isWhole ? [nearest.image, nearest.other] : []) {
        if (image >= 0) addImage(lineages[position].dependsOn, image);
      }
    },
    all: (position) => lineages[position].dependsOn.set(every),
  };
}

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
  const choices = layerChoices(plan, images, training), layer = choices.indexOf(undefined);
  if (layer < 0) return undefined;
  const { plugin, values } = plan.layers[layer].prior, outline = outlinesOf(plan, images, training)[layer];
  // The option that makes it so: with its default the prior would depend on some images only.
  const option = Object.entries(plugin.options).find(([name, { default: usual }]) => {
    return createFrom(plugin, { ...values, [name]: usual }).fitChoices?.(outline) !== undefined;
  });
  const why = option ? ` (${option[0]} ${values[option[0]]})` : "";
  return `the prior "${plugin.name}" is fitted to all training images${why}`;
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
