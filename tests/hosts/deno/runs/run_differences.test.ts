import { assert, assertEquals } from "@std/assert";
import { withSetting } from "../../../../core/profile_changes.ts";
import { plan } from "../../../../core/plan.ts";
import type { Profile } from "../../../../core/profile.ts";
import { digits, faces } from "../../../../datasets/profiles/mod.ts";
import { SYNTH_FLAGS } from "../../../../hosts/deno/commands/flags/synth_flags.ts";
import { resumeText, runDifferences } from "../../../../hosts/deno/runs/run_differences.ts";
import { describePlan } from "../../../../pipelines/synthesis/run_record.ts";
import { builtins } from "../../../../plugins/mod.ts";

const SUM = "0".repeat(64);

/** What a run of single pictures depends on. */
function basis(profile: Profile = digits, request: object = {}, more: object = {}): object {
  const around = { seed: 1, count: 3, from: "test", kernels: SUM, plugins: [], data: [SUM] };
  return { ...describePlan(plan(profile, builtins)), ...around, request, ...more };
}

Deno.test("runDifferences: names the flags that differ, with what they are there and here", () => {
  const set = (...settings: string[]) => basis(settings.reduce(withSetting, digits)), one = basis();
  const cases: readonly (readonly [object, object, ...string[]])[] = [
    [one, basis()],
    [basis(digits, { class: "3" }), one, "--class (there 3, here none)"],
    [basis(digits, { without: ["1", "4"] }), one, "--without (there 1,4, here none)"],
    [
      one,
      basis(digits, { mirror: true, minLl: -80 }),
      "--mirror (there none, here given)",
      "--min-ll (there none, here -80)",
    ],
    [one, set("prior.neighbours=50"), "--set prior.neighbours (there 1000, here 50)"],
    [one, set("layers.1.window=2"), `--set layers.1.window (there ${digits.layers[1].window}, here 2)`],
    [one, { ...set("zStep=map"), seed: 2 }, "--z-step (there sample, here map)", "--seed (there 1, here 2)"],
    [one, basis({ ...digits, contexts: [] }), "--context (there square, here none)"],
    [one, basis(digits, {}, { data: ["1".repeat(64)] }), "the training images"],
    [one, basis(digits, {}, { patchloom: "0.0.1" }), "the version of Patchloom (there 0.1.0, here 0.0.1)"],
    [
      basis(digits, {}, { shape: [32, 32, 1], limits: {} }),
      { ...set("layers.0.minOriginality=1"), shape: [64, 32, 3], limits: { minOriginality: 1 } },
      "--size (there 32x32, here 64x32 of 3 channels)",
      "--min-originality (there none, here 1)",
    ],
    [one, basis(faces), "--profile (there digits, here faces)"],
  ];
  for (const [there, here, ...names] of cases) {
    const found = runDifferences(there, here);
    assertEquals(found.filter((name) => !name.startsWith("--set square.")), names);
    const flags = found.flatMap((name) => /^--([\w-]+)/.exec(name)?.[1] ?? []);
    assert(flags.every((flag) => Object.hasOwn(SYNTH_FLAGS, flag)), `${flags}`);
  }
});

Deno.test("runDifferences: finds any difference, also in records that others wrote", () => {
  const one = basis(digits, { class: "3" });
  for (const [key, value] of Object.entries(one)) {
    for (const other of [null, [1], { odd: 1 }, "text"]) {
      const isFound = runDifferences(one, { ...one, [key]: other }).length > 0;
      assertEquals(isFound, value !== other, `${key} ${JSON.stringify(other)}`);
    }
  }
});

Deno.test("resumeText: says how the run goes on, unless something around it differs", () => {
  const three = basis(digits, { class: "3" }), here = basis();
  const replaced = "without --resume its images are replaced", of3 = "its run differs in --class (there 3, here none)";
  assertEquals(resumeText("my out", here, here), undefined);
  assertEquals(
    resumeText("my out", three, here),
    `${of3}; deno task synth --run 'my out' --resume --out 'my out' goes on, ${replaced}`,
  );
  assertEquals(
    resumeText("out", { ...three, kernels: SUM.replaceAll("0", "1") }, here)?.includes("--run"),
    false,
  );
  assertEquals(
    resumeText("out", { ...here, count: 5 }, here),
    `its run differs in --count (there 5, here 3); ${replaced}; --shard FIRST-LAST with another --out makes more images like these`,
  );
});
