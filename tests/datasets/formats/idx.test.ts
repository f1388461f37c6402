import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { gunzip, imagesFromIdx, labelsFromIdx, parseIdx, writeIdx } from "../../../datasets/formats/idx.ts";

/** The bytes of a header: type, dimensions; and then data. */
function idx(type: number, dims: number[], data: number[] = []): Uint8Array {
  const header = new DataView(new ArrayBuffer(4 + 4 * dims.length));
  header.setUint32(0, type << 8 | dims.length);
  dims.forEach((dim, i) => header.setUint32(4 + 4 * i, dim));
  return Uint8Array.from([...new Uint8Array(header.buffer), ...data]);
}

async function gzip(bytes: Uint8Array, zeros = 0): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>, new Uint8Array(zeros)]).stream().pipeThrough(
    new CompressionStream("gzip"),
  );
  return await new Response(stream).bytes();
}

Deno.test("parseIdx: reads what writeIdx wrote, of one to three dimensions", () => {
  const dims = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 });
  fc.assert(fc.property(dims, fc.nat(255), (dims, first) => {
    const data = Uint8Array.from({ length: dims.reduce((a, b) => a * b) }, (_, i) => first + i);
    assertEquals(parseIdx(writeIdx(dims, data), "x"), { dims, data });
  }));
});

Deno.test("parseIdx: reads a view into a larger buffer, and copies nothing", () => {
  const buffer = new Uint8Array([9, 9, 9, ...idx(8, [2], [5, 6]), 9]);
  const { data } = parseIdx(buffer.subarray(3, buffer.length - 1), "x");
  assertEquals([...data], [5, 6]);
  assertEquals(data.buffer, buffer.buffer);
});

Deno.test("parseIdx: each lie has its own sentence", () => {
  const lies: [Uint8Array, string][] = [
    [new Uint8Array(), "a.idx is not an IDX file: expected it to begin with 00 00 08, got no bytes"],
    [Uint8Array.of(0, 0, 8), "a.idx is cut off: expected a header of 8 bytes or more, got 3"],
    [
      Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2]),
      "not an IDX file: expected it to begin with 00 00 08, got 89 50",
    ],
    [idx(13, [1], [0, 0, 0, 0]), "a.idx: expected unsigned bytes (type 8), got 32-bit floats (type 13)"],
    [idx(7, [1], [0]), "got unknown (type 7)"],
    [idx(8, []), "a.idx: expected 1 to 3 dimensions, got 0"],
    [idx(8, [1, 1, 1, 1], [0]), "expected 1 to 3 dimensions, got 4"],
    [idx(8, [1, 2, 2]).subarray(0, 9), "a.idx is cut off: expected a header of 16 bytes, got 9"],
    [idx(8, [0, 28, 28]), "a.idx is empty: expected at least one image, got 0"],
    [idx(8, [0]), "a.idx is empty: expected at least one entry, got 0"],
    [idx(8, [1, 0, 28]), "a.idx: expected sides of 1 to 4096 pixels, got 0"],
    [idx(8, [1, 28, 4097]), "expected sides of 1 to 4096 pixels, got 4097"],
    [idx(8, [2, 2, 2], [1, 2, 3]), "a.idx is cut off: expected 8 bytes of pixels, got 3"],
    [idx(8, [3], [1, 2]), "a.idx is cut off: expected 3 bytes of labels, got 2"],
    [idx(8, [0xffffffff, 4096, 4096]), "expected at most 4194304 images, got 4294967295"],
    [idx(8, [2 ** 22, 4096, 4096]), "expected 70368744177664 bytes of pixels, got 0"],
    [idx(8, [1, 1, 2], [1, 2, 3]), "a.idx is too long: expected 2 bytes of pixels, got 3"],
  ];
  for (const [bytes, sentence] of lies) assertThrows(() => parseIdx(bytes, "a.idx"), Error, sentence);
});

Deno.test("parseIdx: arbitrary bytes give an Idx or a sentence that names the file", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (bytes, headed) => {
    if (headed) bytes.set([0, 0, 8].slice(0, bytes.length));
    try {
      parseIdx(bytes, "some file");
    } catch (error) {
      if (!(error as Error).message.startsWith("some file")) throw error;
    }
  }));
});

Deno.test("imagesFromIdx, labelsFromIdx: want their dimensions, and one label an image", () => {
  const images = idx(8, [2, 1, 3], [1, 2, 3, 4, 5, 6]), labels = idx(8, [2], [7, 8]);
  const read = imagesFromIdx(images, "x");
  assertEquals([read.count, read.height, read.width, ...read.pixels], [2, 1, 3, 1, 2, 3, 4, 5, 6]);
  assertEquals([...labelsFromIdx(labels, "x", 2)], [7, 8]);
  assertThrows(() => imagesFromIdx(labels, "x"), Error, "x holds no images: expected 3 dimensions");
  assertThrows(() => labelsFromIdx(images, "x", 2), Error, "x holds no labels: expected 1 dimension, got 3");
  assertThrows(() => labelsFromIdx(labels, "x", 3), Error, "x: expected 3 labels, one an image, got 2");
});

Deno.test("writeIdx: refuses data of another length", () => {
  assertThrows(() => writeIdx([2, 2], new Uint8Array(5)), RangeError, "2x2: expected 4 bytes, got 5");
  assertThrows(() => writeIdx([1, 1, 1, 1], new Uint8Array(1)), RangeError);
});

Deno.test("gunzip: knows gzip by its first bytes, and returns all else as it is", async () => {
  const plain = idx(8, [3], [1, 2, 3]);
  assertEquals(await gunzip(plain, "x"), plain);
  assertEquals(await gunzip(await gzip(plain), "x"), plain);
  assertEquals((await gunzip(new Uint8Array(), "x")).length, 0);
});

Deno.test("gunzip: a damaged, cut off or continued stream is one sentence", async () => {
  const whole = await gzip(idx(8, [5000], Array.from({ length: 5000 }, (_, i) => (i * i) >> 3 & 255)));
  const damaged = whole.slice();
  damaged[Math.floor(whole.length / 2)] ^= 0x55;
  const continued = new Uint8Array([...whole, 1, 2, 3]);
  for (const bytes of [damaged, whole.subarray(0, whole.length - 5), whole.subarray(0, 2), continued]) {
    await assertRejects(
      () => gunzip(bytes, "x.gz"),
      Error,
      "x.gz is damaged or cut off: it cannot be decompressed as gzip",
    );
  }
});

Deno.test("gunzip: decompresses no more than the header allows, and refuses absurd headers before that", async () => {
  // 4 MB of zeros in 4 kB, behind headers that claim other lengths.
  const bomb = async (...dims: number[]) => await gzip(idx(8, dims, new Array(100).fill(0)), 4_000_000);
  const cases: [number[], string][] = [
    [[1, 1, 1], "x.gz is too long: expected 1 bytes of pixels, got more"],
    [[1_000_000_000, 1, 1], "x.gz: expected at most 4194304 images, got 1000000000"],
    [[4_000_000, 32, 32], "x.gz is too long: expected at most 1073741824 bytes"],
    [[100_000, 32, 32], "x.gz is cut off: expected 102400000 bytes of pixels, got less"],
    [[1_000_000_000], "x.gz: expected at most 4194304 entries"],
  ];
  for (const [dims, sentence] of cases) {
    const bytes = await bomb(...dims);
    await assertRejects(() => gunzip(bytes, "x.gz"), Error, sentence);
  }
  // A hundred thousand black images, which deflate makes a thousand times shorter.
  const black = await gzip(idx(8, [100_000, 32, 32], []), 102_400_000), most = 2 ** 26;
  const sentence = `x.gz is too long: expected at most ${most} bytes of ${black.length} compressed ones, got 102400000`;
  await assertRejects(() => gunzip(black, "x.gz"), Error, sentence);
  // Cut off behind the header: what there is comes back, and `parseIdx` says what is missing.
  const short = await gunzip(await gzip(idx(8, [9], [1, 2, 3])), "x.gz");
  assertThrows(() => parseIdx(short, "x.gz"), Error, "x.gz is cut off: expected 9 bytes of labels, got 3");
});
