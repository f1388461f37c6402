// Cloudflare Workers: `deno task build:edge` writes this file, the kernels and a pack to a folder for `wrangler deploy`.
import { handler } from "@patchloom/patchloom/edge";
import kernels from "./kernels.wasm";
import digits from "./digits.loom";

/** A Worker has 128 MB of memory in all, and little time to start: the first request makes the handler. */
const limits = { memory: 64 * 2 ** 20 };
/** The address that Cloudflare says a request comes from. */
const client = (request) => request.headers.get("CF-Connecting-IP") ?? undefined;
let fetch;

export default {
  fetch(request) {
    fetch ??= handler({ kernels, packs: [new Uint8Array(digits)], limits, lanes: 1, client });
    return fetch(request);
  },
};
