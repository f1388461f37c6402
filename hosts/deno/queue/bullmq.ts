/** The types of BullMQ, as much of it as is used. Its own types would be downloaded by every check of this project. */

import type { PostgresBackend } from "./trying_again.ts";

/** The module. */
export interface BullMQ {
  readonly Queue: new (name: string, options: object, backend?: unknown) => Queue;
  readonly FlowProducer: new (options: object, backend?: unknown) => Flows;
  readonly Worker: new (
    name: string,
    process: (job: Job, token: string) => Promise<unknown>,
    options: object,
    backend?: unknown,
  ) => Worker;
  readonly Job: { fromId(queue: Queue | Worker, id: string): Promise<Job | undefined> };
  readonly DelayedError: new () => Error;
  readonly WaitingError: new () => Error;
  readonly UnrecoverableError: new (message: string) => Error;
  readonly SchemaMigrationRequiredError: new () => Error;
  createPostgresBackend(...given: unknown[]): PostgresBackend;
  assertSchemaCompatibility(client: unknown, schema: string): Promise<unknown>;
  runMigrations(client: unknown, schema: string): Promise<unknown>;
}

/** What all of them have. */
export interface Closable {
  on(event: "error", listener: (error: unknown) => void): unknown;
  close(force?: boolean): Promise<void>;
}

/** What takes jobs. */
export interface Worker extends Closable {
  /** How many at a time; may be changed at any time. */
  concurrency: number;
  /** Takes no more jobs; `isAtOnce`: does not wait for those that are open. */
  pause(isAtOnce: true): Promise<void>;
  resume(): Promise<void>;
}

/** The queue, for questions and for adding jobs. */
export interface Queue extends Closable {
  waitUntilReady(): Promise<unknown>;
  readonly name: string;
  readonly qualifiedName: string;
  getBackend(): RedisServer | PostgresServer;
  getWorkersCount(): Promise<number>;
  addBulk(jobs: readonly object[]): Promise<unknown>;
  /** The state of a job, which may be unreadable; "unknown" if there is none. */
  getJobState(id: string): Promise<string>;
  /** Removes a job. Resolves to 1; to 0 if a worker has it, with PostgreSQL also if there is none. */
  remove(id: string, options: { removeChildren: boolean }): Promise<number>;
}

/** Redis, to be asked directly. */
export interface RedisServer {
  readonly client: Promise<{
    lrange(key: string, first: number, last: number): Promise<string[]>;
    exists(keys: readonly string[]): Promise<number>;
    hmget(key: string, ...fields: string[]): Promise<(string | null)[]>;
  }>;
}

/** PostgreSQL, to be asked directly. */
export interface PostgresServer {
  query(text: string, values: readonly unknown[]): Promise<{ rows: readonly { id: string }[] }>;
}

/** What adds jobs that wait for others. */
export interface Flows extends Closable {
  add(flow: object): Promise<unknown>;
}

/** A job. */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
  /** Why it failed, also if it is tried again; and why it will fail when it is taken, because a job failed that it waited for. */
  readonly failedReason?: string;
  readonly deferredFailure?: string;
  /** When it was done, or failed for good. */
  readonly finishedOn?: number;
  /** How often it has ended with an error. */
  readonly attemptsMade: number;
  /** `lifo`: whether it goes to the front of the queue to be tried again. */
  readonly opts: { readonly attempts?: number; lifo?: boolean };
  readonly parent?: { readonly id: string };
  getState(): Promise<string>;
  getDependenciesCount(): Promise<{ processed?: number; unprocessed?: number }>;
  getDependencies(
    page: { unprocessed: { cursor?: number; count: number } },
  ): Promise<{ unprocessed?: string[]; nextUnprocessedCursor?: number }>;
  readonly progress: unknown;
  moveToWait(token: string): Promise<unknown>;
  moveToDelayed(time: number, token: string): Promise<unknown>;
  promote(): Promise<void>;
  updateProgress(progress: string): Promise<unknown>;
  removeUnprocessedChildren(): Promise<void>;
}
