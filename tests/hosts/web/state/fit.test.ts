import { assertEquals, assertMatch } from "@std/assert";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { type Choices, DEFAULTS } from "../../../../hosts/web/state/choices.ts";
import { fit } from "../../../../hosts/web/state/fit.ts";
import type { OpenedPack } from "../../../../hosts/web/worker/protocol.ts";
import { SAMPLES, seedImageOf, tilesOf } from "../../../../hosts/web/state/tiles.ts";
import { definePlugin } from "../../../../core/plugin.ts";
import { builtins, localNn } from "../../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../../datasets/formats/packs.ts";

function opened(options = {}): OpenedPack {
  const pack = smallPack(options), { classes } = openSynthesizer(newKernels(), pack, builtins);
  return {
    profile: pack.profile,
    origin: pack.origin,
    fingerprint: "",
    kernels: "",
    classes,
    train: { count: 24, labels: pack.train.labels },
    examples: [],
    shape: { height: 16, width: 16, channels: 1 },
    seeds: { ...pack.seeds, shape: { height: 4, width: 4, channels: 1 } },
  };
}
const choices: Choices = { ...DEFAULTS, class: 5, tile: 1, frame: { layer: 1, iteration: 0 }, pixel: { y: 7, x: 7 } };

Deno.test("fit: choices that fit stay as they are", () => {
  for (
    const good of [choices, {
      ...choices,
      class: "all" as const,
      seedImage: new Uint8Array(16),
      frame: { layer: 2, iteration: -1 },
      pixel: { y: 3, x: 3 },
    }]
  ) {
    const { choices: kept, problems } = fit(good, opened(), builtins);
    assertEquals([kept, problems], [good, []]);
  }
});

Deno.test("fit: each choice that does not fit is left out with a sentence", () => {
  const without = (bad: Partial<Choices>, of = opened()) => {
    const { choices: kept, problems } = fit({ ...choices, ...bad }, of, builtins);
    for (const problem of problems) assertMatch(problem, /^[A-Z][^\n]*\.$/);
    const changed = (Object.keys({ ...choices, ...bad }) as (keyof Choices)[]).filter((key) =>
      kept[key] !== ({ ...choices, ...bad })[key]
    );
    return [
      changed.filter((key) => key !== "set" || kept.set.length !== (bad.set ?? []).length).join(" "),
      problems.length,
    ];
  };
  assertEquals(without({ class: 4 }), ["class", 1]);
  assertEquals(without({ class: 5 }, opened({ labelled: false })), ["class", 1]);
  assertEquals(without({ seedImage: new Uint8Array(64) }), ["seedImage", 1]);
  assertEquals(without({ prior: "no-such" }), ["prior", 1]);
  assertEquals(without({ set: ["prior.neighbours=0"] }), ["set", 1]);
  assertEquals(without({ set: ["size=32"] }), ["set", 1]);
  assertEquals(without({ frame: { layer: 9, iteration: 0 } }), ["frame pixel", 1]);
  assertEquals(without({ frame: { layer: 0, iteration: 99 } }), ["frame pixel", 1]);
  assertEquals(without({ pixel: { y: 8, x: 0 } }), ["pixel", 1]);
  assertEquals(without({ tile: 50 }), ["tile", 0]);
});

Deno.test("tiles: samples share a seed image; the requests of priors and contexts differ in nothing else", () => {
  const pack = opened(), seed = seedImageOf(choices, pack);
  assertEquals(seed, pack.seeds.images.slice(16, 32), "the first of class 5 is the pack's second");
  const { requests: [samples], tiles } = tilesOf(choices, pack, builtins);
  assertEquals([samples.images, samples.class], [[0, 1, 2, 3], 5]);
  for (let i = 0; i < SAMPLES; i++) {
    assertEquals(samples.seedImages!.slice(16 * i, 16 * (i + 1)), Float32Array.from(seed));
  }
  assertEquals(tiles.map(({ image }) => image), [0, 1, 2, 3]);

  const set = ["prior.neighbours=2", "layers.0.window=1"];
  const priors = tilesOf({ ...choices, set, view: "priors" }, pack, builtins);
  for (const [i, { prior, set: kept, ...rest }] of priors.requests.entries()) {
    const { name, options } = builtins.plugins.filter(({ kind }) => kind === "prior")[i];
    assertEquals([prior ?? "local-nn", rest.images, rest.seedImages], [name, [0], seed]);
    assertEquals(kept, "neighbours" in options ? set : set.slice(1), "options that a prior lacks are left out");
  }

  const slow = definePlugin({
    ...localNn,
    name: "slow",
    create: (values) => ({
      ...localNn.create(values),
      parts: { count: () => 0, fit: () => new Uint8Array(), load: () => ({ draw: () => {} }) },
    }),
  });
  const waits = tilesOf({ ...choices, view: "priors" }, pack, builtins.with(slow)), at = waits.tiles.length - 1;
  assertEquals([waits.tiles[at].request, waits.requests.some(({ prior }) => prior === "slow")], [
    -1,
    false,
  ]);
  const asked = tilesOf({ ...choices, view: "priors", tile: at }, pack, builtins.with(slow));
  assertEquals(asked.requests[asked.tiles[at].request].prior, "slow");

  const contexts = tilesOf({ ...choices, set: [...set, "square.weight=0.1"], view: "contexts" }, pack, builtins);
  for (const request of contexts.requests) assertEquals(request.set, set);
  assertEquals(contexts.requests[0].contexts, undefined);
});
