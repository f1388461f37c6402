import { assert, assertEquals, assertThrows } from "@std/assert";
import { readPhotograph } from "../../../../hosts/deno/data/photograph.ts";
import { jpegOf, pngOf, type Scene } from "./photographs.ts";

const WIDTH = 64, HEIGHT = 48;
/** Brighter to the right and, more gently, downwards: no two ways of turning it look the same. */
const scene: Scene = (x, y) => 2 * x + y;

function assertShows(bytes: Uint8Array, what: string): void {
  const { width, height, pixels } = readPhotograph(bytes, what);
  assertEquals([width, height], [WIDTH, HEIGHT], what);
  for (let i = 0; i < pixels.length; i++) {
    const expected = scene(i % width, Math.floor(i / width));
    assert(Math.abs(pixels[i] - expected) <= 4, `${what}: pixel ${i} is ${pixels[i]}, expected ${expected}`);
  }
}

Deno.test("readPhotograph: reads PNG and JPEG, whatever they are called", () => {
  assertShows(pngOf(WIDTH, HEIGHT, scene), "a.jpg");
  assertShows(jpegOf(WIDTH, HEIGHT, scene), "a.png");
});

Deno.test("readPhotograph: turns a JPEG as its EXIF orientation says", () => {
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
    assertShows(jpegOf(width, height, scene, orientation), `${orientation}: ${sides}`);
  }
});

Deno.test("readPhotograph: what cannot be read is one sentence that names the file", () => {
  const bytes = jpegOf(WIDTH, HEIGHT, scene);
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(), "a.jpg is neither a PNG nor a JPEG file"],
    [new TextEncoder().encode("GIF89a"), "a.jpg is neither a PNG nor a JPEG file"],
    [bytes.subarray(0, bytes.length >> 1), "a.jpg is damaged or too large to be read as JPEG"],
    [bytes.subarray(0, 2), "a.jpg is damaged or too large to be read as JPEG"],
    [pngOf(WIDTH, HEIGHT, scene).subarray(0, 100), "a.jpg is a damaged PNG"],
  ];
  for (const [bytes, sentence] of cases) assertThrows(() => readPhotograph(bytes, "a.jpg"), Error, sentence);
});
