import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { bicubic, gaussianBlur, meanFill } from "../../../pipelines/restoration/baselines.ts";
import { assertClose, floats, resample, testBoth } from "../../kernels_under_test.ts";

Deno.test("bicubic: even pixels are the small image's, and quadratic images are met exactly away from the border", () => {
  const height = 10,
    width = 8,
    image = (y: number, x: number) => 0.1 + 0.02 * y * y - 0.03 * x * y + 0.01 * x * x - 0.1 * x;
  const small = Array.from({ length: height * width }, (_, p) => image(Math.floor(p / width), p % width));
  const large = bicubic(small, { height, width });
  assertEquals(large.length, 4 * height * width);
  large.forEach((value, p) => {
    const y = Math.floor(p / (2 * width)) / 2, x = p % (2 * width) / 2;
    const inside = y >= 1 && x >= 1 && y <= height - 2 && x <= width - 2;
    if (inside || (y % 1 === 0 && x % 1 === 0)) assertAlmostEquals(value, image(y, x), 1e-6, `(${x}, ${y})`);
  });
  assertClose(bicubic(new Float32Array(12).fill(0.7), { height: 3, width: 4 }), new Float32Array(48).fill(0.7), 1e-6);
});

testBoth("bicubic: its phase is H's", (kernels) => {
  // A smooth image brought down by H and up again must not move: it correlates best with itself unshifted.
  const side = 32,
    image = Float32Array.from({ length: side * side }, (_, p) => {
      return 0.5 + 0.2 * Math.sin(Math.floor(p / side) / 3) + 0.2 * Math.cos(p % side / 4);
    });
  const back = bicubic(resample(kernels, "down", image, side, side / 2), { height: side / 2, width: side / 2 });
  const error = (dy: number, dx: number) => {
    let sum = 0;
    for (let y = 4; y < side - 4; y++) {
      for (let x = 4; x < side - 4; x++) sum += (back[(y + dy) * side + x + dx] - image[y * side + x]) ** 2;
    }
    return sum;
  };
  const still = error(0, 0);
  for (const [dy, dx] of [[0, 1], [0, -1], [1, 0], [-1, 0]]) assert(error(dy, dx) > 4 * still);
  assertAlmostEquals(error(0, 1) / error(0, -1), 1, 0.2, "half a pixel off, one of the two would be as near as none");
});

testBoth("gaussianBlur: the Gaussian's own weights; the sum stays", (kernels) => {
  const size = { height: 15, width: 17 }, point = new Float32Array(15 * 17);
  point[7 * 17 + 8] = 1;
  const found = gaussianBlur(kernels, point, size, 0.8), reach = [-3, -2, -1, 0, 1, 2, 3];
  const total = reach.reduce((sum, d) => sum + Math.exp(-d * d / 1.28), 0) ** 2;
  for (const dy of reach) {
    for (const dx of reach) {
      assertAlmostEquals(found[(7 + dy) * 17 + 8 + dx], Math.exp(-(dy * dy + dx * dx) / 1.28) / total, 1e-6);
    }
  }
  const flat = gaussianBlur(kernels, new Float32Array(255).fill(0.3), size, 2);
  assertClose(flat, new Float32Array(255).fill(0.3), 1e-6);
});

Deno.test("meanFill: known pixels stay", () => {
  const image = floats(1, 6),
    mean = floats(2, 6),
    filled = meanFill(image, [1, 1, 0, 0, 1, 0], mean);
  assertEquals([...filled], [image[0], image[1], mean[2], mean[3], image[4], mean[5]]);
});
