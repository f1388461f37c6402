/** Whole images against whole images, against the obvious loop. */
import { assertEquals } from "@std/assert";
import { bytes, LENGTHS, put, testBoth } from "../kernels_under_test.ts";

/** The nearest of images by a loop: number and squared distance. */
function bruteForce(images: readonly Uint8Array[], query: Uint8Array, except: number): [number, number] {
  let best = -1, least = Infinity;
  images.forEach((image, i) => {
    const distance = image.reduce((sum, byte, p) => sum + (byte - query[p]) ** 2, 0);
    if (i !== except && distance < least) [best, least] = [i, distance];
  });
  return [best, least];
}

testBoth("nearest: number and squared distance of a loop over all images but one", (kernels) => {
  for (const length of [...LENGTHS, 1024, 16383, 16384, 16385, 20001]) {
    for (const count of [1, 2, 7]) {
      const height = kernels.mark(), rows = bytes(length, count * length), query = bytes(length + 1, length);
      const images = Array.from({ length: count }, (_, i) => rows.subarray(i * length, (i + 1) * length));
      const at = put(kernels, rows), wanted = put(kernels, query), out = kernels.allocate(8);
      const truth = bruteForce(images, query, -1)[0];
      for (const except of [-1, 0, count - 1, truth]) {
        const best = kernels.nearest(at, count, length, wanted, except, out);
        assertEquals(
          [best, kernels.f64(out, 1)[0]],
          bruteForce(images, query, except),
          `${count} of ${length}, not ${except}`,
        );
      }
      kernels.release(height);
    }
  }
});

testBoth("nearest: the largest distance of a large image does not overflow", (kernels) => {
  const length = 300000, query = put(kernels, new Uint8Array(length)), out = kernels.allocate(8);
  assertEquals(kernels.nearest(put(kernels, new Uint8Array(length).fill(255)), 1, length, query, -1, out), 0);
  assertEquals(kernels.f64(out, 1)[0], length * 255 ** 2); // every lane of a vector above 2^31
});

testBoth("nearest: of equals the lower number, of none -1 and Infinity", (kernels) => {
  const rows = put(kernels, Uint8Array.of(9, 9, 1, 2, 1, 2, 1, 2)), query = put(kernels, Uint8Array.of(1, 2));
  const out = kernels.allocate(8),
    ask = (count: number, except: number) => {
      const best = kernels.nearest(rows, count, 2, query, except, out);
      return [best, kernels.f64(out, 1)[0]];
    };
  assertEquals(ask(4, -1), [1, 0]);
  assertEquals(ask(4, 1), [2, 0]);
  assertEquals(ask(1, -1), [0, 64 + 49]);
  assertEquals(ask(0, -1), [-1, Infinity]);
  assertEquals(ask(1, 0), [-1, Infinity]);
});
