import { assertEquals, assertRejects } from "@std/assert";
import { openQueue } from "../../../hosts/edge/queue.ts";
import { Problem } from "../../../hosts/edge/problem.ts";

const never = () => false, always = () => true;

/** Work of some steps that logs what happens. */
function* work(name: string, steps: number, log: string[]): Generator<number, string> {
  try {
    for (let i = 0; i < steps; i++) {
      log.push(`${name}${i}`);
      yield i;
    }
    return name;
  } finally {
    log.push(`${name}.`);
  }
}

Deno.test("queue: one after another, in the order of arrival, also where they pause", async () => {
  const { run } = openQueue(3), log: string[] = [];
  const all = ["a", "b", "c"].map((name) => run(() => work(name, 2, log), always, never));
  assertEquals(await Promise.all(all), ["a", "b", "c"]);
  assertEquals(log, ["a0", "a1", "a.", "b0", "b1", "b.", "c0", "c1", "c."]);
});

Deno.test("queue: other work runs in the pauses", async () => {
  const { run } = openQueue(1), log: string[] = [];
  const timer = setInterval(() => log.push("-"), 0);
  await run(() => work("a", 5, log), always, never);
  clearInterval(timer);
  assertEquals(log.filter((entry) => entry === "-").length >= 4, true, log.join(" "));
});

Deno.test("queue: requests beyond its size get the answer to try again", async () => {
  const { run } = openQueue(2), log: string[] = [];
  const two = [run(() => work("a", 2, log), always, never), run(() => work("b", 2, log), always, never)];
  const { status, headers } = await assertRejects(() => run(() => work("c", 1, log), never, never), Problem) as Problem;
  assertEquals([status, headers], [503, { "Retry-After": "1" }]);
  assertEquals(await Promise.all(two), ["a", "b"]);
  assertEquals(await run(() => work("c", 1, log), never, never), "c");
});

Deno.test("queue: a stopped request leaves it, at work or waiting, and its generator is closed", async () => {
  const { run } = openQueue(3), log: string[] = [];
  const a = run(() => work("a", 9, log), always, () => log.includes("a1"));
  const b = run(() => work("b", 9, log), always, always);
  const c = run(() => work("c", 1, log), always, never);
  assertEquals(await Promise.all([a, b, c]), [undefined, undefined, "c"]);
  assertEquals(log, ["a0", "a1", "a.", "c0", "c."]);
});

Deno.test("queue: a failed request leaves it", async () => {
  const { run } = openQueue(1), log: string[] = [];
  // deno-lint-ignore require-yield
  const failing = function* (): Generator<number, string> {
    throw new Error("no");
  };
  await assertRejects(() => run(failing, always, never), Error, "no");
  assertEquals(await run(() => work("a", 1, log), always, never), "a");
});

Deno.test("queue: a request that the host abandoned does not block the others", async () => {
  const { run } = openQueue(3), log: string[] = [], real = globalThis.setTimeout;
  // What some hosts do when a client is gone: the timer of the first pause never fires, and no `finally` runs.
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
  const dropped = run(() => work("a", 3, log), always, never);
  globalThis.setTimeout = real;
  assertEquals(await run(() => work("b", 1, log), always, never), "b");
  assertEquals(log, ["a0", "a.", "b0", "b."]);
  assertEquals(await Promise.race([dropped, Promise.resolve("still there")]), "still there");
});
