import { assert, assertEquals } from "@std/assert";
import { cacheKey, decodeArrays, encodeArrays, joinedBytes, postable } from "../../core/array_bytes.ts";
import { kernelMemory } from "../../core/kernels.ts";

Deno.test("decodeArrays: what was encoded, at multiples of eight bytes", () => {
  const numbers = Float64Array.of(0.1, -1e300, Infinity), bytes = Uint8Array.of(7, 8, 9);
  for (const head of [null, { name: "ä" }, [1, [2]], "seven"]) {
    const encoded = encodeArrays(head, [bytes, new Uint8Array(), numbers.subarray(1), Uint32Array.of(2 ** 31)]);
    const decoded = decodeArrays(encoded), [first, none, floats, words] = decoded.arrays;
    assertEquals([decoded.head, first, none.length], [head, bytes, 0]);
    assertEquals(new Float64Array(floats.buffer, floats.byteOffset, 2), numbers.subarray(1));
    assertEquals(new Uint32Array(words.buffer, words.byteOffset, 1)[0], 2 ** 31);
    // The same where the bytes are a part of others, or in shared memory.
    const inside = joinedBytes([Uint8Array.of(1, 2, 3), encoded]).subarray(3);
    const shared = postable({ memory: kernelMemory({ shared: true }) }, encoded);
    assert(shared.buffer instanceof SharedArrayBuffer);
    for (const other of [inside, shared]) {
      assertEquals(decodeArrays(other).arrays.map((one) => [...one]), decoded.arrays.map((one) => [...one]));
    }
  }
  assert(postable({ memory: kernelMemory() }, bytes).buffer instanceof ArrayBuffer);
});

Deno.test("cacheKey: a text and bytes, one after another", () => {
  assertEquals(cacheKey("ab", Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2, 3)), Uint8Array.of(97, 98, 1, 2, 3));
});
