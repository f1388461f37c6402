// A worker of `assess`: measures one job at a time with kernels of its own.
import { loadKernels } from "../../core/kernels.ts";
import type { MetricResult } from "../../core/types.ts";
import { type MetricJob, runMetricJob } from "./metric_job.ts";
import { posted } from "./posted_error.ts";
import type { Answer } from "./worker_pool.ts";

// Without await: a message that comes while a module still waits would be lost.
const bytes = Deno.readFileSync(new URL("../../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(new WebAssembly.Module(bytes));

/** What a worker has of itself; the library of workers cannot be loaded beside that of Deno. */
const scope = self as unknown as { onmessage: unknown; postMessage(answer: Answer<MetricResult>): void };

scope.onmessage = ({ data }: MessageEvent<MetricJob>) => {
  try {
    scope.postMessage({ result: runMetricJob(kernels, data) });
  } catch (error) {
    const told = posted(error), named = told.message.startsWith('metric "');
    scope.postMessage({ error: named ? told : { ...told, message: `${data.metric}: ${told.message}` } });
  }
};
