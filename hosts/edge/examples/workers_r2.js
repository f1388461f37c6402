// Cloudflare Workers with packs in an R2 bucket: `deno task build:edge` writes this file, the kernels and a wrangler.toml for
// `wrangler deploy`. Then a pack can be of any size, and be replaced without a deployment. `wrangler r2 object put
// patchloom-packs/digits.loom --file digits.loom --remote` puts it there. With KV instead of R2: `env.PACKS.get(PACK,
// "arrayBuffer")`, and a `kv_namespaces` binding of that name.
import { handler } from "@patchloom/patchloom/edge";
import kernels from "./kernels.wasm";

const PACK = "digits.loom";
/** How long an isolate keeps its pack before it looks for another version. */
const FRESH = 5 * 60_000;
/** A Worker has 128 MB of memory in all: those of the pack and these. */
const limits = { memory: 64 * 2 ** 20 };
/** The address that Cloudflare says a request comes from. */
const client = (request) => request.headers.get("CF-Connecting-IP") ?? undefined;
let opened;

/** Opens the pack. The first request of an isolate waits for it. */
async function open(env) {
  const object = await env.PACKS.get(PACK);
  if (!object) throw new Error(`There is no ${PACK} in the bucket`);
  const packs = [new Uint8Array(await object.arrayBuffer())];
  return { etag: object.etag, until: Date.now() + FRESH, fetch: handler({ kernels, packs, limits, lanes: 1, client }) };
}

/** Opens the pack again if the bucket has another version of it. */
async function reopened(before, env) {
  if (Date.now() < before.until) return before;
  const head = await env.PACKS.head(PACK);
  return head?.etag === before.etag ? Object.assign(before, { until: Date.now() + FRESH }) : open(env);
}

export default {
  async fetch(request, env) {
    try {
      opened = await (opened ? reopened(opened, env) : open(env));
    } catch (error) {
      return new Response(`${error.message}\n`, { status: 503, headers: { "Retry-After": "10" } });
    }
    return opened.fetch(request);
  },
};
