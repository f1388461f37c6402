// A command with third-party plugins, in the process that `plugins/own_process.ts` starts for it.

/** Milliseconds between two checks of whether the process that started this one is still there. */
const LOOK = 500;

// Named in this module's address: that process may have ended before this line.
const parent = parseInt(new URL(import.meta.url).search.slice(1));
const endWithParent = () => Deno.ppid === parent || Deno.exit(1);
endWithParent();
Deno.unrefTimer(setInterval(endWithParent, LOOK));
const { run } = await import("./main.ts");
Deno.exit(await run(Deno.args));
