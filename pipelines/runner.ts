/**
 * What a host hands to the pipelines: compiled kernels, threads, progress, a clock, a cache and a stop signal. Implemented for
 * Deno's workers (`hosts/deno/workers/deno_runner.ts`) and without threads (`inline_runner.ts`).
 */
import type { Kernels } from "../core/kernels.ts";
import type { Registry } from "../core/registry.ts";

/** Runs the work of a pipeline. */
export interface Runner {
  /** How many tasks run at the same time. */
  readonly threads: number;
  /** The plugins that tasks find by their names. In a sandbox they are stand-ins: their code runs in tasks only. */
  readonly plugins: Registry;
  /**
   * Whether third-party plugins run in a sandbox. They could post anything in a task's name there: what a result is used for
   * must be checked.
   */
  readonly sandbox: boolean;
  /** Where bytes are kept for later runs; undefined where the host keeps nothing. */
  readonly cache?: Cache;
  /** Loads kernels into a new memory, which tasks on threads can share. */
  kernels(): Promise<LoadedKernels>;
  /**
   * Runs tasks in their order, as many at a time as there are threads. Where one fails no more are begun, and its error is
   * thrown once nothing runs any more.
   *
   * @returns whether all tasks were finished; false where `stopped` ended the run
   */
  run<SetUp, Task, Result>(
    program: Program<SetUp, Task, Result>,
    work: ProgramWork<SetUp, Task>,
    watch: RunWatch<Result>,
  ): Promise<boolean>;
  /** Begins to show the progress of what `title` names. */
  progress(title: string): Progress;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Whether the work shall stop. */
  stopped(): boolean;
  /** Lets events in between two pieces of work that run in the calling thread. */
  pause(): Promise<void>;
}

/** Kernels and what tells their code from another. */
export interface LoadedKernels {
  readonly kernels: Kernels;
  /** Of the module, in hexadecimal. */
  readonly sha256: string;
}

/**
 * A kind of work that a thread can do. Functions cannot be posted to another thread: there a program is found by its name in
 * `programs.ts`, where it must be listed. Set-ups, tasks and results are plain data that can be posted.
 */
export interface Program<SetUp, Task, Result> {
  readonly name: string;
  /** Prepares a thread, once for all of its tasks. What is returned does one task and yields after each step of it. */
  prepare(thread: Thread, setUp: SetUp): (task: Task) => Generator<void, Result>;
}

/** What a thread has for itself. */
export interface Thread {
  readonly kernels: Kernels;
  readonly plugins: Registry;
}

/** Tasks of a program. */
export interface ProgramWork<SetUp, Task> {
  readonly setUp: SetUp;
  readonly tasks: readonly Task[];
  /**
   * Kernels from `Runner.kernels` whose memory holds what the set-up names by address. Each thread allocates in a part of that
   * memory; without them each has a memory of its own.
   */
  readonly kernels?: Kernels;
}

/** What a run calls. What it throws ends the run. */
export interface RunWatch<Result> {
  /** Called after each step of any task. */
  step?(): void;
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

/** Keeps bytes by all that they depend on, beside the code: an entry of older code is never read. */
export interface Cache {
  /** The bytes, or undefined where nothing was kept or a byte of it is missing or changed. `name` is that of the prior. */
  read(name: string, key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Keeps bytes. Where that is not possible they are dropped: it is no error. */
  write(name: string, key: Uint8Array, bytes: Uint8Array): Promise<void>;
}
