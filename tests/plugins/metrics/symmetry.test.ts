import { assertAlmostEquals, assertEquals } from "@std/assert";
import { symmetry } from "../../../plugins/metrics/symmetry.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { drawnWorld, first, imagesOf, judge, mean, ofClass, setOf } from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("symmetry: two by two pixels, by hand", () => {
  const stripes = [0, 0, 90, 90], halves = [0, 90, 0, 90], corner = [0, 0, 0, 90];
  const { values, settings, of, warnings } = judge(symmetry, {
    training: setOf([stripes, halves]),
    generated: setOf([stripes, halves, corner, [4, 4, 4, 4]]),
  });
  assertClose(values.subarray(0, 3), [1, -1, -1 / 3], 1e-12);
  assertEquals(values[3], NaN);
  assertEquals([of, settings], ["generated", { training: 2, trainingMean: 0 }]);
  assertEquals(warnings, ["1 flat image has no correlation; left out of the score"]);
});

Deno.test("symmetry: brightness and contrast do not count; halves of different digits are less alike than of one", () => {
  const { second, training } = ofClass(drawnWorld(), 0), images = imagesOf(second), { size } = second;
  const score = (of: readonly ArrayLike<number>[]) => mean(judge(symmetry, { training, generated: setOf(of) }).values);
  const dimmed = images.map((image) => image.map((grey) => 100 + (grey >> 1)));
  assertAlmostEquals(score(dimmed), score(images), 0.001);
  const halved = images.map((image, i) => {
    const other = images[(i + 1) % images.length];
    return first(size * size).map((p) => (p % size < size / 2 ? image : other)[p]);
  });
  const difference = score(images) - score(halved);
  assertEquals(difference > 0.02, true, `${difference}`);
});

testScores("symmetry", {
  copier: [0.35, 0.5],
  "noisy copier": [0.35, 0.5],
  repeater: [-1, 1],
  noise: [-0.02, 0.02],
  "real sample": [0.35, 0.5],
}, { isDirected: true });
