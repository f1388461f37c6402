/** The kept inputs of the coverage-guided fuzzer, one after another: each reached code that no other did, or failed once. */
import { assert } from "@std/assert";
import { fuzz, READERS } from "./fuzz/coverage_targets.ts";

/** Milliseconds for an input. They take microseconds; a machine under load may pause for longer. */
const HANG = 2000;

Deno.test("readers: each kept input gives content or one sentence", async () => {
  const folder = new URL("./fuzz/corpus/", import.meta.url), readers = new Set<number>();
  for (const { name } of Deno.readDirSync(folder)) {
    const data = await Deno.readFile(new URL(name, folder)), started = performance.now();
    await fuzz(data);
    assert(performance.now() - started < HANG, name);
    readers.add(data[0] % READERS.length);
  }
  assert(readers.size === READERS.length, "an input for each reader");
});
