/** What a synthesizer keeps for later requests has an end. */
import { assertEquals } from "@std/assert";
import { finish } from "../../../core/steps.ts";
import { keptChoices, keptFits } from "../../../pipelines/synthesis/synthesizer_memory.ts";
import type { NoiseChoice } from "../../../pipelines/run/noise_choice.ts";

/** Uses keys one after another, each with a value of so many bytes, and returns which values were made. */
function madeOf<Value>(
  kept: { get(key: string, make: () => Generator<never, Value>): Generator<unknown, Value | undefined> },
  keys: string,
  value: () => Value,
): string {
  let made = "";
  for (const key of keys) {
    const make = function* (): Generator<never, Value> {
      made += key;
      return value();
    };
    // deno-lint-ignore no-explicit-any
    finish(kept.get(key, make) as any);
  }
  return made;
}

Deno.test("keptFits and keptChoices: the last used up to 32 MB stay, one that is larger while it is used", () => {
  const megabytes = (count: number) => new Float32Array(count * 2 ** 18);
  const choice = (count: number) => {
    const information = { parts: [{ inverse: megabytes(count) }] };
    return { windows: [3], information } as unknown as NoiseChoice;
  };
  // Three values of 10 MB fit; of four, the one that was not used for longest goes.
  for (const [keys, made] of [["abcabc", "abc"], ["abcdb", "abcd"], ["abcda", "abcda"], ["abcadcb", "abcdb"]]) {
    const fits = keptFits(), choices = keptChoices();
    // deno-lint-ignore no-explicit-any
    assertEquals(madeOf(fits as any, keys, () => [[megabytes(10)]]), made, keys);
    // deno-lint-ignore no-explicit-any
    assertEquals(madeOf(choices as any, keys, () => choice(10)), made, keys);
  }
  // deno-lint-ignore no-explicit-any
  assertEquals(madeOf(keptChoices() as any, "aabb", () => choice(40)), "ab");
  // deno-lint-ignore no-explicit-any
  assertEquals(madeOf(keptChoices() as any, "aba", () => choice(40)), "aba");
});
