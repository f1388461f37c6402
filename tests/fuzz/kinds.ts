/** The kinds of fuzzing. A kind is a file in this folder that exports `run`, and a line here. */

/**
 * Tries `count` hostile inputs, which follow from `seed` alone, and returns how many had which outcome. An outcome whose name
 * `isFailure` finds is a failure: describe each on the standard error, with what repeats it. May throw, which is a failure, too.
 */
export type Run = (count: number, seed: number) => Promise<Record<string, number>>;

/** One kind. */
export interface Kind {
  /** What one input is, in the plural. */
  readonly about: string;
  /** How many inputs the command tries. */
  readonly count: number;
  /** How many the tests try: a second or two of work. 0 where other tests do the same. */
  readonly brief: number;
  /** Loads the kind's `run`. */
  readonly load: () => Promise<{ run: Run }>;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  files: {
    about: "files of images, profiles and packs",
    count: 100_000,
    brief: 3000,
    load: () => import("./files.ts"),
  },
  plugins: {
    about: "hostile plugins, each in a command of its own",
    count: 1000,
    brief: 4,
    load: () => import("./plugins.ts"),
  },
  kills: {
    about: "commands that write, each killed at a random moment",
    count: 1000,
    brief: 2,
    load: () => import("./kills.ts"),
  },
  "engine-kills": {
    about: "synth --engine and workers, each killed at a random moment (needs redis-server)",
    count: 200,
    brief: 0, // tests/hosts/deno/queue/work.test.ts
    load: () => import("./engine_kills.ts"),
  },
  schedules: {
    about: "schedules of an engine: cuts, restarts, forged jobs (needs redis-server and PostgreSQL)",
    count: 1000,
    brief: 0, // tests/hosts/deno/queue/schedules.test.ts
    load: () => import("./schedules.ts"),
  },
  requests: {
    about: "requests to the handler",
    count: 10_000,
    brief: 300,
    load: () => import("./requests.ts"),
  },
  commands: { about: "wrong command lines", count: 300, brief: 6, load: () => import("./commands.ts") },
};

/** Whether an outcome is a failure. */
export function isFailure(outcome: string): boolean {
  return /^(crash|hang|lost|foreign|500|failed)/i.test(outcome);
}
