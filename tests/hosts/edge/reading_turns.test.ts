import { assertEquals, assertRejects } from "@std/assert";
import { readingTurns } from "../../../hosts/edge/reading_turns.ts";

Deno.test("readingTurns: one query of a client between two pauses, others at once, and an error ends its turn alone", async () => {
  const inTurn = readingTurns(), read: string[] = [];
  const ask = (client: string | undefined, name: string) => inTurn(client, () => read.push(name));
  const greedy = ["a1", "a2", "a3"].map((name) => ask("a", name));
  const failing = inTurn("a", () => {
    throw new Error("not read");
  });
  const last = ask("a", "a4");
  await Promise.all([ask("b", "b1"), ask(undefined, "nobody's 1"), ask(undefined, "nobody's 2")]);
  // The second one of the greedy client waits for a pause.
  assertEquals(read.toSorted(), ["a1", "b1", "nobody's 1", "nobody's 2"]);
  await Promise.all(greedy);
  await assertRejects(() => failing, Error, "not read");
  await last;
  assertEquals(read.filter((name) => name.startsWith("a")), ["a1", "a2", "a3", "a4"]);
  // Nothing waits any more.
  await ask("a", "a5");
  assertEquals(read.at(-1), "a5");
  // The last pause ends before the test does.
  await new Promise((resolve) => setTimeout(resolve, 20));
});

Deno.test("readingTurns: two queries of many clients between two pauses, and who read least recently is first", async () => {
  const inTurn = readingTurns(), read: string[] = [];
  const ask = (client: string, name = client) => inTurn(client, () => read.push(name));
  const greedy = ["a", "b", "c", "d", "e", "a", "b", "c", "d", "e"].map((client) => ask(client));
  await greedy[1];
  assertEquals(read, ["a", "b"]);
  await greedy[3];
  const late = ask("f");
  await Promise.all([...greedy, late]);
  assertEquals(read, ["a", "b", "c", "d", "e", "f", "a", "b", "c", "d", "e"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
});

Deno.test("readingTurns: what a client sent that is gone is not read, and takes no turn", async () => {
  const inTurn = readingTurns(), read: string[] = [], gone = new AbortController(), before = AbortSignal.abort();
  const ask = (name: string, signal?: AbortSignal) => inTurn("a", () => read.push(name), signal);
  const asked = [ask("gone before", before), ask("first"), ask("gone while it waits", gone.signal), ask("last")];
  gone.abort();
  assertEquals(await Promise.all(asked), [undefined, 1, undefined, 2]);
  assertEquals(read, ["first", "last"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
});

Deno.test("readingTurns: a pause that a host abandoned, with its timers, is waited for one second", async () => {
  const inTurn = readingTurns(), { setTimeout } = globalThis, timers: [() => void, number | undefined][] = [];
  globalThis.setTimeout =
    ((end: () => void, after?: number) => timers.push([end, after])) as unknown as typeof setTimeout;
  try {
    await inTurn("a", () => {});
    let read = false;
    const next = inTurn("a", () => void (read = true));
    await new Promise<void>((resolve) => setTimeout(resolve, 5));
    const [[, pause], [giveUp, after]] = timers;
    assertEquals([read, pause, after], [false, 0, 1000]);
    giveUp(); // the pause after the first turn never ends
    await next;
    assertEquals(read, true);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});
