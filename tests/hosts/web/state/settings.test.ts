import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { plan } from "../../../../core/plan.ts";
import type { AnyPlugin, Option } from "../../../../core/plugin.ts";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { requestedPlan } from "../../../../pipelines/synthesis/request.ts";
import {
  type Named,
  positionOf,
  POSITIONS,
  requestFor,
  type Settings,
  settingsOf,
  sliderRange,
  valueAt,
  withSettingValue,
} from "../../../../hosts/web/state/settings.ts";
import { builtins } from "../../../../plugins/mod.ts";

type Numeric = Option & { default: number };
const ofKind = (kind: string) => builtins.plugins.filter((plugin) => plugin.kind === kind);

/** Any value that an option may have. */
function valueOf(option: Option): fc.Arbitrary<number | boolean | string> {
  if (typeof option.default === "boolean") return fc.boolean();
  if (typeof option.default === "string") return fc.constantFrom(...option.choices ?? [option.default]);
  return fc.integer({ min: 0, max: POSITIONS }).map((position) => valueAt(option as Numeric, position));
}
function named(plugin: AnyPlugin): fc.Arbitrary<Named> {
  const options = plugin.options as Record<string, Option>;
  const values = fc.record(
    Object.fromEntries(Object.entries(options).map(([name, option]) => [name, valueOf(option)])),
  );
  return values.map((values) => ({ name: plugin.name, values }));
}
const settings: fc.Arbitrary<Settings> = fc.record({
  prior: fc.oneof(...ofKind("prior").map(named)),
  contexts: fc.subarray(ofKind("context")).chain((some) => fc.tuple(...some.map(named))),
  zStep: fc.constantFrom("sample" as const, "map" as const, "mean" as const),
  seedNoise: fc.constantFrom(0, 0.04, 1),
  layers: fc.constantFrom([], ["layers.0.window=1"], ["layers.1.h.0=3.5", "layers.0.rho.0=2"]),
});

Deno.test("settings: from any profile, the request leads to the settings of the controls", () => {
  fc.assert(fc.property(fc.constantFrom(...Object.values(profiles)), settings, (profile, wanted) => {
    const request = requestFor(profile, wanted, builtins);
    assertEquals(settingsOf(requestedPlan(profile, request, builtins), request.set), wanted);
  }));
});

Deno.test("settings: the profile's own need no entries in a request", () => {
  for (const profile of Object.values(profiles)) {
    assertEquals(requestFor(profile, settingsOf(plan(profile, builtins), []), builtins), { set: [] });
  }
});

Deno.test("settings: a layer's value replaces an earlier one, and is left out where it is the profile's", () => {
  const once = withSettingValue([], "layers.0.h.1", 5, 16);
  assertEquals(once, ["layers.0.h.1=5"]);
  assertEquals(withSettingValue([...once, "layers.0.h.10=1"], "layers.0.h.1", 6, 16), [
    "layers.0.h.10=1",
    "layers.0.h.1=6",
  ]);
  assertEquals(withSettingValue(once, "layers.0.h.1", 16, 16), []);
});

Deno.test("sliders: cover the range of every option in rising order, and convert back to the same value", () => {
  for (const plugin of [...ofKind("prior"), ...ofKind("context")]) {
    for (const [name, option] of Object.entries(plugin.options as Record<string, Option>)) {
      if (typeof option.default !== "number") continue;
      const numeric = option as Numeric, { low, high } = sliderRange(numeric), what = `${plugin.name} ${name}`;
      assertEquals([valueAt(numeric, 0), valueAt(numeric, POSITIONS)], [low, high], what);
      let before = -Infinity;
      for (let position = 0; position <= POSITIONS; position++) {
        const value = valueAt(numeric, position);
        assert(value >= before && (!option.integer || Number.isInteger(value)), what);
        assertEquals(valueAt(numeric, positionOf(numeric, value)), value, what);
        before = value;
      }
    }
  }
});
