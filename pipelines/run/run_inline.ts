/** Runs the work of pipelines in the calling thread: for hosts without threads, and for work that needs only one. */
import type { Program, ProgramWork, Runner, TaskEvent, Thread } from "./runner.ts";

/** Runs tasks one after another in the calling thread, with a pause after each step: `Runner.run` for one thread. */
export async function* runInline<SetUp, Task, Result>(
  thread: Thread,
  program: Program<SetUp, Task, Result>,
  { setUp, tasks }: ProgramWork<SetUp, Task>,
  { signal, pause }: Pick<Runner, "signal" | "pause">,
): AsyncIterable<TaskEvent<Result>> {
  if (tasks.length === 0) return;
  const start = program.prepare(thread, setUp);
  for (const [task, one] of tasks.entries()) {
    if (signal.aborted) return;
    const steps = start(one);
    try {
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        const { part = 0 } = step.value;
        yield { type: "progress", part, task };
        await pause();
        if (signal.aborted) return;
      }
      yield { type: "result", result: step.value, task };
    } finally {
      steps.return(undefined as Result); // releases the memory of a task that was not finished
    }
    await pause();
  }
}
