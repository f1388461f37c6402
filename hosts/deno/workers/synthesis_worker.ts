// A worker of `runJobsOnThreads`: its own instance of the kernels on the shared memory, in its own stretch of it.
import { loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { TrainingPyramid } from "../../../core/pyramid.ts";
import { builtins } from "../../../plugins/mod.ts";
import { type FitTask, partFitter } from "./fit_parts.ts";
import { type GroupImage, type Job, runJob, type Work } from "./job.ts";
import { loadPlugins, type PluginSource } from "../plugins/load_plugins.ts";
import { posted, type PostedError } from "./posted_error.ts";

/** Messages to the worker: first the set-up, then a job at a time. */
export type ToWorker = {
  readonly setUp: {
    readonly module: WebAssembly.Module;
    readonly memory: WebAssembly.Memory;
    readonly from: number;
    readonly to: number;
    readonly profile: Profile;
    readonly plugins: readonly PluginSource[];
    readonly trainings: readonly TrainingPyramid[];
    readonly seed: number;
    readonly batch: number;
    readonly fitted: Work["fitted"];
  };
} | Task;

/** Work for a worker: a job, or a part of a prior's fit. */
export type Task = { readonly job: Job } | { readonly fit: FitTask };

/** What a task leads to. */
export type Result = { readonly images: GroupImage[] } | { readonly part: Uint8Array };

/** Messages from the worker: one for each iteration, then the result or what went wrong. */
export type FromWorker = { readonly step: number } | Result | { readonly error: PostedError };

/** What a worker has of itself; the library of workers cannot be loaded beside that of Deno. */
const scope = self as unknown as { onmessage: unknown; postMessage(message: FromWorker): void };
let work: Work, fitPart: ((task: FitTask) => Uint8Array) | undefined;
/** What came before, plugins that are still loaded among it, is done before what comes next. */
let turn: Promise<void> = Promise.resolve();

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  turn = turn.then(() => take(data)).catch((error) => scope.postMessage({ error: posted(error) }));
};

async function take(message: ToWorker): Promise<void> {
  if ("setUp" in message) {
    const { module, memory, from, to, profile, plugins, trainings, seed, batch, fitted } = message.setUp;
    const registry = builtins.with(...await loadPlugins(plugins));
    const kernels = loadKernels(module, memory, { from, to });
    work = { kernels, plan: plan(profile, registry), trainings, seed, batch, fitted };
    return;
  }
  if ("fit" in message) {
    fitPart ??= partFitter(work);
    return scope.postMessage({ part: fitPart(message.fit) });
  }
  const steps = runJob(work, message.job);
  let step = steps.next();
  for (; !step.done; step = steps.next()) scope.postMessage({ step: step.value });
  scope.postMessage({ images: step.value });
}
