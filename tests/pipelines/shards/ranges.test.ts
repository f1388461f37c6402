import { assertEquals } from "@std/assert";
import {
  doubleRanges,
  longestOf,
  missingRanges,
  type NumberRange,
  numbersIn,
  rangeName,
  rangeOfName,
  rangeText,
  shardRange,
  splitRange,
} from "../../../pipelines/shards/ranges.ts";

const range = (first: number, end: number): NumberRange => ({ first, end });

Deno.test("shardRange: all shards together are every number once, and differ by one at most", () => {
  for (const [count, shards] of [[20_000, 7], [10, 10], [11, 10], [1, 1], [4_294_967_296, 1000]]) {
    let next = 0;
    for (let shard = 1; shard <= shards; shard++) {
      const { first, end } = shardRange(count, shard, shards);
      assertEquals(first, next);
      assertEquals([0, 1].includes(end - first - Math.floor(count / shards)), true, `${first} ${end}`);
      next = end;
    }
    assertEquals(next, count);
  }
});

Deno.test("missingRanges and doubleRanges: as counting number by number finds them", () => {
  const sets: NumberRange[][] = [
    [],
    [range(0, 20)],
    [range(3, 5), range(0, 2), range(5, 9)],
    [range(0, 10), range(5, 15), range(12, 20)],
    [range(0, 10), range(2, 4), range(3, 6), range(3, 6)],
    [range(0, 4), range(0, 4), range(4, 20), range(19, 25)],
  ];
  for (const ranges of sets) {
    const times = (n: number) => ranges.filter(({ first, end }) => n >= first && n < end).length;
    const all = Array.from({ length: 25 }, (_, n) => n),
      listed = (found: NumberRange[]) => found.flatMap(({ first, end }) => all.slice(first, end));
    assertEquals(listed(missingRanges(range(0, 20), ranges)), all.slice(0, 20).filter((n) => times(n) === 0));
    assertEquals(listed(missingRanges(range(4, 12), ranges)), all.slice(4, 12).filter((n) => times(n) === 0));
    assertEquals(listed(doubleRanges(ranges)), all.filter((n) => times(n) > 1));
  }
});

Deno.test("splitRange: parts follow each other, the last one is what is left", () => {
  assertEquals(splitRange(range(10, 35), 10), [range(10, 20), range(20, 30), range(30, 35)]);
  assertEquals(splitRange(range(3, 3), 10), []);
  assertEquals(numbersIn(splitRange(range(7, 1007), 64)), 1000);
});

Deno.test("rangeName: has as many digits as the run, and is read back; other names are no ranges", () => {
  assertEquals(rangeName(range(0, 4096), 20_000), "000000-004095");
  assertEquals(rangeName(range(4_000_000_000, 4_000_000_001), 2 ** 32), "4000000000-4000000000");
  assertEquals(rangeOfName("000000-004095", 20_000), range(0, 4096));
  assertEquals(rangeText(range(0, 4096)), "0-4095");
  for (const name of ["", "0-4095", "000000-020000", "000005-000004", "000000-004095.x", "a-b"]) {
    assertEquals(rangeOfName(name, 20_000), undefined, name);
  }
});

Deno.test("longestOf: the numbers of the longest range, also of a range for each of 200,000 images", () => {
  assertEquals(longestOf([]), 0);
  assertEquals(longestOf([range(0, 3), range(3, 8), range(8, 9)]), 5);
  assertEquals(longestOf(splitRange(range(0, 200_000), 1)), 1);
});
