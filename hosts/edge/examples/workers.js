// Cloudflare Workers: `deno task build:edge` puts this, the kernels and a pack into a folder for `wrangler deploy`.
import { handler } from "@patchloom/patchloom/edge";
import kernels from "./kernels.wasm";
import digits from "./digits.loom";

/** A Worker has 128 MB for everything, and little time to start: the handler waits for the first request. */
const limits = { memory: 64 * 2 ** 20 };
let fetch;

export default {
  fetch(request) {
    fetch ??= handler({ kernels, packs: [new Uint8Array(digits)], limits });
    return fetch(request);
  },
};
