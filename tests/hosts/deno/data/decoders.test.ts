/** Pictures that were cut off, or say more than they hold: the libraries would fill them up, or make room for it. */
import { assertEquals, assertThrows } from "@std/assert";
import { decodeBmp } from "../../../../hosts/deno/data/decoders/bmp.ts";
import { decodeGif } from "../../../../hosts/deno/data/decoders/gif.ts";
import { decodeTiff } from "../../../../hosts/deno/data/decoders/tiff.ts";

const SIDE = 16;

/** A grey TIFF in strips of 4 rows, with some of its strips and with further entries that each claim so many bytes. */
function tiff(strips: number, claims: readonly number[] = []): Uint8Array<ArrayBuffer> {
  const length = 4 * SIDE, lists = 8 + SIDE * SIDE, directory = lists + 8 * strips;
  const list = (at: number) => strips === 1 ? [4, 1, at === lists ? 8 : length] : [4, strips, at];
  const entries = [
    ...[[256, 4, 1, SIDE], [257, 4, 1, SIDE], [258, 3, 1, 8], [259, 3, 1, 1], [262, 3, 1, 1]],
    ...[[273, ...list(lists)], [277, 3, 1, 1], [278, 4, 1, 4], [279, ...list(lists + 4 * strips)]],
    ...claims.map((bytes, n) => [40000 + n, 2, bytes, 8]),
  ];
  const bytes = new Uint8Array(directory + 2 + 12 * entries.length + 4), view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directory, true);
  bytes.fill(200, 8, lists);
  for (let s = 0; s < strips; s++) {
    view.setUint32(lists + 4 * s, 8 + s * length, true);
    view.setUint32(lists + 4 * strips + 4 * s, length, true);
  }
  view.setUint16(directory, entries.length, true);
  entries.forEach(([tag, type, count, value], n) => {
    const at = directory + 2 + 12 * n;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, count, true);
    view.setUint32(at + 8, value, true);
  });
  return bytes;
}

/** A GIF of 4x4 pixels with the data of some of them: each is a code of 3 bits behind one that clears the table. */
function gif(pixels: number): Uint8Array<ArrayBuffer> {
  const codes = [...Array(pixels)].flatMap(() => [4, 1]).concat(5),
    data = new Uint8Array(Math.ceil(codes.length * 3 / 8));
  codes.forEach((code, n) => {
    for (let bit = 0; bit < 3; bit++) data[(3 * n + bit) >> 3] |= (code >> bit & 1) << ((3 * n + bit) & 7);
  });
  const colours = [0, 0, 0, 90, 90, 90, 180, 180, 180, 255, 255, 255];
  return Uint8Array.from([
    ...new TextEncoder().encode("GIF89a"),
    ...[4, 0, 4, 0, 0x91, 0, 0, ...colours],
    ...[0x2c, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2, data.length, ...data, 0, 0x3b],
  ]);
}

const any = () => {};

Deno.test("decodeTiff: a compression that is not read is named", () => {
  const packBits = tiff(4), view = new DataView(packBits.buffer), entry = view.getUint32(4, true) + 2 + 3 * 12;
  assertEquals([view.getUint16(entry, true), view.getUint32(entry + 8, true)], [259, 1]);
  view.setUint32(entry + 8, 32773, true);
  const sentence = "expected no compression, LZW or Deflate, got compression 32773";
  assertThrows(() => decodeTiff(packBits, any), Error, sentence);
});

Deno.test("decodeTiff: strips that are missing are no black rows", () => {
  assertEquals(decodeTiff(tiff(4), any).data, new Uint8Array(4 * SIDE * SIDE).map((_, i) => i % 4 === 3 ? 255 : 200));
  for (const strips of [1, 2, 3]) {
    assertThrows(() => decodeTiff(tiff(strips), any), Error, `strips of 256 bytes together, got ${64 * strips}`);
  }
});

Deno.test("decodeTiff: entries claim no more than the file holds, together", () => {
  assertEquals(decodeTiff(tiff(4, [90, 60]), any).width, SIDE);
  for (const claims of [[4000], Array(50).fill(100), Array(2000).fill(10_000)]) {
    assertThrows(() => decodeTiff(tiff(4, claims), any), Error, "bytes in its entries, got more");
  }
});

Deno.test("decodeGif: pixels that are missing are no black ones", () => {
  assertEquals(decodeGif(gif(16), any).data, new Uint8Array(64).map((_, i) => i % 4 === 3 ? 255 : 90));
  for (const pixels of [0, 1, 15]) assertThrows(() => decodeGif(gif(pixels), any), Error, `16 pixels, got ${pixels}`);
});

/** A TIFF of one strip with these entries beside, or in place of, those that every picture has; `strip` has the bytes of its rows. */
function stripTiff(width: number, height: number, strip: readonly number[], more: readonly number[][], little = true) {
  const all = [
    ...[[256, 4, width], [257, 4, height], [259, 3, 1], [262, 3, 1], [273, 4, 0], [277, 3, 1], [278, 4, height]],
    ...[[279, 4, strip.length], ...more],
  ];
  const entries = [...new Map(all.map((entry) => [entry[0], entry])).values()].sort(([a], [b]) => a - b);
  const at = 8 + 2 + 12 * entries.length + 4, bytes = new Uint8Array(at + strip.length);
  const view = new DataView(bytes.buffer);
  bytes.set(little ? [0x49, 0x49, 42, 0] : [0x4d, 0x4d, 0, 42]);
  view.setUint32(4, 8, little);
  view.setUint16(8, entries.length, little);
  entries.forEach(([tag, type, value], n) => {
    view.setUint16(10 + 12 * n, tag, little);
    view.setUint16(12 + 12 * n, type, little);
    view.setUint32(14 + 12 * n, 1, little);
    if (type === 3) view.setUint16(18 + 12 * n, value, little);
    else view.setUint32(18 + 12 * n, tag === 273 ? at : value, little);
  });
  bytes.set(strip, at);
  return bytes;
}

/** The reds of a picture, which is grey. */
const greys = ({ data }: { readonly data: ArrayLike<number> }) => Array.from(data).filter((_, i) => i % 4 === 0);

Deno.test("decodeTiff: one bit where no bits are stated, and the first pixel in the highest or the lowest bit", () => {
  const rows = [0b10110000, 0b01000000, 0b11111111, 0b10000000], reversed = [0b00001101, 0b00000010, 0b11111111, 1];
  const expected = [1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0].map((bit) => 255 * bit);
  for (const little of [true, false]) {
    for (const bits of [[], [[258, 3, 1]]]) {
      for (const [strip, order] of [[rows, []], [rows, [[266, 3, 1]]], [reversed, [[266, 3, 2]]]]) {
        const bytes = stripTiff(10, 2, strip as number[], [...bits, ...order as number[][]], little);
        assertEquals(greys(decodeTiff(bytes, any)), expected);
      }
    }
  }
  const bytes = stripTiff(4, 1, [1, 2, 128, 255], [[258, 3, 8], [266, 3, 2]]);
  assertEquals(greys(decodeTiff(bytes, any)), [128, 64, 1, 255]); // as other readers do
  // Strips that are the same bytes, again and again: each would be a copy of its own.
  const many = tiff(4), view = new DataView(many.buffer), directory = view.getUint32(4, true);
  view.setUint16(directory + 2 + 12 * 6, 266, true); // in place of the samples of a pixel
  view.setUint16(directory + 2 + 12 * 6 + 8, 2, true);
  for (let s = 0; s < 4; s++) view.setUint32(8 + SIDE * SIDE + 16 + 4 * s, 300, true);
  assertThrows(() => decodeTiff(many, any), Error, "its strips are longer than the file");
});

Deno.test("decodeTiff: signed samples and fractions are refused", () => {
  for (const [format, isRead] of [[1, true], [2, false], [3, false], [4, true]] as const) {
    const decoding = () => decodeTiff(stripTiff(4, 1, [1, 2, 128, 255], [[258, 3, 8], [339, 3, format]]), any);
    if (isRead) assertEquals(greys(decoding()), [1, 2, 128, 255]);
    else assertThrows(decoding, Error, "expected unsigned samples, got signed ones or fractions");
  }
});

Deno.test("decodeTiff: a sample beside the grey is an opacity, one that greys were multiplied by, or nothing", () => {
  const strip = [200, 255, 60, 128, 0, 0, 40, 51];
  for (
    const [extra, expected] of [
      [[], [[200, 255], [60, 128], [0, 0], [40, 51]]],
      [[[338, 3, 2]], [[200, 255], [60, 128], [0, 0], [40, 51]]],
      [[[338, 3, 1]], [[200, 255], [120, 128], [0, 0], [200, 51]]],
      [[[338, 3, 0]], [[200, 255], [60, 255], [0, 255], [40, 255]]],
    ] as const
  ) {
    const { data } = decodeTiff(
      stripTiff(4, 1, strip, [[258, 3, 8], [277, 3, 2], ...extra.map((one) => [...one])]),
      any,
    );
    assertEquals(
      Array.from({ length: 4 }, (_, p) => [data[4 * p], data[4 * p + 3]]),
      expected.map((pixel) => [...pixel]),
    );
  }
});

/** A BMP of grey runs; `data` as it is in the file, its rows from the lowest on. */
function runs(bits: 4 | 8, width: number, height: number, data: readonly number[]): Uint8Array {
  const colours = 2 ** bits, from = 54 + 4 * colours, bytes = new Uint8Array(from + data.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  [bytes.length, 0, from, 40, width, height].forEach((value, n) => view.setUint32(2 + 4 * n, value, true));
  [1, bits].forEach((value, n) => view.setUint16(26 + 2 * n, value, true));
  [bits === 8 ? 1 : 2, data.length].forEach((value, n) => view.setUint32(30 + 4 * n, value, true));
  for (let grey = 0; grey < colours; grey++) bytes.fill(grey, 54 + 4 * grey, 57 + 4 * grey);
  bytes.set(data, from);
  return bytes;
}

Deno.test("decodeBmp: rows of runs that are missing are no transparent ones", () => {
  const row = [4, 9, 0, 0],
    whole: [4 | 8, number[], number[]][] = [
      [8, [...row, 4, 7, 0, 1], [7, 7, 7, 7, 9, 9, 9, 9]],
      [8, [...row, 4, 7], [7, 7, 7, 7, 9, 9, 9, 9]],
      [8, [0, 4, 1, 2, 3, 4, 0, 0, 0, 3, 1, 2, 3, 0, 1, 9, 0, 1], [1, 2, 3, 9, 1, 2, 3, 4]],
      [8, [1, 9, 0, 2, 1, 1, 1, 7, 0, 1], [0, 0, 7, 0, 9, 0, 0, 0]], // moves on: pixels without a colour
      [4, [0, 4, 0x12, 0x34, 0, 0, 4, 0x56, 0, 1], [5, 6, 5, 6, 1, 2, 3, 4]],
    ];
  for (const [bits, data, expected] of whole) assertEquals(greys(decodeBmp(runs(bits, 4, 2, data), any)), expected);
  const short: [4 | 8, number[], number][] = [
    [8, [], 0],
    [8, [4, 9], 1],
    [8, [...row, 0, 1], 1],
    [8, [...row, 3, 7], 1],
    [8, [...row, 0, 4, 1, 2], 1],
    [4, [0, 4, 0x12, 0x34, 0, 0, 3, 0x56], 1],
  ];
  for (const [bits, data, rows] of short) {
    assertThrows(() => decodeBmp(runs(bits, 4, 2, data), any), Error, `expected 2 rows, got ${rows}`);
  }
});
