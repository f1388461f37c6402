// Node 20 and later: `deno task build:npm` and `npm pack ./out/npm` in a checkout, `npm install FILE @hono/node-server` with the
// file that it names in the project, then `node node.mjs digits.loom ...`.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { handler } from "@patchloom/patchloom/edge";

const wasm = fileURLToPath(import.meta.resolve("@patchloom/patchloom/kernels.wasm"));
const kernels = await WebAssembly.compile(await readFile(wasm));
const packs = await Promise.all(process.argv.slice(2).map((path) => readFile(path)));

/** The addresses that requests come from. */
const addresses = new WeakMap();
const answer = handler({ kernels, packs, client: (request) => addresses.get(request) });

serve(
  {
    fetch(request, { incoming }) {
      // Node's addresses lack "./" and "../" that were sent, but caches keep an answer for ever by what was sent.
      const { pathname, search } = new URL(request.url);
      if (incoming.url !== pathname + search) return new Response("No such address\n", { status: 404 });
      addresses.set(request, incoming.socket.remoteAddress);
      return answer(request);
    },
    hostname: "127.0.0.1",
    port: Number(process.env.PORT ?? 8000),
  },
  ({ port }) => {
    console.log(`Listening on http://127.0.0.1:${port}/`);
  },
);
