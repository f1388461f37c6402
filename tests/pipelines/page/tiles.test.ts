import { assertEquals } from "@std/assert";
import { definePlugin } from "../../../core/plugin.ts";
import { ownTile, SAMPLES, seedImageOf, tilesOf } from "../../../pipelines/page/tiles.ts";
import { builtins } from "../../../plugins/mod.ts";
import { localNn } from "../../../priors/local_nn.ts";
import { choices, openedPack } from "../../hosts/web/state/opened_pack.ts";

Deno.test("tiles: samples share a seed image; the requests of priors and contexts differ in nothing else", () => {
  const pack = openedPack(), seed = seedImageOf(choices, pack);
  assertEquals(seed, pack.seeds.images.slice(16, 32), "the first of class 5 is the pack's second");
  const { requests: [samples], tiles } = tilesOf(choices, pack, builtins);
  assertEquals([samples.images, samples.class], [[0, 1, 2, 3], 5]);
  for (let i = 0; i < SAMPLES; i++) {
    assertEquals(samples.seedImages!.slice(16 * i, 16 * (i + 1)), Float32Array.from(seed));
  }
  assertEquals(tiles.map(({ image }) => image), [0, 1, 2, 3]);

  const set = ["prior.neighbours=2", "layers.0.window=1"];
  const priors = tilesOf({ ...choices, set, view: "priors" }, pack, builtins);
  // A mixture takes long to fit: it is requested only where its tile is selected, as `slow` below.
  const atOnce = builtins.plugins.filter(({ kind, name }) => kind === "prior" && name !== "gmm");
  const denoisers = priors.requests.slice(atOnce.length);
  assertEquals(denoisers.map(({ from, seedImages, set }) => [from, seedImages, set]), [
    ["noise", undefined, []],
    ["noise", undefined, ["noise.denoiser=wiener"]],
  ]);
  for (const [i, { prior, set: kept, ...rest }] of priors.requests.slice(0, atOnce.length).entries()) {
    const { name, options } = atOnce[i];
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
  const waits = tilesOf({ ...choices, view: "priors" }, pack, builtins.with(slow)),
    at = waits.tiles.findIndex(({ title }) => title === "slow");
  assertEquals([waits.tiles[at].request, waits.requests.some(({ prior }) => prior === "slow")], [
    -1,
    false,
  ]);
  const asked = tilesOf({ ...choices, view: "priors", tile: at }, pack, builtins.with(slow));
  assertEquals(asked.requests[asked.tiles[at].request].prior, "slow");

  // The fit of `wiener` to 32x32 pixels in colour takes a minute, to those in grey a few seconds; faces have noise at 32x32.
  const waiting = (side: number, channels: 1 | 3, layer: number) => {
    const shape = { height: side, width: side, channels }, profile = { ...pack.profile, noise: { layer } };
    return tilesOf({ ...choices, view: "priors" }, { ...pack, shape, profile }, builtins).tiles
      .find(({ title }) => title === "wiener")!.request < 0;
  };
  assertEquals([waiting(32, 1, 0), waiting(32, 3, 0), waiting(128, 1, 2)], [false, true, false]);

  const contexts = tilesOf({ ...choices, set: [...set, "square.weight=0.1"], view: "contexts" }, pack, builtins);
  for (const request of contexts.requests) assertEquals(request.set, set);
  assertEquals(contexts.requests[0].contexts, undefined);
});

Deno.test("ownTile: of methods side by side, the one that makes the samples", () => {
  const pack = openedPack(), methods = { ...choices, view: "priors" as const };
  const profile = { ...pack.profile, prior: ["detail", {}] as const, noise: { denoiser: "wiener" as const } };
  const titleOf = (changed: object, of = pack) => {
    const all = { ...methods, ...changed };
    return tilesOf(all, of, builtins).tiles[ownTile(all, of, builtins)].title;
  };
  assertEquals([titleOf({}), titleOf({ seedImage: "noise" })], ["local-nn", "local-score"]);
  const other = { ...pack, profile };
  assertEquals([titleOf({}, other), titleOf({ seedImage: "noise" }, other)], ["detail", "wiener"]);
  assertEquals(titleOf({ prior: "tangent-plane" }, other), "tangent-plane");
  assertEquals(titleOf({ seedImage: "noise", set: ["noise.denoiser=pca-locality"] }, other), "pca-locality");
  assertEquals(ownTile({ ...methods, view: "samples" }, other, builtins), 0);
});

Deno.test("tiles from noise: samples have no seed image, and the source is said only where the profile has another", () => {
  const pack = openedPack(), noisy = { ...pack, profile: { ...pack.profile, from: "noise" as const } };
  const { requests: [samples], tiles } = tilesOf({ ...choices, seedImage: "noise" }, pack, builtins);
  assertEquals([samples.from, samples.seedImages, samples.images], ["noise", undefined, [0, 1, 2, 3]]);
  assertEquals(tiles.length, 4);
  assertEquals(tilesOf(choices, pack, builtins).requests[0].from, undefined);
  assertEquals(tilesOf(choices, noisy, builtins).requests[0].from, "test");
});
