// A worker of the Deno runner: runs the tasks of one program with kernels and plugins of its own.
import { loadKernels, type Stretch } from "../../../core/kernels.ts";
import { programOf } from "../../../pipelines/programs.ts";
import { builtins } from "../../../plugins/mod.ts";
import { loadPlugins } from "../plugins/load_plugins.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { posted } from "./posted_error.ts";
import type { Answer } from "./worker_pool.ts";

/** The first message to a worker. All others are tasks. */
export interface WorkerSetUp {
  readonly program: string;
  readonly module: WebAssembly.Module;
  /** The memory that threads share, and this worker's part of it; without it the worker has a memory of its own. */
  readonly shared?: Stretch & { readonly memory: WebAssembly.Memory };
  readonly plugins: readonly PluginSource[];
  readonly setUp: unknown;
}

/** The worker's global scope: the types of workers cannot be loaded beside those of Deno. */
const scope = self as unknown as { onmessage: unknown; postMessage(answer: Answer<unknown>): void };

scope.onmessage = ({ data }: MessageEvent<WorkerSetUp>) => {
  const prepared = prepare(data);
  prepared.catch(() => {}); // the first task reports it
  // A task waits only for the set-up: the next one is posted when it has been answered.
  scope.onmessage = async ({ data: task }: MessageEvent<never>) => {
    try {
      const steps = (await prepared)(task);
      let step = steps.next();
      for (; !step.done; step = steps.next()) scope.postMessage({ step: true });
      scope.postMessage({ result: step.value });
    } catch (error) {
      scope.postMessage({ error: posted(error) });
    }
  };
};

async function prepare({ program, module, shared, plugins, setUp }: WorkerSetUp) {
  const registry = builtins.with(...await loadPlugins(plugins));
  const kernels = shared ? loadKernels(module, shared.memory, shared) : loadKernels(module);
  return programOf(program).prepare({ kernels, plugins: registry }, setUp as never);
}
