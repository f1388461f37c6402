import { valuesOf } from "../../../pipelines/quilting/quilt.ts";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { EMPTY, OUTSIDE, SourceMap } from "../../../pipelines/quilting/source_map.ts";
import { distinct, sourcesOf } from "./distinct_exemplars.ts";

const EXEMPLARS = distinct(2, 8, 9), SIZE = { height: 6, width: 7 }, ALL = { y: 0, x: 0, ...SIZE };

Deno.test("SourceMap: a block that lies in an exemplar has no boundary, at the edges only if these meet", () => {
  for (const tile of [undefined, "x", "y", "both"] as const) {
    const map = new SourceMap(EXEMPLARS, SIZE, tile);
    assertEquals(map.errorIn(), 0);
    map.place(ALL, 72 + 9 + 1); // the second exemplar, from (1, 1) on
    assertEquals(sourcesOf(EXEMPLARS, valuesOf(EXEMPLARS, map.sources))[8], [1, 2, 2]);
    assertEquals(map.errorIn() > 0, tile !== undefined, tile);
    assertEquals(map.pixelAt(-1, 3), tile === "y" || tile === "both" ? 5 * 7 + 3 : OUTSIDE);
  }
});

Deno.test("SourceMap: the error of a boundary is what either side would go on with", () => {
  const map = new SourceMap(EXEMPLARS, SIZE, undefined);
  map.place(ALL, 0);
  map.sources[2 * 7 + 3] = 3 * 9 + 5;
  // One pixel, one row and two columns off, has four neighbours, with an error on both sides of each.
  assertAlmostEquals(map.errorIn(), 8 * ((1 / 8) ** 2 + (2 / 9) ** 2), 1e-6);
  assertEquals(map.errorIn({ y: 4, x: 0, height: 2, width: 7 }), 0);
});

Deno.test("SourceMap: a block fills what is empty and else only makes boundaries less visible", () => {
  const random = stream(1, 9), map = new SourceMap(EXEMPLARS, { height: 12, width: 14 }, "x");
  for (const y of [0, 4, 8]) {
    for (const x of [0, 4, 8, 12]) {
      const window = { y, x, height: Math.min(6, 12 - y), width: 6 };
      map.place(window, 72 * Math.floor(2 * random.next()) + Math.floor(3 * random.next()) * 9);
      const filled = (i: number) => map.sources[map.pixelAt(y + Math.floor(i / 6), x + i % 6)] !== EMPTY;
      assert(Array.from({ length: 6 * window.height }, (_, i) => filled(i)).every(Boolean), `${y} ${x}`);
    }
  }
  let error = map.errorIn(), better = 0;
  for (let i = 0; i < 200; i++) {
    const window = { y: Math.floor(7 * random.next()), x: Math.floor(14 * random.next()), height: 5, width: 5 };
    const fall = map.place(window, 72 * (i % 2) + Math.floor(4 * random.next()) * 9 + Math.floor(5 * random.next()));
    assertAlmostEquals(map.errorIn(), error - fall, 1e-9);
    assert(fall >= 0);
    better += fall > 0 ? 1 : 0;
    error = map.errorIn();
  }
  assert(better > 0);
});

Deno.test("SourceMap: where a mask says so, pixels stay", () => {
  const map = new SourceMap(EXEMPLARS, SIZE, undefined);
  map.place(ALL, 0);
  const before = map.sources.slice(), mayTake = new Uint8Array(42);
  assertEquals(map.place(ALL, 72, mayTake), 0);
  assertEquals(map.sources, before);
  map.sources[20] = 100; // a boundary around it, which one pixel of the block mends
  mayTake[20] = 1;
  assert(map.place(ALL, 0, mayTake) > 0);
  assertEquals(map.sources, before);
});
