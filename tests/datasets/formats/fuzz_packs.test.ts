import { assert } from "@std/assert";
import { fuzzPacks } from "./fuzz_packs.ts";

Deno.test("readPack: fuzzed packs give an error of one sentence or a pack", () => {
  const { refused, read, opened } = fuzzPacks(6000, 7), kinds = [...refused.keys()].join("\n");
  // Every check was reached, and many are packs still.
  for (const kind of ["not a pack", "cut off", "too long", "newer", "damaged", "JSON", "claims", "header of at most"]) {
    assert(kinds.includes(kind), kind);
  }
  for (const kind of ["train.height", "seed images of values", "a seed image of every class", "of the profile"]) {
    assert(kinds.includes(kind), kind);
  }
  assert(read > 1000 && opened > 800 && opened < read, `${read} ${opened}`);
});
