/** Turns of reading queries, which takes a millisecond or more of each that nobody is charged for. */

/**
 * Reads something when it is the turn of a client. All without a name take no turns.
 *
 * @param gone aborts when nobody waits any more: what was not read until then is undefined
 */
export type ReadInTurn = <Read>(
  client: string | undefined,
  read: () => Read,
  gone?: AbortSignal,
) => Promise<Read | undefined>;

/** Queries that are read between two pauses, at most, each of another client: a fifth of the time that work takes between them. */
const MAX_READS = 2;
/** Hosts may abandon a request with its timers: if nothing is read for so many milliseconds, nobody waits for the end of a pause. */
const ABANDONED = 1000;
/** Clients whose last turn is remembered, at most. */
const MAX_CLIENTS = 10_000;

/** A query that waits for its turn. */
interface Waiting {
  readonly client: string;
  begin(): void;
}

/**
 * Makes turns of reading: few queries are read between two pauses, and the client that read least recently comes first. So whoever
 * sends many queries, also such as are refused, keeps neither the work nor the queries of others waiting.
 */
export function readingTurns(): ReadInTurn {
  const waiting = new Set<Waiting>(), lastReads = new Map<string, number>();
  let reads = 0, readsBefore = 0, isPausing = false;
  const lastOf = ({ client }: Waiting) => lastReads.get(client) ?? 0;

  /** Begins to read, until a pause is due. */
  const next = () => {
    while (reads < readsBefore + MAX_READS) {
      const rested = [...waiting].filter((one) => lastOf(one) <= readsBefore);
      if (rested.length === 0) break;
      const first = rested.reduce((first, one) => lastOf(one) < lastOf(first) ? one : first);
      lastReads.delete(first.client); // so that the first one of the map is the one that read least recently
      lastReads.set(first.client, ++reads);
      if (lastReads.size > MAX_CLIENTS) lastReads.delete(lastReads.keys().next().value!);
      first.begin();
    }
    if (isPausing || reads === readsBefore) return;
    isPausing = true;
    setTimeout(endPause, 0);
  };
  const endPause = () => {
    isPausing = false;
    readsBefore = reads;
    next();
  };

  /** Waits for the turn of a client, or until it is gone. */
  const turn = (client: string, gone: AbortSignal | undefined) => {
    return new Promise<void>((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined, before = reads;
      const begin = () => {
        waiting.delete(one);
        clearTimeout(timer);
        gone?.removeEventListener("abort", begin);
        resolve();
      };
      const one: Waiting = { client, begin };
      const watch = () => {
        if (reads === before) endPause();
        before = reads;
        if (waiting.has(one)) timer = setTimeout(watch, ABANDONED);
      };
      waiting.add(one);
      gone?.addEventListener("abort", begin);
      next();
      if (waiting.has(one)) timer = setTimeout(watch, ABANDONED);
    });
  };
  return async (client, read, gone) => {
    if (client !== undefined && !gone?.aborted) await turn(client, gone);
    return gone?.aborted ? undefined : read();
  };
}
