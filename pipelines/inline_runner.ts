/** Runs the work of pipelines in the calling thread: for hosts without threads, and for work that needs only one. */
import { kernelHash, loadKernels } from "../core/kernels.ts";
import type { Registry } from "../core/registry.ts";
import { builtins } from "../plugins/mod.ts";
import type { Cache, Program, ProgramWork, Progress, Runner, RunWatch, Thread } from "./runner.ts";

/** What an inline runner needs of its host. */
export interface InlineHost {
  /** The compiled `kernels.wasm`. */
  readonly module: WebAssembly.Module;
  /** The plugins that tasks find by their names; the built-in ones by default. */
  readonly plugins?: Registry;
  /** Resolves when the events that are waiting have been handled. */
  pause(): Promise<void>;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Starts to show progress under a title; by default nothing is shown. */
  readonly progress?: (title: string) => Progress;
  /** Whether the work should stop; by default it never does. */
  readonly stopped?: () => boolean;
  /** Keeps fits for later runs; by default nothing is kept. */
  readonly cache?: Cache;
}

/** Makes a runner that does one task after another in the calling thread. */
export function inlineRunner(host: InlineHost): Runner {
  const { module, plugins = builtins, pause, now, stopped = () => false, cache } = host;
  return {
    threads: 1,
    plugins,
    isolated: false,
    cache,
    kernels: () => Promise.resolve({ kernels: loadKernels(module), sha256: kernelHash(module) }),
    run(program, work, watch) {
      return runInline({ kernels: work.kernels ?? loadKernels(module), plugins }, program, work, watch, {
        stopped,
        pause,
      });
    },
    progress: host.progress ?? (() => ({ update() {}, end() {} })),
    now,
    stopped,
    pause,
  };
}

/** Runs tasks one after another in the calling thread, with a pause after each step: `Runner.run` for one thread. */
export async function runInline<SetUp, Task, Result>(
  thread: Thread,
  program: Program<SetUp, Task, Result>,
  { setUp, tasks }: ProgramWork<SetUp, Task>,
  watch: RunWatch<Result>,
  { stopped, pause }: Pick<Runner, "stopped" | "pause">,
): Promise<boolean> {
  if (tasks.length === 0) return true;
  const start = program.prepare(thread, setUp);
  for (const [number, task] of tasks.entries()) {
    if (stopped()) return false;
    const steps = start(task);
    try {
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        watch.step?.(step.value ?? 0, number);
        await pause();
        if (stopped()) return false;
      }
      await watch.result(step.value, number);
    } finally {
      steps.return(undefined as Result); // releases the memory of a task that was not finished
    }
    await pause();
  }
  return true;
}
