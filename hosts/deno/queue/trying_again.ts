/** Lets the queue's package try again to reach PostgreSQL. */

/** What waits until it is ready, and keeps the promise of that. */
interface Readying {
  readyPromise?: Promise<void>;
  waitUntilReady(): Promise<void>;
}

/** BullMQ's backend for PostgreSQL. */
export interface PostgresBackend extends Readying {
  readonly connection: Readying;
}

/**
 * Lets a backend get ready again after it failed. BullMQ 6.7.0 keeps the first failure for ever, such as that of a server that is just
 * being stopped: all later questions would fail, too.
 */
export function tryingAgain(backend: PostgresBackend): PostgresBackend {
  for (const one of [backend, backend.connection]) {
    const { waitUntilReady } = one;
    one.waitUntilReady = async () => {
      const ready = waitUntilReady.call(one), kept = one.readyPromise;
      try {
        await ready;
      } catch (error) {
        if (one.readyPromise === kept) one.readyPromise = undefined;
        throw error;
      }
    };
  }
  return backend;
}
