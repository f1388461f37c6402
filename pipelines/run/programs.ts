/** Lists the programs that threads can run. A new program must be added here. */
import type { Program } from "./runner.ts";

/** Each program is loaded when a thread runs it: no thread waits for the modules of another program. */
const PROGRAMS: Readonly<Record<string, () => Promise<Program<never, never, unknown>>>> = {
  synthesis: async () => (await import("./synthesis_program.ts")).synthesisProgram,
  structure: async () => (await import("./structures.ts")).structureProgram,
  fit: async () => (await import("./fit_parts.ts")).fitProgram,
  "noise-choice": async () => (await import("./noise/choose.ts")).choiceProgram,
  "noise-limits": async () => (await import("./noise/learn.ts")).learningProgram,
  metrics: async () => (await import("../assessment/metric_program.ts")).metricProgram,
  "training-neighbours": async () => (await import("../assessment/training_neighbours.ts")).neighboursProgram,
  morphs: async () => (await import("../synthesis/morph_program.ts")).morphProgram,
  "denoiser-restoration": async () => (await import("../restoration/denoiser_program.ts")).denoiserProgram,
  worth: async () => (await import("../worth/worth_program.ts")).worthProgram,
};

/**
 * Loads a program by its name. The types of its set-up and tasks are those that `Runner.run` was called with.
 *
 * @throws {Error} if there is no program of that name
 */
export async function programOf(name: string): Promise<Program<never, never, unknown>> {
  if (Object.hasOwn(PROGRAMS, name)) return await PROGRAMS[name]();
  throw new Error(`Cannot run "${name}": expected one of ${Object.keys(PROGRAMS).join(", ")}`);
}
