import { assertEquals, assertThrows } from "@std/assert";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { share } from "../../../plugins/metrics/share.ts";
import type { MetricInput } from "../../../core/metric.ts";
import { testShapes } from "./shapes.ts";

/** Measures images of which these shares are known. */
function measured(shares: readonly number[] | undefined, count = shares?.length ?? 3) {
  const rows = (count: number) => ({ count, height: 1, width: 1, channels: 1, at: kernels.mark() });
  const input: MetricInput = {
    generated: rows(count),
    training: rows(2),
    shares: shares && Float64Array.from(shares),
    patch: 1,
    overlap: 0,
    window: 0,
    kernels,
  };
  return share.create({}).measure(input);
}

Deno.test("share: what the record says; images without a record have none", () => {
  const all = measured([0.2, 1, 0]);
  assertEquals([[...all.values], all.warnings, all.tooFew], [[0.2, 1, 0], [], undefined]);
  const some = measured([0.2, NaN]);
  assertEquals([[...some.values], some.tooFew], [[0.2, NaN], undefined]);
  assertEquals(some.warnings, ["1 image has no record of the training images that were used"]);
  for (const none of [measured(undefined), measured([NaN, NaN])]) {
    assertEquals(none.values.every(Number.isNaN), true);
    assertEquals(none.tooFew, "the images have no record of what they were made of: a folder of synth has one");
  }
  assertThrows(() => measured([], 0), Error, "Cannot measure share: expected at least one generated image, got none");
});

testShapes("share");
