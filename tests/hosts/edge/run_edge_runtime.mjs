// node run_edge_runtime.mjs EDGE-RUNTIME FOLDER: serves the built Vercel example, and prints where.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const [edgeRuntime, folder] = process.argv.slice(2), { EdgeRuntime, runServer } = await import(edgeRuntime);
const kernels = await WebAssembly.compile(await readFile(join(folder, "kernels.wasm")));
// The runtime runs scripts, no modules: the builder of Vercel makes one of the module, as these replacements do.
const script = (await readFile(join(folder, "vercel.js"), "utf8"))
  .replace(/^export const config/, "const config")
  .replace(/import ([\w$]+) ?from ?"\.\/kernels\.wasm\?module";/, "const $1 = kernels;")
  .replace(/export ?\{ ?([\w$]+) as default ?\};?\s*$/, "const answer = $1;");
const initialCode = `${script}
addEventListener("fetch", (event) => event.respondWith(answer(event.request)));`;
const runtime = new EdgeRuntime({ initialCode, extend: (context) => Object.assign(context, { kernels }) });
const server = await runServer({ runtime, host: "127.0.0.1", port: 0 });
console.log(`Listening on ${server.url}`);
