import { withSettings } from "../../../core/profile_changes.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { digitsPaper, faces, facesPaper, facesRelit } from "../../../datasets/profiles/mod.ts";
import { ideasOf } from "../../../pipelines/tuning/ideas.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("ideasOf faces: prior, contexts, each option of detail, and entries of layers, each switched off alone", () => {
  const ideas = ideasOf(facesRelit, facesPaper, builtins), own = plan(facesRelit, builtins);
  const names = ideas.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  for (const name of ["prior", "contexts", "prior.coherent", "prior.gain", "prior.maxShare", "feather", "order"]) {
    assert(names.includes(name), name);
  }
  for (const same of ["h", "rho", "window", "lambda", "zStep"]) assert(!names.includes(same), same);
  const without = (name: string) => plan(ideas.find((idea) => idea.name === name)!.profile, builtins);
  assertEquals(without("feather").layers.map(({ feather }) => feather), [0, 0, 0, 0]);
  assertEquals(without("feather").layers[0].prior, own.layers[0].prior, "the rest stays");
  const { layers } = without("prior.gain");
  assertEquals(layers.map(({ prior }) => prior.values.gain), [1, 1, 1, 1]);
  assertEquals(layers.map(({ prior }) => prior.values.bonus), own.layers.map(({ prior }) => prior.values.bonus));
  assertEquals(without("prior").layers.map(({ prior }) => prior.plugin.name), Array(4).fill("local-nn"));
  assertEquals(without("contexts").layers[3].contexts, plan(facesPaper, builtins).layers[3].contexts);
  assertEquals(without("contexts").layers[3].prior, own.layers[3].prior);
  const { off } = ideas.find(({ name }) => name === "prior.coherent")!;
  assertEquals(off, "false");
});

Deno.test("ideasOf digits: options of the same prior and entries of the profile, reset to the baseline's", () => {
  const changes = ["prior.hubPenalty=1.6", "prior.neighbours=300", "layers.1.prior.neighbours=50", "seedNoise=0.04"];
  const changed = withSettings(digitsPaper, changes), ideas = ideasOf(changed, digitsPaper, builtins);
  assertEquals(ideas.map(({ name }) => name), ["prior.neighbours", "prior.hubPenalty", "seedNoise"]);
  const [neighbours, hubs, noise] = ideas.map(({ profile }) => plan(profile, builtins));
  assertEquals(neighbours.layers.map(({ prior }) => prior.values.neighbours), [100, 100, 100]);
  assertEquals(neighbours.layers[0].prior.values.hubPenalty, 1.6);
  assertEquals(hubs.layers.map(({ prior }) => prior.values.neighbours), [300, 50, 300]);
  assertEquals([noise.seedNoise, noise.layers[0].prior.values.hubPenalty], [0, 1.6]);
  assertEquals(ideasOf(digitsPaper, digitsPaper, builtins), []);
});

Deno.test("ideasOf: other iterations are one idea; another number of layers is an error", () => {
  const [first, ...rest] = digitsPaper.layers;
  const shorter = {
    ...first,
    iterations: 3,
    ...Object.fromEntries((["h", "lambda", "rho", "offsets"] as const).map((name) => [name, first[name].slice(1)])),
  };
  const ideas = ideasOf({ ...digitsPaper, layers: [shorter, ...rest] }, digitsPaper, builtins);
  assertEquals(ideas.map(({ name, profile }) => [name, profile.layers[0].iterations]), [[
    "iterations + h + lambda + rho + offsets",
    4,
  ]]);
  assertThrows(
    () => ideasOf(facesRelit, digitsPaper, builtins),
    Error,
    'Cannot compare profile "faces-relit" with "digits-paper": expected 4 layers, got 3',
  );
});

Deno.test("ideasOf: of a profile from noise each entry of noise is one, beside those of the layers that follow", () => {
  const noise: Profile["noise"] = {
    layer: 1,
    denoiser: ["local-score", { temperature: 0.9 }],
    windows: [9, 7, 5],
    steps: 3,
    minOriginality: 0.8,
  };
  const changed: Profile = {
    ...withSettings(digitsPaper, ["layers.0.prior.neighbours=7"]),
    from: "noise",
    noise,
  };
  const ideas = ideasOf(changed, digitsPaper, builtins);
  assertEquals(ideas.map(({ name, off }) => [name, off]), [
    ["prior.neighbours", "100"],
    ["noise.denoiser.temperature", "its default"],
    ["noise.layer", "its default"],
    ["noise.windows", "its default"],
    ["noise.minOriginality", "0"],
    ["from", "that of digits-paper"],
  ]);
  const [neighbours, temperature, layer, windows, originality, seeds] = ideas.map(({ profile }) =>
    plan(profile, builtins)
  );
  assertEquals(neighbours.layers.map(({ prior }) => prior.values.neighbours), [100], "one layer follows");
  assertEquals(
    temperature.noise!.values.temperature,
    plan({ ...changed, noise: {} }, builtins).noise!.values.temperature,
  );
  assertEquals([layer.noise!.layer, layer.layers.length], [0, 0], "whole images");
  assertEquals([windows.noise!.areWindowsChosen, originality.noise!.minOriginality], [true, 0]);
  assertEquals([seeds.noise, seeds.layers.length], [undefined, 3]);
  // Steps cannot be reset without the windows of each.
  assert(!ideas.some(({ name }) => name === "noise.steps"));
  assert(ideasOf(faces, facesPaper, builtins).some(({ name }) => name === "noise.minTypicality"));
});
