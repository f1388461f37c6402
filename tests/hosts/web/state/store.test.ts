import { assertEquals } from "@std/assert";
import { openStore } from "../../../../hosts/web/state/store.ts";

Deno.test("store: watchers are called in order, for the entries that got another value, with the whole state", () => {
  const store = openStore<{ a: number; b: string; c?: number }>({ a: 1, b: "x" }), log: string[] = [];
  store.watch(["a", "c"], (state) => log.push(`first ${JSON.stringify(state)}`));
  store.watch(["b", "a"], ({ a, b }) => log.push(`second ${a}${b}`));
  store.change({ a: 1 });
  assertEquals(log, [], "nothing got another value");
  store.change({ a: 2 });
  store.change({ b: "y", c: undefined });
  store.change({ c: 3 });
  assertEquals(log, ['first {"a":2,"b":"x"}', "second 2x", "second 2y", 'first {"a":2,"b":"y","c":3}']);
  assertEquals(store.state, { a: 2, b: "y", c: 3 });
});

Deno.test("store: a change replaces the state and leaves the one before as it was", () => {
  const store = openStore({ list: [1] }), before = store.state;
  store.change({ list: [1, 2] });
  assertEquals([before.list, store.state.list], [[1], [1, 2]]);
});
