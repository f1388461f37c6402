/** A random schedule of an engine on each server; `deno task fuzz schedules` runs a thousand. */
import { assertEquals } from "@std/assert";
import { isFailure } from "../../../fuzz/kinds.ts";
import { run } from "../../../fuzz/schedules.ts";
import { hasServers } from "./servers.ts";

Deno.test({
  name: "engine: after random schedules, what was acknowledged is there, once, with the right bytes",
  ignore: !hasServers(),
  // Servers and their connections outlive a test.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const counts = await run(2, 3);
    assertEquals(Object.keys(counts).filter(isFailure), []);
    assertEquals(Object.values(counts).reduce((sum, times) => sum + times), 2);
  },
});
