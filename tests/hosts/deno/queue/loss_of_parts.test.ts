/** Parts count as lost by the engine only when two looks in a row find no job of them, and nothing changes meanwhile. */
import { assertEquals } from "@std/assert";
import { lossOfParts } from "../../../../hosts/deno/queue/loss_of_parts.ts";

/** What is said at each state of a run, one a second: its parts that are made, and whether a look finds no job. */
async function losses(seconds: readonly (readonly [made: number, isStuck: boolean])[]) {
  let time = 0, looks = 0;
  const isLost = lossOfParts(() => {
    looks++;
    return Promise.resolve(seconds[time / 1000][1]);
  }, () => time);
  const lost: number[] = [];
  for (const [second, [made]] of seconds.entries()) {
    time = second * 1000;
    if (await isLost({ made, left: 9 - made })) lost.push(second);
  }
  return { lost, looks };
}

const still = (count: number, isStuck: boolean, made = 1) =>
  Array.from({ length: count }, () => [made, isStuck] as const);

Deno.test("loss of parts: two looks that find no job, three seconds apart", async () => {
  assertEquals(await losses(still(6, true)), { lost: [], looks: 1 });
  assertEquals(await losses(still(7, true)), { lost: [6], looks: 2 });
  assertEquals(await losses(still(13, true)), { lost: [6, 12], looks: 4 });
});

Deno.test("loss of parts: not while jobs are there, while one is on its way, or while parts are made", async () => {
  assertEquals(await losses(still(20, false)), { lost: [], looks: 6 });
  assertEquals(await losses([...still(4, true), ...still(3, false), ...still(3, true)]), { lost: [], looks: 3 });
  assertEquals(await losses([...still(5, true), ...still(5, true, 2)]), { lost: [], looks: 2 });
  assertEquals(await losses(Array.from({ length: 9 }, (_, n) => [n, true] as const)), { lost: [], looks: 0 });
});
