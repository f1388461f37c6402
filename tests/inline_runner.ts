/** A runner without threads and without a runtime: tests of pipelines hand in what they need of one. */
import { kernelHash, loadKernels } from "../core/kernels.ts";
import type { Registry } from "../core/registry.ts";
import { runInline } from "../pipelines/run/run_inline.ts";
import type { Cache, ProgressBar, Runner } from "../pipelines/run/runner.ts";
import { builtins } from "../plugins/mod.ts";

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
  readonly progress?: (title: string) => ProgressBar;
  /** Aborts when the work should stop; by default it never does. */
  readonly signal?: AbortSignal;
  /** Keeps fits for later runs; by default nothing is kept. */
  readonly cache?: Cache;
}

/** Makes a runner that does one task after another in the calling thread. */
export function inlineRunner(host: InlineHost): Runner {
  const { module, plugins = builtins, pause, now, signal = new AbortController().signal, cache } = host;
  return {
    threads: 1,
    plugins,
    isolated: false,
    cache,
    kernels: () => Promise.resolve({ kernels: loadKernels(module), sha256: kernelHash(module) }),
    run: (program, work) => {
      return runInline({ kernels: work.kernels ?? loadKernels(module), plugins }, program, work, { signal, pause });
    },
    progress: host.progress ?? (() => ({ update() {}, end() {} })),
    now,
    signal,
    pause,
  };
}
