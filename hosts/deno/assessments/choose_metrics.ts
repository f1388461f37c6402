/** Chooses the metrics of an assessment. */
import { optionValues } from "../../../core/options.ts";
import { suggestion } from "../../../core/suggestion.ts";
import type { ChosenMetric } from "../../../pipelines/assessment/run_metrics.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { asRequest, RequestError } from "../system/request_error.ts";

/**
 * Returns the metrics to run, with the options that --set gives them.
 *
 * @throws {RequestError} if a name or a value is wrong
 */
export function chooseMetrics(
  given: readonly string[],
  settings: readonly string[],
  { registry }: Plugins,
  usual: readonly string[],
): ChosenMetric[] {
  const known = registry.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);
  const names = given.includes("all") ? known : given.length > 0 ? [...new Set(given)] : usual;
  const list = given.find((name) => name.includes(","));
  if (list !== undefined) {
    const each = list.split(",").map((name) => `--metric ${name.trim()}`).join(" ");
    throw new RequestError(`Cannot use --metric ${list}: expected one name, got several (${each} measures them all)`);
  }
  // A map: a plugin may be called as what every object has, such as `constructor`.
  const options = new Map<string, Record<string, number | string>>(names.map((name) => [name, {}]));
  return asRequest(() => {
    for (const setting of settings) {
      const [, metric, option, value] = /^([^.=]+)\.([^=]+)=(.*)$/.exec(setting) ?? [];
      if (metric === undefined) throw new Error(`Cannot set "${setting}": expected METRIC.OPTION=VALUE`);
      if (known.includes(metric) && !names.includes(metric)) {
        throw new Error(`Cannot set "${setting}": ${metric} is not measured (add --metric ${metric})`);
      }
      if (!names.includes(metric)) {
        throw new Error(`Cannot set "${setting}": there is no metric "${metric}"${suggestion(metric, known)}`);
      }
      options.get(metric)![option] = value.trim() !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
    }
    for (const [name, given] of options) optionValues(registry.find("metric", name), given);
    return Array.from(options, ([name, options]) => ({ name, options }));
  });
}
