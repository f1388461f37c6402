/** Images against images, against the obvious loop. */
import { assertEquals } from "@std/assert";
import { BATCHES, bytes, LENGTHS, put, testBoth } from "../kernels_under_test.ts";

testBoth("distances: those of a loop, for every query and image", (kernels) => {
  for (const length of [...LENGTHS, 16383, 16384, 16385, 33000]) {
    for (const batch of length > 1000 ? [3, 5] : BATCHES) {
      const height = kernels.mark(), count = 3, queries = bytes(1, batch * length), rows = bytes(2, count * length);
      const out = kernels.allocate(8 * batch * count);
      kernels.distances(put(kernels, queries), batch, put(kernels, rows), count, length, out);
      kernels.f64(out, batch * count).forEach((distance, n) => {
        const query = queries.subarray(Math.floor(n / count) * length), image = rows.subarray(n % count * length);
        let wanted = 0;
        for (let p = 0; p < length; p++) wanted += (query[p] - image[p]) ** 2;
        assertEquals(distance, wanted, `length ${length}, batch ${batch}, number ${n}`);
      });
      kernels.release(height);
    }
  }
});

testBoth("distances: the largest of a large image does not overflow", (kernels) => {
  const length = 300000, rows = put(kernels, new Uint8Array(length).fill(255)), out = kernels.allocate(8);
  kernels.distances(put(kernels, new Uint8Array(length)), 1, rows, 1, length, out);
  assertEquals(kernels.f64(out, 1)[0], length * 255 ** 2); // every lane of a vector above 2^31
});
