// Node 20 and later: `deno task build:npm` and `npm pack ./out/npm` in a checkout, `npm install FILE @hono/node-server` with the
// file that it names in the project, then `node node.mjs digits.loom ...`. PORT names another port than 8000, and HOST another
// address than 127.0.0.1, which is for this machine only: HOST=0.0.0.0 serves other machines, too. SIGTERM and SIGINT stop the
// server after the requests that are open; a second signal ends them at once.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { handler } from "@patchloom/patchloom/edge";

const wasm = fileURLToPath(import.meta.resolve("@patchloom/patchloom/kernels.wasm"));
const kernels = await WebAssembly.compile(await readFile(wasm));
const paths = process.argv.slice(2);
const packs = await Promise.all(
  paths.map((path) => readFile(path).catch(({ message }) => refuse(`Cannot read ${path}: ${message}`))),
);

/** Prints one sentence on what is wrong, and exits. */
function refuse(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** The addresses that requests come from. */
const addresses = new WeakMap();
const answer = makeHandler();

/** Makes the handler, or exits where a file is not a pack. */
function makeHandler() {
  try {
    return handler({ kernels, packs, client: (request) => addresses.get(request) });
  } catch ({ message }) {
    return refuse(message);
  }
}

const server = serve(
  {
    fetch(request, { incoming }) {
      // Node's addresses lack "./" and "../" that were sent, but caches keep an answer for ever by what was sent.
      const { pathname, search } = new URL(request.url);
      if (incoming.url !== pathname + search) return new Response("No such address\n", { status: 404 });
      addresses.set(request, incoming.socket.remoteAddress);
      return answer(request);
    },
    hostname: process.env.HOST || "127.0.0.1",
    port: Number(process.env.PORT || 8000),
  },
  ({ address, port }) => {
    console.log(`Listening on http://${address}:${port}/`);
  },
).on("error", ({ message }) => refuse(`Cannot listen: ${message}`));

/** Milliseconds that open requests have at a signal. Docker ends a container 10 s after it. */
const GRACE = 8000;
for (const signal of ["SIGTERM", "SIGINT"]) {
  // A second signal finds no listener, and ends the process.
  process.once(signal, () => {
    console.error(`Stopping: open requests have ${GRACE / 1000} seconds`);
    server.close(() => process.exit(0));
    // A connection that is kept alive after its answer counts as open.
    setInterval(() => server.closeIdleConnections(), 100);
    setTimeout(() => process.exit(0), GRACE);
  });
}
