/** Runs the work of pipelines in the calling thread: for hosts without threads, and for work that needs only one. */
import type { Program, ProgramWork, Runner, RunWatch, Thread } from "./runner.ts";

/** Runs tasks one after another in the calling thread, with a pause after each step: `Runner.run` for one thread. */
export async function runInline<SetUp, Task, Result>(
  thread: Thread,
  program: Program<SetUp, Task, Result>,
  { setUp, tasks }: ProgramWork<SetUp, Task>,
  watch: RunWatch<Result>,
  { stopped, pause }: Pick<Runner, "stopped" | "pause">,
): Promise<boolean> {
  if (tasks.length === 0) return true;
  const start = program.prepare(thread, setUp);
  for (const [number, task] of tasks.entries()) {
    if (stopped()) return false;
    const steps = start(task);
    try {
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        watch.step?.(step.value ?? 0, number);
        await pause();
        if (stopped()) return false;
      }
      await watch.result(step.value, number);
    } finally {
      steps.return(undefined as Result); // releases the memory of a task that was not finished
    }
    await pause();
  }
  return true;
}
