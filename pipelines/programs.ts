/** Lists the programs that threads can run. A new program must be added here. */
import { metricProgram } from "./assessment/metric_program.ts";
import { neighboursProgram } from "./assessment/training_neighbours.ts";
import type { Program } from "./runner.ts";
import { fitProgram } from "./synthesis/fit_parts.ts";
import { synthesisProgram } from "./synthesis/synthesis_tasks.ts";
import { worthProgram } from "./worth/worth_program.ts";

const PROGRAMS: readonly Program<never, never, unknown>[] = [
  ...[synthesisProgram, fitProgram],
  ...[metricProgram, neighboursProgram, worthProgram],
];

/**
 * Finds a program by its name. The types of its set-up and tasks are those that `Runner.run` was called with.
 *
 * @throws {Error} if there is no program of that name
 */
export function programOf(name: string): Program<never, never, unknown> {
  const found = PROGRAMS.find((program) => program.name === name);
  if (found) return found;
  throw new Error(`Cannot run "${name}": expected one of ${PROGRAMS.map(({ name }) => name).join(", ")}`);
}
