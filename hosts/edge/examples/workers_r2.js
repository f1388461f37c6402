// Cloudflare Workers with packs in an R2 bucket: `deno task build:edge` writes this file, the kernels and a wrangler.toml for
// `wrangler deploy`. Then a pack can be of any size, and be replaced without a deployment. `wrangler r2 object put
// patchloom-packs/digits.loom --file digits.loom --remote` puts it there. With KV instead of R2: `env.PACKS.get(PACK,
// "arrayBuffer")`, and a `kv_namespaces` binding of that name.
import { handler } from "@patchloom/patchloom/edge";
import kernels from "./kernels.wasm";

const PACK = "digits.loom";
/** How long an isolate keeps its pack before it looks for another version. */
const FRESH = 5 * 60_000;
/** After how long it looks again if the bucket did not answer. */
const RETRY = 10_000;
/** A Worker has 128 MB of memory in all: those of the pack and these. */
const limits = { memory: 64 * 2 ** 20 };
/** The address that Cloudflare says a request comes from. */
const client = (request) => request.headers.get("CF-Connecting-IP") ?? undefined;
/** The handler of the pack that is open, and what opens another. */
let opened, opening;

/** Opens the pack, if the bucket has another version of it than the one that is open. */
async function open(env) {
  const until = Date.now() + FRESH;
  if (opened && (await env.PACKS.head(PACK))?.etag === opened.etag) return { ...opened, until };
  const object = await env.PACKS.get(PACK);
  if (!object) throw new Error(`There is no ${PACK} in the bucket`);
  const packs = [new Uint8Array(await object.arrayBuffer())];
  return { etag: object.etag, until, fetch: handler({ kernels, packs, limits, lanes: 1, client }) };
}

/** Opens the pack once, however many requests come meanwhile: each handler has memory and counts of work of its own. */
async function openOnce(env) {
  try {
    opened = await open(env);
  } catch (error) {
    if (!opened) throw error;
    opened.until = Date.now() + RETRY;
  } finally {
    opening = undefined;
  }
}

export default {
  async fetch(request, env, context) {
    if (!opened || Date.now() >= opened.until) {
      opening ??= openOnce(env);
      context.waitUntil(opening.catch(() => {})); // goes on if the client of this request leaves
    }
    // The first requests of an isolate wait for the pack. Later ones are answered with the pack that is open.
    try {
      if (!opened) await opening;
    } catch (error) {
      return new Response(`${error.message}\n`, { status: 503, headers: { "Retry-After": "10" } });
    }
    return opened.fetch(request);
  },
};
