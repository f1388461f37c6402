// Vercel and other hosts with the edge runtime: `deno task build:edge` bundles this file, the handler and a pack.
import { handler } from "@patchloom/patchloom/edge";
import kernels from "./kernels.wasm?module";
import digits from "./digits.loom" with { type: "bytes" };

// Vercel reads this line without running the file: it must stay a literal.
export const config = { runtime: "edge" };
const limits = { memory: 64 * 2 ** 20 };
/** The address that Vercel says a request comes from. */
const client = (request) => request.headers.get("x-real-ip") ?? undefined;
export default handler({ kernels, packs: [digits], limits, lanes: 1, client });
