import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { encode } from "fast-png";
import { chunk as chunkOf } from "../../../datasets/formats/png_chunk.ts";
import { readPng, samplesOfPng } from "../../../datasets/formats/png.ts";
import { isPng } from "../../../datasets/formats/signatures.ts";

const BLACK = { background: [0, 0, 0] } as const;

/** CRC-32, bit by bit. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function uint32(value: number): number[] {
  return [value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255];
}

function chunk(name: string, content: readonly number[]): number[] {
  const named = [...new TextEncoder().encode(name), ...content];
  return [...uint32(content.length), ...named, ...uint32(crc32(Uint8Array.from(named)))];
}

interface Raw {
  width: number;
  height: number;
  depth: number;
  colourType: number;
  /** Bytes of each row, as they are packed. */
  rows: number[][];
  /** Chunks before the pixels: PLTE, tRNS. */
  extra?: [name: string, content: number[]][];
  interlace?: number;
}

/** A PNG of any kind, also of those that `encode` cannot make; the pixels are neither filtered nor really compressed. */
function png({ width, height, depth, colourType, rows, extra = [], interlace = 0 }: Raw): Uint8Array {
  const raw = rows.flatMap((row) => [0, ...row]);
  let a = 1, b = 0;
  for (const byte of raw) b = (b + (a = (a + byte) % 65521)) % 65521;
  const length = [raw.length & 255, raw.length >> 8], inverse = length.map((byte) => 255 - byte);
  const zlib = [0x78, 1, 1, ...length, ...inverse, ...raw, ...uint32(b * 65536 + a)];
  return Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk("IHDR", [...uint32(width), ...uint32(height), depth, colourType, 0, 0, interlace]),
    ...extra.flatMap(([name, content]) => chunk(name, content)),
    ...chunk("IDAT", zlib),
    ...chunk("IEND", []),
  ]);
}

function greys(raw: Raw): number[] {
  return [...readPng(png(raw), "x.png").pixels];
}

Deno.test("readPng: 8-bit grey is read as it is, interlaced or not", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (width, height) => {
    const pixels = Uint8Array.from({ length: width * height }, (_, i) => i * 37);
    const bytes = encode({ width, height, data: pixels, channels: 1 });
    assertEquals(readPng(bytes, "x.png"), { height, width, pixels });
    const interlaced = encode({ width, height, data: pixels, channels: 1 }, { interlace: "Adam7" });
    assertEquals(readPng(interlaced, "x.png").pixels, pixels);
  }));
});

Deno.test("readPng: grey of 1, 2, 4 and 16 bits is scaled to 8, rows not ending at whole bytes", () => {
  const one = { width: 9, height: 2, depth: 1, colourType: 0, rows: [[0b10110010, 0b1_0000000], [0b01001101, 0]] };
  assertEquals(greys(one).map((grey) => grey / 255), [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0]);
  assertEquals(greys({ width: 3, height: 1, depth: 2, colourType: 0, rows: [[0b00_01_10_00]] }), [0, 85, 170]);
  assertEquals(greys({ width: 3, height: 1, depth: 4, colourType: 0, rows: [[0x0f, 0x50]] }), [0, 255, 85]);
  const wide = { width: 3, height: 1, depth: 16, colourType: 0, rows: [[0, 0, 255, 255, 0x80, 0]] };
  assertEquals(greys(wide), [0, 255, 128]);
});

Deno.test("readPng: colours become Rec. 709 luma, what is transparent lies on white or another background", () => {
  const rgb = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30];
  assertEquals(greys({ width: 5, height: 1, depth: 8, colourType: 2, rows: [rgb] }), [54, 182, 18, 255, 19]);
  const rgba = [255, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 128, 255, 0, 0, 128];
  assertEquals(greys({ width: 4, height: 1, depth: 8, colourType: 6, rows: [rgba] }), [255, 255, 255, 154]);
  assertEquals([
    ...readPng(png({ width: 4, height: 1, depth: 8, colourType: 6, rows: [rgba] }), "x.png", BLACK).pixels,
  ], [
    255,
    0,
    128,
    27,
  ]);
  assertEquals(greys({ width: 2, height: 1, depth: 8, colourType: 4, rows: [[200, 255, 200, 51]] }), [200, 244]);
  const wide = { width: 1, height: 1, depth: 16, colourType: 6, rows: [[255, 255, 0, 0, 0, 0, 255, 255]] };
  assertEquals(greys(wide), [54]);
});

Deno.test("readPng: palettes, with and without transparency, and single transparent colours", () => {
  const palette: [string, number[]] = ["PLTE", [255, 255, 255, 255, 0, 0, 10, 20, 30]];
  const indexed = { width: 3, height: 1, depth: 8, colourType: 3, rows: [[2, 1, 0]], extra: [palette] };
  assertEquals(greys(indexed), [19, 54, 255]);
  assertEquals(greys({ ...indexed, extra: [palette, ["tRNS", [0, 128]]] }), [19, 154, 255]);
  assertEquals(greys({ ...indexed, depth: 2, rows: [[0b10_01_00_00]] }), [19, 54, 255]);
  const grey = { width: 2, height: 1, depth: 8, colourType: 0, rows: [[7, 8]] };
  assertEquals(greys({ ...grey, extra: [["tRNS", [0, 7]]] }), [255, 8]);
  // In a colour image a palette is only a suggestion.
  assertEquals(greys({ width: 1, height: 1, depth: 8, colourType: 2, rows: [[255, 255, 255]], extra: [palette] }), [
    255,
  ]);
});

Deno.test("readPng: what cannot be read is one sentence that names the file", () => {
  const small: Raw = { width: 2, height: 2, depth: 8, colourType: 0, rows: [[1, 2], [3, 4]] };
  const bytes = png(small), damaged = bytes.slice();
  damaged[bytes.length - 20] ^= 1;
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(), "x.png is not a PNG file"],
    [Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), "x.png is not a PNG file"],
    [bytes.subarray(0, 20), "x.png is a damaged PNG: expected a header of 29 bytes, got none"],
    [bytes.subarray(0, bytes.length - 14), "x.png is a damaged PNG"],
    [bytes.subarray(0, 40), "x.png is a damaged PNG"],
    [damaged, "x.png is a damaged PNG: "],
    [png({ ...small, width: 4097 }), "x.png: expected sides of 1 to 4096 pixels, got 4097x2"],
    [png({ ...small, height: 0xffffffff }), "got 2x4294967295"],
    [png({ ...small, width: 0 }), "got 0x2"],
    [png({ ...small, height: 3 }), "x.png is a damaged PNG"],
    [png({ ...small, colourType: 3 }), "x.png is a damaged PNG: its palette is missing"],
    [
      png({ ...small, colourType: 3, extra: [["PLTE", [1, 2, 3, 4, 5, 6]]] }),
      "a damaged PNG: a pixel has colour 2 of a palette of 2",
    ],
    [png({ ...small, depth: 4, interlace: 1 }), "x.png: expected 8 or 16 bits in an interlaced PNG, got 4"],
  ];
  for (const [bytes, sentence] of cases) assertThrows(() => readPng(bytes, "x.png"), Error, sentence);
  assertEquals([isPng(bytes), isPng(bytes.subarray(1))], [true, false]);
});

/** Pixels of a colour PNG as [red, green, blue]. */
function colours(raw: Raw): number[][] {
  const { height, width, channels, pixels } = readPng(png(raw), "x.png", { ...BLACK, channels: 3 }),
    area = height * width;
  assertEquals([channels, pixels.length], [3, 3 * area]);
  return Array.from({ length: area }, (_, p) => [0, 1, 2].map((channel) => pixels[channel * area + p]));
}

Deno.test("readPng in colour: 8 and 16 bits, with and without alpha, over black", () => {
  const two = { width: 2, height: 1 };
  assertEquals(colours({ ...two, depth: 8, colourType: 2, rows: [[1, 2, 3, 250, 251, 252]] }), [[1, 2, 3], [
    250,
    251,
    252,
  ]]);
  assertEquals(colours({ ...two, depth: 8, colourType: 6, rows: [[255, 100, 50, 51, 9, 9, 9, 0]] }), [[51, 20, 10], [
    0,
    0,
    0,
  ]]);
  const wide = [0x80, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0x40, 0];
  assertEquals(colours({ ...two, depth: 16, colourType: 2, rows: [wide] }), [[128, 255, 0], [0, 0, 64]]);
  const clear: [string, number[]][] = [["tRNS", [0, 1, 0, 2, 0, 3]]];
  assertEquals(
    colours({ ...two, width: 3, depth: 8, colourType: 2, rows: [[1, 2, 3, 3, 2, 1, 1, 2, 4]], extra: clear }),
    [
      [0, 0, 0],
      [3, 2, 1],
      [1, 2, 4],
    ],
  );
});

Deno.test("readPng in colour: palettes of 2 bits, with transparent entries; grey is three equal planes", () => {
  const palette: [string, number[]][] = [["PLTE", [10, 20, 30, 40, 50, 60, 255, 0, 255]], ["tRNS", [255, 255, 51]]];
  const indexed = { width: 3, height: 1, depth: 2, colourType: 3, rows: [[0b00_01_10_00]], extra: palette };
  assertEquals(colours(indexed), [[10, 20, 30], [40, 50, 60], [51, 0, 51]]);
  assertEquals(colours({ width: 2, height: 1, depth: 8, colourType: 0, rows: [[7, 200]] }), [[7, 7, 7], [
    200,
    200,
    200,
  ]]);
});

Deno.test("samplesOfPng: the one transparent colour of a file becomes alpha; uncomposited pixels keep their colours", () => {
  const two = { width: 2, height: 1 }, clear: [string, number[]][] = [["tRNS", [0, 1, 0, 2, 0, 3]]];
  const colour = png({
    width: 3,
    height: 1,
    depth: 8,
    colourType: 2,
    rows: [[1, 2, 3, 1, 2, 4, 5, 6, 7]],
    extra: clear,
  });
  const named = samplesOfPng(colour, "x.png");
  assertEquals([named.channels, ...named.data], [4, 1, 2, 3, 0, 1, 2, 4, 255, 5, 6, 7, 255]);
  const grey = png({ ...two, depth: 16, colourType: 0, rows: [[1, 2, 3, 4]], extra: [["tRNS", [3, 4]]] });
  const deep = samplesOfPng(grey, "x.png");
  assertEquals([deep.channels, deep.depth, ...deep.data], [2, 16, 258, 65535, 772, 0]);

  const palette: [string, number[]][] = [["PLTE", [10, 20, 30, 40, 50, 60, 255, 0, 255]], ["tRNS", [255, 0, 51]]];
  const indexed = png({ width: 3, height: 1, depth: 2, colourType: 3, rows: [[0b00_01_10_00]], extra: palette });
  const { pixels, alpha } = readPng(indexed, "x.png", { channels: 3, uncomposited: true });
  assertEquals([[...pixels], [...alpha!]], [[10, 40, 255, 20, 50, 0, 30, 60, 255], [255, 0, 51]]);
});

Deno.test("readPng in colour: a damaged file is one sentence", () => {
  const whole = encode({ width: 20, height: 20, channels: 3, data: new Uint8Array(1200).map((_, i) => i * i) });
  for (const length of [0, 7, 20, 33, 60, whole.length - 20]) {
    assertThrows(() => readPng(whole.slice(0, length), "x.png", { channels: 3 }), Error, "x.png is ");
  }
});

/** Zeros, compressed a thousand times. */
async function zeros(length: number): Promise<number[]> {
  const stream = new Blob([new Uint8Array(length)]).stream().pipeThrough(new CompressionStream("deflate"));
  return [...await new Response(stream).bytes()];
}

Deno.test("readPng: decompresses no more than its header allows, and nothing that pixels do not depend on", async () => {
  const bomb = await zeros(4_000_000), small: Raw = { width: 2, height: 1, depth: 8, colourType: 0, rows: [[1, 2]] };
  const start = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const header = chunk("IHDR", [...uint32(2), ...uint32(1), 8, 0, 0, 0, 0]);
  const whole = Uint8Array.from([...start, ...header, ...chunk("IDAT", bomb), ...chunk("IEND", [])]);
  const sentence = "x.png is a damaged PNG: expected 3 bytes of pixels when decompressed, got more";
  assertThrows(() => readPng(whole, "x.png"), Error, sentence);
  assertEquals(greys({ ...small, extra: [["iCCP", [0x78, 0, 0, ...bomb]], ["zTXt", [0x78, 0, 0, ...bomb]]] }), [1, 2]);
  assertThrows(() => readPng(png({ ...small, height: 2 }), "x.png"), Error, "expected 6 bytes of pixels when");
  const second: [string, number[]][] = [["IHDR", [...uint32(9999), ...uint32(9999), 8, 0, 0, 0, 0]]];
  assertThrows(() => readPng(png({ ...small, extra: second }), "x.png"), Error, "it has two headers");
});

Deno.test("readPng: says how opaque each pixel was, if one was not", () => {
  const rgba = { width: 2, height: 1, depth: 8, colourType: 6, rows: [[9, 9, 9, 255, 9, 9, 9, 51]] };
  assertEquals(readPng(png(rgba), "x.png", { background: [0, 100, 0] }).alpha, Uint8Array.of(255, 51));
  assertEquals(readPng(png({ ...rgba, rows: [[9, 9, 9, 255, 9, 9, 9, 255]] }), "x.png").alpha, undefined);
  const read = readPng(png(rgba), "x.png", { background: [0, 100, 0], channels: 3 });
  assertEquals([...read.pixels], [9, 2, 9, 82, 9, 2]);
});

Deno.test("readPng: a million empty chunks of pixels take no more memory than the file", () => {
  const whole = encode({ width: 6, height: 5, channels: 1, data: Uint8Array.from({ length: 30 }, (_, i) => i) });
  const empty = chunkOf("IDAT"), count = 1_000_000, header = 33;
  const bytes = new Uint8Array(whole.length + count * empty.length);
  bytes.set(whole.subarray(0, header));
  for (let i = 0; i < count; i++) bytes.set(empty, header + i * empty.length);
  bytes.set(whole.subarray(header), header + count * empty.length);
  const before = Deno.memoryUsage().rss, { pixels } = readPng(bytes, "x.png"), taken = Deno.memoryUsage().rss - before;
  assertEquals([...pixels], Array.from({ length: 30 }, (_, i) => i));
  assert(taken < 150e6, `${taken} bytes`); // each chunk took 500 bytes
});
