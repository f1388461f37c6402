/** Pictures that were cut off, or say more than they hold: the libraries would fill them up, or make room for it. */
import { assertEquals, assertThrows } from "@std/assert";
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
