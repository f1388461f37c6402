import { assertEquals, assertThrows } from "@std/assert";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { lossOf, readObjective, valueOf } from "../../../pipelines/tuning/objectives.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("readObjective: a metric, or the least or the greatest value of an image, each with its direction", () => {
  const read = (name: string) => {
    const { metric, part, better } = readObjective(name, builtins);
    return [metric, part, better];
  };
  assertEquals(read("judge"), ["judge", "score", "lower"]);
  assertEquals(read("originality.least"), ["originality", "least", "higher"]);
  assertEquals(read("closest-correlation.greatest"), ["closest-correlation", "greatest", "lower"]);
  assertEquals(read("contrast"), ["contrast", "score", "like"]);
});

Deno.test("readObjective: another name is an error of one sentence", () => {
  const wrong: [name: string, sentence: string][] = [
    ["judg", 'Cannot use objective "judg": there is no metric "judg"; nearest: "judge" (valid: likelihood, '],
    ["local-nn", 'there is no metric "local-nn"'],
    ["", 'Cannot use objective "": there is no metric ""'],
    ["judge.most", 'Cannot use objective "judge.most": expected judge, judge.least or judge.greatest'],
    ["judge.least.least", "expected judge, judge.least or judge.greatest"],
  ];
  for (const [name, sentence] of wrong) assertThrows(() => readObjective(name, builtins), Error, sentence);
});

Deno.test("valueOf and lossOf: the part of the score, and its distance from the best", () => {
  const score = { metric: "contrast", score: 0.9, range: [0.2, 1.5] } as unknown as MetricScore;
  const values = ["contrast", "contrast.least", "contrast.greatest"].map((name) => {
    return valueOf(readObjective(name, builtins), [score]);
  });
  assertEquals(values, [0.9, 0.2, 1.5]);
  const loss = (name: string, value: number) => lossOf(readObjective(name, builtins), value, 1);
  assertEquals([loss("contrast", 0.75), loss("contrast", 1.25)], [0.25, 0.25]);
  assertEquals([loss("likelihood", -70), loss("spread", 1.5)], [70, 1.5]);
});
