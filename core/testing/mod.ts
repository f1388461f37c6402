/**
 * The suites that plugins are checked with. A third party's whole test is
 *
 * ```ts ignore
 * import { priorChecks } from "@patchloom/patchloom/testing";
 * import { myPrior } from "./my_prior.ts";
 *
 * for (const [title, check] of priorChecks(myPrior)) Deno.test(title, check);
 * ```
 *
 * under any test runner that takes a title and a function. What a plugin is excused from is said with its reason, and an
 * excuse that it does not need fails, too.
 *
 * @module
 */
export type { Check, CheckOptions, KernelCheckOptions, PluginOf } from "./check.ts";
export { contextChecks } from "./context_checks.ts";
export { metricChecks } from "./metric_checks.ts";
export { type PriorCheckOptions, priorChecks } from "./prior_checks.ts";
