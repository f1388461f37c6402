/** Distances over masks: kernel and twin byte for byte, and both against the sums in plain loops. */
import { assertEquals } from "@std/assert";
import type { Address, Kernels } from "../../core/kernels.ts";
import { stream } from "../../core/random.ts";
import { maskChanges } from "../../plugins/denoisers/mask_changes.ts";
import { assertClose, assertSame, bytes, put, testBoth } from "../kernels_under_test.ts";

const SCALE = 0.0071;

/** Neighbours in a row of values, of chance widths; the last mask is empty but for its own value. */
function masks(values: number): Uint8Array {
  const random = stream(5, values), all = new Uint8Array(values * values);
  for (let p = 0; p < values; p++) {
    const reach = p === values - 1 ? 0 : Math.floor(random.next() * values);
    for (let q = 0; q < values; q++) all[p * values + q] = Math.abs(p - q) <= reach && random.next() < 0.9 ? 1 : 0;
    all[p * values + p] = 1;
  }
  return all;
}

/** Asks for the distances of one image. */
function ask(kernels: Kernels, scratch: Address, values: number, stride: number): Float32Array {
  const random = stream(9, values), image = Float32Array.from({ length: values }, () => 4 * random.next() - 1);
  const given = [put(kernels, image), put(kernels, bytes(3, values * stride)), stride, values, SCALE] as const;
  const changes = put(kernels, maskChanges(masks(values), values)), out = kernels.allocate(values * stride * 4);
  kernels.maskedDistances(...given, changes, scratch, out);
  return kernels.f32(out, values * stride).slice();
}

for (const values of [0, 1, 2, 7, 33]) {
  for (const stride of [0, 16, 48]) {
    Deno.test(`maskedDistances: the same bytes from both, ${values} values of ${stride} examples`, () => {
      assertSame((kernels, scratch) => ask(kernels, scratch, values, stride));
    });
  }
}

testBoth("maskedDistances: the sum of squares over each mask", (kernels, scratch) => {
  const values = 33, stride = 16, found = ask(kernels, scratch, values, stride), mask = masks(values);
  const random = stream(9, values), image = Array.from({ length: values }, () => 4 * random.next() - 1);
  const planes = bytes(3, values * stride);
  const wanted = Array.from(found, (_, i) => {
    const p = Math.floor(i / stride), n = i % stride;
    return image.reduce((sum, x, q) => sum + mask[p * values + q] * (x - SCALE * planes[q * stride + n]) ** 2, 0);
  });
  assertClose(found, wanted, 1e-4);
});

Deno.test("maskChanges: a mask is the earlier one that is nearest and what differs, or the empty one", () => {
  const rows = [[1, 1, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0], [1, 1, 1, 0]];
  assertEquals(Array.from(maskChanges(Uint8Array.from(rows.flat()), 4)), [
    ...[0, 3, 0, 0, 1, 2],
    ...[1, 1, 1, 3, 2],
    ...[0, 1, 0, 2],
    ...[1, 0, 0],
  ]);
});
