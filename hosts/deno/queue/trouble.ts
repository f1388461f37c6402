/** The messages about an engine that is out of reach, and how long that may last. */
import { engineName } from "./engine_url.ts";
import type { EngineAddress } from "./messages.ts";

/** Milliseconds that an engine may be out of reach. Longer, the machine's manager should know. */
export const PATIENCE = 300_000;

/**
 * Says when an engine is out of reach, and when it is back, each once.
 *
 * @returns a function that takes why it is out of reach, undefined if it is not
 */
export function troubleSayer(engine: EngineAddress, say: (text: string) => void): (why: string | undefined) => void {
  const name = engineName(engine);
  let isOver = true;
  return (why) => {
    if ((why === undefined) === isOver) return;
    isOver = why === undefined;
    say(isOver ? `The engine ${name} answers again` : `The engine ${name} is out of reach, trying again: ${why}`);
  };
}
