/**
 * Takes away what permissions do not cover, before the first line of a plugin in a sandbox runs: the runtime's web cache, which
 * writes to the disk, and workers, in which it would be there again.
 */
const scope = globalThis as unknown as Record<string, unknown>;
for (const name of ["caches", "Cache", "CacheStorage", "Worker"]) delete scope[name];
export {};
