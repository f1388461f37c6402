/** Which work needs third-party plugins: threads of other work load none. */
import type { Plan } from "../../core/plan.ts";
import { builtins } from "../../plugins/mod.ts";

/** Whether a plugin did not come with the program. It is told by its identity: names could be forged. */
export function isThirdParty(plugin: unknown): boolean {
  return !builtins.plugins.some((builtin) => builtin === plugin);
}

/** Whether a prior or a context of a plan is a third-party plugin. */
export function fitsThirdParty({ layers }: Pick<Plan, "layers">): boolean {
  return layers.some(({ prior, contexts }) => [prior, ...contexts].some(({ plugin }) => isThirdParty(plugin)));
}

/** Whether a plan has a third-party plugin anywhere: a thread needs all that a plan names. */
export function hasThirdParty(plan: Pick<Plan, "layers" | "noise">): boolean {
  return fitsThirdParty(plan) || plan.noise !== undefined && isThirdParty(plan.noise.plugin);
}
