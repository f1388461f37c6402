import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { digitsPaper } from "../../../datasets/profiles/digits_paper.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("digits: the paper's layers; other are the prior's options, h, the seed images, a projection at the end, and noise", () => {
  const { name, about, restoredAs, prior, relativeH, seedNoise, seedModel, noise, layers: [finest, ...coarser] } =
    digits;
  const layers = digitsPaper.layers.map((layer, l) => ({ ...layer, h: digits.layers[l].h }));
  layers[0] = { ...layers[0], projection: finest.projection };
  assertEquals(digits, {
    ...digitsPaper,
    name,
    about,
    restoredAs,
    prior,
    relativeH,
    seedNoise,
    seedModel,
    noise,
    layers,
  });
  assertEquals([name, restoredAs, digits.dataset, digits.classwise], ["digits", "digits-paper", "mnist", true]);
  assertEquals(coarser.map(({ projection }) => projection), [undefined, undefined]);
});

Deno.test("digits: a hub penalty, a relative h, noise on the seed images and a projection, none of which the paper has", () => {
  const [own, paper] = [digits, digitsPaper].map((profile) => plan(profile, builtins));
  const values = ({ prior, relativeH, seedNoise, layers: [finest] }: typeof own) => {
    const { neighbours, hubPenalty } = prior.values;
    return [prior.plugin.name, neighbours, hubPenalty, relativeH, seedNoise, finest.projection];
  };
  assertEquals(values(own), ["local-nn", 1000, 1.6, true, 0.04, 4]);
  assertEquals(values(paper), ["local-nn", 100, 0, false, 0, 0]);
});
