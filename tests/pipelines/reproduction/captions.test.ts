import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import {
  digitsText,
  figure15Note,
  figure17Note,
  lowestCount,
  lowestTenth,
  lowestText,
  pluginText,
} from "../../../pipelines/reproduction/captions.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("digitsText: the classes of the rows, which a short run may lack", () => {
  const text = (...labels: number[]) => digitsText(labels.map((label) => ({ label })));
  assertEquals(text(0, 0, 1, 1, 2, 3, 4), "Digits 0 to 4");
  assertEquals([text(7), text(7, 7), text(1, 2), text(0, 2, 3)], [
    "Digit 7",
    "Digit 7",
    "Digits 1, 2",
    "Digits 0, 2, 3",
  ]);
});

Deno.test("lowestText: how many of how many", () => {
  assertEquals(lowestText("test images", 16, 20), "The 16 of 20 test images of the lowest log-likelihood");
  assertEquals(lowestText("test images", 9, 9), "All 9 test images, the lowest log-likelihood first");
});

Deno.test("lowestCount, figure15Note: a quarter of a short run, and figure 15a where it differs from figure 11", () => {
  assertEquals([1, 4, 20, 60, 64, 10_000].map(lowestCount), [1, 1, 5, 15, 16, 16]);
  const left = "Figure 15a is left out: it shows the lowest tenth, which of 20 images are those of figure 11.";
  assertEquals([figure15Note(20), figure15Note(159) === undefined, figure15Note(160)], [left, false, undefined]);
});

Deno.test("figure17Note: why the figure is missing, where there are fewer than two eights", () => {
  const tail = "it needs two seed images of an 8, and there is";
  assertEquals([0, 1, 2].map(figure17Note), [
    `Figure 17 is left out: ${tail} none.`,
    `Figure 17 is left out: ${tail} one.`,
    undefined,
  ]);
});

Deno.test("pluginText: a plugin with its options in words", () => {
  const { prior, contexts: [context] } = plan({ ...digits, prior: ["local-nn", { neighbours: "auto" }] }, builtins);
  assertEquals(pluginText(prior), "local-nn: neighbours auto, hubPenalty 0, bonus 0");
  assertEquals(pluginText(context), "square: extent 1, weight 0.500");
});

Deno.test("lowestTenth: no image twice, however short the run; evenly from the lowest tenth of a long one", () => {
  const order = (count: number) => Array.from({ length: count }, (_, i) => 1000 + i);
  assertEquals(lowestTenth(order(4), 16), order(4), "all of four");
  assertEquals(lowestTenth(order(100), 16), order(16));
  assertEquals(lowestTenth(order(1000), 4), [1000, 1025, 1050, 1075]);
  for (const count of [1, 5, 16, 17, 159, 161, 500]) {
    const chosen = lowestTenth(order(count), 16);
    assertEquals([new Set(chosen).size, chosen.length], [Math.min(count, 16), Math.min(count, 16)], `${count}`);
  }
});
