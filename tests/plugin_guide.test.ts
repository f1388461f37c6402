/** The plugins that docs/plugins.md shows pass the suites of their kinds: readers begin with copies of them. */
import { contextChecks, denoiserChecks, metricChecks, priorChecks } from "@patchloom/patchloom/testing";
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { AnyPlugin } from "../core/plugin.ts";
import type { Check } from "../core/testing/check.ts";

const guide = await Deno.readTextFile(new URL("../docs/plugins.md", import.meta.url));

/** The suite of a plugin's kind. */
function checksOf(plugin: AnyPlugin): Iterable<Check> {
  if (plugin.kind === "prior") return priorChecks(plugin);
  if (plugin.kind === "context") return contextChecks(plugin);
  if (plugin.kind === "metric") return metricChecks(plugin);
  return denoiserChecks(plugin);
}

Deno.test("the guide to plugins: a prior, a context, a metric and a denoiser that pass their suites", async (t) => {
  const folder = await Deno.makeTempDir();
  try {
    const kinds: string[] = [];
    for (const [n, [, code]] of [...guide.matchAll(/```ts\n(.*?)```/gs)].entries()) {
      const path = join(folder, `plugin_${n}.ts`);
      await Deno.writeTextFile(path, code);
      const { default: plugin }: { default: AnyPlugin } = await import(`file://${path}`);
      kinds.push(plugin.kind);
      await t.step(plugin.name, async () => {
        for (const [, check] of checksOf(plugin)) await check();
      });
    }
    assertEquals(kinds, ["prior", "context", "metric", "denoiser"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
