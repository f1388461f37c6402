import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { zipSync } from "fflate";
import { parquetWriteBuffer } from "hyparquet-writer";
import { bytesToNpy } from "../../../../datasets/formats/npy.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { encodePart, type FormatName } from "../../../../pipelines/shards/formats.ts";
import { FORMAT, PROGRAM, RECORD } from "../../../../hosts/deno/folders/folder_record.ts";
import { readData } from "../../../../hosts/deno/data/read_data.ts";
import { readImageFile } from "../../../../hosts/deno/data/read_image_file.ts";
import { readImageSet } from "../../../../hosts/deno/data/read_image_set.ts";
import { readPictureFolder } from "../../../../hosts/deno/data/read_pictures.ts";
import { readSeedImages } from "../../../../hosts/deno/data/read_seed_images.ts";
import { createTar } from "nanotar";
import { withFolder } from "../with_folder.ts";

const SHAPE = { height: 4, width: 4, channels: 1 } as const;
const pixelsOf = (value: number) => new Uint8Array(16).fill(value);

/** The file of a part of 12 images, of which image i has pixels of 10 + i and the class i % 2 + 3. */
async function part(format: FormatName, first = 0, end = 12): Promise<[name: string, bytes: Uint8Array]> {
  const images = Array.from({ length: end - first }, (_, i) => ({
    index: first + i,
    label: (first + i) % 2 + 3,
    seed: 1,
    pixels: pixelsOf(10 + first + i),
    originality: 1,
    sources: [],
  }));
  const context = { count: 12, shape: SHAPE, labels: [3, 4] };
  const [[name, bytes]] = await encodePart(format, { first, end }, images, context);
  return [name, bytes];
}

async function put(path: string, bytes: Uint8Array): Promise<string> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeFile(path, bytes);
  return path;
}

function numbers({ images, labels }: { images: { count: number; pixels: Uint8Array }; labels?: Uint8Array }) {
  return {
    first: Array.from({ length: images.count }, (_, i) => images.pixels[16 * i]),
    labels: labels && [...labels],
  };
}

const ALL = { first: Array.from({ length: 12 }, (_, i) => 10 + i), labels: [3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4] };

function npz(): Uint8Array {
  const pixels = Uint8Array.from(ALL.first.flatMap((value) => [...pixelsOf(value)]));
  const arrays = { images: bytesToNpy([12, 4, 4], pixels), labels: bytesToNpy([12], Uint8Array.from(ALL.labels)) };
  return zipSync({ "images.npy": arrays.images, "labels.npy": arrays.labels });
}

Deno.test("readImageFile: Parquet, WebDataset and NPZ files hold the same images and classes", async () => {
  const files = { npz: npz(), parquet: (await part("parquet"))[1], webdataset: (await part("webdataset"))[1] };
  for (const [name, bytes] of Object.entries(files)) {
    const { train, classes } = await readImageFile(bytes, name);
    assertEquals([numbers(train), classes], [ALL, undefined], name);
  }
});

Deno.test("readData, readImageSet and readSeedImages take such files, and folders of them", async () => {
  await withFolder(async (folder) => {
    const npzPath = await put(join(folder, "a.npz"), npz());
    const paths = [npzPath];
    for (const format of ["parquet", "webdataset"] as const) {
      const files: string[] = [];
      for (const [first, end] of [[0, 5], [5, 12]]) {
        const [name, bytes] = await part(format, first, end);
        await put(join(folder, format, name), bytes);
        files.push(name);
      }
      const record = { format: FORMAT, program: PROGRAM, command: "synth", state: "complete", settings: {} };
      const listed = Object.fromEntries(files.map((name) => [name, "0".repeat(64)]));
      await Deno.writeTextFile(join(folder, format, RECORD), JSON.stringify({ ...record, files: listed }));
      paths.push(join(folder, format));
    }
    for (const path of paths) {
      assertEquals(numbers(await readImageSet(path)), ALL, path);
      const { train, test, heldOut } = await readData(path);
      const kept = ALL.first.filter((value) => !numbers(test).first.includes(value));
      assertEquals(heldOut.map((row) => ALL.first[row]), numbers(test).first, path);
      assertEquals([heldOut.length > 0, numbers(train).first], [true, kept], path);
    }
    assertEquals(numbers(await readSeedImages(npzPath, [{ height: 8, width: 8 }, { height: 4, width: 4 }])), ALL);

    const [, test] = await part("parquet", 0, 2);
    await put(join(folder, "hub/data/train-00000-of-00001.parquet"), (await part("parquet", 2, 12))[1]);
    await put(join(folder, "hub/data/test-00000-of-00001.parquet"), test);
    const hub = await readData(join(folder, "hub"));
    assertEquals([hub.heldOut, numbers(hub.train).first.length, numbers(hub.test).first], [[], 10, [10, 11]]);
  });
});

Deno.test("readData: an array has its labels in the file beside it", async () => {
  await withFolder(async (folder) => {
    for (const [images, labels] of [["x_train.npy", "y_train.npy"], ["images.npy", "labels.npy"]]) {
      await put(join(folder, labels), bytesToNpy([3, 1], Uint8Array.of(1, 2, 3)));
      const path = await put(join(folder, images), bytesToNpy([3, 4, 4], new Uint8Array(48).fill(7)));
      const { train, test, files } = await readData(path);
      assertEquals([[...train.labels!], [...test.labels!]], [[1, 2], [3]]);
      assertEquals(files.map(({ path }) => path), [join(folder, images), join(folder, labels)]);
      assertEquals([...(await readImageSet(path)).labels!], [1, 2, 3]);
    }
  });
});

Deno.test("readImageFile: keys of WebDataset end at the first dot or the last one, endings in capitals too", async () => {
  const text = (value: string) => new TextEncoder().encode(value),
    picture = (value: number) => pngOf(SHAPE, pixelsOf(value));
  const files = {
    "a/1.PNG": picture(10),
    "a/1.CLS": text("3"),
    "a/2.image.png": picture(11),
    "a/2.cls": text("4"),
    "a.b/of 2020.05.png": picture(12),
    "a.b/of 2020.05.cls": text("5"),
    "./c/4.png": picture(13),
    "./c/4.cls": text("6"),
  };
  const tar = createTar(Object.entries(files).map(([name, data]) => ({ name, data })));
  const { train } = await readImageFile(tar, "a.tar");
  assertEquals(numbers(train), { first: [10, 11, 12, 13], labels: [3, 4, 5, 6] });
});

Deno.test("readImageFile: each wrong file has its own sentence", async () => {
  const fails = async (bytes: Uint8Array, sentence: string) => {
    await assertRejects(() => readImageFile(bytes, "a"), Error, sentence);
  };
  const text = (value: string) => new TextEncoder().encode(value);
  const picture = pngOf(SHAPE, pixelsOf(1)), wide = pngOf({ ...SHAPE, width: 8 }, new Uint8Array(32));
  await fails(text("hello, this is a text"), "a holds no images: expected PNG");
  await fails(text("PAR1 and then nothing"), "a cannot be read as Parquet: parquet file invalid (footer != PAR1)");
  const [, parquet] = await part("parquet"), damaged = parquet.slice();
  damaged.fill(255, 4, 200);
  await fails(damaged, "a cannot be read as Parquet: ");
  const tar = (files: Record<string, Uint8Array>) => {
    return createTar(Object.entries(files).map(([name, data]) => ({ name, data })));
  };
  await fails(tar({ "a.txt": text("x") }), "a holds no pictures: expected KEY.png and KEY.cls");
  await fails(tar({ "1.png": picture, "2.png": wide }), "a/2.png is 8x4 pixels: expected 4x4, the size of a/1.png");
  await fails(tar({ "1.png": picture, "1.cls": text("cat") }), "a/1.cls: expected a class from 0 to 255, got cat");
  const half = tar({ "1.png": picture, "1.cls": text("3"), "2.png": picture });
  await fails(half, "a: expected a class for all images or none, got none for 2.png");
  await fails(tar({ "1.png": picture }).subarray(0, 560), "a is damaged or cut off: it cannot be read as tar");
});

Deno.test("readImageFile: a short file that names one picture two hundred thousand times, or decompresses to more than it may", async () => {
  const png = pngOf({ height: 28, width: 28, channels: 1 }, new Uint8Array(784));
  const parquet = (count: number) =>
    new Uint8Array(parquetWriteBuffer({
      columnData: [{ name: "image", data: Array.from({ length: count }, () => png), type: "BYTE_ARRAY" }],
    }));
  const many = parquet(200_000);
  assert(many.length < 1000);
  const rows = "x.parquet cannot be read as Parquet: expected at most 10000 rows, got 200000";
  await assertRejects(() => readImageFile(many, "x.parquet"), Error, rows);
  const { train } = await readImageFile(parquet(100), "x.parquet");
  assertEquals(train.images.count, 100);
  // Twenty blank pictures of 4 MB.
  const blank = pngOf({ height: 2048, width: 2048, channels: 1 }, new Uint8Array(2 ** 22));
  const tar = createTar(Array.from({ length: 20 }, (_, i) => ({ name: `${i}.png`, data: blank })));
  const pixels = "x.tar: expected at most 67108864 bytes of pixels in pictures of so few bytes, got more";
  await assertRejects(() => readImageFile(tar, "x.tar"), Error, pixels);
  // A folder of them is refused as well, from the first picture that is too many, in either split.
  await withFolder(async (folder) => {
    for (const split of ["train", "test"]) await Deno.mkdir(join(folder, split));
    for (let i = 0; i < 20; i++) await Deno.writeFile(join(folder, i % 2 ? "test" : "train", `${i}.png`), blank);
    const read = () => readPictureFolder(folder, {});
    await assertRejects(read, Error, `${folder}: ${pixels.slice("x.tar: ".length)}`);
  });
});

Deno.test("readImageFile: a HEIC or AVIF picture, as telephones take them, is named as such", async () => {
  for (const brand of ["heic", "avif"]) {
    const bytes = new TextEncoder().encode(`\0\0\0\x1cftyp${brand}\0\0\0\0mif1`);
    await assertRejects(() => readImageFile(bytes, "IMG_1.HEIC"), Error, "is a HEIC or AVIF picture");
  }
});
