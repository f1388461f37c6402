/** `fill`: holes in pictures of all kinds, what is written, and what cannot be. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { chunk } from "../../../../datasets/formats/png_chunk.ts";
import { maskHint } from "../../../../hosts/deno/restorations/fill_picture.ts";
import { fileOf } from "../../../../hosts/deno/folders/result_names.ts";
import { until } from "../../../until.ts";
import { assertSentences, cli as command, files, openSession, start, withFolder } from "../cli.ts";

const session = openSession("fill");
const cli = (words: readonly string[]) => command(words, { session });

const WIDTH = 44, HEIGHT = 40, AREA = WIDTH * HEIGHT;
/** Whether a pixel is missing. */
const isMissing = (p: number) => p % WIDTH >= 12 && p % WIDTH < 20 && p >= 14 * WIDTH && p < 22 * WIDTH;

/** A mask whose white pixels are those. */
function maskOf(is: (p: number) => boolean, area = AREA): Uint8Array {
  const data = Uint8Array.from({ length: area }, (_, p) => is(p) ? 255 : 0);
  return encode({ width: WIDTH, height: area / WIDTH, channels: 1, data });
}

/** A picture of 16 bits with transparency, in which no two pixels are alike. */
function deepPicture(): Uint8Array {
  const data = Uint16Array.from({ length: 4 * AREA }, (_, i) => {
    const p = i >> 2, x = p % WIDTH, y = Math.floor(p / WIDTH);
    return [9000 * ((x >> 2) % 4) + p, 12000 * ((y >> 2) % 3) + p, 40000 - p, 65535 - p][i % 4];
  });
  return encode({ width: WIDTH, height: HEIGHT, channels: 4, depth: 16, data });
}

/** Reads the numbers of an NPY file of int32. */
function integersOf(bytes: Uint8Array): Int32Array {
  const start = 10 + bytes[8] + 256 * bytes[9];
  assert(
    new TextDecoder().decode(bytes.subarray(0, start)).includes(`'<i4', 'fortran_order': False, 'shape': (40, 44, 2)`),
  );
  return new Int32Array(bytes.slice(start).buffer);
}

Deno.test("fill: a colour that the file names as transparent stays so", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "named.png"), mask = join(folder, "mask.png"), out = join(folder, "out");
    const isClear = (p: number) => p % WIDTH < 8;
    const data = Uint8Array.from({ length: 3 * AREA }, (_, i) => isClear(Math.floor(i / 3)) ? 7 : 100 + i % 60);
    const bytes = encode({ width: WIDTH, height: HEIGHT, channels: 3, data }), afterHeader = 33;
    const named = chunk("tRNS", Uint8Array.of(0, 7, 0, 7, 0, 7));
    const parts = [bytes.subarray(0, afterHeader), named, bytes.subarray(afterHeader)];
    await Deno.writeFile(path, await new Blob(parts as Uint8Array<ArrayBuffer>[]).bytes());
    await Deno.writeFile(mask, maskOf(isMissing));
    assertEquals((await cli(["fill", path, "--mask", mask, "--quiet", "--out", out])).code, 0);
    const filled = decode(await Deno.readFile(join(out, "images/0000.png")));
    assertEquals(filled.channels, 4);
    for (let p = 0; p < AREA; p++) if (!isMissing(p)) assertEquals(filled.data[4 * p + 3], isClear(p) ? 0 : 255);
  });
});

Deno.test("fill: 16 bits and transparency stay, every filled pixel is the one that its source names, maps go along", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name), picture = deepPicture();
    const height = encode({
      width: WIDTH,
      height: HEIGHT,
      channels: 1,
      data: Uint8Array.from({ length: AREA }, (_, p) => p % 251),
    });
    for (
      const [name, bytes] of [["wall.png", picture], ["mask.png", maskOf(isMissing)], ["height.png", height]] as const
    ) {
      await Deno.writeFile(at(name), bytes);
    }
    const words = [
      "fill",
      at("wall.png"),
      "--mask",
      at("mask.png"),
      "--map",
      `height=${at("height.png")}`,
      "--count",
      "2",
      "--quiet",
    ];
    assertEquals(await cli([...words, "--out", at("out")]), { code: 0, stdout: "", stderr: "" });
    const both = (name: string) => [`${name}/0000`, `${name}/0001`];
    const names = [...both("images").map((one) => `${one}.png`), ...both("maps/height").map((one) => `${one}.png`)];
    assertEquals(await files(at("out")), [
      ...names,
      "run.json",
      "sheet.png",
      ...both("sources").map((one) => `${one}.npy`),
    ]);
    const run = JSON.parse(await Deno.readTextFile(at("out/run.json")));
    assertEquals([run.command, run.commandLine.split(" ").slice(0, 3)], ["fill", ["deno", "task", "fill"]]);
    assertEquals((await cli([...words, "--out", at("out")])).code, 0, "the same command replaces its results");
    assertEquals([run.missing, run.width, run.height, run.seed, run.count], [64, WIDTH, HEIGHT, 1, 2]);

    const { width, height: high, channels } = decode(await Deno.readFile(at("out/sheet.png")));
    assert(width > 4 * WIDTH && high > HEIGHT && channels === 3, "the picture, the hole, and two fillings");

    const before = decode(picture), filled = decode(await Deno.readFile(at("out/images/0000.png")));
    assertEquals([filled.width, filled.height, filled.channels, filled.depth], [WIDTH, HEIGHT, 4, 16]);
    const places = integersOf(await Deno.readFile(at("out/sources/0000.npy")));
    const map = decode(await Deno.readFile(at("out/maps/height/0000.png")));
    for (let p = 0; p < AREA; p++) {
      const source = places[2 * p] * WIDTH + places[2 * p + 1];
      assert(isMissing(p) ? !isMissing(source) : source === p, `${p} is of ${source}`);
      assertEquals(filled.data.slice(4 * p, 4 * p + 4), before.data.slice(4 * source, 4 * source + 4));
      assertEquals(map.data[p], source % 251);
    }
    await cli([...words, "--out", at("again")]);
    assertEquals(await Deno.readFile(at("again/images/0001.png")), await Deno.readFile(at("out/images/0001.png")));
  });
});

Deno.test("fill: wrong words, masks and maps in one sentence, and nothing is written", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name), out = ["--out", at("out")];
    const data = Uint8Array.from({ length: 3 * AREA }, (_, i) => i * 31 % 255);
    await Deno.writeFile(at("a.png"), encode({ width: WIDTH, height: HEIGHT, channels: 3, data }));
    for (
      const [name, bytes] of [
        ["none.png", maskOf(() => false)],
        ["all.png", maskOf(() => true)],
        ["small.png", maskOf(() => true, AREA / 2)],
        ["mask.png", maskOf(isMissing)],
      ] as const
    ) await Deno.writeFile(at(name), bytes);
    const fill = (mask: string, ...words: string[]) => ["fill", at("a.png"), "--mask", at(mask), ...words, ...out];
    await assertSentences([
      [["fill"], 2, "fill needs a picture and --mask"],
      [["fill", at("a.png")], 2, "fill needs a picture and --mask"],
      [
        ["fill", at("a.png"), at("a.png"), "--mask", at("mask.png")],
        2,
        `fill takes one picture, got ${at("a.png")} and `,
      ],
      [fill("mask.png", "--count", "0"), 2, "--count 0"],
      [fill("none.png"), 1, "none.png: expected white pixels, which are to be filled, got none"],
      [fill("all.png"), 1, "Cannot fill the missing pixels of 44x40", "expected a place of 7x7 pixels"],
      [fill("small.png"), 1, "small.png: expected 44x40 pixels, as ", "got 44x20"],
      [fill("a.png"), 1, "a.png: expected white where pixels are missing, on black, got a picture in colour"],
      [
        ["fill", at("a.png"), "--mask", "centre", ...out],
        2,
        "Cannot use --mask centre: expected quarter, half, center or the file of a picture",
      ],
      [fill("absent.png"), 1, "absent.png: there is no such file"],
      [fill("mask.png", "--map", "height"), 2, "Cannot use --map height"],
      [fill("mask.png", "--map", `height=${at("small.png")}`), 1, "height"],
    ]);
    assertEquals((await files(folder)).filter((name) => name.startsWith("out")), []);
  });
});

Deno.test("fill: each filling is written before the next but one is made, so that memory holds one", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name), out = at("out");
    await Deno.writeFile(at("wall.png"), deepPicture());
    await Deno.writeFile(at("mask.png"), maskOf(isMissing));
    const child = start(["fill", at("wall.png"), "--mask", at("mask.png"), "--count", "1000", "--quiet", "--out", out]);
    await until("a filling is written", () => Deno.stat(join(out, fileOf(1))).then(() => true, () => false));
    child.kill("SIGINT");
    const { code, stderr } = await child.output(), text = new TextDecoder().decode(stderr);
    assertEquals(code, 1, text);
    assertStringIncludes(text, `Stopped: ${out} is not finished; run fill again`);
    assertEquals(JSON.parse(await Deno.readTextFile(join(out, "run.json"))).state, "running");
  });
});

Deno.test("maskHint: a mask that is white on most of the picture may be the wrong way round", () => {
  const mask = (white: number) => Uint8Array.from({ length: 100 }, (_, i) => i < white ? 1 : 0);
  assertEquals(maskHint(mask(60)), undefined);
  assertMatch(maskHint(mask(95))!, /^Hint: the mask is white on 95 % of the picture, .* invert the mask$/);
});
