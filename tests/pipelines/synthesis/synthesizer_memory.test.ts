/** What a synthesizer keeps for later requests has an end. */
import { assertEquals } from "@std/assert";
import { finish, PROGRESS, type Steps } from "../../../core/steps.ts";
import type { NoiseChoice } from "../../../pipelines/run/noise/choice.ts";
import { keptChoices, keptFits } from "../../../pipelines/synthesis/synthesizer_memory.ts";

/** Uses keys one after another, and returns those whose values were made. */
function madeOf<Value>(
  kept: { get(key: string, make: () => Steps<Value | undefined>): Steps<Value | undefined> },
  keys: string,
  value: () => Value,
): string {
  let made = "";
  for (const key of keys) {
    finish(kept.get(key, function* () {
      yield PROGRESS;
      made += key;
      return value();
    }));
  }
  return made;
}

Deno.test("keptFits and keptChoices: the last used up to 32 MB stay, one that is larger while it is used", () => {
  const megabytes = (count: number) => new Uint8Array(count * 2 ** 20);
  const choice = (count: number) => {
    const information = { parts: [{ inverse: megabytes(count) }] };
    return { windows: [3], information } as unknown as NoiseChoice;
  };
  // Three values of 10 MB fit; of four, the one that was not used for longest goes.
  for (const [keys, made] of [["abcabc", "abc"], ["abcdb", "abcd"], ["abcda", "abcda"], ["abcadcb", "abcdb"]]) {
    assertEquals(madeOf(keptFits(), keys, () => [[megabytes(10)]]), made, keys);
    assertEquals(madeOf(keptChoices(), keys, () => choice(10)), made, keys);
  }
  assertEquals(madeOf(keptChoices(), "aabb", () => choice(40)), "ab");
  assertEquals(madeOf(keptChoices(), "aba", () => choice(40)), "aba");
});
