/**
 * Conformance suites: the checks that every prior, context, metric and denoiser must pass. The whole test of a third-party plugin is
 *
 * ```ts ignore
 * import { priorChecks } from "@patchloom/patchloom/testing";
 * import { myPrior } from "./my_prior.ts";
 *
 * for (const [title, check] of priorChecks(myPrior)) Deno.test(title, check);
 * ```
 *
 * under any test runner that takes a title and a function. Options exempt a plugin from a check, each with a reason; an
 * exemption that the plugin does not need fails, too.
 *
 * @module
 */
export type { Check, CheckOptions, KernelCheckOptions, PluginOf } from "./check.ts";
export { contextChecks } from "./context_checks.ts";
export { denoiserChecks } from "./denoiser_checks.ts";
export { metricChecks } from "./metric_checks.ts";
export { priorChecks } from "./prior_checks.ts";
export type { PriorCheckOptions } from "./prior_draws.ts";
