import { assertEquals } from "@std/assert";
import { precision } from "../../../plugins/metrics/precision.ts";
import { distancesOf, judge, line, radii, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("precision: points on a line, by hand", () => {
  // With one neighbour the balls reach 10, 10, 10 and 20; 30 and 60 lie on a rim, 61 just outside.
  const subject = { training: line(0, 10, 20, 40), generated: line(5, 30, 31, 61, 60) };
  const { values, of, series, settings, warnings } = judge(precision, subject, { neighbours: 1 });
  assertEquals([...values], [1, 1, 1, 0, 1]);
  assertEquals([...series.balls], [2, 2, 1, 0, 1]);
  assertEquals([of, settings, warnings], ["generated", { neighbours: 1, training: 4 }, []]);
  // With two, 40's reaches 30: to 61, too.
  assertEquals([...judge(precision, subject, { neighbours: 2 }).values], [1, 1, 1, 1, 1]);
});

Deno.test("precision: its definition in plain float64", () => {
  for (const subject of subjects()) {
    for (const neighbours of [1, 3, 5]) {
      const reach = radii(subject.training, neighbours);
      const wanted = distancesOf(subject.generated, subject.training).map((row) => row.some((d, i) => d <= reach[i]));
      assertEquals([...judge(precision, subject, { neighbours }).values], wanted.map(Number));
    }
  }
});

Deno.test("precision: fewer training images than neighbours, none beside one, copies", () => {
  const generated = line(12, 30);
  const few = judge(precision, { generated, training: line(0, 10, 20) });
  assertEquals([...few.values], [1, 1]); // of two neighbours: 20's ball reaches 20
  assertEquals(few.settings.neighbours, 2);
  assertEquals(few.warnings, ["3 training images are too few for 3 neighbours: 2 are used"]);
  const one = judge(precision, { generated, training: line(12) });
  assertEquals([...one.values], [NaN, NaN]);
  assertEquals(one.warnings, ["one training image alone has no neighbours: there is no score"]);
  const same = judge(precision, { generated, training: line(12, 12, 12, 12, 12) });
  assertEquals([...same.values], [1, 0]);
  assertEquals(same.warnings, ["points in place of balls, because of 3 or more copies: 5 of 5 training images"]);
});

testScores("precision", {
  copier: [1, 1],
  "noisy copier": [1, 1],
  repeater: [0, 1],
  noise: [0, 0],
  "real sample": [0.8, 1],
});
