import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { digitsPaper } from "../../../datasets/profiles/digits_paper.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("digits: the paper's layers; other are the prior's options, the seed images and a projection at the end", () => {
  const { name, about, prior, seedNoise, seedModel, layers: [finest, ...coarser] } = digits;
  const layers = [{ ...digitsPaper.layers[0], projection: finest.projection }, ...digitsPaper.layers.slice(1)];
  assertEquals(digits, { ...digitsPaper, name, about, prior, seedNoise, seedModel, layers });
  assertEquals([name, digits.dataset, digits.classwise], ["digits", "mnist", true]);
  assertEquals(coarser.map(({ projection }) => projection), [undefined, undefined]);
});

Deno.test("digits: a hub penalty, noise on the seed images and a projection, none of which the paper has", () => {
  const [own, paper] = [digits, digitsPaper].map((profile) => plan(profile, builtins));
  const values = ({ prior, seedNoise, layers: [finest] }: typeof own) => {
    return [prior.plugin.name, prior.values.neighbours, prior.values.hubPenalty, seedNoise, finest.projection];
  };
  assertEquals(values(own), ["local-nn", 350, 1.6, 0.04, 4]);
  assertEquals(values(paper), ["local-nn", 100, 0, 0, 0]);
});
