/** Serves the page that shows how the method works, or writes it to a folder for any static host. */
import { getMimeType } from "hono/utils/mime";
import { buildPage } from "./build_page.ts";
import { print } from "../system/printable.ts";
import { reason } from "../system/reason.ts";
import { openOutFolder } from "../folders/out_folder.ts";

/** Only this machine is served. */
const HOSTNAME = "127.0.0.1";

/** Headers that isolate the page from others: only then may its workers share memory, and several of them work together. */
const ISOLATING = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;

/** Builds the page and writes it to a folder, for any static host. */
export async function writePage(out: string, force: boolean, say: (text: string) => void): Promise<void> {
  say("Building the page\u2026");
  const files = await buildPage();
  await using folder = await openOutFolder(out, { command: "demo", planned: files.keys(), force, say });
  await folder.finish({}, [...files]);
  say(`${out}: ${files.size} files, ${(total(files) / 1e6).toFixed(1)} MB, for any static host`);
}

/**
 * Builds the page and serves it to this machine, until a signal comes. The port is taken first: building takes a while. What a browser
 * asks for meanwhile is answered when the page is there.
 */
export async function servePage(port: number, say: (text: string) => void, build = buildPage): Promise<void> {
  const stop = new AbortController(), page = Promise.withResolvers<Awaited<ReturnType<typeof build>>>();
  const server = serving(port, stop.signal, async (request) => {
    return respond(await page.promise, new URL(request.url).pathname);
  });
  try {
    say("Building the page\u2026");
    page.resolve(await build());
    Deno.addSignalListener("SIGINT", () => stop.abort());
    print(`http://${HOSTNAME}:${server.addr.port}/`);
    await server.finished;
  } finally {
    stop.abort();
  }
}

/** Begins to serve. */
function serving(port: number, signal: AbortSignal, answer: (request: Request) => Promise<Response>) {
  try {
    return Deno.serve({ hostname: HOSTNAME, port, signal, onListen: () => {} }, answer);
  } catch (cause) {
    throw new Error(`Cannot serve on port ${port}: ${reason(cause)} (--port names another, above 1023)`, { cause });
  }
}

/** Answers with a file of the page. Reads no other file. */
export function respond(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, path: string): Response {
  const name = path === "/" ? "index.html" : path.slice(1), bytes = files.get(name);
  if (!bytes) return new Response("Not found\n", { status: 404, headers: ISOLATING });
  const type = getMimeType(name) ?? "application/octet-stream";
  return new Response(bytes, { headers: { ...ISOLATING, "content-type": type, "cache-control": "no-cache" } });
}

function total(files: ReadonlyMap<string, Uint8Array>): number {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}
