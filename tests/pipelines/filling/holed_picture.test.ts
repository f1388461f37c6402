import { assertEquals } from "@std/assert";
import { depthsOf, halvedHole } from "../../../pipelines/filling/holed_picture.ts";

Deno.test("depthsOf: the steps to the nearest known pixel, along rows, columns and diagonals", () => {
  const width = 23, height = 17;
  const missing = Uint8Array.from({ length: width * height }, (_, p) => p * 7919 % 100 < 3 || p === 4 ? 0 : 1);
  const known = [...missing.keys()].filter((p) => !missing[p]);
  const steps = (p: number, q: number) => {
    return Math.max(Math.abs(p % width - q % width), Math.abs(Math.floor(p / width) - Math.floor(q / width)));
  };
  const expected = Array.from(missing, (_, p) => Math.min(...known.map((q) => steps(p, q))));
  assertEquals([...depthsOf({ height, width, missing })], expected);
});

Deno.test("halvedHole: means of known pixels; missing if at most one is known, to be copied if all four may", () => {
  const missing = Uint8Array.of(0, 0, 1, 1, 0, /**/ 0, 0, 1, 0, 0, /**/ 1, 0, 0, 0, 0, /**/ 1, 0, 0, 0, 0);
  const values = Float32Array.of(1, 2, 9, 9, 5, /**/ 3, 4, 9, 6, 5, /**/ 9, 2, 1, 1, 5, /**/ 9, 4, 1, 1, 5);
  const usable = Uint8Array.from(missing, (is, p) => is || p === 12 ? 0 : 1);
  const half = halvedHole({ channels: 1, height: 4, width: 5, values, missing, usable });
  assertEquals([half.height, half.width, [...half.values]], [2, 2, [2.5, 6, 3, 1]]);
  assertEquals([[...half.missing], [...half.usable]], [[0, 1, 0, 0], [1, 0, 0, 0]]);
});
