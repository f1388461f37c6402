/** Streams server-sent events. */

/**
 * Makes a stream of events. The work does not wait for slow readers, because other requests may wait for the work.
 *
 * @param work sends the events; `gone` aborts when the reader has gone
 * @param problem describes an error of `work`, which is sent as the last event
 */
export function eventStream(
  work: (send: (event: string, data: object) => void, gone: AbortSignal) => Promise<void>,
  problem: (error: unknown) => object,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const leaving = new AbortController(), gone = leaving.signal;
  return new ReadableStream({
    async start(controller) {
      const send = (event: string, data: object) => {
        if (!gone.aborted) controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      };
      try {
        await work(send, gone);
      } catch (error) {
        send("problem", problem(error));
      }
      if (!gone.aborted) controller.close();
    },
    cancel() {
      leaving.abort();
    },
  });
}
