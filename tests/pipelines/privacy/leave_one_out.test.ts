/** What leave-one-out says of images that are copies, and of images that owe nothing to one training image. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { closestCorrelations } from "../../../core/correlation.ts";
import { structureRows } from "../../../core/structure.ts";
import { compareLeftOut, type LeftOutImage } from "../../../pipelines/privacy/leave_one_out.ts";
import { meanEstimate } from "../../../pipelines/privacy/statistics.ts";
import { rowsOf } from "../../../core/nearest.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { blobs } from "../../small_world.ts";

const SIDE = 32, AREA = SIDE * SIDE, { pixels: all } = blobs(20, SIDE);
const picture = (i: number) => all.slice(i * AREA, (i + 1) * AREA);
const shape = { height: SIDE, width: SIDE };

Deno.test("leave-one-out: a copy falls without its training image and not in the control; new images do not", () => {
  const number = 0, names = { number, forgotten: 7, control: 8 };
  const copy: LeftOutImage = {
    ...names,
    pixels: picture(0),
    training: picture(0),
    without: picture(1),
    withoutControl: picture(0),
  };
  const fresh: LeftOutImage = { ...copy, training: picture(2), without: picture(0) };
  const { changes: [ofCopy, ofFresh], without, withoutControl, structure } = compareLeftOut(kernels, shape, [
    copy,
    fresh,
  ]);
  assertEquals([ofCopy.structure, ofCopy.withoutControl.kept, ofCopy.withoutControl.change], [1, 1, 0]);
  assert(ofCopy.without.structure < 0.9 && ofCopy.without.change > 0);
  assertEquals(ofCopy.without.kept, ofCopy.without.structure, "the copy and its training image are the same picture");
  assertEquals([ofFresh.without.structure, ofFresh.without.kept], [ofFresh.structure, 1]);
  assertAlmostEquals(without.fall.value, (1 - ofCopy.without.structure) / 2);
  assertEquals(withoutControl.fall.value, 0);
  assertEquals(structure.greatest, 1);

  const rows = (i: number) => {
    return structureRows(kernels, rowsOf(kernels, { count: 1, ...shape, channels: 1, pixels: picture(i) }));
  };
  const mark = kernels.mark();
  assertEquals(ofFresh.structure, closestCorrelations(kernels, rows(0), rows(2)).correlation[0]);
  kernels.release(mark);
});

Deno.test("leave-one-out: a flat image shares nothing", () => {
  const flat = new Uint8Array(AREA).fill(9), names = { number: 3, forgotten: 0, control: 1 };
  const images = [{ ...names, pixels: flat, training: picture(0), without: flat, withoutControl: picture(0) }];
  const { changes: [{ structure, without, withoutControl }] } = compareLeftOut(kernels, shape, images);
  assertEquals([structure, without.kept, without.change, withoutControl.structure], [0, 0, 0, 1]);
});

Deno.test("meanEstimate: the interval of the standard error", () => {
  const { value, interval: [low, high] } = meanEstimate([1, 2, 3, 4]);
  assertEquals(value, 2.5);
  // The variance of 1 .. 4 is 5/3.
  assertAlmostEquals(high - value, 1.959964 * Math.sqrt(5 / 12), 1e-12);
  assertAlmostEquals(low + high, 5, 1e-12);
  assertEquals(meanEstimate([7]).value, 7);
});
