// A command with third-party plugins, in the process that `plugins/own_process.ts` starts for it.

/** Milliseconds between two checks of whether the process that started this one is still there. */
const LOOK = 500;

const parent = Deno.ppid;
Deno.unrefTimer(setInterval(() => Deno.ppid !== parent && Deno.exit(1), LOOK));
await import("./main.ts");
