import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { samplesOfPng } from "../../../../datasets/formats/png.ts";
import { chunk } from "../../../../datasets/formats/png_chunk.ts";
import { readPicture } from "../../../../hosts/deno/data/read_picture.ts";
import { bmpOf, gifOf, type Rgb, tiffOf, WEBP } from "./picture_files.ts";
import { jpegOf, pngOf, type Scene } from "./photographs.ts";

const WIDTH = 64, HEIGHT = 48;
/** Brighter to the right and, more gently, downwards: no two ways of turning it look the same. */
const scene: Scene = (x, y) => 2 * x + y;

async function assertShows(bytes: Uint8Array, what: string): Promise<void> {
  const { width, height, pixels } = await readPicture(bytes, what);
  assertEquals([width, height], [WIDTH, HEIGHT], what);
  for (let i = 0; i < pixels.length; i++) {
    const expected = scene(i % width, Math.floor(i / width));
    assert(Math.abs(pixels[i] - expected) <= 4, `${what}: pixel ${i} is ${pixels[i]}, expected ${expected}`);
  }
}

Deno.test("readPicture: reads PNG and JPEG, whatever they are called", async () => {
  await assertShows(pngOf(WIDTH, HEIGHT, scene), "a.jpg");
  await assertShows(jpegOf(WIDTH, HEIGHT, scene), "a.png");
});

Deno.test("readPicture: turns a JPEG as its EXIF orientation says", async () => {
  const right = WIDTH - 1, bottom = HEIGHT - 1;
  // What the EXIF standard says of the stored row 0 and column 0: which side of the picture they are.
  const stored: [orientation: number, sides: string, width: number, height: number, scene: Scene][] = [
    [1, "top, left", WIDTH, HEIGHT, (column, row) => scene(column, row)],
    [2, "top, right", WIDTH, HEIGHT, (column, row) => scene(right - column, row)],
    [3, "bottom, right", WIDTH, HEIGHT, (column, row) => scene(right - column, bottom - row)],
    [4, "bottom, left", WIDTH, HEIGHT, (column, row) => scene(column, bottom - row)],
    [5, "left, top", HEIGHT, WIDTH, (column, row) => scene(row, column)],
    [6, "right, top", HEIGHT, WIDTH, (column, row) => scene(right - row, column)],
    [7, "right, bottom", HEIGHT, WIDTH, (column, row) => scene(right - row, bottom - column)],
    [8, "left, bottom", HEIGHT, WIDTH, (column, row) => scene(row, bottom - column)],
    [9, "nonsense", WIDTH, HEIGHT, scene],
  ];
  for (const [orientation, sides, width, height, scene] of stored) {
    await assertShows(jpegOf(width, height, scene, orientation), `${orientation}: ${sides}`);
  }
});

/** 3x2 pixels with orientation 6, and 16x16 pixels of one colour that are stored as red, green and blue. Pillow 12.3 wrote both. */
const TURNED_WEBP =
  "UklGRn4AAABXRUJQVlA4WAoAAAAIAAAAAgAAAQAAVlA4TD0AAAAvAkAAAC9AmG00ur3GfkBHoiAAkISudfyfAgaRts3QZEzJ/Ys6mv/gE7yPZqhiD9S0bcCG" +
  "Ov9yaET/Y3kBAEVYSUYaAAAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAA=";
const RGB_JPEG =
  "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ" +
  "EBAQEB/8AAEQgAEAAQA1IRAEcRAEIRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAE" +
  "EQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eH" +
  "l6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAAwDUgBH" +
  "AEIAAD8A/pAr+O+v536KKKKKKKKK/9k=";

Deno.test("readPicture: turns PNG and WebP as their EXIF chunks say", async () => {
  const stored: Rgb[] = [RED, BLUE, MIXED, [0, 200, 0], [250, 250, 0], [90, 90, 90]];
  const turned = [3, 0, 4, 1, 5, 2].map((i) => stored[i]);
  assertEquals(await colours(Uint8Array.fromBase64(TURNED_WEBP)), turned);
  const right = WIDTH - 1, flat = pngOf(WIDTH, HEIGHT, (column, row) => scene(right - column, row));
  const side = pngOf(HEIGHT, WIDTH, (column, row) => scene(right - row, column));
  for (const [png, orientation] of [[flat, 2], [side, 6]] as const) {
    const tiff = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0];
    const exif = chunk("eXIf", Uint8Array.from(tiff)), header = 33;
    const bytes = Uint8Array.from([...png.subarray(0, header), ...exif, ...png.subarray(header)]);
    await assertShows(bytes, `${orientation}`);
    // Samples are kept as the file has them, so that they would not fit what is turned.
    assertThrows(
      () => samplesOfPng(bytes, "a"),
      Error,
      `a: expected a PNG that is stored upright, got EXIF orientation`,
    );
    bytes.set([255, 255, 255, 255], header + 12);
    assertEquals((await readPicture(bytes, "x")).width, orientation === 2 ? WIDTH : HEIGHT, "a damaged block");
  }
});

Deno.test("readPicture: a JPEG of red, green and blue, as Adobe's segment or the components' names say", async () => {
  const bytes = Uint8Array.fromBase64(RGB_JPEG), adobe = 2, length = 16;
  const named = Uint8Array.from([...bytes.subarray(0, adobe), ...bytes.subarray(adobe + length)]);
  for (const one of [bytes, named]) {
    assertEquals(new Set((await colours(one)).map(String)), new Set(["200,30,60"]));
  }
  bytes[adobe + 15] = 1; // says that they are luma and chroma
  assert(!(await colours(bytes)).map(String).includes("200,30,60"));
});

Deno.test("readPicture: what cannot be read is one sentence that names the file", async () => {
  const bytes = jpegOf(WIDTH, HEIGHT, scene);
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(), "a.jpg is no picture: expected PNG, JPEG, WebP, GIF, BMP or TIFF, got an empty file"],
    [Uint8Array.of(1, 2, 3), "a.jpg is no picture: expected PNG, JPEG, WebP, GIF, BMP or TIFF, got other first bytes"],
    [new TextEncoder().encode("....ftypheic"), "a.jpg is a HEIC or AVIF picture, or a film, which cannot be read"],
    [new TextEncoder().encode("GIF89a"), "a.jpg is a damaged GIF file"],
    [bytes.subarray(0, bytes.length >> 1), "a.jpg is a damaged JPEG file, or of a kind that cannot be read"],
    [bytes.subarray(0, 2), "a.jpg is a damaged JPEG file, or of a kind that cannot be read"],
    [pngOf(WIDTH, HEIGHT, scene).subarray(0, 100), "a.jpg is a damaged PNG"],
  ];
  for (const [bytes, sentence] of cases) await assertRejects(() => readPicture(bytes, "a.jpg"), Error, sentence);
});

/** Pixels of a picture as [red, green, blue]. */
async function colours(bytes: Uint8Array): Promise<Rgb[]> {
  const { height, width, pixels } = await readPicture(bytes, "x", { channels: 3 }), area = height * width;
  return Array.from({ length: area }, (_, p): Rgb => [pixels[p], pixels[area + p], pixels[2 * area + p]]);
}

const RED: Rgb = [255, 0, 0], BLUE: Rgb = [0, 0, 250], MIXED: Rgb = [10, 20, 30];

Deno.test("readPicture: BMP, GIF, TIFF and WebP, known by their content", async () => {
  assertEquals(await colours(bmpOf([[RED, BLUE, MIXED], [MIXED, RED, BLUE]])), [RED, BLUE, MIXED, MIXED, RED, BLUE]);
  assertEquals(await colours(gifOf([[0, 1], [2, 0]], [RED, BLUE, MIXED])), [RED, BLUE, MIXED, RED]);
  const transparent = await readPicture(gifOf([[0, 255]], [RED]), "x", { channels: 3, background: [1, 2, 3] });
  assertEquals([[...transparent.pixels], [...transparent.alpha!]], [[255, 1, 0, 2, 0, 3], [255, 0]]);
  const rgb = [...RED, ...BLUE, ...MIXED, ...RED];
  for (const compression of ["none", "lzw"] as const) {
    assertEquals(await colours(tiffOf(2, 2, 3, rgb, compression)), [RED, BLUE, MIXED, RED], compression);
  }
  assertEquals(await colours(tiffOf(3, 1, 1, [0, 7, 255])), [[0, 0, 0], [7, 7, 7], [255, 255, 255]]);
  const deflated = { deflated: await deflate(Uint8Array.from(rgb)) };
  assertEquals(await colours(tiffOf(2, 2, 3, [], deflated)), [RED, BLUE, MIXED, RED]);
  const strips = await deflate(Uint8Array.from(rgb.slice(0, 6))); // the same row twice
  assertEquals(await colours(tiffOf(2, 2, 3, [], { deflated: strips, strips: 2 })), [RED, BLUE, RED, BLUE]);
  for (const name of ["lossy", "lossless", "alpha"] as const) {
    const { width, height } = await readPicture(Uint8Array.fromBase64(WEBP[name]), name);
    assertEquals([width, height], [1, 1], name);
  }
});

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"))).bytes();
}

Deno.test("readPicture: bombs and headers that lie cost neither time nor memory", async () => {
  const zeros = await deflate(new Uint8Array(4_000_000));
  const lzw = tiffOf(40, 40, 3, new Array(9600).fill(0), "lzw"); // twice as long as 40x40 pixels
  // Two thousand strips, all of them the same bytes, each as long as the picture.
  const sameStrips = tiffOf(2000, 2000, 3, [], { deflated: await deflate(new Uint8Array(12_000_000)), strips: 2000 });
  const jpeg = jpegOf(16, 16, () => 0), frame = jpeg.findIndex((byte, i) => byte === 0xff && jpeg[i + 1] === 0xc0);
  jpeg.set([0x0f, 0xa0, 0x0f, 0xa0], frame + 5);
  // Three thousand scans of 12 bytes, each of which goes through 16 million pixels.
  const photograph = jpegOf(16, 16, () => 0),
    start = photograph.findIndex((byte, i) => byte === 0xff && photograph[i + 1] === 0xda);
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 1], scans = new Array(3000).fill(scan).flat();
  const manyScans = Uint8Array.from([...photograph.subarray(0, start), ...scans, ...photograph.subarray(start)]);
  manyScans.set([0x0f, 0xa0, 0x0f, 0xa0], frame + 5);
  // 4097x4096 pixels, of which a byte would stand for thousands.
  const blankGif = gifOf([[0]], [RED]),
    blankPng = pngOf(1, 1, () => 0),
    [blankJpeg, blankBmp] = [jpeg.slice(), bmpOf([[RED]])];
  blankGif.set([0x01, 0x10, 0, 0x10], 6);
  blankPng.set([0, 0, 0x10, 0x01, 0, 0, 0x10, 0], 16);
  blankJpeg.set([0x10, 0, 0x10, 0x01], frame + 5);
  blankBmp.set([0x01, 0x10, 0, 0, 0, 0x10, 0, 0], 18);
  const gif = gifOf([[0]], [RED]), bmp = bmpOf([[RED]]);
  gif.set([0xff, 0xff, 0xff, 0xff], gif.indexOf(0x2c, 780) + 5);
  bmp.set([0xff, 0xff, 0xff, 0x7f], 18);
  const cases: [Uint8Array, string][] = [
    [tiffOf(2, 2, 3, [], { deflated: zeros }), "expected at most 12 bytes when decompressed, got more"],
    [lzw, "expected at most 4800 bytes when decompressed, got more"],
    [sameStrips, "expected strips of 12000000 bytes together, got more"],
    [jpeg, "it is cut off"],
    ...[blankGif, blankPng, blankJpeg, blankBmp, tiffOf(4097, 4096, 1, [0])].map((bytes): [Uint8Array, string] => {
      return [bytes, `expected at most 16777216 pixels in ${bytes.length} bytes, got 4097x4096`];
    }),
    [manyScans, "it has 3001 scans in 36"],
    [gif, "expected a frame of at most 1x1, got 65535x65535"],
    [bmp, "expected sides of 1 to 16384 pixels, got 2147483647x1"],
    [tiffOf(1e9, 1, 1, [0]), "got 1000000000x1"],
    [tiffOf(16000, 16000, 1, [0]), "expected at most 60 million pixels, got 16000x16000"],
    [Uint8Array.fromBase64(WEBP.animation), "it is an animation"],
  ];
  for (const [bytes, sentence] of cases) {
    await assertRejects(() => readPicture(bytes, "x", { largestSide: 16384 }), Error, sentence);
  }
});
