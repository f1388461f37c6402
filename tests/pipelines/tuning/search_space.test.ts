import { assert, assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { digits, facesRelit, profiles, texture } from "../../../datasets/profiles/mod.ts";
import { drawSettings, readVaried, usualSpace, withSettingsOfLayers } from "../../../pipelines/tuning/search_space.ts";
import { builtins } from "../../../plugins/mod.ts";

const read = (text: string, profile = digits) => readVaried(profile, text, builtins);

Deno.test("readVaried: ranges of integers and of numbers, and lists of values", () => {
  assertEquals(read("layers.0.window=1..3"), { name: "layers.0.window", low: 1, high: 3, integer: true, log: false });
  assertEquals(read("prior.neighbours=20..600"), {
    name: "prior.neighbours",
    low: 20,
    high: 600,
    integer: true,
    log: true,
  });
  // Whether fractions are allowed is the option's matter, not that of how its ends are written.
  assertEquals(read("prior.hubPenalty=0..2"), {
    name: "prior.hubPenalty",
    low: 0,
    high: 2,
    integer: false,
    log: false,
  });
  assertEquals(read("seedNoise=0.01..0.1"), { name: "seedNoise", low: 0.01, high: 0.1, integer: false, log: true });
  assertEquals(read("zStep=sample,map"), { name: "zStep", values: ["sample", "map"] });
  assertEquals(read("prior.coherent=true,false", facesRelit), { name: "prior.coherent", values: ["true", "false"] });
});

Deno.test("readVaried: what the profile does not take is an error of one sentence", () => {
  const wrong: [text: string, sentence: string][] = [
    ["", "expected NAME=LOW..HIGH or NAME=VALUE,VALUE"],
    ["prior.neighbours", "expected NAME=LOW..HIGH"],
    ["=1..2", "expected NAME=LOW..HIGH"],
    ["prior.neighbours=5", "expected NAME=LOW..HIGH"],
    ["prior.neighbours=30..5", "expected NAME=LOW..HIGH"],
    ["prior.neighbours=5..", "expected NAME=LOW..HIGH"],
    ["prior.neighbours=1..2..3", "expected NAME=LOW..HIGH"],
    ["prior.neighbours=5..NaN", "expected NAME=LOW..HIGH"],
    ["prior.neighbours=0..10", 'Cannot set "neighbours"'],
    ["prior.neighbors=5..10", 'has no option "neighbors"; nearest: "neighbours"'],
    ["layers.3.window=0..2", 'there is no "3"'],
    ["layers.*.windw=0..2", 'there is no "windw"'],
    ["zStep=sample,mode", "expected sample or map or mean"],
  ];
  for (const [text, sentence] of wrong) {
    const { message } = assertThrows(() => read(text), Error);
    assert(message.startsWith(`Cannot vary "${text}": `) && message.includes(sentence), message);
  }
});

Deno.test("withSettingsOfLayers: a star stands for every layer", () => {
  const { layers } = plan(
    withSettingsOfLayers(facesRelit, ["layers.*.feather=2", "layers.0.prior.gain=1.5"]),
    builtins,
  );
  assertEquals(layers.map(({ feather }) => feather), [2, 2, 2, 2]);
  assertEquals(layers[0].prior.values.gain, 1.5);
});

Deno.test("drawSettings: in their ranges, all integers about as often, and the same for the same seed and trial", () => {
  const space = ["prior.neighbours=1..3", "seedNoise=0.001..0.1", "zStep=sample,map"].map((text) => read(text));
  const counts = new Map<string, number>(), noises: number[] = [];
  for (let trial = 1; trial <= 600; trial++) {
    const settings = drawSettings(space, 5, trial), [neighbours, seedNoise, zStep] = settings;
    assertEquals(drawSettings(space, 5, trial), settings);
    for (const one of [neighbours, zStep]) counts.set(one, (counts.get(one) ?? 0) + 1);
    noises.push(Number(seedNoise.split("=")[1]));
    plan(withSettingsOfLayers(digits, settings), builtins);
  }
  const often = (name: string, low: number, high: number) => {
    const count = counts.get(name) ?? 0;
    assert(count > low && count < high, `${name}: ${count}`);
  };
  for (const value of [1, 2, 3]) often(`prior.neighbours=${value}`, 150, 250);
  for (const value of ["sample", "map"]) often(`zStep=${value}`, 250, 350);
  assertEquals(counts.size, 5);
  assert(noises.every((noise) => noise >= 0.001 && noise <= 0.1));
  const small = noises.filter((noise) => noise < 0.01).length; // the middle of a logarithmic scale
  assert(small > 250 && small < 350, `${small}`);
});

Deno.test("usualSpace: something to vary for the profiles of digits and facesRelit, which they take", () => {
  for (const profile of Object.values(profiles)) {
    const space = usualSpace(profile, builtins);
    assertEquals(space.length > 0, profile !== texture, profile.name);
    for (const text of space) read(text, profile);
  }
});

Deno.test("usualSpace: the options that the prior names, in their layers, and the entries that the profile has", () => {
  assertEquals(usualSpace(digits, builtins), [
    "prior.neighbours=20..1500",
    "prior.hubPenalty=0..2",
    "seedNoise=0..0.06",
    "layers.0.projection=0..8",
  ]);
  assertEquals(usualSpace(facesRelit, builtins), [
    ...[0, 1, 2, 3].map((l) => `layers.${l}.prior.gain=1..1.4`),
    ...[0, 1, 2].map((l) => `layers.${l}.prior.bonus=0..16`),
    "layers.2.prior.maxShare=0.4..1",
    "layers.3.prior.neighbours=5..60",
    "layers.*.feather=0..6",
  ]);
});
