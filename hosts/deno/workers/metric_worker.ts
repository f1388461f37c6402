// A worker of `assess`: measures one job at a time with kernels and plugins of its own.
import { type Kernels, loadKernels } from "../../../core/kernels.ts";
import type { Registry } from "../../../core/registry.ts";
import type { MetricResult } from "../../../core/types.ts";
import { builtins } from "../../../plugins/mod.ts";
import { loadPlugins, type PluginSource } from "../plugins/load_plugins.ts";
import { type MetricJob, runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { posted } from "./posted_error.ts";
import type { Answer } from "./worker_pool.ts";

/** What the worker is posted: the first time it takes the kernels and the plugins from it. */
export interface MetricTask {
  readonly job: MetricJob;
  readonly module: WebAssembly.Module;
  readonly plugins: readonly PluginSource[];
}

/** What a worker has of itself; the library of workers cannot be loaded beside that of Deno. */
const scope = self as unknown as { onmessage: unknown; postMessage(answer: Answer<MetricResult>): void };
let kernels: Kernels | undefined, registry: Registry | undefined;

scope.onmessage = async ({ data: { job, module, plugins } }: MessageEvent<MetricTask>) => {
  try {
    kernels ??= loadKernels(module);
    registry ??= builtins.with(...await loadPlugins(plugins));
    scope.postMessage({ result: runMetricJob(kernels, job, registry) });
  } catch (error) {
    const told = posted(error), named = told.message.startsWith('metric "');
    scope.postMessage({ error: named ? told : { ...told, message: `${job.metric}: ${told.message}` } });
  }
};
