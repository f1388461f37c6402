import { assertAlmostEquals, assertEquals } from "@std/assert";
import { density } from "../../../plugins/metrics/density.ts";
import { distancesOf, drawnWorld, judge, line, mean, ofClass, radii, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("density: points on a line, by hand", () => {
  // One neighbour: the balls reach 10, 10, 10 and 20. Two: 20, 10, 20 and 30.
  const subject = { training: line(0, 10, 20, 40), generated: line(5, 61, 60) };
  const { values, of, settings, warnings } = judge(density, subject, { neighbours: 1 });
  assertEquals([...values], [2, 0, 1]);
  assertEquals([of, settings, warnings], ["generated", { neighbours: 1, training: 4 }, []]);
  assertEquals([...judge(density, subject, { neighbours: 2 }).values], [1.5, 0.5, 0.5]);
});

Deno.test("density: its definition in plain float64", () => {
  for (const subject of subjects()) {
    for (const neighbours of [1, 3, 5]) {
      const reach = radii(subject.training, neighbours);
      const wanted = distancesOf(subject.generated, subject.training).map((row) =>
        row.filter((d, i) => d <= reach[i]).length / neighbours
      );
      assertEquals([...judge(density, subject, { neighbours }).values], wanted);
    }
  }
});

Deno.test("density: copies of all images score (k + 1) / k, a new sample of them 1", () => {
  const world = drawnWorld();
  const classes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((label) => ofClass(world, label));
  for (const neighbours of [1, 5]) {
    const { training } = classes[3], copies = judge(density, { training, generated: training }, { neighbours });
    assertAlmostEquals(mean(copies.values), (neighbours + 1) / neighbours, 1e-12);
  }
  // 60 new images of each of ten classes against 100: a score has a standard error of 0.03.
  const scores = classes.map(({ training, second }) => mean(judge(density, { training, generated: second }).values));
  assertAlmostEquals(mean(scores), 1, 0.1);
});

Deno.test("density: fewer training images than neighbours, none beside one, copies", () => {
  const generated = line(12, 30), of = (...greys: number[]) => judge(density, { generated, training: line(...greys) });
  assertEquals([...of(0, 10, 20).values], [1.5, 0.5]);
  assertEquals(of(0, 10, 20).warnings, ["3 training images are too few for 5 neighbours: 2 are used"]);
  assertEquals([...of(12).values], [NaN, NaN]);
  assertEquals(of(12).warnings, ["one training image alone has no neighbours: there is no score"]);
  assertEquals([...of(...Array(10).fill(12)).values], [2, 0]);
  assertEquals(of(...Array(10).fill(12)).warnings.length, 1);
});

testScores("density", {
  copier: [1, 1.3],
  "noisy copier": [1, 1.3],
  repeater: [0, 2],
  noise: [0, 0],
  "real sample": [0.8, 1.2],
});
