/** Bundles in spite of others: the runtime copies esbuild into its cache at the first bundle, and bundles at that time fail. */

/** How often a bundle is tried, and the milliseconds between two tries: copying takes less than a second. */
const TRIES = 10, PAUSE = 500;

/**
 * Runs a bundle, and again if the runtime could not copy esbuild.
 *
 * @throws {Error} what the bundle throws, if it is of another cause or the last try fails, too
 */
export async function bundleAgain<T>(bundle: () => Promise<T>, pause = PAUSE): Promise<T> {
  for (let tried = 1;; tried++) {
    try {
      return await bundle();
    } catch (error) {
      if (tried === TRIES || !(error as Error).message.includes("copy esbuild binary")) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
