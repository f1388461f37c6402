/** Keeps results of tasks as they are made, so that long work that was stopped goes on where it was. */
import type { KeptParts, Program, ProgramWork, Runner, TaskEvent } from "./runner.ts";

/** Milliseconds of work that a stop loses at most, and one task. Shorter work keeps its whole only. */
export const KEEP_EVERY = 5000;

/** What users are told of long work whose results are kept; undefined where none are. */
export function keptNote({ cache, isolated }: Pick<Runner, "cache" | "isolated">): string | undefined {
  return cache && !isolated ? "this once: what is done is kept, also if the command is stopped" : undefined;
}

/** Where the result of a task is kept: under which number of which parts. */
interface PartPlace {
  /** Undefined if it is not kept. */
  readonly parts: KeptParts | undefined;
  readonly number: number;
}

/** How tasks' results are kept. */
interface Keeping<Result> {
  /** A place for each task. */
  readonly places: readonly PartPlace[];
  encode(result: Result): Uint8Array;
  decode(bytes: Uint8Array): Result;
}

/** Runs tasks as `Runner.run` does, but those whose results are kept. Their results come first. */
export async function* runKept<SetUp, Task, Result>(
  runner: Runner,
  program: Program<SetUp, Task, Result>,
  work: ProgramWork<SetUp, Task>,
  { places, encode, decode }: Keeping<Result>,
): AsyncGenerator<TaskEvent<Result>> {
  const open: number[] = [], waiting = new Map<KeptParts, Map<number, Uint8Array>>();
  for (const [task, { parts, number }] of places.entries()) {
    const bytes = parts?.kept.get(number);
    if (bytes) yield { type: "result", task, result: decode(bytes) };
    else open.push(task);
  }
  const flush = async () => {
    const batches = [...waiting];
    waiting.clear();
    for (const [parts, batch] of batches) await parts.add(batch);
  };
  let kept = runner.now();
  try {
    for await (const event of runner.run(program, { ...work, tasks: open.map((task) => work.tasks[task]) })) {
      const task = open[event.task], { parts, number } = places[task];
      if (event.type === "result" && parts) {
        waiting.set(parts, (waiting.get(parts) ?? new Map()).set(number, encode(event.result)));
        if (runner.now() - kept >= KEEP_EVERY) {
          await flush();
          kept = runner.now();
        }
      }
      yield { ...event, task };
    }
  } finally {
    // Work that ended is kept as a whole.
    if (runner.signal.aborted) await flush();
  }
}
