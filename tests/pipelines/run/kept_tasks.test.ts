/** Results that are kept as they are made: what a stop loses, and what a second run takes. */
import { assertEquals } from "@std/assert";
import { KEEP_EVERY, runKept } from "../../../pipelines/run/kept_tasks.ts";
import type { KeptParts, Program, Runner, TaskEvent } from "../../../pipelines/run/runner.ts";

/** Squares numbers. */
const squares: Program<null, number, number> = {
  name: "squares",
  prepare: () =>
    function* (task) {
      yield { type: "progress", part: 1 };
      return task * task;
    },
};

/** Parts in memory, which count how often some are added. */
function memory(kept = new Map<number, Uint8Array>()) {
  const added: number[][] = [];
  const parts: KeptParts = {
    kept,
    add(parts) {
      added.push([...parts.keys()]);
      for (const [number, bytes] of parts) kept.set(number, bytes);
      return Promise.resolve();
    },
  };
  return { parts, added, kept };
}

/** A runner whose tasks take two seconds each, and come in the reverse order; it is stopped after some of them. */
function runner(stopAfter = Infinity) {
  const ran: number[] = [], stop = new AbortController();
  let time = 0;
  const fake: Pick<Runner, "run" | "now" | "signal"> = {
    signal: stop.signal,
    now: () => time,
    async *run(_program, { tasks }) {
      for (const [at, task] of [...tasks.entries()].reverse()) {
        if (ran.length === stopAfter) return stop.abort();
        ran.push(task as number);
        yield { type: "progress", part: 1, task: at };
        time += 2000;
        yield { type: "result", task: at, result: (task as number) ** 2 as never };
      }
    },
  };
  return { runner: fake as Runner, ran };
}

async function results(runner: Runner, parts: KeptParts | undefined): Promise<(number | undefined)[]> {
  const tasks = [3, 4, 5, 6, 7], found = tasks.map((): number | undefined => undefined);
  const keeping = {
    places: tasks.map((_, i) => ({ parts, number: 10 + i })),
    encode: (square: number) => Uint8Array.of(square),
    decode: ([square]: Uint8Array) => square,
  };
  const events: AsyncIterable<TaskEvent<number>> = runKept(runner, squares, { setUp: null, tasks }, keeping);
  for await (const event of events) if (event.type === "result") found[event.task] = event.result;
  return found;
}

Deno.test("runKept: a stopped run keeps its results, and the next one makes the others alone", async () => {
  const { parts, added } = memory(), first = runner(4);
  assertEquals(await results(first.runner, parts), [undefined, 16, 25, 36, 49]);
  assertEquals(first.ran, [7, 6, 5, 4]);
  assertEquals(added, [[14, 13, 12], [11]], `after ${KEEP_EVERY} ms, and at the stop`);
  const second = runner();
  assertEquals(await results(second.runner, parts), [9, 16, 25, 36, 49]);
  assertEquals(second.ran, [3]);
});

Deno.test("runKept: without parts all tasks run", async () => {
  const { runner: one, ran } = runner();
  assertEquals(await results(one, undefined), [9, 16, 25, 36, 49]);
  assertEquals(ran, [7, 6, 5, 4, 3]);
});
