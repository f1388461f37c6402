// Deno: `deno serve --allow-read hosts/edge/examples/deno.ts digits.loom ...` serves the packs that it is given.
import { handler } from "@patchloom/patchloom/edge";

if (Deno.args.length === 0) throw new Error("Say which packs to serve: deno task serve digits.loom");
const kernels = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);
const packs = await Promise.all(Deno.args.map((path) => Deno.readFile(path)));

export default { fetch: handler({ kernels, packs }) };
