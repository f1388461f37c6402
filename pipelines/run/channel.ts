/** Carries events from several senders to one reader. */

/** A channel: read it by `for await`. */
export interface Channel<Event> extends AsyncIterable<Event> {
  /** Sends an event. Resolves when the reader has dealt with it. */
  send(event: Event): Promise<void>;
  /** Ends the channel: the reader gets what was sent before. */
  end(): void;
}

/** Opens a channel. */
export function openChannel<Event>(): Channel<Event> {
  const sent: { readonly event: Event; readonly taken: () => void }[] = [];
  let wake = () => {}, hasEnded = false;
  return {
    send: (event) =>
      new Promise((taken) => {
        sent.push({ event, taken });
        wake();
      }),
    end() {
      hasEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        const next = sent.shift();
        if (next) {
          yield next.event;
          next.taken();
        } else if (hasEnded) return;
        else await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}
