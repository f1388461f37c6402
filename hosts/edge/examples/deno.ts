// Deno: `deno task serve digits.loom ...` serves packs on port 8000. To use another port:
// `deno serve --port 8123 --allow-read hosts/edge/examples/deno.ts digits.loom`.
import { handler } from "@patchloom/patchloom/edge";

/** Prints one sentence on what is wrong, and exits. */
function refuse(sentence: string, code: number): never {
  console.error(sentence);
  Deno.exit(code);
}

const paths = Deno.args, flag = paths.find((path) => path.startsWith("-"));
const other = "for another port: deno serve --port 8123 --allow-read hosts/edge/examples/deno.ts PACK";
if (flag !== undefined) refuse(`serve takes packs only, got "${flag}" (${other})`, 2);
if (paths.length === 0) refuse("serve needs packs: deno task serve digits.loom", 2);
const wasm = await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url));
const kernels = await WebAssembly.compile(wasm);
const packs = await Promise.all(paths.map((path) => {
  return Deno.readFile(path).catch((error) => refuse(`Cannot read ${path}: ${error.message}`, 1));
}));

/** Makes the handler, or exits where a file is not a pack. */
function makeHandler() {
  try {
    return handler({ kernels, packs });
  } catch (error) {
    return refuse(`Cannot serve ${paths.join(", ")}: ${(error as Error).message}`, 1);
  }
}

const answer = makeHandler();

export default {
  async fetch(request: Request) {
    const response = await answer(request);
    if (request.method !== "HEAD" || response.status === 304) return response;
    // For a response without a body Deno would send a length of 0, not that of a GET. For a stream it sends no length.
    return new Response(new Blob().stream(), response);
  },
};
