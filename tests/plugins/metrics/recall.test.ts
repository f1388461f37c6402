import { assertEquals } from "@std/assert";
import { recall } from "../../../plugins/metrics/recall.ts";
import { distancesOf, judge, line, radii, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("recall: points on a line, by hand", () => {
  // The balls are around the generated images here, and reach 10, 10, 10 and 20.
  const subject = { generated: line(0, 10, 20, 40), training: line(5, 30, 61, 60) };
  const { values, of, series, settings, warnings } = judge(recall, subject, { neighbours: 1 });
  assertEquals([...values], [1, 1, 0, 1]);
  assertEquals([...series.balls], [2, 2, 0, 1]);
  assertEquals([of, settings, warnings], ["training", { neighbours: 1, generated: 4 }, []]);
});

Deno.test("recall: its definition in plain float64", () => {
  for (const subject of subjects()) {
    for (const neighbours of [1, 3, 5]) {
      const reach = radii(subject.generated, neighbours);
      const wanted = distancesOf(subject.training, subject.generated).map((row) => row.some((d, i) => d <= reach[i]));
      assertEquals([...judge(recall, subject, { neighbours }).values], wanted.map(Number));
    }
  }
});

Deno.test("recall: one image, repeated or alone; other numbers of images than of training images", () => {
  const training = line(0, 7, 7, 9);
  const repeated = judge(recall, { training, generated: line(7, 7, 7, 7) });
  assertEquals([...repeated.values], [0, 1, 1, 0]);
  assertEquals(repeated.warnings, ["points in place of balls, because of 3 or more copies: 4 of 4 generated images"]);
  const alone = judge(recall, { training, generated: line(7) });
  assertEquals([...alone.values], [NaN, NaN, NaN, NaN]);
  assertEquals(alone.warnings, [
    "one generated image alone has no neighbours: there is no score",
    "the recall of 1 image compares only with that of as many: fewer have larger balls",
  ]);
  const more = judge(recall, { training, generated: line(0, 1, 2, 3, 4) });
  assertEquals(more.warnings, ["the recall of 5 images compares only with that of as many: fewer have larger balls"]);
});

testScores("recall", {
  copier: [0.9, 1],
  "noisy copier": [0.9, 1],
  repeater: [0, 0.02],
  noise: [0, 0],
  "real sample": [0.8, 1],
});
