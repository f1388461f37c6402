import { assert, assertEquals } from "@std/assert";
import { finish } from "../../../core/steps.ts";
import { listCache } from "../../../priors/example/list_cache.ts";
import { wasm } from "../../kernels_under_test.ts";

Deno.test("listCache: keeps lists that are needed more than once, until the LR images are others", () => {
  const mark = wasm.mark(), lists = finish(listCache(wasm, new Map([["a", 2], ["b", 1], ["c", 3], ["d", 1]]), 64));
  const [a, b, c, d] = ["a", "b", "c", "d"].map(lists.address), lrKey = {};
  assertEquals(new Set([a, b, c]).size, 3);
  assertEquals(b, d, "lists that are not kept take turns in one place");
  lists.useFor(lrKey);
  lists.keep("a", 5);
  lists.keep("b", 6);
  lists.useFor(lrKey);
  assertEquals(["a", "b", "c"].map(lists.found), [5, undefined, undefined]);
  lists.useFor({});
  assertEquals(lists.found("a"), undefined);
  wasm.release(mark);
});

Deno.test("listCache: what does not fit is searched for again", () => {
  const mark = wasm.mark(),
    half = 2 ** 27,
    lists = finish(listCache(wasm, new Map([["a", 2], ["b", 2], ["c", 2]]), half));
  lists.useFor({});
  for (const name of ["a", "b", "c"]) lists.keep(name, 1);
  assertEquals(["a", "b", "c"].map(lists.found), [1, 1, undefined]);
  assert(lists.address("c") !== lists.address("a") && lists.address("c") !== lists.address("b"));
  wasm.release(mark);
});
