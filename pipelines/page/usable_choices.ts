/** Leaves out the choices of a page that the open pack cannot use: a link may have been made with another pack. */
import { iterationCount, type Plan, type PlanLayer } from "../../core/plan.ts";
import type { Registry } from "../../core/registry.ts";
import { lengthOf, sameShape, type Shape, shapeText } from "../../core/shape.ts";
import { requestedPlan } from "../synthesis/request.ts";
import type { PagePack } from "./page_pack.ts";
import type { Choices } from "./choices.ts";
import { tilesOf } from "./tiles.ts";

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
  if (aligned && typeof usable.seedImage !== "number" && usable.seedImage.length !== length) {
    problems.push(`Cannot use the seed image: expected ${length} values, got ${usable.seedImage.length} values.`);
    usable = { ...usable, seedImage: 0 };
  }
  const plain = { ...usable, prior: undefined, contexts: undefined, zStep: undefined, set: [] };
  let planned: Plan;
  try {
    planned = requestedPlan(pack.profile, usable, plugins);
    // Textures may have any size.
    for (const [layer, shape] of aligned ? [[0, pack.shape], [planned.layers.length, seeds.shape]] as const : []) {
      const needed = shapeOf(planned, layer);
      if (!sameShape(shape, needed)) {
        throw new Error(`Expected images of ${shapeText(shape)}, got settings for ${shapeText(needed)}`);
      }
    }
  } catch (error) {
    problems.push(`${(error as Error).message}. The profile's settings are used.`);
    usable = plain;
    planned = requestedPlan(pack.profile, {}, plugins);
  }
  const { tiles } = tilesOf(usable, pack, plugins), { frame } = usable;
  if (usable.tile >= tiles.length) usable = { ...usable, tile: 0 };
  if (frame) {
    const layer: PlanLayer | undefined = planned.layers[frame.layer];
    const seed = frame.layer === planned.layers.length && frame.iteration === -1;
    if (!seed && !(layer && frame.iteration < iterationCount(layer))) {
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

/** Returns the shape of a layer's images. The layer after the last one stands for the seed image. */
export function shapeOf({ sizes, channels }: Plan, layer: number): Shape {
  return { ...sizes[layer], channels };
}
