/** Whose fault an error is: the plugin, where it was loaded from, and what it was doing. */
import type { AnyPlugin } from "./plugin.ts";

/** What errors need to know of a plugin. */
type Named = Pick<AnyPlugin, "kind" | "name" | "from">;

/** `prior "wobble" of ./wobble.ts`; of a plugin that came with the program the name alone. */
export function nameOf({ kind, name, from }: Named): string {
  return `${kind} "${name}"${from === undefined ? "" : ` of ${from}`}`;
}

/**
 * Does a part of a plugin's work. What a plugin that was loaded from somewhere throws is thrown on as one sentence with its
 * name and the phase (`create`, `fit`, `draw at (x, y), layer l`, `mask`, `measure`), its own error as the cause. Those that
 * came with the program speak for themselves.
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

/** What an error says, whatever was thrown. */
export function said(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}
