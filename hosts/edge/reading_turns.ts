/** Turns of reading queries, which takes some milliseconds of each that nobody is charged for. */

/** Reads something when it is the turn of a client. All without a name take no turns. */
export type ReadInTurn = <Read>(client: string | undefined, read: () => Read) => Promise<Read>;

/**
 * Makes turns of reading: what one client sends is read one after another, with a pause after each. So whoever sends many queries at once
 * does not keep the work of others waiting until all are read.
 */
export function readingTurns(): ReadInTurn {
  const ends = new Map<string, Promise<void>>();
  return async (client, read) => {
    if (client === undefined) return read();
    const before = ends.get(client);
    let end = () => {};
    const ended = new Promise<void>((resolve) => end = resolve);
    ends.set(client, ended);
    await before;
    try {
      return read();
    } finally {
      setTimeout(() => {
        if (ends.get(client) === ended) ends.delete(client);
        end();
      }, 0);
    }
  };
}
