import { assertAlmostEquals, assertEquals } from "@std/assert";
import { coverage } from "../../../plugins/metrics/coverage.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { distancesOf, drawnWorld, first, judge, line, mean, ofClass, pick, radii, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("coverage: points on a line, by hand", () => {
  // One neighbour: the balls reach 10, 10, 10 and 20. 31 is just outside of 20's.
  const subject = { training: line(0, 10, 20, 40), generated: line(5, 31, 100, 100) };
  const { values, of, series, settings, warnings } = judge(coverage, subject, { neighbours: 1 });
  assertEquals([...values], [1, 1, 0, 1]);
  assertClose(series.nearest, [5, 5, 11, 9].map((grey) => grey / 255), 1e-15);
  assertClose(series.radius, [10, 10, 10, 20].map((grey) => grey / 255), 1e-15);
  assertEquals([of, settings, warnings], ["training", { neighbours: 1, count: 4 }, []]);
  const rim = { training: subject.training, generated: line(30, 30, 30, 30) };
  assertEquals([...judge(coverage, rim, { neighbours: 1 }).values], [0, 0, 1, 1]);
});

Deno.test("coverage: its definition in plain float64, of as many images of both sets", () => {
  for (const { generated, training } of subjects()) {
    const count = Math.min(generated.count, training.count), t = pick(training, first(count));
    for (const neighbours of [1, 3, 5]) {
      const reach = radii(t, neighbours), others = pick(generated, first(count));
      const wanted = distancesOf(t, others).map((row, i) => row.some((d) => d <= reach[i]));
      assertEquals([...judge(coverage, { generated, training }, { neighbours }).values], wanted.map(Number));
    }
  }
});

Deno.test("coverage: a new sample of n images scores about 1 - 2^-k", () => {
  const world = drawnWorld(), classes = first(10).map((label) => ofClass(world, label));
  for (const neighbours of [1, 2, 5]) {
    const scores = classes.map(({ training, second }) =>
      mean(judge(coverage, { training, generated: second }, { neighbours }).values)
    );
    assertAlmostEquals(mean(scores), 1 - 2 ** -neighbours, 0.06, `${neighbours} neighbours`);
  }
});

Deno.test("coverage: sets of different size, one image, copies", () => {
  const cut = judge(coverage, { training: line(0, 10, 20, 40), generated: line(5, 200) }, { neighbours: 1 });
  assertEquals([...cut.values], [1, 1]);
  assertEquals(cut.warnings, ["compares the first 2 of 4 training and 2 generated images"]);
  const one = judge(coverage, { training: line(0, 10), generated: line(0) });
  assertEquals([...one.values], [NaN]);
  assertEquals(one.warnings[1], "one training image alone has no neighbours: there is no score");
  const same = judge(coverage, { training: line(5, 5, 5), generated: line(5, 7, 9) });
  assertEquals([...same.values], [1, 1, 1]);
  assertEquals(same.warnings, [
    "3 training images are too few for 5 neighbours: 2 are used",
    "points in place of balls, because of 2 or more copies: 3 of 3 training images",
  ]);
});

testScores("coverage", {
  copier: [1, 1],
  "noisy copier": [1, 1],
  repeater: [0, 0.2],
  noise: [0, 0],
  "real sample": [0.9, 1],
});
