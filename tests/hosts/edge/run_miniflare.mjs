// node run_miniflare.mjs MINIFLARE FOLDER: serves a built Workers example by workerd, and prints where. It reads the
// example's wrangler.toml where miniflare has such settings. A pack beside a Worker with a bucket is put into the bucket.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const [miniflare, folder] = process.argv.slice(2), { Miniflare } = await import(miniflare);
const settings = await readFile(join(folder, "wrangler.toml"), "utf8");
const setting = (name) => new RegExp(`^${name} = "(.*)"$`, "m").exec(settings)?.[1];
const module = async (type, path) => ({ type, path, contents: await readFile(join(folder, path)) });
const pack = await readFile(join(folder, "digits.loom")).catch(() => undefined), bucket = setting("binding");
const host = new Miniflare({
  modules: [
    await module("ESModule", setting("main")),
    await module("CompiledWasm", "kernels.wasm"),
    ...bucket ? [] : [await module("Data", "digits.loom")],
  ],
  compatibilityDate: setting("compatibility_date"),
  compatibilityFlags: JSON.parse(/^compatibility_flags = (.*)$/m.exec(settings)[1]),
  r2Buckets: bucket ? [bucket] : [],
  host: "127.0.0.1",
  port: 0,
});
const url = await host.ready;
if (bucket && pack) await (await host.getR2Bucket(bucket)).put("digits.loom", pack);
console.log(`Listening on ${url}`);
process.on("SIGTERM", () => host.dispose());
