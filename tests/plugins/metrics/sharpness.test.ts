import { assertEquals } from "@std/assert";
import { sharpness } from "../../../plugins/metrics/sharpness.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { imagesOf, judge, setOf, subjects } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("sharpness: two by two pixels, by hand", () => {
  // An edge of full contrast in one direction has two differences of 255 among four pixels: 1/2.
  const edge = [0, 255, 0, 255], checks = [0, 255, 255, 0], half = [0, 51, 0, 51];
  const { values, series, of } = judge(sharpness, {
    training: setOf([edge, [7, 7, 7, 7]]),
    generated: setOf([edge, checks, half, [9, 9, 9, 9]]),
  });
  assertClose(series.energy, [0.5, 1, 0.02, 0], 1e-15);
  assertClose(values, [2, 4, 0.08, 0], 1e-12);
  assertEquals(of, "generated");
});

Deno.test("sharpness: gradient energies in plain float64", () => {
  for (const { generated, training } of subjects()) {
    const side = generated.size, at = (image: Uint8Array, y: number, x: number) => image[y * side + x] / 255;
    const energyOf = (image: Uint8Array) => {
      let sum = 0;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
          if (x < side - 1) sum += (at(image, y, x + 1) - at(image, y, x)) ** 2;
          if (y < side - 1) sum += (at(image, y + 1, x) - at(image, y, x)) ** 2;
        }
      }
      return sum / side ** 2;
    };
    const own = imagesOf(training).map(energyOf), usual = own.reduce((a, b) => a + b, 0) / own.length;
    const { values } = judge(sharpness, { generated, training });
    if (usual > 0) assertClose(values, imagesOf(generated).map((image) => energyOf(image) / usual), 1e-9);
  }
});

Deno.test("sharpness: beside flat training images there is no number", () => {
  const flat = setOf([[5, 5, 5, 5]]), { values, warnings } = judge(sharpness, { training: flat, generated: flat });
  assertEquals([...values], [NaN]);
  assertEquals(warnings, ["the training images are flat: there is no sharpness to compare with"]);
});

testScores("sharpness", {
  copier: [0.9, 1.1],
  "noisy copier": [0.9, 1.3],
  repeater: [0.5, 2],
  noise: [3, 20],
  "real sample": [0.9, 1.1],
});
