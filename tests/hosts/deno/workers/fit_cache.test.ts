import { assertEquals } from "@std/assert";
import { FITTING_CODE } from "../../../../hosts/deno/workers/fit_cache.ts";
import { importedBy } from "../../../lint/import_ladder.ts";

const ROOT = new URL("../../../../", import.meta.url);

/** The files that a file imports to run, directly or by way of others. */
function runWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = Deno.readTextFileSync(new URL(file, ROOT)).replace(/^import type .*$/gm, "");
  for (const specifier of importedBy(source)) {
    runWith(new URL(specifier, new URL(file, ROOT)).href.slice(ROOT.href.length), seen);
  }
  return seen;
}

Deno.test("fit cache: choices of windows and limits are made again when any code changed that makes them", () => {
  const isNamed = (file: string) =>
    FITTING_CODE.some((path) => path.endsWith("/") ? file.startsWith(path) : file === path);
  const files = [...runWith("pipelines/run/noise_choice.ts")];
  assertEquals(files.filter((file) => !isNamed(file)), []);
  assertEquals(files.includes("pipelines/run/noise_trials.ts"), true);
});
