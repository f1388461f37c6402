import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { Download } from "../../../../hosts/deno/data/downloads.ts";

/** Bytes of no pattern, the same every time. */
export function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  let state = seed;
  return Uint8Array.from({ length }, () => (state = Math.imul(state, 1664525) + 1013904223 | 0) >>> 24);
}

export const CONTENT: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "test.gz": noise(2000, 1),
  "train.gz": noise(300_000, 2),
};

export async function download(...mirrors: string[]): Promise<Download> {
  const files = await Promise.all(
    Object.entries(CONTENT).map(async ([name, content]) => {
      const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
      return { name, bytes: content.length, sha256 };
    }),
  );
  return { mirrors, files };
}

/** How the mirror answers a request; `from` is where a Range begins, 0 without one. */
export type Answer = (content: Uint8Array<ArrayBuffer>, from: number) => Response;

export function whole(content: Uint8Array<ArrayBuffer>): Response {
  return new Response(content);
}

export function ranged(content: Uint8Array<ArrayBuffer>, from: number): Response {
  if (from === 0) return whole(content);
  const headers = { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` };
  return new Response(content.subarray(from), { status: 206, headers });
}

/** Sends 100 000 bytes and then nothing more, as a server that dies: without an end, or with one where `ends`. */
export function half(content: Uint8Array<ArrayBuffer>, ends: boolean): Response {
  return new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(content.subarray(0, 100_000));
        await new Promise((resolve) => setTimeout(resolve, 50)); // or the bytes are never sent
        ends ? controller.close() : controller.error(new Error("died"));
      },
    }),
  );
}

/** A mirror on this machine. `requests` is what it was asked for, as "name from". */
export async function withMirror(
  run: (mirror: { url: string; answer: Answer; requests: string[] }) => Promise<void>,
): Promise<void> {
  const mirror = { url: "", answer: ranged as Answer, requests: [] as string[] };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, onError: () => new Response() },
    (request) => {
      const name = new URL(request.url).pathname.split("/").at(-1)!;
      const from = Number(request.headers.get("range")?.match(/^bytes=(\d+)-$/)?.[1] ?? 0);
      mirror.requests.push(`${name} ${from}`);
      return Object.hasOwn(CONTENT, name) ? mirror.answer(CONTENT[name], from) : new Response(null, { status: 404 });
    },
  );
  mirror.url = `http://127.0.0.1:${server.addr.port}/mnist`;
  try {
    await run(mirror);
  } finally {
    await server.shutdown();
  }
}

/** Asserts that all files are there as they should be, and nothing else. */
export async function assertComplete(folder: string): Promise<void> {
  for (const [name, content] of Object.entries(CONTENT)) assertEquals(await Deno.readFile(join(folder, name)), content);
  assertEquals(Array.from(Deno.readDirSync(folder), ({ name }) => name).sort(), Object.keys(CONTENT));
}
