/** Measures one metric on the images of one class, or on a part of them: the unit of work that threads share. */
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { createFrom } from "../../core/create_plugin.ts";
import { during } from "../../core/plugin_error.ts";
import { rowsOf } from "../../core/nearest.ts";
import { optionValues } from "../../core/options.ts";
import type { Registry } from "../../core/registry.ts";
import type { Images } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { checkedResult, checkNumbers, type Counts } from "../../core/metric_result.ts";
import { builtins } from "../../plugins/mod.ts";

/** One measurement as plain data that can be posted to a worker. The fields are those of `MetricInput`. */
export interface MetricJob extends Omit<MetricInput, "generated" | "training" | "heldOut" | "kernels"> {
  /** Name of the metric. */
  readonly metric: string;
  /** Options that differ from the defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly generated: Images;
  readonly training: Images;
  readonly heldOut?: Images;
}

/**
 * Runs one job and gives its kernel memory back.
 *
 * @throws {Error} if there is no such metric, if it throws, or if it returns no result
 */
export function runMetricJob(kernels: Kernels, job: MetricJob, registry: Registry = builtins): MetricResult {
  const { metric: name, options, ...given } = job, plugin = registry.find("metric", name);
  return borrowing(kernels, () => {
    const metric = createFrom(plugin, optionValues(plugin, options));
    const input: MetricInput = {
      ...given,
      generated: rowsOf(kernels, given.generated),
      training: rowsOf(kernels, given.training),
      heldOut: given.heldOut && rowsOf(kernels, given.heldOut),
      kernels,
    };
    return during(plugin, "measure", () => {
      const result = metric.measure(input);
      if (plugin.from === undefined || result instanceof Promise) return result;
      const counts = countsOf(job), checked = checkedResult(result, counts);
      checkNumbers(checked, counts);
      return checked;
    });
  });
}

/**
 * Checks a result of a thread with third-party plugins, which share that thread and could forge each other's results.
 *
 * @throws {Error} if the result is not one of the job's images
 */
export function checkedPost(result: MetricResult, job: MetricJob): MetricResult {
  try {
    return checkedResult(result, countsOf(job));
  } catch (cause) {
    throw new Error(`Cannot use the result of "${job.metric}": ${(cause as Error).message}`, { cause });
  }
}

function countsOf({ generated: { count: generated }, training: { count: training } }: MetricJob): Counts {
  return { generated, training, both: generated + training };
}

/** Joins the results of the parts of one set, in their order. */
export function joinResults(parts: readonly MetricResult[]): MetricResult {
  if (parts.length === 1) return parts[0];
  const join = (arrays: readonly Float64Array[]) => {
    const all = new Float64Array(arrays.reduce((sum, array) => sum + array.length, 0));
    let at = 0;
    for (const array of arrays) {
      all.set(array, at);
      at += array.length;
    }
    return all;
  };
  const names = Object.keys(parts[0].series);
  return {
    ...parts[0],
    values: join(parts.map(({ values }) => values)),
    series: Object.fromEntries(names.map((name) => [name, join(parts.map(({ series }) => series[name]))])),
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
  };
}
