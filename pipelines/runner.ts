/**
 * What a host hands to the pipelines: compiled kernels, threads, progress, a clock, a cache and a stop signal. Implemented for
 * Deno's workers (`hosts/deno/workers/deno_runner.ts`) and without threads (`run_inline.ts`).
 */
import type { Kernels } from "../core/kernels.ts";
import type { Registry } from "../core/registry.ts";

/** Runs the work of a pipeline. */
export interface Runner {
  /** How many tasks run at the same time. */
  readonly threads: number;
  /** The plugins that tasks find by their names. Where they are `isolated`, third-party ones are stand-ins. */
  readonly plugins: Registry;
  /**
   * Whether third-party plugins run in tasks only, on threads of their own. They share these with the built-in plugins and could
   * answer anything: results must be checked before they are used.
   */
  readonly isolated: boolean;
  /** Keeps bytes for later runs; undefined if the host keeps none. */
  readonly cache?: Cache;
  /** Loads kernels into a new memory, which tasks on threads can share. */
  kernels(): Promise<LoadedKernels>;
  /**
   * Runs tasks in their order, as many at a time as there are threads. If a task fails, no other one is started, and its error
   * is thrown when the running ones have ended.
   *
   * @returns whether all tasks were finished; false if `stopped` ended the run
   */
  run<SetUp, Task, Result>(
    program: Program<SetUp, Task, Result>,
    work: ProgramWork<SetUp, Task>,
    watch: RunWatch<Result>,
  ): Promise<boolean>;
  /** Starts to show progress under a title. */
  progress(title: string): Progress;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Whether the work should stop. */
  stopped(): boolean;
  /** Lets the host handle events between two pieces of work in the calling thread. */
  pause(): Promise<void>;
}

/** Kernels, and the hash of their code. */
export interface LoadedKernels {
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
  /**
   * Prepares a thread for all of its tasks. Returns a function that does one task and yields after each of its steps; where it is
   * known, the part of the task's work that the step was, 0..1.
   */
  prepare(thread: Thread, setUp: SetUp): (task: Task) => Generator<number | void, Result>;
}

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
}

/** The callbacks of a run. An error that one of them throws ends the run. */
export interface RunWatch<Result> {
  /** Called after a step or some steps of any task with the part of task number `task` that they were, 0 if that is unknown. */
  step?(part: number, task: number): void;
  /** Takes the result of task number `task`. Tasks of several threads end in any order. */
  result(result: Result, task: number): void | Promise<void>;
}

/** Progress that is shown to people. */
export interface Progress {
  /** Says how much of the work is done, 0..1. */
  update(done: number): void;
  /** Removes it. */
  end(): void;
}

/** Keeps bytes under keys. Entries that another version of the code wrote are never read. */
export interface Cache {
  /**
   * Returns the bytes kept under a key; undefined if there are none, or if a byte of them is missing or changed.
   *
   * @param name name of the prior
   * @param key everything that the bytes depend on, except the code
   */
  read(name: string, key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Keeps bytes under a key. If they cannot be written, they are dropped without an error. */
  write(name: string, key: Uint8Array, bytes: Uint8Array): Promise<void>;
}
