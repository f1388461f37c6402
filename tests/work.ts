/** Counts the work of a function, so that a test can bound it: unlike time, it is the same on every machine. */
import { Session } from "node:inspector";

/** What is counted of a script: its functions, with the blocks in them. */
interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/**
 * Counts how often blocks of code are run: functions, loops and branches, in the modules of this project and in npm packages. What the
 * engine does in one step, such as filling an array, counts as one.
 *
 * @param work must do the same each time; it runs once
 */
export async function countBlocks(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  const post = (method: string, parameters = {}) =>
    new Promise<{ result: readonly Script[] }>((resolve, reject) => {
      session.post(method, parameters, (error: unknown, result: unknown) => {
        if (error) reject(error);
        else resolve(result as { result: readonly Script[] });
      });
    });
  try {
    await post("Profiler.enable");
    await post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    await work();
    const { result } = await post("Profiler.takePreciseCoverage");
    const counted = result.filter(({ url }) => url.startsWith("file:") && !url.endsWith("/tests/work.ts"));
    const ranges = counted.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return ranges.reduce((sum, { count }) => sum + count, 0);
  } finally {
    await post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}
