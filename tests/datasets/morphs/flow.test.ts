import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { halfwayFlow, levelsOf, reduced, resizedFlow } from "../../../datasets/morphs/flow.ts";
import { blobs } from "../../small_world.ts";
import { plainFlow } from "./plain_flow.ts";
import { drawn, noise } from "./scenes.ts";

/** The flow between two images of a size. */
function between(one: Uint8Array, other: Uint8Array, height: number, width: number) {
  const size = { height, width };
  return halfwayFlow(levelsOf(one, size), levelsOf(other, size));
}

Deno.test("flow: a moved image is met half way, to a quarter of a pixel", () => {
  for (const [down, across] of [[2, 0], [0, -3], [1.5, 2.5], [-4, 1]]) {
    const flow = between(drawn(64, 64, 0, 0), drawn(64, 64, down, across), 64, 64);
    assert(flow.residual < 0.02, `${flow.residual}`);
    for (let y = 16; y < 48; y++) {
      for (let x = 16; x < 48; x++) {
        assertAlmostEquals(flow.down[64 * y + x], down / 2, 0.25, `down at ${y} ${x} of ${down} ${across}`);
        assertAlmostEquals(flow.across[64 * y + x], across / 2, 0.25, `across at ${y} ${x} of ${down} ${across}`);
      }
    }
  }
});

Deno.test("flow: equal images do not move, and have no residual", () => {
  const [image] = [blobs(1, 28).pixels];
  const flow = between(image, image, 28, 28);
  assertEquals(flow.residual, 0);
  assert(flow.down.every((value) => value === 0) && flow.across.every((value) => value === 0));
  const flat = new Uint8Array(20 * 12).fill(9);
  assertEquals(between(flat, flat, 20, 12).residual, 0);
});

Deno.test("flow: exchanging the images changes its sign, but for roundings", () => {
  const { pixels } = blobs(2, 28);
  const [one, other] = [pixels.subarray(0, 784), pixels.subarray(784)];
  const there = between(one, other, 28, 28);
  const back = between(other, one, 28, 28);
  assertAlmostEquals(there.residual, back.residual, 1e-9);
  there.down.forEach((value, p) => assertAlmostEquals(value, -back.down[p], 1e-9));
  there.across.forEach((value, p) => assertAlmostEquals(value, -back.across[p], 1e-9));
});

Deno.test("flow: agrees with the same method in plain loops, in images of odd and of large sides", () => {
  for (const [height, width] of [[28, 28], [33, 21], [9, 40], [80, 72]]) {
    const one = drawn(height, width, 0, 0);
    const other = drawn(height, width, 1.5, -1);
    const flow = between(one, other, height, width);
    const plain = plainFlow(one, other, height, width);
    assertEquals([flow.height, flow.width], [plain.height, plain.width]);
    assertAlmostEquals(flow.residual, plain.residual, 1e-7);
    flow.down.forEach((value, p) => assertAlmostEquals(value, plain.down[p], 1e-6, `${height}x${width} down ${p}`));
    flow.across.forEach((value, p) =>
      assertAlmostEquals(value, plain.across[p], 1e-6, `${height}x${width} across ${p}`)
    );
  }
});

Deno.test("flow: images that have nothing in common do not meet", () => {
  assert(between(noise(64 * 64, 1), noise(64 * 64, 2), 64, 64).residual > 0.6);
});

Deno.test("flow: another size keeps the places that it names, and tiny images have one", () => {
  const flow = { height: 2, width: 2, down: Float64Array.of(1, 1, 1, 1), across: Float64Array.of(0, 2, 0, 2) };
  const wide = resizedFlow(flow, { height: 2, width: 8 });
  assertEquals([...wide.down], new Array(16).fill(1));
  assertEquals([...wide.across.subarray(0, 8)], [0, 0, 1, 3, 5, 7, 8, 8]);
  const tiny = between(Uint8Array.of(0, 255, 9), Uint8Array.of(255, 0, 9), 1, 3);
  assert([...tiny.down, ...tiny.across].every(Number.isFinite));
  assertEquals(
    [...reduced(Uint8Array.from({ length: 65 }, () => 7), { height: 1, width: 65 }).values],
    new Array(33).fill(7),
  );
});
