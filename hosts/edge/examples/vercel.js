// Vercel and other hosts with the edge runtime: `deno task build:edge` bundles this file, the handler and a pack.
import { handler } from "@patchloom/patchloom/edge";
import kernels from "./kernels.wasm?module";
import digits from "./digits.loom" with { type: "bytes" };

// Vercel reads this line without running the file: it must stay a literal.
export const config = { runtime: "edge" };
export default handler({ kernels, packs: [digits], limits: { memory: 64 * 2 ** 20 } });
