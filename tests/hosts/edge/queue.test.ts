import { assertEquals, assertRejects } from "@std/assert";
import { PROGRESS, type Progress, type Steps } from "../../../core/steps.ts";
import { openQueue, PAUSE_WORK } from "../../../hosts/edge/queue.ts";
import { Problem } from "../../../hosts/edge/problem.ts";

const never: AbortSignal[] = [], always = [AbortSignal.abort()];
let done = 0;
/** Counts the work of all queues here. */
const counter = { workDone: () => done };

/** Work of some steps that logs what happens. */
function* work(name: string, steps: number, log: string[], each = PAUSE_WORK): Steps<string> {
  try {
    for (let i = 0; i < steps; i++) {
      log.push(`${name}${i}`);
      done += each;
      yield PROGRESS;
    }
    return name;
  } finally {
    log.push(`${name}.`);
  }
}

Deno.test("queue: one after another, in the order of arrival, also where they pause", async () => {
  const { run } = openQueue(3, counter), log: string[] = [];
  const all = ["a", "b", "c"].map((name) => run(() => work(name, 2, log), never));
  assertEquals(await Promise.all(all), ["a", "b", "c"]);
  assertEquals(log, ["a0", "a1", "a.", "b0", "b1", "b.", "c0", "c1", "c."]);
});

Deno.test("queue: other work runs in the pauses", async () => {
  const { run } = openQueue(1, counter), log: string[] = [];
  const timer = setInterval(() => log.push("-"), 0);
  await run(() => work("a", 5, log), never);
  clearInterval(timer);
  assertEquals(log.filter((entry) => entry === "-").length >= 4, true, log.join(" "));
});

Deno.test("queue: pauses after so much work, whether in many steps or in few", async () => {
  const { run } = openQueue(1, counter), pauses: number[] = [];
  for (const each of [PAUSE_WORK / 4, PAUSE_WORK / 2, PAUSE_WORK, 3 * PAUSE_WORK]) {
    let paused = 0;
    const real = globalThis.setTimeout;
    globalThis.setTimeout = ((work: () => void) => {
      paused++;
      return real(work, 0);
    }) as unknown as typeof setTimeout;
    await run(() => work("a", 12, [], each), never);
    globalThis.setTimeout = real;
    pauses.push(paused);
  }
  assertEquals(pauses, [3, 6, 12, 12]);
});

Deno.test("queue: requests beyond its size get the answer to try again", async () => {
  const { run } = openQueue(2, counter), log: string[] = [];
  const two = [run(() => work("a", 2, log), never), run(() => work("b", 2, log), never)];
  const { status, headers } = await assertRejects(() => run(() => work("c", 1, log), never), Problem) as Problem;
  assertEquals([status, headers], [503, { "Retry-After": "1" }]);
  assertEquals(await Promise.all(two), ["a", "b"]);
  assertEquals(await run(() => work("c", 1, log), never), "c");
});

Deno.test("queue: a stopped request leaves it, at work or waiting, and its generator is closed", async () => {
  const { run } = openQueue(3, counter), log: string[] = [];
  const stop = new AbortController(), push = log.push.bind(log);
  log.push = (entry) => (entry === "a1" && stop.abort(), push(entry));
  const a = run(() => work("a", 9, log), [stop.signal]);
  const b = run(() => work("b", 9, log), always);
  const c = run(() => work("c", 1, log), never);
  assertEquals(await Promise.all([a, b, c]), [undefined, undefined, "c"]);
  assertEquals([...log], ["a0", "a1", "a.", "c0", "c."]);
});

Deno.test("queue: a failed request leaves it", async () => {
  const { run } = openQueue(1, counter), log: string[] = [];
  // deno-lint-ignore require-yield
  const failing = function* (): Generator<Progress, string> {
    throw new Error("no");
  };
  await assertRejects(() => run(failing, never), Error, "no");
  assertEquals(await run(() => work("a", 1, log), never), "a");
});

Deno.test("queue: a request that the host abandoned does not block the others", async () => {
  const { run } = openQueue(3, counter), log: string[] = [], real = globalThis.setTimeout;
  // What some hosts do when a client is gone: the timer of the first pause never fires, and no `finally` runs.
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
  const dropped = run(() => work("a", 3, log), never);
  globalThis.setTimeout = real;
  assertEquals(await run(() => work("b", 1, log), never), "b");
  assertEquals(log, ["a0", "a.", "b0", "b."]);
  assertEquals(await Promise.race([dropped, Promise.resolve("still there")]), "still there");
});
