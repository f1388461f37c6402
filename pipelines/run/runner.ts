/**
 * What a host hands to the pipelines: compiled kernels, threads, progress, a clock, a cache and a stop signal. Implemented for
 * Deno's workers (`hosts/deno/workers/deno_runner.ts`) and without threads (`run_inline.ts`).
 */
import type { Kernels } from "../../core/kernels.ts";
import type { Registry } from "../../core/registry.ts";
import type { Progress } from "../../core/steps.ts";

/** Runs the work of a pipeline. */
export interface Runner {
  /** How many tasks run at the same time. */
  readonly threads: number;
  /** The plugins that tasks find by their names. Where they are `isolated`, third-party ones are stand-ins. */
  readonly plugins: Registry;
  /**
   * Whether third-party plugins run in tasks only, on threads of their own. These could answer anything: results of work with
   * third-party plugins must be checked before they are used.
   */
  readonly isolated: boolean;
  /** Keeps bytes for later runs; undefined if the host keeps none. */
  readonly cache?: Cache;
  /** Loads kernels into a new memory, which tasks on threads can share. */
  kernels(): Promise<LoadedKernels>;
  /**
   * Runs tasks in their order, as many at a time as there are threads. Yields their results, which come in any order, and in
   * between how much of a task is done. If a task fails, no other one is started, and its error is thrown when the running ones
   * have ended. If the signal aborts, the iteration ends early.
   */
  run<SetUp, Task, Result>(
    program: Program<SetUp, Task, Result>,
    work: ProgramWork<SetUp, Task>,
  ): AsyncIterable<TaskEvent<Result>>;
  /**
   * Starts to show progress under a title.
   *
   * @param note said once, when it is known that the work takes long; none by default
   */
  progress(title: string, note?: string): ProgressBar;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Milliseconds of processor time that all threads took so far; left out where the host does not know. */
  processorTime?(): number;
  /** Aborts when the work should stop. */
  readonly signal: AbortSignal;
  /** Lets the host handle events between two pieces of work in the calling thread. */
  pause(): Promise<void>;
}

/** Kernels, and the hash of their code. */
interface LoadedKernels {
  readonly kernels: Kernels;
  /** The SHA-256 of the module, in hexadecimal. */
  readonly sha256: string;
}

/**
 * A kind of work that a thread can do. Functions cannot be posted to another thread, so that thread finds the program by its
 * name in `programs.ts`, which must list it. Set-ups, tasks and results are plain data that can be posted.
 */
export interface Program<SetUp, Task, Result> {
  readonly name: string;
  /** Prepares a thread for all of its tasks. Returns a function that does one task and yields where it may pause. */
  prepare(thread: Thread, setUp: SetUp): (task: Task) => Generator<Progress & Partial<TaskPart>, Result>;
}

/** How much of a task was done since its last such event. */
export interface TaskPart {
  /** A part of its work, 0..1. */
  readonly part: number;
}

/** What happens to task number `task`. */
export type TaskEvent<Result> =
  | { readonly type: "progress"; readonly part: number; readonly task: number }
  | { readonly type: "result"; readonly result: Result; readonly task: number };

/** The kernels and plugins of a thread. */
export interface Thread {
  readonly kernels: Kernels;
  readonly plugins: Registry;
}

/** Tasks of a program. */
export interface ProgramWork<SetUp, Task> {
  readonly setUp: SetUp;
  readonly tasks: readonly Task[];
  /**
   * Kernels from `Runner.kernels` whose memory holds the data that the set-up names by address. Each thread allocates in a part
   * of that memory; without these kernels each thread has a memory of its own.
   */
  readonly kernels?: Kernels;
  /**
   * Whether the tasks use third-party plugins; by default they do not. Threads of other work load none: in the thread of a metric, a
   * plugin could change the images that it measures, and its verdict.
   */
  readonly thirdParty?: boolean;
}

/** Progress that is shown to people. */
export interface ProgressBar {
  /** Says how much of the work is done, 0..1. */
  update(done: number): void;
  /** Removes it. */
  end(): void;
}

/** Keeps bytes under keys. What another version of the code wrote is never read. */
export interface Cache {
  /**
   * Returns the bytes kept under a key; undefined if there are none, or if a byte of them is missing or changed.
   *
   * @param name name of what is kept, such as "morphs" or the name of a prior
   * @param key everything that the bytes depend on, except the code
   */
  read(name: string, key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Keeps bytes under a key, and removes the parts that are kept under it. If they cannot be written, they are dropped without an error. */
  write(name: string, key: Uint8Array, bytes: Uint8Array): Promise<void>;
  /** Opens the parts of bytes that are not whole yet, see `runKept`. A cache without it keeps none. */
  parts?(name: string, key: Uint8Array): Promise<KeptParts>;
}

/** Parts of bytes that are not whole yet. */
export interface KeptParts {
  /** The parts that were kept when they were opened, by their numbers. */
  readonly kept: ReadonlyMap<number, Uint8Array>;
  /** Keeps further parts. If they cannot be written, they are dropped without an error. */
  add(parts: ReadonlyMap<number, Uint8Array>): Promise<void>;
}
