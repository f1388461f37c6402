// node run_edge_runtime.mjs EDGE-RUNTIME FOLDER: serves the built Vercel example, and prints where.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const [edgeRuntime, folder] = process.argv.slice(2), { EdgeRuntime, runServer } = await import(edgeRuntime);
const kernels = await WebAssembly.compile(await readFile(join(folder, "kernels.wasm")));
const initialCode = `
const module = { exports: {} }, require = () => kernels;
${await readFile(join(folder, "vercel.js"), "utf8")}
addEventListener("fetch", (event) => event.respondWith(module.exports.default(event.request)));`;
const runtime = new EdgeRuntime({ initialCode, extend: (context) => Object.assign(context, { kernels }) });
const server = await runServer({ runtime, host: "127.0.0.1", port: 0 });
console.log(`Listening on ${server.url}`);
