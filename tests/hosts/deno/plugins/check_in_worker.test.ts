import { assert, assertMatch } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { checkInWorker } from "../../../../hosts/deno/plugins/check_in_worker.ts";
import { withFolder } from "../cli.ts";
import { contextSource } from "./plugin_sources.ts";

// The listeners of signals last as long as a process.
const open = { sanitizeOps: false, sanitizeResources: false };

Deno.test("checkInWorker: says how much is done and what is being checked", open, async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "x.ts"), written: string[] = [];
    await Deno.writeTextFile(path, contextSource("x"));
    const { now } = performance, { writeSync } = Deno.stderr;
    let looks = 0;
    performance.now = () => 60_000 * looks++; // each look at the clock is a minute later
    Deno.stderr.writeSync = (bytes) => written.push(new TextDecoder().decode(bytes)) && bytes.length;
    try {
      const source = { specifier: "./x.ts", url: toFileUrl(path).href, folder };
      const [{ checks }] = await checkInWorker([source], {}, false);
      for (const { title } of checks) {
        assert(written.some((line) => line.endsWith(`: context "x" of ./x.ts ${title}\n`)), title);
      }
    } finally {
      performance.now = now;
      Deno.stderr.writeSync = writeSync;
    }
    for (const line of written) assertMatch(line, /^Checking: \d+ %.*: (loading|context "x" of) \.\/x\.ts/);
  });
});
