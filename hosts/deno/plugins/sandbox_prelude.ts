/**
 * Takes away what permissions do not cover, before the first line of a plugin in a sandbox runs: the runtime's web cache, which
 * writes to the disk; workers and Node's threads, in which it would be there again; the change of the working directory, which
 * would move the results; and the runtime's own internals.
 */
import { Worker as NodeWorker } from "node:worker_threads";

const scope = globalThis as unknown as Record<string, unknown>, runtime = Deno as unknown as Record<symbol, unknown>;
for (const name of ["caches", "Cache", "CacheStorage", "Worker"]) delete scope[name];
for (const name of ["chdir" as never, ...Object.getOwnPropertySymbols(runtime)]) delete runtime[name];
// What a built-in module exports cannot be removed. A constructor calls its prototype first, which then can never be changed back.
Object.setPrototypeOf(
  NodeWorker,
  class {
    constructor() {
      throw new Error("Cannot start a thread in a sandbox");
    }
  },
);
Object.preventExtensions(NodeWorker);
