/** Runs the work of pipelines in the calling thread: for hosts without threads, and where one thread is enough. */
import { kernelHash, loadKernels } from "../core/kernels.ts";
import type { Registry } from "../core/registry.ts";
import { builtins } from "../plugins/mod.ts";
import type { Cache, Program, ProgramWork, Progress, Runner, RunWatch, Thread } from "./runner.ts";

/** What an inline runner needs of its host. */
export interface InlineHost {
  /** The compiled `kernels.wasm`. */
  readonly module: WebAssembly.Module;
  /** The built-in plugins by default. */
  readonly plugins?: Registry;
  /** Lets events in: resolves after what is waiting has been handled. */
  pause(): Promise<void>;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Shows nothing by default. */
  readonly progress?: (title: string) => Progress;
  /** Never by default. */
  readonly stopped?: () => boolean;
  /** Keeps nothing by default. */
  readonly cache?: Cache;
}

/** A runner that does one task after another in the calling thread. */
export function inlineRunner(host: InlineHost): Runner {
  const { module, plugins = builtins, pause, now, stopped = () => false, cache } = host;
  return {
    threads: 1,
    plugins,
    sandbox: false,
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
        watch.step?.();
        await pause();
        if (stopped()) return false;
      }
      await watch.result(step.value, number);
    } finally {
      steps.return(undefined as Result); // gives back what it holds where it has not come to its end
    }
    await pause();
  }
  return true;
}
