import { assertEquals } from "@std/assert";
import { originality } from "../../../plugins/metrics/originality.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { distancesOf, judge, line, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("originality: points on a line, by hand", () => {
  // 25 is as near to 10 as to 40: the lower number counts, whose own nearest is 10 away.
  const result = judge(originality, { training: line(0, 10, 40), generated: line(0, 4, 50, 25) });
  assertClose(result.values, [0, 4 / 10, 10 / 30, 15 / 10], 1e-12);
  assertClose(result.series.dG, [0, 4, 10, 15].map((grey) => grey / 255), 1e-15);
  assertClose(result.series.dT, [10, 10, 30, 10].map((grey) => grey / 255), 1e-15);
  assertEquals([...result.series.nearest], [0, 0, 2, 1]);
  assertEquals([result.of, result.settings, result.warnings], ["generated", { training: 3 }, []]);
});

Deno.test("originality: d_G / d_T in plain float64", () => {
  for (const { generated, training } of subjects()) {
    const between = distancesOf(training, training), { values } = judge(originality, { generated, training });
    const wanted = distancesOf(generated, training).map((row) => {
      const dG = Math.min(...row);
      return dG / Math.min(...between[row.indexOf(dG)].filter((distance) => distance > 0));
    });
    assertClose(values, wanted, 1e-9);
  }
});

Deno.test("originality: a training image that stands there twice makes no near copy of it original", () => {
  const { values, warnings } = judge(originality, { training: line(7, 7, 90), generated: line(7, 8, 90) });
  assertClose(values, [0, 1 / 83, 0], 1e-12);
  assertEquals(warnings, []);
});

Deno.test("originality: says so where there is one training image only", () => {
  const { warnings } = judge(originality, { training: line(7), generated: line(8) });
  assertEquals(warnings, ["fewer than two training images: there is no distance to compare with"]);
});

testScores("originality", {
  copier: [0, 0],
  "noisy copier": [0.01, 0.3],
  repeater: [0.5, 1.5],
  noise: [2, 10],
  "real sample": [0.95, 1.2],
});
