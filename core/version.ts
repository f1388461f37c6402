/** Patchloom's version: that of deno.json, which not every host can read. */
export const VERSION = "0.1.0";
