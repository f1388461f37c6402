/** All programs that threads can run, by their names: a new one is listed here. */
import { metricProgram } from "./assessment/metric_program.ts";
import type { Program } from "./runner.ts";
import { fitProgram } from "./synthesis/fit_parts.ts";
import { synthesisProgram } from "./synthesis/synthesis_tasks.ts";

const PROGRAMS: readonly Program<never, never, unknown>[] = [synthesisProgram, fitProgram, metricProgram];

/** Finds a program. Its set-up and tasks are those that `Runner.run` was called with. */
export function programOf(name: string): Program<never, never, unknown> {
  const found = PROGRAMS.find((program) => program.name === name);
  if (found) return found;
  throw new Error(`Cannot run "${name}": expected one of ${PROGRAMS.map(({ name }) => name).join(", ")}`);
}
