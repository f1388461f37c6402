import { assert, assertAlmostEquals, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { dataCommand } from "../in_process.ts";
import { fitted, importPictures } from "../../../../hosts/deno/data/import_pictures.ts";
import type { StopSignals } from "../../../../hosts/deno/system/stop_signals.ts";
import { listAlbum, listPictures } from "../../../../hosts/deno/data/read_pictures.ts";
import { findData } from "../../../../hosts/deno/data/find_data.ts";
import { faultOfIt } from "../../../../hosts/deno/data/read_picture.ts";
import { withFolder } from "../with_folder.ts";
import { jpegOf } from "./photographs.ts";

const SQUARE = { height: 8, width: 8 }, WHITE = [255, 255, 255] as const;
const image = (width: number, height: number, at: (x: number, y: number) => number) => ({
  count: 1,
  height,
  width,
  pixels: Uint8Array.from({ length: width * height }, (_, i) => at(i % width, Math.floor(i / width))),
});

Deno.test("fitted: the middle, all with a border of the border's colour, or all out of shape", () => {
  const wide = image(16, 8, (x) => x < 4 || x >= 12 ? 200 : 100);
  assertEquals(new Set(fitted(wide, SQUARE, "crop").pixels), new Set([100]));
  const padded = fitted(wide, SQUARE, "pad").pixels;
  assertEquals([padded[0], padded[8 * 4 + 4]], [200, 100]);
  const stretched = fitted(wide, SQUARE, "stretch").pixels;
  assertEquals([...stretched.subarray(0, 8)].map((value) => Math.round(value / 50)), [4, 4, 2, 2, 2, 2, 4, 4]);
  for (const [width, height] of [[1, 1], [3, 700], [700, 3], [8, 8], [9, 7]]) {
    for (const fit of ["crop", "pad", "stretch"] as const) {
      const { height: h, width: w, pixels } = fitted(image(width, height, () => 5), { height: 12, width: 10 }, fit);
      assertEquals([h, w, pixels.length, new Set(pixels)], [12, 10, 120, new Set([5])]);
    }
  }
});

Deno.test("data import --fit keep: pictures keep their pixels, in the middle of the size; larger ones are refused", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), out = join(folder, "out"), printed: string[] = [];
    await Deno.mkdir(from);
    const clear = Uint8Array.from({ length: 6 * 4 * 4 }, (_, i) => i % 4 === 3 ? 255 : i);
    await Deno.writeFile(join(from, "a.png"), encode({ width: 6, height: 4, channels: 4, data: clear.with(3, 0) }));
    const grey = new Uint8Array(64).fill(7).with(27, 200);
    await Deno.writeFile(join(from, "b.png"), encode({ width: 8, height: 8, channels: 1, data: grey }));
    const run = (...flags: string[]) => {
      const setting = { env: { HOME: folder }, print: (text: string) => printed.push(text) };
      return dataCommand(["import", from, "--fit", "keep", ...flags, "--out", out], setting);
    };
    await run("--size", "10x8", "--background", "none");
    assert(printed.includes("Padded 2 pictures of another size with the colour of the border"), printed.join("\n"));
    const a = decode(await Deno.readFile(join(out, "a.png"))), b = decode(await Deno.readFile(join(out, "b.png")));
    const of = (picture: typeof a, x: number, y: number) => {
      const at = (y * picture.width + x) * picture.channels;
      return [...picture.data.slice(at, at + picture.channels)];
    };
    assertEquals([a.width, a.height, a.channels, b.width, b.height, b.channels], [10, 8, 4, 10, 8, 1]);
    assertEquals([of(a, 3, 2), of(a, 7, 5)], [[4, 5, 6, 255], [...clear.slice(-4)]]);
    assertEquals([of(a, 1, 2)[3], of(a, 2, 2)[3], of(a, 8, 7)[3]], [0, 0, 0]);
    assertEquals([of(b, 0, 0), of(b, 4, 3)], [[7], [200]]);
    const large = "b.png: expected at most 7x7 pixels with --fit keep, which scales nothing, got 8x8";
    await assertRejects(() => run("--size", "7"), Error, large);
    await assertRejects(() => run("--size", "8", "--align"), Error, "Cannot use --align with --fit keep");
    await Deno.writeFile(
      join(from, "wide.png"),
      encode({ width: 17, height: 9, channels: 1, data: new Uint8Array(153) }),
    );
    await run();
    const { width, height } = decode(await Deno.readFile(join(out, "b.png")));
    assertEquals([width, height], [24, 16], "the least multiples of 8 that hold all");
    assert(printed.some((text) => text.startsWith("3 pictures of 24x16 pixels: ")), printed.join("\n"));
  });
});

Deno.test("data import: what it wrote into a folder of the pictures is not read as a class of them", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), setting = { env: { HOME: folder }, print: () => {} };
    await Deno.mkdir(from);
    for (const [i, name] of ["a", "b"].entries()) {
      const data = new Uint8Array(64).fill(i);
      await Deno.writeFile(join(from, `${name}.png`), encode({ width: 8, height: 8, channels: 1, data }));
    }
    await dataCommand(["import", from, "--size", "4", "--out", join(from, "small")], setting);
    const { train, test } = await findData("mnist", from, {});
    assertEquals([train.images.count + test.images.count, train.images.width, train.labels], [2, 8, undefined]);
    await Deno.mkdir(join(from, "c"));
    await Deno.copyFile(join(from, "a.png"), join(from, "c/a.png"));
    const both = "got both, such as a.png and c/a.png; move them into one";
    await assertRejects(() => findData("mnist", from, {}), Error, both);
  });
});

Deno.test("data import: a folder called as one that the program keeps gets another name", async () => {
  await withFolder(async (folder) => {
    const env = { HOME: folder }, printed: string[] = [];
    for (const name of ["fitted", "Builtin", "packs"]) {
      const from = join(folder, name);
      await Deno.mkdir(from);
      for (let i = 0; i < 2; i++) {
        await Deno.writeFile(
          join(from, `${i}.png`),
          encode({ height: 8, width: 8, channels: 1, depth: 8, data: new Uint8Array(64).fill(i) }),
        );
      }
      await dataCommand(["import", from, "--size", "8"], { env, print: (text) => printed.push(text) });
      const { isDirectory } = await Deno.stat(join(folder, ".cache/patchloom", `my-${name}`));
      assertEquals(isDirectory, true);
    }
  });
});

Deno.test("data import --flat: the pictures of all folders without classes; scaled pixel art is named", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), printed: string[] = [];
    await Deno.mkdir(join(from, "old/older"), { recursive: true });
    const sprite = Uint8Array.from({ length: 9 * 9 * 4 }, (_, i) => i % 4 === 3 && i < 99 ? 0 : 255);
    for (const name of ["a.png", "old/a.png", "old/older/b.png"]) {
      await Deno.writeFile(join(from, name), encode({ width: 9, height: 9, channels: 4, data: sprite }));
    }
    const run = (out: string, ...flags: string[]) => {
      const setting = { env: { HOME: folder }, print: (text: string) => printed.push(text) };
      return dataCommand(["import", from, ...flags, "--out", join(folder, out)], setting);
    };
    const both = `data import ${from} --flat --size 32`;
    await assertRejects(() => run("none", "--size", "16"), Error, both);
    await run("flat", "--size", "16", "--flat");
    const names = Array.from(Deno.readDirSync(join(folder, "flat")), ({ name }) => name).sort();
    assertEquals(names, ["a.png", "old_a.png", "old_older_b.png", "run.json"]);
    const scaled = "Scaled 3 small drawings, which blurs pixels: --fit keep without --size keeps them";
    assert(printed.includes(`${scaled}, --background none their transparency`), printed.join("\n"));
    await run("kept", "--fit", "keep", "--flat", "--background", "none");
    assertEquals(printed.filter((text) => text.startsWith("Scaled")).length, 1);
    await assertRejects(() => run("faces", "--faces", "--flat"), Error, "Cannot use --flat with --faces");
  });
});

/** Signals that never come, or have come. */
function signalsOf(signal: AbortSignal): StopSignals {
  return { signal, listen() {}, [Symbol.dispose]() {} };
}

Deno.test("importPictures: without a background transparent pixels stay transparent, and colours are what they were", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), out = join(folder, "out");
    await Deno.mkdir(from);
    // The left half is red, the right half transparent.
    const data = Uint8Array.from(
      { length: 16 * 16 * 4 },
      (_, i) => i % 64 < 32 && i % 4 % 3 === 0 ? 200 + 55 * Number(i % 4 === 3) : 0,
    );
    await Deno.writeFile(join(from, "a.png"), encode({ width: 16, height: 16, channels: 4, data }));
    await importPictures(
      from,
      out,
      { size: SQUARE, fit: "crop", background: undefined },
      false,
      signalsOf(new AbortController().signal),
    );
    const { width, channels, data: written } = decode(await Deno.readFile(join(out, "a.png")));
    assertEquals([width, channels], [8, 4]);
    const opaque = Array.from({ length: 8 }, (_, x) => written[4 * x + 3]);
    assertEquals([opaque.slice(0, 3), opaque.slice(5)], [[255, 255, 255], [0, 0, 0]]);
    for (let x = 0; x < 8; x++) {
      if (opaque[x] === 0) continue;
      assertAlmostEquals(written[4 * x], 200, 8); // rounded twice, and divided by the opacity
      assertAlmostEquals(written[4 * x + 1], 0, 8);
    }
  });
});

Deno.test("importPictures: one size, the same class folders, and a record; --data takes the result", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), out = join(folder, "patchloom/pets");
    for (const name of ["cats", "dogs"]) {
      await Deno.mkdir(join(from, name), { recursive: true });
      await Deno.writeFile(join(from, name, "a:1.jpg"), jpegOf(40, 24, (x) => x));
      await Deno.writeFile(
        join(from, name, "b.png"),
        encode({ width: 9, height: 9, channels: 2, data: new Uint8Array(162) }),
      );
    }
    await Deno.writeTextFile(join(from, "dogs/c.heic"), "");
    const options = { size: SQUARE, fit: "crop", background: WHITE } as const,
      go = signalsOf(new AbortController().signal);
    assertEquals(await importPictures(from, out, options, false, go), {
      pictures: 4,
      classes: ["cats", "dogs"],
      size: SQUARE,
      transparent: 2,
      bordered: 0,
      blurred: 4,
      drawn: true,
      alignments: [],
      others: ["dogs/c.heic"],
      damaged: new Map(),
    });
    assertEquals(Array.from(Deno.readDirSync(join(out, "dogs")), ({ name }) => name).sort(), ["a_1.png", "b.png"]);
    const data = await findData("pets", undefined, { XDG_CACHE_HOME: folder });
    assertEquals([data.classes, data.train.images.width, data.train.images.count], [["cats", "dogs"], 8, 2]);
    await importPictures(from, out, options, false, go); // what it wrote it may replace

    await Deno.writeFile(join(out, "dogs/b.png"), new Uint8Array(3));
    await assertRejects(() => importPictures(from, out, options, false, go), Error, "dogs/b.png");
    const other = join(folder, "other"), stopped = signalsOf(AbortSignal.abort());
    for (const more of [{}, { fit: "keep", size: undefined }, { align: true }] as const) {
      const { message } = await assertRejects(
        () => importPictures(from, other, { ...options, ...more }, false, stopped),
        Error,
      );
      assertEquals(message, `Stopped: ${other} is unchanged`, "no picture was written");
      assertEquals(await Deno.stat(other).catch(() => undefined), undefined);
    }
    // A signal that comes after the first picture.
    let looks = 0;
    const soon = {
      get aborted() {
        return ++looks > 1;
      },
    } as AbortSignal;
    const { message } = await assertRejects(() => importPictures(from, other, options, false, signalsOf(soon)), Error);
    assertEquals(message, `Stopped: ${other} is not finished; import again`);
    await Deno.writeFile(join(from, "dogs/a_1.png"), new Uint8Array(3));
    const clash = "would both become dogs/a_1.png";
    await assertRejects(() => importPictures(from, join(folder, "third"), options, false, go), Error, clash);
    await assertRejects(() => importPictures(join(folder, "none"), out, options, false, go), Error, "There is no ");
  });
});

Deno.test("faultOfIt: a fault beside the name of a picture does not name it again", () => {
  assertEquals(faultOfIt(new Error("it: expected 8 or 16 bits, got 4")), "expected 8 or 16 bits, got 4");
  assertEquals(faultOfIt(new Error("it is a damaged JPEG file")), "it is a damaged JPEG file");
});

Deno.test("data import: pictures that cannot be read are left out and named, also where others are aligned", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), whole = jpegOf(24, 24, (x) => 9 * x), printed: string[] = [];
    await Deno.mkdir(from);
    for (const name of ["0.jpg", "2.jpg", "4.jpg"]) await Deno.writeFile(join(from, name), whole);
    const run = (out: string, ...flags: string[]) => {
      const setting = { env: { HOME: folder }, print: (text: string) => void printed.push(text) };
      return dataCommand(["import", from, "--size", "8", ...flags, "--out", join(folder, out)], setting);
    };
    await Deno.writeFile(join(from, "1.jpg"), whole.subarray(0, 200));
    await Deno.writeFile(join(from, "3.png"), new Uint8Array());
    for (const [out, flags] of [["plain", []], ["aligned", ["--align"]]] as const) {
      await run(out, ...flags);
      const names = (at: string) => Array.from(Deno.readDirSync(at), ({ name }) => name).sort();
      assertEquals(names(join(folder, out)), ["0.png", "2.png", "4.png", "run.json"]);
      const [line] = printed.splice(0).filter((text) => text.startsWith("Left out "));
      assertMatch(line, /^Left out 2 pictures that cannot be read: 1\.jpg, 3\.png \(1\.jpg: it is a damaged JPEG file/);
    }
    // A picture that is too large ends an import that has begun.
    await Deno.writeFile(join(from, "2.jpg"), jpegOf(9, 9, () => 0));
    await Deno.writeFile(join(from, "0.jpg"), jpegOf(8, 8, () => 0));
    const unfinished = `9x9; ${join(folder, "keep")} is not finished: import again`;
    await assertRejects(() => run("keep", "--fit", "keep"), Error, unfinished);
    for (const name of ["0.jpg", "2.jpg", "4.jpg"]) await Deno.remove(join(from, name));
    await assertRejects(() => run("none"), Error, "1.jpg: it is a damaged JPEG file");
    assertEquals(Array.from(Deno.readDirSync(folder), ({ name }) => name).includes("none"), false);
  });
});

Deno.test("listPictures, listAlbum, readData: a folder of pictures in a format that is not read says so", async () => {
  await withFolder(async (folder) => {
    const told = `${folder} holds no images: looked for `;
    for (const [name, why] of [["A.HEIC", "A.HEIC cannot be read: save it"], ["B.HEIC", "2 pictures such as "]]) {
      await Deno.writeTextFile(join(folder, name), "");
      for (const read of [listPictures, listAlbum, (path: string) => findData("mnist", path)]) {
        const { message } = await assertRejects(() => read(folder), Error, "holds no images: looked for ");
        assert(message.replace("/ holds", " holds").startsWith(told), message);
        assert(message.includes(`; ${why}`) && message.endsWith(" as JPEG or PNG"), message);
      }
    }
  });
});

Deno.test("data import --align: the same thing at several places comes to lie at one, and the command says how far it moved", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "from"), out = join(folder, "out"), printed: string[] = [];
    await Deno.mkdir(from);
    const places = [[0, 0], [3, -2], [-3, 1], [2, 3], [-2, -3], [1, 2]];
    for (const [i, [dx, dy]] of places.entries()) {
      const blob = (x: number, y: number) => 255 * Math.exp(-((x - 16 - dx) ** 2 / 50 + (y - 16 - dy) ** 2 / 20));
      const { pixels } = image(32, 32, blob);
      await Deno.writeFile(join(from, `${i}.png`), encode({ width: 32, height: 32, channels: 1, data: pixels }));
    }
    const setting = { env: { HOME: folder }, print: (text: string) => printed.push(text) };
    const run = (...flags: string[]) => dataCommand(["import", from, ...flags, "--out", out], setting);
    await run("--size", "32", "--align");
    assertMatch(
      printed.join("\n"),
      /^Aligned them with each other: half of them moved by more than [23]\.\d pixels, were scaled by/m,
    );
    const middles = await Promise.all(places.map(async (_, i) => {
      const { data } = decode(await Deno.readFile(join(out, `${i}.png`)));
      const sum = (weight: (p: number) => number) => [...data].reduce((total, grey, p) => total + grey * weight(p), 0);
      return [sum((p) => p % 32) / sum(() => 1), sum((p) => p >> 5) / sum(() => 1)];
    }));
    for (const k of [0, 1]) {
      const along = middles.map((middle) => middle[k]);
      assert(Math.max(...along) - Math.min(...along) < 1, along.map((value) => value.toFixed(2)).join());
    }
    await assertRejects(() => run("--size", "32x16", "--align"), Error, "expected a square");
    await assertRejects(() => run("--align"), Error, "Cannot use --align without --size");
  });
});

Deno.test("data import --size 64: photographs are no sprites, drawn pictures are", async () => {
  await withFolder(async (folder) => {
    for (const name of ["photographs", "drawn"]) await Deno.mkdir(join(folder, name));
    for (let i = 0; i < 3; i++) {
      const photograph = jpegOf(80, 70, (x, y) => 128 + 100 * Math.sin((x + i) / 7) * Math.cos(y / 9));
      await Deno.writeFile(join(folder, `photographs/${i}.jpg`), photograph);
      const data = Uint8Array.from({ length: 32 * 32 }, (_, p) => p % 32 < 16 + i ? 200 : 40);
      await Deno.writeFile(join(folder, `drawn/${i}.png`), encode({ width: 32, height: 32, channels: 1, data }));
    }
    const wanted = [
      ["photographs", "64", "--profile objects --size 64 --from noise"],
      ["drawn", "64", "--profile sprites"],
      ["drawn", "8", "--profile objects --size 8 --from noise"],
    ];
    for (const [name, side, flags] of wanted) {
      const out = join(folder, `out-${name}-${side}`);
      const printed: string[] = [];
      const setting = { env: { HOME: folder }, print: (text: string) => printed.push(text) };
      await dataCommand(["import", join(folder, name), "--size", side, "--out", out], setting);
      assertEquals(printed[1], `Make others like them: deno task synth ${flags} --data ${out}`);
    }
  });
});
