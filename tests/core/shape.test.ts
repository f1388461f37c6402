import { assert, assertEquals } from "@std/assert";
import { areaOf, halfOf, lengthOf, sameShape, shapeText, squareOf } from "../../core/shape.ts";

Deno.test("shapes: pixels, values, halves, squares; one channel where none is named", () => {
  const size = { height: 4, width: 6 };
  assertEquals([areaOf(size), lengthOf(size), lengthOf({ ...size, channels: 3 })], [24, 24, 72]);
  assertEquals([halfOf(size), squareOf(5)], [{ height: 2, width: 3 }, { height: 5, width: 5 }]);
  assert(sameShape(size, { ...size, channels: 1 }));
  for (const other of [{ height: 6, width: 4 }, { ...size, channels: 3 }, { ...size, height: 5 }]) {
    assert(!sameShape(size, other));
  }
});

Deno.test("shapeText: width first, as screens are measured, and what is not grey", () => {
  assertEquals(
    [undefined, 1, 2, 3].map((channels) => shapeText({ height: 4, width: 6, channels })),
    ["6x4", "6x4", "6x4 of 2 channels", "6x4 in colour"],
  );
});
