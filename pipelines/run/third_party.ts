/** Which work needs third-party plugins: threads of other work load none. */
import type { Plan } from "../../core/plan.ts";
import type { Kinds } from "../../core/plugin.ts";
import { isThirdParty } from "../../core/plugin_error.ts";
import { partsOf } from "../../core/profile_changes.ts";
import { builtins } from "../../plugins/mod.ts";

/** Whether a prior or a context of a plan is a third-party plugin. */
export function fitsThirdParty({ layers }: Pick<Plan, "layers">): boolean {
  return layers.some(({ prior, contexts }) => [prior, ...contexts].some(({ plugin }) => isThirdParty(plugin)));
}

/**
 * Whether a plan, or its profile, has a third-party plugin anywhere. A thread plans the profile again: it needs all plugins that the
 * profile names, also those of layers that make nothing.
 */
export function hasThirdParty(plan: Pick<Plan, "layers" | "noise" | "profile">): boolean {
  const { prior, contexts, layers, noise } = plan.profile;
  const priors = [prior, ...layers.map((layer) => layer.prior)],
    masks = [contexts, ...layers.map((layer) => layer.contexts)];
  return fitsThirdParty(plan) || plan.noise !== undefined && isThirdParty(plan.noise.plugin) ||
    priors.some((choice) => isUnknown("prior", choice)) ||
    masks.flatMap((choices) => choices ?? []).some((choice) => isUnknown("context", choice)) ||
    isUnknown("denoiser", noise?.denoiser);
}

/** Whether a profile names a plugin that did not come with the program. No plugin can have the kind and name of a built-in one. */
function isUnknown(kind: keyof Kinds, choice: Parameters<typeof partsOf>[0] | undefined): boolean {
  if (choice === undefined) return false;
  const { name } = partsOf(choice);
  return !builtins.plugins.some((plugin) => plugin.kind === kind && plugin.name === name);
}
