/** Turns of reading queries, which takes some milliseconds of each that nobody is charged for. */

/** Reads something when it is the turn of a client. All without a name take no turns. */
export type ReadInTurn = <Read>(client: string | undefined, read: () => Read) => Promise<Read>;

/** Milliseconds that a turn is waited for, at most: hosts may abandon a request, with its timers, before its turn ends. */
const MAX_WAIT = 1000;
/** Clients whose last turn is remembered, at most: a turn that was abandoned does not end. */
const MAX_CLIENTS = 10_000;

/**
 * Makes turns of reading: what one client sends is read one after another, with a pause after each. So whoever sends many queries at once
 * does not keep the work of others waiting until all are read.
 */
export function readingTurns(): ReadInTurn {
  const ends = new Map<string, Promise<void>>();
  return async (client, read) => {
    if (client === undefined) return read();
    const before = ends.get(client);
    if (ends.size >= MAX_CLIENTS) ends.clear();
    let end = () => {};
    const ended = new Promise<void>((resolve) => end = resolve);
    ends.set(client, ended);
    if (before) await orAfter(before, MAX_WAIT);
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

/** Waits for a promise, but no longer than some milliseconds. */
async function orAfter(promise: Promise<void>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
