/** The messages between a command and its engine client (`client_program.ts`): lines of JSON through the client's standard streams. */

/** Where the engine is: what the client connects to. Given as the first line, so that no password is in an argument list. */
export interface EngineAddress {
  readonly kind: "redis" | "postgres";
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  /** The number of a Redis database, or the name of a PostgreSQL database. */
  readonly database?: string;
  readonly tls: boolean;
  /** Certificates in PEM of the authorities that sign the server's; those of the system by default. */
  readonly ca?: string;
}

/** The first line to the client. */
export interface ClientStart {
  readonly engine: EngineAddress;
  /** How jobs are taken; not given if none are. */
  readonly take?: {
    /** How many at a time. */
    readonly concurrency: number;
    /** Seconds after which another worker takes a job over whose worker is silent. */
    readonly lock: number;
    /** Seconds without a job that it suits after which the worker ends; it waits for ever if not given. */
    readonly idle?: number;
  };
}

/** A run as the engine sees it: jobs for its parts, and one that ends it when all parts are there. */
export interface EngineRun {
  /** Names the run: the same run has the same name. */
  readonly name: string;
  /** Names its jobs: adding them again, after an answer was lost, adds nothing. */
  readonly batch: string;
  /** What workers are given, one for each part. */
  readonly parts: readonly unknown[];
  readonly end: unknown;
}

/** How far a run is. */
export interface RunStatus {
  /**
   * `lost`: the engine does not know it, as before its start, or after the engine lost its memory; `adding`: not all of its parts
   * are added.
   */
  readonly state: "lost" | "adding" | "running" | "done" | "failed";
  /** Parts that are made, and those that are not. */
  readonly made: number;
  readonly left: number;
  /** Why it failed. */
  readonly why?: string;
}

/** What a command asks of the client. Each is answered once, with its number. */
export type Question =
  | { readonly ask: "begin"; readonly run: EngineRun }
  | { readonly ask: "look"; readonly name: string }
  /** Whether a run waits for parts, and the jobs of all of them are lost. */
  | { readonly ask: "isStuck"; readonly name: string }
  /** How many workers there are. */
  | { readonly ask: "workers" }
  /** Why workers gave parts of a run back that are not made: sentences. */
  | { readonly ask: "refusals"; readonly name: string }
  | { readonly ask: "remove"; readonly name: string };

/** How a job ended: `done`; `failed`, with whether trying again is useless; `back`: this worker must not do it, but others may. */
export type Outcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly why: string; readonly isFinal: boolean }
  | { readonly outcome: "back"; readonly why: string };

/** A line to the client, after the first: a question, the outcome of a job, or a sign that the command is alive. */
export type ToClient =
  | { readonly question: Question; readonly number: number }
  | { readonly job: string; readonly ended: Outcome }
  | { readonly alive: true }
  | { readonly close: true };

/** A job that was taken. */
export interface TakenJob {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}

/** A line from the client. It answers each sign of life with one. */
export type FromClient =
  | { readonly ready: true }
  | { readonly alive: true }
  /** What is wrong with a job that the packages of the queue cannot read: they leave it in the queue. */
  | { readonly unreadable: string }
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly error: string }
  | { readonly taken: TakenJob }
  /** Trouble with the connection, which is tried again; null when it is over. */
  | { readonly trouble: string | null };
