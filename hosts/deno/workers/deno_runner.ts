/** The runner of the command line. It runs tasks on workers, or in this thread if one is enough. */
import process from "node:process";
import { setImmediate } from "node:timers";
import { kernelMemory, loadKernels } from "../../../core/kernels.ts";
import { runInline } from "../../../pipelines/run/run_inline.ts";
import type { Program, ProgramWork, Runner, TaskEvent } from "../../../pipelines/run/runner.ts";
import { progress } from "../system/progress.ts";
import { dataFolder, environment } from "../system/environment.ts";
import { fitCache } from "./fit_cache.ts";
import { BUILTIN_PLUGINS, type Plugins } from "../plugins/plugins.ts";
import { type KernelModule, readModule } from "../system/kernels_file.ts";
import { startWorker } from "../plugins/plugin_worker.ts";
import type { WorkerSetUp, WorkerWarmUp } from "./task_worker.ts";
import { runPool } from "../threads/worker_pool.ts";
import type { WorkerThread } from "../threads/worker_thread.ts";

/** Options of a runner. */
export interface DenoRunnerOptions {
  /** The most workers. */
  readonly threads: number;
  /** The plugins of the run; the built-in ones by default. */
  readonly plugins?: Plugins;
  /** Whether workers without plugins stay for further tasks, until the runner is disposed of: for several runs one after another. */
  readonly stay?: boolean;
  /** Whether no progress is shown. */
  readonly quiet?: boolean;
  /** Whether the work should stop; by default it never does. */
  readonly signal?: AbortSignal;
  /** The folder that fits are kept in; the user's data folder by default. If it is given as undefined, none are kept. */
  readonly folder?: string;
}

/** Bytes of a page of WebAssembly memory. */
const PAGE = 65536;
/** The most bytes of a WebAssembly memory. */
const MAX_BYTES = 4 * 2 ** 30;

/** A runner whose workers can start before there is work. */
export interface DenoRunner extends Runner, Disposable {
  /**
   * Starts workers that load a program while this thread prepares its tasks: a worker takes some 0.2 s to start. Only where workers
   * stay, as many as tasks could run at once.
   */
  warmUp(program: string, tasks: number): void;
}

/** The module that workers run. */
const WORKER = new URL("./task_worker.ts", import.meta.url);

/** Makes a runner. Where its workers stay, disposing of it ends them. */
export function denoRunner(options: DenoRunnerOptions): DenoRunner {
  const { threads, plugins = BUILTIN_PLUGINS, stay = false, quiet = false } = options;
  const { signal = new AbortController().signal } = options, { registry, sources } = plugins;
  const folder = "folder" in options ? options.folder : dataFolder(environment());
  // A plugin that spins, or exits, must not do so in this thread, which listens to signals and writes the results.
  const isolated = sources.length > 0,
    isShared = threads > 1 || isolated,
    module = modulesRead();
  const idle: WorkerThread<unknown, unknown>[] = [];

  async function* run<S, T, R>(program: Program<S, T, R>, work: ProgramWork<S, T>): AsyncGenerator<TaskEvent<R>> {
    const { setUp, tasks, kernels: main } = work;
    const loaded = work.thirdParty ? plugins : BUILTIN_PLUGINS, isAlone = loaded.sources.length === 0;
    if (Math.min(threads, tasks.length) <= 1 && isAlone) {
      const kernels = main ?? loadKernels((await module(false)).module);
      return yield* runInline({ kernels, plugins: registry }, program, work, { signal, pause });
    }
    const compiled = (await module(main !== undefined)).module;
    const start = (worker: number, workers: number) => {
      let shared: WorkerSetUp["shared"];
      if (main) {
        // Each worker allocates in a part of the memory of its own. Pages that it never touches cost nothing.
        const first = main.mark(), room = Math.floor((MAX_BYTES - first) / workers / PAGE) * PAGE;
        main.reserve(first + workers * room);
        shared = { memory: main.memory, from: first + worker * room, to: first + (worker + 1) * room };
      }
      const message: WorkerSetUp = { program: program.name, module: compiled, shared, plugins: loaded.sources, setUp };
      const kept = isAlone ? idle.pop() as WorkerThread<T, R> | undefined : undefined;
      kept?.prepare(message);
      return kept ?? startWorker<T, R>(WORKER, message, loaded);
    };
    const keep = (thread: WorkerThread<T, R>) => void idle.push(thread as WorkerThread<unknown, unknown>);
    const events = runPool({ threads, tasks, start, signal, ...stay && isAlone && { keep } });
    yield* isAlone ? events : checked(events, loaded.checkFiles);
  }

  return {
    threads,
    plugins: registry,
    isolated,
    cache: folder === undefined ? undefined : fitCache(folder, isolated),
    async kernels() {
      const { module: compiled, sha256 } = await module(isShared);
      return { kernels: loadKernels(compiled, kernelMemory({ shared: isShared })), sha256 };
    },
    run,
    progress: (title, note) => progress(title, quiet, undefined, note),
    ...clocks,
    signal,
    pause,
    warmUp(program, tasks) {
      const workers = stay && !isolated ? Math.min(threads, tasks) : 0, message: WorkerWarmUp = { program };
      while (workers > 1 && idle.length < workers) idle.push(startWorker(WORKER, message, BUILTIN_PLUGINS));
    },
    [Symbol.dispose]() {
      for (const thread of idle.splice(0)) thread.terminate();
    },
  };
}

/** Passes events on, unless a check fails before a result: what was made by other code than the record names is no result. */
async function* checked<R>(events: AsyncIterable<TaskEvent<R>>, check: () => void): AsyncGenerator<TaskEvent<R>> {
  for await (const event of events) {
    if (event.type === "result") check();
    yield event;
  }
}

/** Returns a function that reads modules, each once. */
function modulesRead(): (shared: boolean) => Promise<KernelModule> {
  const modules = new Map<boolean, Promise<KernelModule>>();
  return (shared) => {
    if (!modules.has(shared)) modules.set(shared, readModule(shared));
    return modules.get(shared)!;
  };
}

/** The wall clock, and what this process computed in all of its threads. */
const clocks: Required<Pick<Runner, "now" | "processorTime">> = {
  now: () => performance.now(),
  processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** Resolves when waiting signals and timers have been handled: microseconds, where a timer would take milliseconds. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
