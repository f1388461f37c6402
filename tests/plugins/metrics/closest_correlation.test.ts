import { assert, assertEquals } from "@std/assert";
import { closestCorrelation } from "../../../plugins/metrics/closest_correlation.ts";
import { closestRecord } from "../../../plugins/metrics/closest_record.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { drawnWorld, first, imagesOf, judge, mean, ofClass, pick, setOf, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("closest-correlation: two by two pixels, by hand", () => {
  const { values, series, of, settings, warnings } = judge(closestCorrelation, {
    training: setOf([[9, 9, 9, 9], [0, 10, 0, 10], [0, 0, 20, 20], [0, 20, 0, 20]]),
    // Half the contrast of a training image; a corner, which two are as near to; the opposite of one; none.
    generated: setOf([[50, 50, 60, 60], [0, 0, 0, 10], [20, 20, 0, 20], [3, 3, 3, 3]]),
  });
  assertClose(values.subarray(0, 3), [1, 1 / Math.sqrt(3), 1 / Math.sqrt(3)], 1e-12);
  assertEquals([values[3], ...series.nearest], [NaN, 2, 1, 1, -1]);
  assertEquals([of, settings], ["generated", { training: 4 }]);
  assertEquals(warnings, [
    "1 image has no correlation, being flat or beside flat training images; left out of the score",
  ]);
});

Deno.test("closest-correlation: correlations in plain float64", () => {
  for (const { generated, training } of subjects().slice(-2)) {
    const centred = (image: Uint8Array) => {
      const mean = image.reduce((sum, grey) => sum + grey, 0) / image.length;
      const from = Array.from(image, (grey) => grey - mean), norm = Math.hypot(...from);
      return from.map((value) => value / norm);
    };
    const known = imagesOf(training).map(centred),
      { values, series } = judge(closestCorrelation, { generated, training });
    const wanted = imagesOf(generated).map(centred).map((image) =>
      known.map((other) => other.reduce((sum, value, p) => sum + value * image[p], 0))
    );
    assertClose(values, wanted.map((row) => Math.max(...row)), 1e-9);
    assertEquals([...series.nearest], wanted.map((row) => row.indexOf(Math.max(...row))));
  }
});

Deno.test("closest-correlation: one copy of another contrast shows in the greatest value, not in the distance nor in the mean", () => {
  const { training, second, heldOut } = ofClass(drawnWorld(), 3), images = imagesOf(second);
  const copy = imagesOf(training)[7].map((grey) => 60 + Math.round(grey / 2));
  const subject = { training, heldOut, generated: setOf([copy, ...images.slice(1)]) };
  const { values, series } = judge(closestCorrelation, subject);
  assert(values[0] > 0.999 && series.nearest[0] === 7, `${values[0]}`);
  assert(values.subarray(1).every((value) => value < 0.97));
  assert(mean(values) - mean(values.subarray(1)) < 0.01, "the mean hides it");
  assert(judge(closestRecord, subject).values[0] > 1, "so does the distance");
  const copies = judge(closestCorrelation, { training, generated: pick(training, first(20)) });
  assert(copies.values.every((value) => value === 1));
  assertEquals([...copies.series.nearest], first(20));
});

// A copy with a little noise is found by the correlation as by the distance.
testScores("closest-correlation", {
  copier: [1, 1],
  "noisy copier": [0.98, 0.9999],
  repeater: [0.7, 0.95],
  noise: [0, 0.1],
  "real sample": [0.75, 0.95],
});
