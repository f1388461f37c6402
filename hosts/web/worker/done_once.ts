/**
 * Makes a function that does some work when it is called first, and returns the same promise from then on. Work that fails is done again
 * at the next call: the network may be back.
 */
export function doneOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () =>
    kept ??= work().catch((error) => {
      kept = undefined;
      throw error;
    });
}
