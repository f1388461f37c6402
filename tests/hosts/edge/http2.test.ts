/** Clients that are gone before their requests are looked at: HTTP/2 lets a client take a request back in the packet that has it. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { serving } from "../../../bench/fair.ts";
import type { QueueLoad } from "../../../hosts/edge/turns.ts";
import { until } from "../../until.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";
import type { Running } from "./runtimes.ts";

/** Types of frames, and the flags of a request that ends with its headers (RFC 9113, section 6). */
const HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, END = 5;
/** CANCEL: the stream is no longer needed. */
const CANCEL = Uint8Array.of(0, 0, 0, 8);

function frame(
  type: number,
  flags: number,
  stream: number,
  content: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(9 + content.length), view = new DataView(bytes.buffer);
  view.setUint32(0, content.length << 8 | type);
  view.setUint8(4, flags);
  view.setUint32(5, stream);
  bytes.set(content, 9);
  return bytes;
}

/** Fields as literals without an index (RFC 7541, section 6.2.2), of at most 126 letters. */
function fields(all: Readonly<Record<string, string>>): Uint8Array {
  const text = (word: string) => [word.length, ...new TextEncoder().encode(word)];
  return Uint8Array.from(Object.entries(all).flatMap(([name, value]) => [0, ...text(name), ...text(value)]));
}

/** How many requests for images ended as their client was gone. */
async function goneRequests(server: Running): Promise<number> {
  const text = await (await server.fetch("/metrics")).text();
  return Number(/\{route="\/synth",status="499"\} (\d+)/.exec(text)?.[1] ?? 0);
}

/** What a server says of its requests. */
async function requestsOf(server: Running): Promise<QueueLoad> {
  const { requests } = await (await server.fetch("/health")).json();
  return requests;
}

Deno.test("serve: requests that are taken back at once are not worked at", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom"), requests = 10;
    await Deno.writeFile(pack, digitsPack(30));
    await using server = await serving(pack);
    const { url, body } = await server.fetch("/health"), port = Number(new URL(url).port);
    await body?.cancel();
    const one = await server.fetch("/synth?count=64&seed=0");
    assertEquals((await one.bytes()).length > 0 && one.status, 200);
    const { doneWork: workOfOne } = await requestsOf(server);
    {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const begin = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      const frames = [begin, frame(SETTINGS, 0, 0)];
      for (let n = 0; n < requests; n++) {
        const path = `/synth?count=64&seed=${n}`, stream = 2 * n + 1;
        const asked = fields({ ":method": "GET", ":scheme": "http", ":path": path, ":authority": "x" });
        frames.push(frame(HEADERS, END, stream, asked), frame(RST_STREAM, 0, stream, CANCEL));
      }
      await connection.write(await new Blob(frames).bytes());
      await until("the end of what was taken back", async () => await goneRequests(server) === requests);
    }
    const { working, waiting, openWork, doneWork } = await requestsOf(server);
    assertEquals({ working, waiting, openWork }, { working: 0, waiting: 0, openWork: 0 });
    // What the client wrote can come in two packets: a request is worked at until the second one comes.
    assert(doneWork - workOfOne < workOfOne / 2, `${doneWork} of ${requests} times ${workOfOne}`);
  });
});
