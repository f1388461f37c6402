import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Canvas } from "../../../pipelines/synthesis/quilt_canvas.ts";
import { distinct, sourcesOf } from "./distinct_exemplars.ts";

const span = (start: number, length: number, before = 0, after = 0) => ({ start, length, before, after });
const EXEMPLARS = distinct(2, 8, 9), SIZE = { height: 6, width: 7 }, ALL = { down: span(0, 6), across: span(0, 7) };

Deno.test("canvas: a block that lies in an exemplar has no boundary, at the edges only if these meet", () => {
  for (const tile of [undefined, "x", "y", "both"] as const) {
    const canvas = new Canvas(EXEMPLARS, SIZE, tile);
    assertEquals(canvas.misfitAt(ALL), undefined);
    canvas.put(canvas.cut(ALL, 216 + 9 + 1)); // the second exemplar, from (1, 1) on
    assertEquals(sourcesOf(EXEMPLARS, canvas.out)[8], [1, 2, 2]);
    assertEquals(canvas.errorIn(ALL) > 0, tile !== undefined, tile);
  }
});

Deno.test("canvas: the error of a boundary is what either side would go on with; placing what was there takes it back", () => {
  const canvas = new Canvas(EXEMPLARS, SIZE, undefined);
  canvas.put(canvas.cut(ALL, 0));
  const before = canvas.out.slice(), place = { down: span(2, 1), across: span(3, 1) };
  const cut = canvas.cut(place, 3 * 9 + 5), earlier = canvas.placed(cut.to);
  assertEquals([cut.to, cut.sources], [[2 * 7 + 3], [3 * 9 + 5]]);
  canvas.put(cut);
  // One pixel, one row and two columns off, has four neighbours, with an error on both sides of each.
  assertAlmostEquals(canvas.errorIn(ALL), 8 * ((1 / 8) ** 2 + (2 / 9) ** 2), 1e-6);
  assertEquals(canvas.errorIn({ down: span(4, 2), across: span(0, 7) }), 0);
  canvas.put(earlier);
  assertEquals([canvas.out, canvas.errorIn(ALL)], [before, 0]);
});

Deno.test("canvas: a block is compared with what it overlaps, and fills what is empty, beyond the edge too", () => {
  const canvas = new Canvas(EXEMPLARS, SIZE, "x"), down = span(0, 6);
  canvas.put(canvas.cut({ down, across: span(0, 5) }, 0));
  const misfit = canvas.misfitAt({ down, across: span(3, 4, 2) })!;
  assertEquals([misfit(3), misfit(2) > 0, misfit(9 + 3) > 0], [0, true, true], "the exemplar goes on");
  const { to } = canvas.cut({ down, across: span(3, 6, 2, 2) }, 3), columns = new Set(to.map((pixel) => pixel % 7));
  assert([5, 6].every((column) => columns.has(column)) && !columns.has(2), `${[...columns]}`);
});
