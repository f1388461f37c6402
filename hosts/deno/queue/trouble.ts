/** The messages about an engine that is out of reach, and how long that may last. */
import { mayTryAgain } from "./engine_client.ts";
import { engineName } from "./engine_url.ts";
import type { EngineAddress } from "./messages.ts";

/** Milliseconds that an engine may be out of reach. Longer, the machine's manager should know. */
export const PATIENCE = 300_000;

/** Milliseconds for which an error must be away before it is said again that a server answers with. */
const QUIET = 60_000;

/**
 * Says when an engine is out of reach, and when it is back, each once. A server that answers some questions and not others, as one
 * that allows this user too little, seems to be back again and again: such an error is said when it is new.
 *
 * @returns a function that takes why it is out of reach, undefined if it is not
 */
export function troubleSayer(
  engine: EngineAddress,
  say: (text: string) => void,
  now = () => performance.now(),
): (why: string | undefined) => void {
  const name = engineName(engine);
  let isOver = true, isSaid = false, last: string | undefined, time = -Infinity;
  return (why) => {
    if ((why === undefined) === isOver) return;
    isOver = why === undefined;
    if (why !== undefined) {
      isSaid = why !== last || mayTryAgain(new Error(why)) || now() - time > QUIET;
      last = why;
    }
    time = now();
    if (!isSaid) return;
    say(isOver ? `The engine ${name} answers again` : `The engine ${name} is out of reach, trying again: ${why}`);
  };
}
