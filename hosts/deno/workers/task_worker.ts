// A worker of the Deno runner: runs the tasks of one program with kernels and plugins of its own.
import { loadKernels, type MemoryRange } from "../../../core/kernels.ts";
import { programOf } from "../../../pipelines/run/programs.ts";
import { builtins } from "../../../plugins/mod.ts";
import { loadPlugins } from "../plugins/load_plugins.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { answerTasks } from "../threads/answer_tasks.ts";

/** How a worker is set up. */
export interface WorkerSetUp {
  readonly program: string;
  readonly module: WebAssembly.Module;
  /** The memory that threads share, and this worker's part of it; without it the worker has a memory of its own. */
  readonly shared?: MemoryRange & { readonly memory: WebAssembly.Memory };
  readonly plugins: readonly PluginSource[];
  readonly setUp: unknown;
}

/** What a worker loads before its set-up is known: the modules of a program. */
export interface WorkerWarmUp {
  readonly program: string;
}

answerTasks(async (given: WorkerSetUp | WorkerWarmUp) => {
  const { prepare } = await programOf(given.program);
  if (!("module" in given)) throw new Error("Cannot do a task: expected a set-up before it");
  const { module, shared, plugins, setUp } = given, registry = builtins.with(...await loadPlugins(plugins));
  const kernels = shared ? loadKernels(module, shared.memory, shared) : loadKernels(module);
  return prepare({ kernels, plugins: registry }, setUp as never);
});
