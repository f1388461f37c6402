/** Server-sent events. */

/**
 * A stream of events. `work` sends them until nobody listens any more, which `gone` tells; none waits for who reads slowly, since
 * `work` may hold what others wait for. An error that it throws is sent as the last event, as `problem` tells it.
 */
export function eventStream(
  work: (send: (event: string, data: object) => void, gone: () => boolean) => Promise<void>,
  problem: (error: unknown) => object,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let gone = false;
  return new ReadableStream({
    async start(controller) {
      const send = (event: string, data: object) => {
        if (!gone) controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      };
      try {
        await work(send, () => gone);
      } catch (error) {
        send("problem", problem(error));
      }
      if (!gone) controller.close();
    },
    cancel() {
      gone = true;
    },
  });
}
