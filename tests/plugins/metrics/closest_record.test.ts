import { assertEquals } from "@std/assert";
import { closestRecord } from "../../../plugins/metrics/closest_record.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { distancesOf, judge, line, radii, type Subject, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

/** The distances in grey levels to the nearest of 0 and 100 are 0, 5, 20 and 40. */
const points: Subject = { training: line(0, 100), generated: line(0, 5, 120, 60), heldOut: line(10, 104, 130) };
const numbers = ({ settings }: ReturnType<typeof judge>) =>
  Object.values(settings).filter((value) => typeof value === "number").map((value) => value * 255);

Deno.test("closest-record: points on a line, by hand", () => {
  // The held-out ones are 10, 4 and 30 away. In between two values a percentile is their weighted mean.
  const result = judge(closestRecord, points);
  assertClose(result.values, [0, 0.5, 2, 4], 1e-12);
  assertClose(result.series.distance, [0, 5, 20, 40].map((grey) => grey / 255), 1e-15);
  assertClose(numbers(result), [12.5, 0.75, 10, 4.6], 1e-12);
  assertEquals(Object.keys(result.settings), [
    "median",
    "fifthPercentile",
    "baseline",
    "baselineMedian",
    "baselineFifthPercentile",
  ]);
  assertEquals([result.of, result.settings.baseline, result.warnings], ["generated", "held-out images", []]);
});

Deno.test("closest-record: without held-out images, over the training images' own distances, and says so", () => {
  for (const heldOut of [undefined, line()]) {
    const result = judge(closestRecord, { ...points, heldOut });
    assertClose(result.values, [0, 0.05, 0.2, 0.4], 1e-12);
    assertClose(numbers(result), [12.5, 0.75, 100, 100], 1e-12);
    assertEquals(result.settings.baseline, "training images");
    assertEquals(result.warnings, ["no held-out images: distances are divided by those among the training images"]);
  }
});

Deno.test("closest-record: its definition in plain float64", () => {
  const median = (values: number[]) => {
    const sorted = values.sort((a, b) => a - b), { length } = sorted;
    return (sorted[(length - 1) >> 1] + sorted[length >> 1]) / 2;
  };
  for (const subject of subjects()) {
    const { generated, training, heldOut } = subject;
    const nearest = (from: typeof generated) => distancesOf(from, training).map((row) => Math.min(...row));
    for (const [baseline, given] of [[nearest(heldOut!), heldOut], [radii(training, 1), undefined]] as const) {
      const unit = median(baseline), wanted = nearest(generated).map((d) => d === 0 ? 0 : unit === 0 ? NaN : d / unit);
      const { values, warnings } = judge(closestRecord, { ...subject, heldOut: given });
      assertEquals(Array.from(values, Number.isNaN), wanted.map(Number.isNaN));
      assertClose(values.map((value) => value || 0), wanted.map((value) => value || 0), 1e-9);
      assertEquals(warnings.length, Number(given === undefined) + Number(unit === 0));
    }
  }
});

Deno.test("closest-record: nothing to compare with is no number but for copies, and says so", () => {
  const copies = judge(closestRecord, { ...points, heldOut: line(0, 100, 50) });
  assertEquals([...copies.values], [0, NaN, NaN, NaN]);
  assertEquals(copies.warnings, [
    "half or more of the held-out images are copies of training images: there is no distance to compare with but for copies",
  ]);
  const doubled = judge(closestRecord, { training: line(7, 7, 9), generated: line(7, 8) });
  assertEquals([...doubled.values], [0, NaN]);
  assertEquals(doubled.warnings.length, 2);
  const one = judge(closestRecord, { training: line(7), generated: line(7, 8) });
  assertEquals([...one.values], [0, NaN]);
  assertEquals(one.warnings[1], "one training image alone has no neighbour: there is no distance to compare with");
});

testScores("closest-record", {
  copier: [0, 0],
  "noisy copier": [0.01, 0.3],
  repeater: [0.5, 1.5],
  noise: [2, 10],
  "real sample": [0.9, 1.2],
});
