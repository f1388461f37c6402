// Deno: `deno task serve digits.loom ...` serves the packs that it is given, on port 8000. For another one:
// `deno serve --port 8123 --allow-read hosts/edge/examples/deno.ts digits.loom`.
import { handler } from "@patchloom/patchloom/edge";

/** Says in one sentence what is wrong, and ends. */
function refuse(sentence: string, code: number): never {
  console.error(sentence);
  Deno.exit(code);
}

const paths = Deno.args, flag = paths.find((path) => path.startsWith("-"));
const other = "for another port: deno serve --port 8123 --allow-read hosts/edge/examples/deno.ts PACK";
if (flag !== undefined) refuse(`serve takes packs only, got "${flag}" (${other})`, 2);
if (paths.length === 0) refuse("Say which packs to serve: deno task serve digits.loom", 2);
const kernels = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);
const packs = await Promise.all(paths.map((path) => {
  return Deno.readFile(path).catch((error) => refuse(`Cannot read ${path}: ${error.message}`, 1));
}));

function serving() {
  try {
    return handler({ kernels, packs });
  } catch (error) {
    return refuse(`Cannot serve ${paths.join(", ")}: ${(error as Error).message}`, 1);
  }
}

const answer = serving();

export default {
  async fetch(request: Request) {
    const response = await answer(request);
    if (request.method !== "HEAD" || response.status === 304) return response;
    // Of no body Deno says that its length is 0, which is not the length of a GET's; of a stream it says nothing.
    return new Response(new Blob().stream(), response);
  },
};
