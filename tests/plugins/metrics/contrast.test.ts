import { assertEquals } from "@std/assert";
import { contrast } from "../../../plugins/metrics/contrast.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { imagesOf, judge, setOf, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("contrast: two by two pixels, by hand", () => {
  const { values, series, settings, of } = judge(contrast, {
    training: setOf([[0, 0, 40, 40], [10, 10, 50, 50]]),
    generated: setOf([[100, 120, 100, 120], [7, 7, 7, 7], [0, 0, 0, 40]]),
  });
  assertClose(series.deviation, [10, 0, Math.sqrt(300)], 1e-12);
  assertClose(values, [0.5, 0, Math.sqrt(300) / 20], 1e-12);
  assertEquals([of, settings], ["generated", { training: 2, trainingDeviation: 20 }]);
});

Deno.test("contrast: standard deviations in plain float64", () => {
  for (const { generated, training } of subjects()) {
    const deviation = (image: Uint8Array) => {
      const mean = image.reduce((sum, grey) => sum + grey, 0) / image.length;
      return Math.sqrt(image.reduce((sum, grey) => sum + (grey - mean) ** 2, 0) / image.length);
    };
    const own = imagesOf(training).map(deviation), usual = own.reduce((a, b) => a + b, 0) / own.length;
    const { values } = judge(contrast, { generated, training });
    if (usual > 0) assertClose(values, imagesOf(generated).map((image) => deviation(image) / usual), 1e-9);
  }
});

Deno.test("contrast: beside flat training images there is no number", () => {
  const flat = setOf([[5, 5, 5, 5]]), { values, warnings } = judge(contrast, { training: flat, generated: flat });
  assertEquals([...values], [NaN]);
  assertEquals(warnings, ["the training images are flat: there is no contrast to compare with"]);
});

testScores("contrast", {
  copier: [0.95, 1.05],
  "noisy copier": [0.9, 1.05],
  repeater: [0.7, 1.3],
  noise: [0.7, 1.3],
  "real sample": [0.95, 1.05],
});
