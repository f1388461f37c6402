import { assert, assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { encode } from "fast-png";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import type { Env } from "../../../../hosts/deno/system/environment.ts";
import { BUILTIN_DATA, type BuiltinName } from "../../../../datasets/procedural/builtin_data.ts";
import { cachedBuiltin } from "../../../../hosts/deno/data/builtin_cache.ts";
import { BUILTIN_SUMS } from "../../../../hosts/deno/data/builtin_sums.ts";
import { findData, sayData } from "../../../../hosts/deno/data/find_data.ts";
import { filesBelow } from "../../../../hosts/deno/folders/files_below.ts";
import { findExemplars } from "../../../../hosts/deno/data/find_exemplars.ts";
import { readFile } from "../../../../hosts/deno/data/read_files.ts";
import { listPictures } from "../../../../hosts/deno/data/read_pictures.ts";
import { jpegOf } from "./photographs.ts";
import { MAX_VERSIONS } from "../../../../hosts/deno/system/newest_versions.ts";
import { KEPT } from "../../../once.ts";
import { withFolder } from "../with_folder.ts";

async function put(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeFile(path, bytes);
}

/** `count` images of 2x3 pixels; every pixel of image i is `first + i`. */
function images(count: number, first = 0): Uint8Array<ArrayBuffer> {
  return writeIdx([count, 3, 2], Uint8Array.from({ length: 6 * count }, (_, i) => first + Math.floor(i / 6)));
}

function labels(...values: number[]): Uint8Array<ArrayBuffer> {
  return writeIdx([values.length], Uint8Array.from(values));
}

/** A grey PNG all of whose pixels are `value`. */
function png(value: number, width = 2, height = 3): Uint8Array {
  return encode({ width, height, channels: 1, data: new Uint8Array(width * height).fill(value) });
}

async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** The first pixel of each image. */
function pixels(
  { images }: { images: { count: number; height: number; width: number; pixels: Uint8Array } },
): number[] {
  const area = images.height * images.width;
  assertEquals(images.pixels.length, images.count * area);
  return Array.from({ length: images.count }, (_, i) => images.pixels[i * area]);
}

const NOWHERE: Env = {};

Deno.test("findData: --data, then PATCHLOOM_DATA, then the data folder, then the built-in data", async () => {
  await withFolder(async (folder) => {
    const env = { PATCHLOOM_DATA: join(folder, "data"), XDG_CACHE_HOME: join(folder, "cache") };
    await Deno.mkdir(env.PATCHLOOM_DATA);
    const builtIn = await findData("mnist", undefined, env);
    const drawn = "4000 + 400 digits drawn by rule in MNIST's place";
    assertEquals(builtIn.origin, `${drawn} (PATCHLOOM_DATA has no folder mnist)`);
    assertEquals((await findData("mnist", "built-in", env)).origin, drawn);
    assertEquals([builtIn.name, builtIn.train.images.count, builtIn.test.images.count], ["mnist", 4000, 400]);

    const fetched = join(folder, "cache/patchloom/mnist");
    await put(join(fetched, "t10k-images-idx3-ubyte"), images(1));
    assertEquals((await findData("mnist", undefined, env)).origin, builtIn.origin, "half a download is none");
    await put(join(fetched, "train-images-idx3-ubyte"), images(2));
    assertEquals((await findData("mnist", undefined, env)).origin, `MNIST, 2 + 1 images from ${fetched}`);
    assertEquals((await findData("mnist", "built-in", env)).files, builtIn.files);
    assertEquals(
      (await findData("faces", fetched, env)).name,
      "mnist",
      "what was asked for, whatever the profile wants",
    );

    const set = join(folder, "data/mnist");
    await put(join(set, "train-images-idx3-ubyte"), images(3));
    await put(join(set, "t10k-images-idx3-ubyte"), images(2));
    assertEquals((await findData("mnist", undefined, env)).origin, `MNIST, 3 + 2 images from ${set}`);

    const given = join(folder, "mine");
    await put(join(given, "train-images-idx3-ubyte"), images(4));
    await put(join(given, "test-images-idx3-ubyte"), images(3));
    const found = await findData("mnist", given, env);
    assertEquals([found.name, found.origin], ["mine", `mine, 4 + 3 images from ${given}`]);

    await Deno.remove(join(set, "train-images-idx3-ubyte"));
    await assertRejects(() => findData("mnist", undefined, env), Error, `${set} holds no images: looked for`);
  });
});

Deno.test("findData: what was asked for must be there", async () => {
  await assertRejects(
    () => findData("mnist", "no/such/folder", NOWHERE),
    Error,
    "There is no file or folder no/such/folder",
  );
  const nowhere = { PATCHLOOM_DATA: "/no/such", HOME: "/home/nobody" },
    told = "There is no /no/such, where PATCHLOOM_DATA says";
  for (const name of ["mnist", "shoes"]) await assertRejects(() => findData(name, undefined, nowhere), Error, told);
  await withFolder(async (folder) => {
    const env = { PATCHLOOM_DATA: folder, HOME: "/home/nobody" };
    const error = await assertRejects(() => findData("shoes", undefined, env), Error, 'There is no data set "shoes"');
    const looked =
      `in ${folder} or /home/nobody/.cache/patchloom (built in are mnist, faces, faces-colour, objects, sprites)`;
    assertStringIncludes(error.message, looked);
    // A profile of somebody else reads no other folders.
    for (const name of ["../shoes", "/shoes", "..", ".shoes", "a/b", "a\\b", ""]) {
      const why = `Cannot use the data set ${JSON.stringify(name)}: expected the name of a folder`;
      for (const find of [() => findData(name, undefined, env), () => findExemplars(name, {}, 8, undefined, env)]) {
        await assertRejects(find, Error, why);
      }
    }
    // A word like "built-in" is meant as that, unless something of the name is there.
    for (const given of ["builtin", "Built-in", "bulit-in"]) {
      const nearest = `There is no file or folder ${given}; nearest: "built-in"`;
      for (const find of [() => findData("mnist", given, env), () => findExemplars("texture", {}, 8, given, env)]) {
        assertEquals((await assertRejects(find, Error)).message, nearest);
      }
    }
  });
});

Deno.test("findData: PATCHLOOM_DATA that is a file is refused; one that is a data set itself is named", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "file"), set = join(folder, "mnist"), HOME = "/home/nobody";
    await Deno.writeTextFile(file, "");
    for (
      const find of [findData, (name: string, _: undefined, env: Env) => findExemplars(name, {}, 8, undefined, env)]
    ) {
      const refused = `Cannot use ${file}, where PATCHLOOM_DATA says the data is: expected a folder`;
      await assertRejects(() => find("sprites", undefined, { PATCHLOOM_DATA: file, HOME }), Error, refused);
    }
    await put(join(set, "train-images-idx3-ubyte"), images(2));
    const { origin } = await findData("sprites", undefined, { PATCHLOOM_DATA: set, HOME });
    const above = `: expected the folder above ${set}`;
    assertEquals(origin, `60 + 12 creatures drawn by rule (PATCHLOOM_DATA has no folder sprites${above})`);
    const { origin: ofTextures } = await findExemplars("texture", {}, 8, undefined, { PATCHLOOM_DATA: folder, HOME });
    assertStringIncludes(ofTextures, "drawn by rule (PATCHLOOM_DATA has no folder texture)");
  });
});

Deno.test("sayData: warns of images that are nearly black, by the values that were read", async () => {
  await withFolder(async (folder) => {
    // Scaled down to half, bright pixels are averaged with dark ones.
    const pixels = new Uint8Array(64);
    pixels[5] = pixels[40] = 16;
    await put(join(folder, "train-images-idx3-ubyte"), writeIdx([4, 4, 4], pixels));
    const dark = await findData("mnist", folder, NOWHERE, { size: { height: 2, width: 2 } });
    assert(Math.max(...dark.train.images.pixels) < 16);
    const said: string[] = [], say = (text: string) => void said.push(text);
    sayData(dark, say);
    assertEquals([said.length, said[0]], [2, `Data: ${dark.origin}`]);
    assertStringIncludes(said[1], "Warning: the training images are nearly black: their greatest value is 16 of 255");
    await put(join(folder, "train-images-idx3-ubyte"), images(4, 200));
    sayData(await findData("mnist", folder, NOWHERE), say);
    assertEquals(said.length, 3);
  });
});

Deno.test("sayData: every command says by it where its data is from", async () => {
  const commands = fromFileUrl(new URL("../../../../hosts/deno/", import.meta.url));
  const names = await filesBelow(commands);
  const telling = names.filter((name) => Deno.readTextFileSync(join(commands, name)).includes("`Data: ${"));
  assertEquals(telling, ["data/find_data.ts"]);
});

Deno.test("findData: every name that IDX files go by, with the SHA-256 of each", async () => {
  const gzip = async (bytes: Uint8Array<ArrayBuffer>) =>
    await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
  for (const [separator, ending] of [["-", ""], [".", ""], ["-", ".gz"], [".", ".gz"]]) {
    for (const test of ["t10k", "test"]) {
      await withFolder(async (folder) => {
        const path = (name: string, type: string) => join(folder, `${name}${separator}${type}-ubyte${ending}`);
        const contents = new Map([
          [path("train-images", "idx3"), images(3, 10)],
          [path("train-labels", "idx1"), labels(5, 6, 7)],
          [path(`${test}-images`, "idx3"), images(2, 20)],
          [path(`${test}-labels`, "idx1"), labels(8, 9)],
        ]);
        for (const [path, bytes] of contents) {
          contents.set(path, ending ? await gzip(bytes) : bytes);
          await put(path, contents.get(path)!);
        }
        const data = await findData("mnist", folder, NOWHERE);
        assertEquals([pixels(data.train), pixels(data.test)], [[10, 11, 12], [20, 21]]);
        assertEquals([[...data.train.labels!], [...data.test.labels!]], [[5, 6, 7], [8, 9]]);
        assertEquals([data.train.images.height, data.train.images.width], [3, 2]);
        for (const { path, sha256 } of data.files) assertEquals(sha256, await hash(contents.get(path)!));
        assertEquals(data.files.length, 4);
      });
    }
  }
});

Deno.test("findData: without test images every tenth is held out, where there are classes every tenth of each", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "some.idx");
    await put(file, images(25));
    const one = await findData("mnist", file, NOWHERE);
    assertEquals(one.origin, `some.idx, 23 + 2 images from ${file} (the second number: held out as test images)`);
    assertEquals(pixels(one.test), [9, 19]);
    assertEquals(pixels(one.train).length, 23);

    const both = join(folder, "both");
    await put(join(both, "train-images-idx3-ubyte"), images(40));
    await put(join(both, "train-labels-idx1-ubyte"), labels(...Array.from({ length: 40 }, (_, i) => i % 2)));
    const { train, test } = await findData("mnist", both, NOWHERE);
    assertEquals([pixels(test), [...test.labels!]], [[18, 19, 38, 39], [0, 1, 0, 1]]);
    assertEquals([pixels(train)[18], train.labels![18], train.labels!.length], [20, 0, 36]);

    // Of a class of 2 to 9 images the last is held out, so that each class has one to seed from; a single one stays.
    const unequal = [0, 0, 1, 2, 2, 2, ...new Array(12).fill(3)];
    await put(join(both, "train-images-idx3-ubyte"), images(18));
    await put(join(both, "train-labels-idx1-ubyte"), labels(...unequal));
    assertEquals((await findData("mnist", both, NOWHERE)).heldOut, [1, 5, 15]);

    await put(file, images(2));
    assertEquals(pixels((await findData("mnist", file, NOWHERE)).test), [1], "fewer than ten: the last");
    await put(file, images(1));
    await assertRejects(
      () => findData("mnist", file, NOWHERE),
      Error,
      "expected at least 2 images, one of them to hold out",
    );
  });
});

Deno.test("findData: IDX files that do not fit together are named", async () => {
  await withFolder(async (folder) => {
    const [train, test] = [join(folder, "train-images-idx3-ubyte"), join(folder, "t10k-images-idx3-ubyte")];
    await put(train, images(2));
    await put(test, writeIdx([1, 2, 3], new Uint8Array(6)));
    const sizes = `${test} is 3x2 pixels: expected 2x3, the size of ${train}`;
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, sizes);
    await put(test, images(1));
    await put(join(folder, "train-labels-idx1-ubyte"), labels(1, 2));
    const classes = "expected classes for all images or none, got them for training but not for test images";
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, classes);
    await put(join(folder, "t10k-labels-idx1-ubyte"), labels(1, 2));
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, "expected 1 labels, one an image, got 2");
    await put(train, png(1));
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, `${train} is not an IDX file`);
  });
});

Deno.test("findData: a folder of PNGs, in the order of their names, with one sum for all", async () => {
  await withFolder(async (folder) => {
    for (const [name, value] of [["b.png", 2], ["a.PNG", 1], ["c.png", 3], [".hidden.png", 9]] as const) {
      await put(join(folder, name), png(value));
    }
    await Deno.writeTextFile(join(folder, "notes.txt"), "not an image");
    const data = await findData("faces", folder, NOWHERE);
    assertEquals([pixels(data.train), pixels(data.test), data.train.labels], [[1, 2], [3], undefined]);
    let list = "";
    for (const name of ["a.PNG", "b.png", "c.png"]) {
      list += `${await hash(await Deno.readFile(join(folder, name)))}  ${name}\n`;
    }
    assertEquals(data.files, [{ path: folder, sha256: await hash(new TextEncoder().encode(list)) }]);

    await put(join(folder, "b.png"), png(2, 4, 3));
    const sentence = `${join(folder, "b.png")} is 4x3 pixels: expected 2x3, the size of ${join(folder, "a.PNG")}`;
    const importing = (flags: string) => `${sentence} (deno task data import ${folder} ${flags} `;
    await assertRejects(() => findData("faces", folder, NOWHERE), Error, importing("--faces finds"));
    await assertRejects(() => findData("faces-colour", folder, NOWHERE), Error, importing("--faces --colour finds"));
    await assertRejects(
      () => findData("mnist", folder, NOWHERE),
      Error,
      importing("--fit keep --background none keeps"),
    );
    await put(join(folder, "b.png"), images(1));
    await assertRejects(() => findData("faces", folder, NOWHERE), Error, `${join(folder, "b.png")} is no picture`);
  });
});

Deno.test("findData: PNGs in train and test, and in a folder a class", async () => {
  await withFolder(async (folder) => {
    for (const [name, value] of [["3/x", 1], ["10/x", 2], ["3/a", 3], [".other/x", 9]] as const) {
      await put(join(folder, `train/${name}.png`), png(value));
    }
    await put(join(folder, "test/10/x.png"), png(4));
    const data = await findData("mnist", folder, NOWHERE);
    assertEquals([pixels(data.train), pixels(data.test)], [[3, 1, 2], [4]]);
    assertEquals([[...data.train.labels!], [...data.test.labels!]], [[3, 3, 10], [10]]);

    await put(join(folder, "test/10/x.png"), png(4, 5, 5));
    const size = `${join(folder, "test/10/x.png")} is 5x5 pixels: expected 2x3`;
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, size);
    await put(join(folder, "train/beside.png"), png(1));
    const both = "got both, such as train/beside.png and train/3/a.png";
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, both);
  });
});

Deno.test("findData: a class called train loses no other class; validation images beside train are not read", async () => {
  await withFolder(async (folder) => {
    await put(join(folder, "train/a.png"), png(1));
    await put(join(folder, "train/b.png"), png(2));
    await put(join(folder, "val/a.png"), png(3));
    await put(join(folder, ".git/a.png"), png(4));
    const data = await findData("mnist", folder, NOWHERE);
    assertEquals([pixels(data.train), pixels(data.test)], [[1], [2]]);
    assertStringIncludes(data.origin, "pictures in val/ are not read");

    await put(join(folder, "car/a.png"), png(5));
    const refused = `${folder}: expected pictures in train/ and test/ alone, got car/a.png; move car/ elsewhere, or, ` +
      "if train is a class, all class folders into a new folder train";
    await assertRejects(() => findData("mnist", folder, NOWHERE), Error, refused);
    await assertRejects(() => listPictures(folder), Error, refused);

    await Deno.mkdir(join(folder, "all/train"), { recursive: true });
    for (const name of ["car", "train"]) await Deno.rename(join(folder, name), join(folder, `all/train/${name}`));
    const { classes, train, test } = await findData("mnist", join(folder, "all"), NOWHERE);
    assertEquals([classes, pixels(train), pixels(test)], [["car", "train"], [5, 1], [2]]);
  });
});

Deno.test("findData: folders that are named by words name classes, the same in both splits", async () => {
  await withFolder(async (folder) => {
    for (const name of ["train/dogs/a", "train/cats/a", "train/7/a", "test/cats/b", "test/eels/b"]) {
      await put(join(folder, `${name}.png`), png(name.charCodeAt(6)));
    }
    const { train, test, classes } = await findData("mnist", folder, NOWHERE);
    assertEquals(classes, ["7", "cats", "dogs", "eels"]);
    assertEquals([[...train.labels!], [...test.labels!]], [[0, 1, 2], [1, 3]]);
    assertEquals(pixels(train).map((code) => String.fromCharCode(code)).join(""), "7cd");
    await put(join(folder, "train/__proto__/x.png"), png(9));
    assertEquals((await findData("mnist", folder, NOWHERE)).classes, ["7", "__proto__", "cats", "dogs", "eels"]);
    await put(join(folder, "train/a\u001b[2J/x.png"), png(1));
    await assertRejects(
      () => findData("mnist", folder, NOWHERE),
      Error,
      "expected a plain word as a class folder's name",
    );
  });
});

Deno.test("findData: pictures of every kind, and what cannot be read is said", async () => {
  await withFolder(async (folder) => {
    await put(join(folder, "a.png"), png(1));
    await put(join(folder, "b.jpg"), jpegOf(2, 3, () => 200));
    await put(join(folder, "c.heic"), png(1));
    const { origin, train, test } = await findData("mine", folder, NOWHERE);
    assertEquals([...pixels(train), ...pixels(test)], [1, 200]);
    assertStringIncludes(origin, "skipped 1 picture such as c.heic: not PNG, JPEG, WebP, GIF, BMP or TIFF");
  });
});

Deno.test("findData: transparent pixels lie on a colour that is said", async () => {
  await withFolder(async (folder) => {
    const clear = encode({ width: 2, height: 3, channels: 2, data: new Uint8Array(12) });
    for (const name of ["a.png", "b.png"]) await put(join(folder, name), clear);
    const onWhite = await findData("mine", folder, NOWHERE), note = "transparent pixels of 2 pictures composited on ";
    assertEquals(pixels(onWhite.train), [255]);
    assertStringIncludes(onWhite.origin, `${note}white (--background)`);
    const onBlue = await findData("mine", folder, NOWHERE, { background: [0, 0, 255], channels: 3 });
    assertEquals([...onBlue.train.images.pixels].slice(-6), [255, 255, 255, 255, 255, 255]);
    assertStringIncludes(onBlue.origin, `${note}#0000ff (--background)`);
  });
});

Deno.test("findData: images are padded to the profile's size with the colour of their border; synthesis adds black", async () => {
  await withFolder(async (folder) => {
    for (const name of ["a.png", "b.png", "c.png"]) await put(join(folder, name), png(250, 2, 4));
    const size = { height: 4, width: 4 }, padded = await findData("mine", folder, NOWHERE, { size });
    assertEquals([padded.train.images.width, padded.test.images.width], [4, 4]);
    assertEquals(new Set(padded.train.images.pixels), new Set([250]));
    assertStringIncludes(padded.origin, "padded to 4x4 pixels with the colour of their border, grey 250");
    for (const name of ["a.png", "b.png", "c.png"]) await put(join(folder, name), png(0, 2, 4));
    const black = await findData("mine", folder, NOWHERE, { size });
    assertEquals(black.train.images.width, 2);
    assertStringIncludes(
      black.origin,
      "padded from 2x4 to 4x4 pixels with black; --size 2x4 makes images of their own",
    );
  });
});

Deno.test("findExemplars: says how many exemplars were left out, of one size and of several", async () => {
  await withFolder(async (folder) => {
    for (const [name, side] of [["a.png", 16], ["b.png", 24], ["c.png", 20]] as const) {
      await put(join(folder, name), png(9, side, side));
    }
    const without = ["0"], builtIn = await findExemplars("texture", { without }, 8, "built-in", NOWHERE);
    assertEquals(builtIn.origin, "a brick wall and pebbles drawn by rule (1 training image left out)");
    const { origin } = await findExemplars("texture", { without: ["a.png"] }, 8, folder, NOWHERE);
    assertStringIncludes(origin, "(1 training image left out)");
  });
});

Deno.test("findData: images that are left out have no part in what is measured on the others, nor in the split", async () => {
  await withFolder(async (folder) => {
    const [whole, without] = ["whole", "without"].map((name) => join(folder, name));
    for (let i = 0; i < 12; i++) await put(join(whole, `${10 + i}.png`), png(i < 6 ? 200 : 90 + i));
    const read = (path: string, ...ids: string[]) =>
      findData("mine", path, {}, { size: { height: 8, width: 8 }, without: ids });
    const all = await read(whole), left = await read(whole, "10.png,1", "2,3");
    // The tenth is held out as before.
    assertEquals(left.test.images.count, all.test.images.count);
    assertEquals([...left.kept!.numbers], [4, 5, 6, 7, 8, 9, 10]);
    assertStringIncludes(left.origin, "4 training images left out");
    for (const [i, number] of [14, 15, 16, 17, 18, 20, 21].entries()) {
      await put(join(without, "train", `${10 + i}.png`), await Deno.readFile(join(whole, `${number}.png`)));
    }
    await put(join(without, "test", "0.png"), await Deno.readFile(join(whole, "19.png")));
    const fresh = await read(without);
    assertEquals(left.train.images, fresh.train.images);
    assertEquals(left.test.images, fresh.test.images);
    assertNotEquals(pixels(left.train)[0], pixels(all.train)[0]); // the colour of the border is another one
    await assertRejects(() => read(whole, "99.png"), Error, 'training image "99.png"');
  });
});

Deno.test("findData: pictures that are the same as others are named, with what leaves them out", async () => {
  await withFolder(async (folder) => {
    for (const [name, value] of Object.entries({ "a.png": 1, "b.png": 2, "c 1.png": 1, "d.png": 3, "e.png": 4 })) {
      await Deno.writeFile(join(folder, name), png(value));
    }
    const { origin } = await findData("mine", folder, NOWHERE);
    const note =
      "1 training picture is the same as others, such as c 1.png and a.png (--without 'c 1.png' leaves them out)";
    assert(origin.includes(note), origin);
    const left = await findData("mine", folder, NOWHERE, { without: ["c 1.png"] });
    assert(!left.origin.includes("the same as"), left.origin);
  });
});

Deno.test("findData: devices and pipes are refused", async () => {
  await assertRejects(() => findData("mine", "/dev/zero", NOWHERE), Error, "expected a file or a folder, got a device");
  await assertRejects(() => readFile("/dev/zero"), Error, "Cannot read /dev/zero: expected a file or a folder");
  await withFolder(async (folder) => {
    const pipe = join(folder, "pipe"), { success } = await new Deno.Command("mkfifo", { args: [pipe] }).output();
    if (success) {
      await assertRejects(
        () => findData("mine", pipe, NOWHERE),
        Error,
        `${pipe}: expected a file or a folder, got a pipe`,
      );
    }
  });
});

Deno.test("findData: a folder with nothing to read says what is looked for", async () => {
  await withFolder(async (folder) => {
    for (
      const prepare of [
        () => {},
        () => Deno.writeTextFile(join(folder, "notes.txt"), ""),
        () => put(join(folder, "train/x.jpg.txt"), png(1)),
      ]
    ) {
      await prepare();
      const error = await assertRejects(() => findData("mnist", folder, NOWHERE), Error, "holds no images: looked for");
      assertStringIncludes(error.message, "train-images-idx3-ubyte");
      assertStringIncludes(error.message, "PNG, JPEG");
    }
  });
});

Deno.test("findData: the built-in data is drawn once, and again where what was kept is damaged", async () => {
  await withFolder(async (folder) => {
    const env = { HOME: folder }, kept = join(folder, ".cache/patchloom/builtin");
    const older = Array.from({ length: 5 }, (_, n) => `mnist-${n}123456789abcdef`);
    for (const name of older) await Deno.mkdir(join(kept, name), { recursive: true });
    const first = await findData("mnist", undefined, env);
    const there = Array.from(Deno.readDirSync(kept), ({ name }) => name);
    assertEquals(there.length, MAX_VERSIONS, "old drawings are removed");
    const [version] = there.filter((name) => !older.includes(name));
    const files = Array.from(Deno.readDirSync(join(kept, version)), ({ name }) => name).sort();
    assertEquals(files.length, 4, files.join());
    assertEquals(await findData("mnist", undefined, env), first);

    const path = join(kept, version, "train-images-idx3-ubyte"), right = await Deno.readFile(path);
    const changed = right.slice();
    changed[changed.length - 1] ^= 1;
    for (const wrong of [changed, right.subarray(0, 1000), new Uint8Array()]) {
      await Deno.writeFile(path, wrong);
      assertEquals(await findData("mnist", undefined, env), first);
      assertEquals(await Deno.readFile(path), right);
    }
    await Deno.remove(path);
    assertEquals(await findData("mnist", undefined, env), first);

    // A home that cannot be written, or none at all, is no error.
    assertEquals(await findData("mnist", undefined, { HOME: path }), first);
    assertEquals(await findData("mnist", undefined, NOWHERE), first);
    assertNotEquals(first.train.images.pixels, first.test.images.pixels);
  });
});

Deno.test("findData: built-in data that was replaced is drawn again, though the sums beside it were replaced, too", async () => {
  await withFolder(async (folder) => {
    const env = { HOME: folder }, kept = join(folder, ".cache/patchloom/builtin");
    const right = await findData("mnist", undefined, env);
    const [{ name: version }] = Deno.readDirSync(kept);
    const path = (name: string) => join(kept, version, name);
    const images = "train-images-idx3-ubyte", inverted = await Deno.readFile(path(images));
    for (let at = 16; at < inverted.length; at++) inverted[at] = 255 - inverted[at];
    await Deno.writeFile(path(images), inverted);
    const names = ["train-images-idx3", "train-labels-idx1", "test-images-idx3", "test-labels-idx1"];
    const sums = await Promise.all(names.map(async (name) => {
      return `${await hash(await Deno.readFile(path(`${name}-ubyte`)))}  ${name}-ubyte\n`;
    }));
    await Deno.writeTextFile(path("SHA256SUMS"), sums.join(""));
    const { files, train } = await findData("mnist", undefined, env);
    assertEquals(files, right.files);
    const isRight = train.images.pixels.every((value, at) => value === right.train.images.pixels[at]);
    assert(isRight, "other pixels");
  });
});

Deno.test("the program knows the sums of all data that it draws", async () => {
  for (const name of Object.keys(BUILTIN_DATA) as BuiltinName[]) {
    const { files } = await cachedBuiltin(name, join(KEPT, "patchloom"));
    const sums = files.map(({ path, sha256 }) => [path.slice(`built-in ${name}/`.length), sha256]);
    assertEquals(Object.fromEntries(sums), BUILTIN_SUMS[name], name);
  }
});

const SUMS = {
  mnist: ["440fcabf", "3552534a", "8d422c7b", "f7ae60f9"],
  faces: ["30164e2b", "c84a1d44"],
};

Deno.test("findData: the real data has the known counts and sums", async () => {
  const PATCHLOOM_DATA = Deno.env.get("PATCHLOOM_DATA");
  if (!PATCHLOOM_DATA) return console.log("not checked: PATCHLOOM_DATA is not set, so there is no real data to read");
  for (const [name, count, held, side] of [["mnist", 60000, 10000, 28], ["faces", 4500, 500, 128]] as const) {
    const { train, test, files, origin } = await findData(name, undefined, { PATCHLOOM_DATA });
    assertEquals([train.images.count, test.images.count], [count, held]);
    assertEquals([train.images.width, test.images.height, test.labels?.length], [side, side, train.labels && held]);
    assertEquals(files.map(({ sha256 }) => sha256.slice(0, 8)), SUMS[name]);
    assert(origin.includes(`${count} + ${held} images from ${join(PATCHLOOM_DATA, name)}`), origin);
  }
});
