/** The kept inputs of the coverage-guided fuzzer, one after another: each reached code that no other did, or failed once. */
import { assert } from "@std/assert";
import { fuzz, READERS } from "./fuzz/coverage_targets.ts";
import { countBlocks } from "./work.ts";

/** Blocks of code that are run for an input, on average: a tenth of it. One that reads without an end would need them all. */
const MOST = 10_000;

Deno.test("readers: each kept input gives content or one sentence, in steps that are in proportion to its bytes", async () => {
  const folder = new URL("./fuzz/corpus/", import.meta.url), readers = new Set<number>();
  const inputs = [...Deno.readDirSync(folder)].map(({ name }) => Deno.readFileSync(new URL(name, folder)));
  const blocks = await countBlocks(async () => {
    for (const data of inputs) {
      await fuzz(data);
      readers.add(data[0] % READERS.length);
    }
  });
  assert(blocks < MOST * inputs.length, `${blocks} blocks of ${inputs.length} inputs`);
  assert(readers.size === READERS.length, "an input for each reader");
});
