/** What a run's record says of a plan. */
import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { withSetting } from "../../../core/profile_changes.ts";
import { describePlan } from "../../../pipelines/synthesis/run_record.ts";
import { builtins } from "../../../plugins/mod.ts";
import { small } from "../../small_world.ts";

Deno.test("describePlan: the plugins of every layer, where a layer has its own", () => {
  const common = describePlan(plan(small, builtins));
  assertEquals([common.prior, common.layers], [
    { name: "local-nn", neighbours: 10, hubPenalty: 0, bonus: 0 },
    undefined,
  ]);
  const profile = ["layers.1.prior.neighbours=5", "layers.0.square.extent=2"].reduce(withSetting, small);
  const { prior, contexts, layers } = describePlan(plan(profile, builtins)), [square, horizontal] = contexts;
  assertEquals({ prior, contexts }, { prior: common.prior, contexts: common.contexts });
  assertEquals(layers, [
    { prior, contexts: [{ ...square, extent: 2 }, horizontal] },
    { prior: { ...prior, neighbours: 5 }, contexts },
  ]);
});
