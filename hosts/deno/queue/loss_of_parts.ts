/** When the parts of a run that are left count as lost by the engine. */
import type { RunStatus } from "./messages.ts";

/** Milliseconds without a change after which jobs are looked for, and between two looks. */
const QUIET = 3000;

/**
 * Returns a function that takes the state of a run again and again, and says whether the jobs of all parts that are left are lost:
 * nothing has changed for a while, and two looks some seconds apart found none of them.
 *
 * @param isStuck looks for the jobs; whether none is there
 * @param now counts milliseconds
 */
export function lossOfParts(
  isStuck: () => Promise<boolean>,
  now = () => performance.now(),
): (status: Pick<RunStatus, "made" | "left">) => Promise<boolean> {
  let made = -1, left = -1, since = 0, isSuspect = false;
  return async (status) => {
    if (status.made !== made || status.left !== left) {
      [made, left, since, isSuspect] = [status.made, status.left, now(), false];
    }
    if (now() - since < QUIET) return false;
    const isNow = await isStuck(), isLost = isNow && isSuspect;
    [since, isSuspect] = [now(), isNow && !isLost];
    return isLost;
  };
}
