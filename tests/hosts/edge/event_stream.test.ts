import { assert, assertEquals } from "@std/assert";
import { eventStream } from "../../../hosts/edge/event_stream.ts";

/** The names of the events of a stream, and its bytes. */
async function read(stream: ReadableStream<Uint8Array>): Promise<{ names: string[]; length: number }> {
  const text = await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text();
  return { names: [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name), length: text.length };
}

const data = { png: "x".repeat(2 ** 20) };

Deno.test("eventStream: for a reader that never reads, four megabytes of events are kept, and the last one", async () => {
  const stream = eventStream((send) => {
    for (let n = 0; n < 100; n++) send(`step ${n}`, data);
    send("done", data, true);
    return Promise.resolve();
  }, () => ({}));
  const { names, length } = await read(stream);
  assertEquals(names, ["step 0", "step 1", "step 2", "step 3", "done"]);
  assert(length < 6 * 2 ** 20);
});

Deno.test("eventStream: a reader that keeps up gets every event; an error is the last one, whatever waits", async () => {
  let wasRead = Promise.withResolvers<void>();
  const stream = eventStream(async (send) => {
    for (let n = 0; n < 20; n++) {
      send(`step ${n}`, data);
      await wasRead.promise;
      wasRead = Promise.withResolvers();
    }
    throw new Error("full");
  }, (error) => ({ detail: (error as Error).message }));
  const names: string[] = [];
  for await (const bytes of stream) {
    names.push(new TextDecoder().decode(bytes).split("\n")[0]);
    wasRead.resolve();
  }
  assertEquals(names, [...Array.from({ length: 20 }, (_, n) => `event: step ${n}`), "event: problem"]);
  const unread = eventStream((send) => {
    for (let n = 0; n < 20; n++) send("step", data);
    return Promise.reject(new Error("full"));
  }, (error) => ({ detail: (error as Error).message }));
  assertEquals((await read(unread)).names.at(-1), "problem");
});
