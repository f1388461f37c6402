/** What `run.json` tells on every host; each adds what it alone knows. */
import type { Nearest } from "../../core/nearest.ts";
import type { Plan } from "../../core/plan.ts";
import { VERSION } from "../../core/version.ts";
import type { SynthesizedImage } from "./synthesized_image.ts";

/** What images were made by: the version, the profile, and the plugins with all their options. */
export function describePlan({ profile, prior, contexts, zStep }: Plan) {
  return {
    patchloom: VERSION,
    profile,
    prior: { name: prior.plugin.name, ...prior.values },
    contexts: contexts.map(({ plugin, values }) => ({ name: plugin.name, ...values })),
    zStep,
  };
}

/** What is told of an image beside its pixels. `nearest` is left out where training images are exemplars. */
export function describeImage(
  { number, label, nearest, contributors, correction }:
    & Pick<SynthesizedImage, "number" | "contributors" | "correction">
    & {
      readonly label?: number;
      readonly nearest?: Pick<Nearest, "image" | "distance" | "trainingDistance">;
    },
) {
  return {
    number,
    class: label,
    ...nearest && {
      nearest: { image: nearest.image, distance: nearest.distance },
      trainingDistance: nearest.trainingDistance,
      originality: nearest.distance / nearest.trainingDistance,
    },
    contributors,
    correction,
  };
}
