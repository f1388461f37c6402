/** Leaves out the choices of a page that the open pack cannot use: a link may have been made with another pack. */
import { iterationCount, type Plan, type PlanLayer } from "../../core/plan.ts";
import type { Registry } from "../../core/registry.ts";
import { lengthOf, sameShape, type Shape, shapeText } from "../../core/shape.ts";
import { requestedPlan } from "../synthesis/request.ts";
import type { PagePack } from "./page_pack.ts";
import type { Choices } from "./choices.ts";
import { sourceOf, tilesOf } from "./tiles.ts";

/** Choices that a pack can use, their plan, and a sentence for each choice that was left out. */
export interface UsableChoices {
  readonly choices: Choices;
  readonly planned: Plan;
  readonly problems: readonly string[];
}

/** Checks choices against a pack, leaves out those that it cannot use, and plans the profile with the others. */
export function usableChoices(choices: Choices, pack: PagePack, plugins: Registry): UsableChoices {
  const problems: string[] = [], { seeds } = pack;
  let usable = choices;
  const known = usable.class === undefined || pack.classes.length > 0 &&
      (usable.class === "all" || pack.classes.includes(usable.class));
  if (!known) {
    problems.push(`This pack has no class ${usable.class}.`);
    usable = { ...usable, class: undefined };
  }
  const length = lengthOf(seeds.shape), aligned = pack.profile.aligned !== false;
  if (!aligned && usable.seedImage === "noise") {
    problems.push("Textures do not come from noise: their seed images are made of blocks of the picture.");
    usable = { ...usable, seedImage: 0 };
  }
  if (aligned && usable.seedImage instanceof Uint8Array && usable.seedImage.length !== length) {
    problems.push(`Cannot use the seed image: expected ${length} values, got ${usable.seedImage.length} values.`);
    usable = { ...usable, seedImage: 0 };
  }
  const plain = { ...usable, prior: undefined, contexts: undefined, zStep: undefined, set: [] };
  const from = sourceOf(usable, pack);
  let planned: Plan;
  try {
    planned = requestedPlan(pack.profile, { ...usable, from }, plugins);
    // Textures may have any size, and there are no seed images of images from noise.
    const finest = [0, pack.shape] as const, coarsest = [planned.layers.length, seeds.shape] as const;
    for (const [layer, shape] of !aligned ? [] : planned.noise ? [finest] : [finest, coarsest]) {
      const needed = shapeOf(planned, layer);
      if (!sameShape(shape, needed)) {
        throw new Error(`Expected images of ${shapeText(shape)}, got settings for ${shapeText(needed)}`);
      }
    }
  } catch (error) {
    problems.push(`${(error as Error).message}. The profile's settings are used.`);
    usable = plain;
    planned = requestedPlan(pack.profile, { from }, plugins);
  }
  // Contexts belong to layers: images from noise would not differ.
  if (planned.noise && usable.view === "contexts") usable = { ...usable, view: "samples", tile: 0 };
  if (usable.tile >= tilesOf(usable, pack, plugins).tiles.length) usable = { ...usable, tile: 0 };
  const { frame } = usable;
  if (frame) {
    const { layers, noise } = planOfTile(usable, pack, plugins);
    const layer: PlanLayer | undefined = layers[frame.layer];
    const first = frame.layer === layers.length;
    const begins = first && (noise ? frame.iteration >= 0 && frame.iteration < noise.steps : frame.iteration === -1);
    if (!begins && !(layer && frame.iteration < iterationCount(layer))) {
      problems.push(`There is no iteration ${frame.iteration + 1} of layer ${frame.layer}.`);
      usable = { ...usable, frame: undefined, pixel: undefined };
    }
  }
  const { height, width } = shapeOf(planned, usable.frame?.layer ?? 0), { pixel } = usable;
  if (pixel && (pixel.y >= height || pixel.x >= width)) {
    problems.push(`There is no pixel in row ${pixel.y}, column ${pixel.x}.`);
    usable = { ...usable, pixel: undefined };
  }
  return { choices: usable, planned, problems };
}

/** The plan of the selected tile's image: that of a denoiser has steps in place of layers. */
function planOfTile(choices: Choices, pack: PagePack, plugins: Registry): Plan {
  const { requests, tiles } = tilesOf(choices, pack, plugins);
  return requestedPlan(pack.profile, requests[tiles[choices.tile].request], plugins);
}

/** Returns the shape of a layer's images. The layer after the last one stands for the seed image. */
export function shapeOf({ sizes, channels }: Plan, layer: number): Shape {
  return { ...sizes[layer], channels };
}
