/** Streams server-sent events. */

/**
 * Makes a stream of events. The work does not wait for slow readers, because other requests may wait for the work.
 *
 * @param work sends the events; `closed` returns true when the reader has gone
 * @param problem describes an error of `work`, which is sent as the last event
 */
export function eventStream(
  work: (send: (event: string, data: object) => void, closed: () => boolean) => Promise<void>,
  problem: (error: unknown) => object,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let closed = false;
  return new ReadableStream({
    async start(controller) {
      const send = (event: string, data: object) => {
        if (!closed) controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      };
      try {
        await work(send, () => closed);
      } catch (error) {
        send("problem", problem(error));
      }
      if (!closed) controller.close();
    },
    cancel() {
      closed = true;
    },
  });
}
