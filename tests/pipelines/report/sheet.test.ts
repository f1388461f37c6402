import { assert, assertEquals } from "@std/assert";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import { squareOf } from "../../../core/shape.ts";

const SIZE = 4, SCALE = 3;
const GREEN = [36, 160, 72], BLUE = [40, 90, 220], RED = [214, 48, 49], PAPER = [255, 255, 255], INK = [40, 40, 40];
const FRAMES = { green: GREEN, blue: BLUE, red: RED };

/** Three pictures whose pixels tell them apart, with a text under the last two. */
function group(number: number): Framed[] {
  return (["green", "blue", "red"] as const).map((colour, i) => ({
    colour,
    pixels: Uint8Array.from({ length: SIZE * SIZE }, (_, p) => 100 * i + 10 * number + p),
    text: i === 0 ? undefined : `-${number}.${i}`,
  }));
}

/** The top left pixels of everything framed: where a frame's colour begins. */
function cornersOf({ width, height, data }: ReturnType<typeof sheet>, colour: readonly number[]) {
  const is = (x: number, y: number) => colour.every((value, c) => data[(y * width + x) * 3 + c] === value);
  const found: { x: number; y: number }[] = [];
  for (let y = 1; y < height; y++) {
    for (let x = 1; x < width; x++) if (is(x, y) && !is(x - 1, y) && !is(x, y - 1)) found.push({ x, y });
  }
  return found;
}

Deno.test("sheet: every picture stands in its frame, each pixel a square, group by group and row by row", () => {
  const picture = sheet([0, 1, 2].map(group), squareOf(SIZE), 2, SCALE), { width, height, data } = picture;
  const at = (x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
  assertEquals(data.length, width * height * 3);
  for (const [i, [name, colour]] of Object.entries(FRAMES).entries()) {
    const corners = cornersOf(picture, colour).filter(({ x, y }) => at(x + 1, y + 1).join() === colour.join());
    assertEquals(corners.length, 3, name);
    // Reading order: two groups in the first row, one in the second, below the first.
    assertEquals([corners[0].y, corners[0].x], [corners[1].y, corners[2].x]);
    assert(corners[1].x > corners[0].x && corners[2].y > corners[0].y);
    corners.forEach(({ x, y }, number) => {
      const frame = 3, inner = SIZE * SCALE, outer = inner + 2 * frame;
      for (let n = 0; n < outer * outer; n++) {
        const across = n % outer - frame, down = Math.floor(n / outer) - frame;
        const inside = across >= 0 && down >= 0 && across < inner && down < inner;
        const pixel = Math.floor(down / SCALE) * SIZE + Math.floor(across / SCALE),
          grey = 100 * i + 10 * number + pixel;
        assertEquals(at(x + n % outer, y + Math.floor(n / outer)), inside ? [grey, grey, grey] : colour);
      }
      // The frame ends there, with paper around.
      for (const [dx, dy] of [[-1, 0], [0, -1], [outer, 0], [0, outer]]) assertEquals(at(x + dx, y + dy), PAPER);
    });
  }
});

Deno.test("sheet: as large as its groups, with a margin all around", () => {
  const one = sheet([group(0)], squareOf(SIZE), 2, SCALE), two = sheet([0, 1].map(group), squareOf(SIZE), 2, SCALE);
  const three = sheet([0, 1, 2].map(group), squareOf(SIZE), 2, SCALE);
  assertEquals([one.height, one.width < two.width], [two.height, true]);
  assertEquals([three.width, three.height > two.height], [two.width, true]);
  for (const { width, height, data } of [one, two, three]) {
    for (let x = 0; x < width; x++) assertEquals([data[x * 3], data[((height - 1) * width + x) * 3]], [255, 255]);
    for (let y = 0; y < height; y++) assertEquals([data[y * width * 3], data[((y + 1) * width - 1) * 3]], [255, 255]);
  }
});

Deno.test("sheet: a text is drawn in the middle below its picture, each dot of a glyph two pixels wide and high", () => {
  /** The lines of ink below a picture that is 22 pixels wide with its frame. */
  const below = (text?: string) => {
    const { width, height, data } = sheet(
      [[{ pixels: new Uint8Array(256), colour: "blue", text }]],
      squareOf(16),
      1,
      1,
    );
    const [{ y, x }] = cornersOf({ width, height, data }, BLUE);
    return Array.from({ length: height - y - 22 }, (_, row) => {
      const dot = (column: number) => data.subarray(((y + 22 + row) * width + column) * 3).slice(0, 3).join();
      return Array.from({ length: 22 }, (_, column) => dot(x + column) === INK.join() ? "#" : ".").join("");
    }).filter((line) => line.includes("#"));
  };
  const double = (lines: string[]) =>
    lines.flatMap((line) => Array(2).fill([...line].map((dot) => dot === "#" ? "##" : "..").join("")));
  assertEquals(below(), []);
  assertEquals(
    below("1.7"),
    double([".#. ... ###", "##. ... ..#", ".#. ... ..#", ".#. ... .#.", "### .#. .#."]),
  );
  const four = double(["... #.#", "... #.#", "### ###", "... ..#", "... ..#"]);
  assertEquals(below("-4"), four.map((line) => `....${line}....`));
  // What there is no glyph for takes its room and no ink.
  assertEquals(below("x1x").map((line) => line.slice(8, 14)), double([".#.", "##.", ".#.", ".#.", "###"]));
  // Every digit has a glyph of its own.
  assertEquals(new Set([..."0123456789"].map((digit) => below(digit).join())).size, 10);
});

Deno.test("sheet: pictures that are not square, in colour: three planes to the three bytes of a pixel", () => {
  const pixels = Uint8Array.from({ length: 3 * 2 * 4 }, (_, i) => i + 1), scale = 2;
  const picture = sheet([[{ pixels, colour: "blue" }]], { height: 2, width: 4 }, 1, scale);
  const [{ x, y }] = cornersOf(picture, BLUE),
    at = (column: number, row: number) => {
      const first = ((y + 3 + row) * picture.width + x + 3 + column) * 3;
      return [...picture.data.subarray(first, first + 3)];
    };
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 8; column++) {
      const p = Math.floor(row / scale) * 4 + Math.floor(column / scale) + 1;
      assertEquals(at(column, row), [p, p + 8, p + 16]);
    }
  }
  assertEquals([at(8, 0), at(0, 4)], [BLUE, BLUE], "the frame begins behind the last column and row");
});

Deno.test("sheet: a picture may be smaller than the others; its frame is its own", () => {
  const large = { pixels: new Uint8Array(64), colour: "blue" as const };
  const smaller = { pixels: new Uint8Array(6).fill(9), size: { height: 2, width: 3 }, colour: "red" as const };
  const picture = sheet([[smaller], [large]], squareOf(8), 2, 1), [{ x, y }] = cornersOf(picture, RED);
  const at = (column: number, row: number) => {
    const first = ((y + row) * picture.width + x + column) * 3;
    return [...picture.data.subarray(first, first + 3)];
  };
  assertEquals([at(3, 3), at(5, 4), at(6, 4), at(8, 7)], [[9, 9, 9], [9, 9, 9], RED, RED]);
  assertEquals([at(9, 0), at(0, 8)], [PAPER, PAPER]);
});

Deno.test("sheet: a legend stands below all pictures, which stay as they are, and breaks where the sheet ends", () => {
  const plain = sheet([group(0)], squareOf(SIZE), 1, SCALE);
  const legend = [["blue", "NEW: DISTANCE TO NEAREST"], ["red", "NEAREST: % SHARED"]] as const;
  const narrow = sheet([group(0)], squareOf(SIZE), 1, SCALE, legend);
  assertEquals(narrow.width, plain.width);
  assertEquals(narrow.data.subarray(0, plain.data.length), plain.data);
  const below = (picture: typeof plain, colour: readonly number[]) => {
    return cornersOf(picture, colour).filter(({ y }) => y >= plain.height);
  };
  assertEquals([below(narrow, BLUE).length, below(narrow, RED).length], [1, 1], "a square of each colour");
  assert(below(narrow, INK).length > 40, "words");
  const wide = sheet([0, 1, 2, 3, 4, 5].map(group), squareOf(SIZE), 6, SCALE, legend);
  assert(narrow.height - plain.height > wide.height - plain.height, "more lines on a narrow sheet");
  assertEquals(below(wide, BLUE)[0].y, below(wide, RED)[0].y, "one line on a wide one");
});
