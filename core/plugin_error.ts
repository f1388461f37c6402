/** Errors of third-party plugins name the plugin, where it was loaded from, and what it was doing. */
import type { AnyPlugin } from "./plugin.ts";

/** What errors need to know of a plugin. */
type Named = Pick<AnyPlugin, "kind" | "name" | "from">;

/** Names a plugin: `prior "wobble" of ./wobble.ts`, or `prior "local-nn"` for one that came with the program. */
export function nameOf({ kind, name, from }: Named): string {
  return `${kind} "${name}"${from === undefined ? "" : ` of ${from}`}`;
}

/**
 * Does a part of a plugin's work. An error of a third-party plugin is thrown on as one sentence with the plugin's name and the
 * phase (`create`, `fit`, `draw at (x, y), layer l`, `mask`, `measure`), with the plugin's own error as the cause. Errors of
 * built-in plugins are thrown as they are.
 */
export function during<T>(plugin: Named, phase: string | (() => string), work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (plugin.from === undefined) throw cause;
    throw new Error(`${nameOf(plugin)} failed in ${typeof phase === "string" ? phase : phase()}: ${said(cause)}`, {
      cause,
    });
  }
}

/** Does the same as `during` for work in steps. */
export function* duringSteps<Result>(
  plugin: Named,
  phase: () => string,
  steps: Generator<number, Result>,
): Generator<number, Result> {
  try {
    for (let step = during(plugin, phase, () => steps.next());; step = during(plugin, phase, () => steps.next())) {
      if (step.done) return step.value;
      yield step.value;
    }
  } finally {
    steps.return(undefined as Result); // if the caller closes this generator
  }
}

/** The message of whatever was thrown. */
export function said(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}
