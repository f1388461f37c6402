// node run_miniflare.mjs MINIFLARE FOLDER: serves the built Workers example by workerd, and prints where.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const [miniflare, folder] = process.argv.slice(2), { Miniflare } = await import(miniflare);
const module = async (type, path) => ({ type, path, contents: await readFile(join(folder, path)) });
const host = new Miniflare({
  modules: [
    await module("ESModule", "workers.js"),
    await module("CompiledWasm", "kernels.wasm"),
    await module("Data", "digits.loom"),
  ],
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["enable_request_signal"],
  host: "127.0.0.1",
  port: 0,
});
console.log(`Listening on ${await host.ready}`);
process.on("SIGTERM", () => host.dispose());
