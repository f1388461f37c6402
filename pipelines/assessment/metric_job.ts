/** One metric on one class's images (or on a part of them): what a worker of `assess` does at a time. */
import type { Kernels } from "../../core/kernels.ts";
import { during, nameOf } from "../../core/plugin_error.ts";
import { optionValues, shown } from "../../core/options.ts";
import type { Registry } from "../../core/registry.ts";
import type { MetricInput, MetricResult, Rows } from "../../core/types.ts";
import { builtins } from "../../plugins/mod.ts";

/** Square images of the profile's size, one after another. */
export interface SquareImages {
  readonly count: number;
  readonly size: number;
  readonly pixels: Uint8Array;
}

/** All that a metric needs, ready to be posted to a worker. */
export interface MetricJob {
  readonly metric: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly generated: SquareImages;
  readonly training: SquareImages;
  readonly heldOut?: SquareImages;
  readonly labels?: MetricInput["labels"];
  readonly patch: number;
  readonly overlap: number;
  readonly window: number;
}

/** Runs a job; kernel memory is given back. */
export function runMetricJob(kernels: Kernels, job: MetricJob, plugins: Registry = builtins): MetricResult {
  const mark = kernels.mark(), plugin = plugins.find("metric", job.metric);
  try {
    const metric = during(plugin, "create", () => plugin.create(optionValues(plugin, job.options)));
    const input: MetricInput = {
      generated: rows(kernels, job.generated),
      training: rows(kernels, job.training),
      heldOut: job.heldOut && rows(kernels, job.heldOut),
      labels: job.labels,
      patch: job.patch,
      overlap: job.overlap,
      window: job.window,
      kernels,
    };
    const result = during(plugin, "measure", () => metric.measure(input));
    if (result?.values instanceof Float64Array) return result;
    throw new Error(
      `${nameOf(plugin)} measured nothing: expected values, a Float64Array, got ${shown(result?.values)}`,
    );
  } finally {
    kernels.release(mark);
  }
}

function rows(kernels: Kernels, { count, size, pixels }: SquareImages): Rows {
  const at = kernels.allocate(pixels.length);
  kernels.u8(at, pixels.length).set(pixels);
  return { count, height: size, width: size, channels: 1, at };
}

/** Puts the results of the parts of one set together again. */
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
