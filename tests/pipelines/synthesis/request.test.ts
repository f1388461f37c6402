import { assert, assertEquals, assertThrows } from "@std/assert";
import { facesPaper } from "../../../datasets/profiles/mod.ts";
import { planMaker, type ProfileRequest, requestedPlan, RequestError } from "../../../pipelines/synthesis/request.ts";
import { builtins } from "../../../plugins/mod.ts";

const contextsOf = (contexts: readonly string[]) =>
  requestedPlan(facesPaper, { contexts }, builtins).contexts.map(({ plugin, values }) => [plugin.name, { ...values }]);

Deno.test("requestedPlan: contexts that the profile has keep its options, others have their own defaults", () => {
  const ring = ["square", { extent: 2, weight: 0.1 }], across = ["horizontal", { weight: 0.02, step: 1 }];
  assertEquals(contextsOf(["square"]), [ring]);
  assertEquals(contextsOf(["horizontal", "square"]), [across, ring]);
  const { options } = builtins.find("context", "mirror");
  const defaults = Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default]));
  assertEquals(contextsOf(["mirror", "square"]), [["mirror", defaults], ring]);
  assertEquals(contextsOf([]), []);
});

Deno.test("requestedPlan: a context once", () => {
  assertThrows(() => contextsOf(["square", "mirror", "square"]), RequestError, "each context once");
});

Deno.test("planMaker: plans as requestedPlan makes them, the last sixteen made once; errors as its", () => {
  const planOf = planMaker(facesPaper, builtins), set = (n: number) => ({ set: [`prior.neighbours=${n + 1}`] });
  const first = planOf(set(0));
  assertEquals(first, requestedPlan(facesPaper, set(0), builtins));
  for (let n = 1; n < 16; n++) planOf(set(n));
  assert(planOf(set(0)) === first);
  for (let n = 16; n < 31; n++) planOf(set(n));
  assert(planOf(set(0)) === first);
  for (let n = 31; n < 47; n++) planOf(set(n));
  assert(planOf(set(0)) !== first);
  for (const prior of ["nearest", 7, 7n, { toJSON: () => "local-nn" }]) {
    assertThrows(() => planOf({ prior } as ProfileRequest), RequestError);
  }
});
