import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { encode } from "fast-png";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { FORMAT, PROGRAM, RECORD } from "../../../../hosts/deno/folders/folder_record.ts";
import { encodePart } from "../../../../pipelines/shards/formats.ts";
import { readImageSet } from "../../../../hosts/deno/data/read_image_set.ts";
import { withFolder } from "../with_folder.ts";

async function put(path: string, bytes: Uint8Array): Promise<string> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeFile(path, bytes);
  return path;
}

/** Images of 3 rows and 2 columns; every pixel of image i is `first + i`. */
function idx(count: number, first = 0): Uint8Array<ArrayBuffer> {
  return writeIdx([count, 3, 2], Uint8Array.from({ length: 6 * count }, (_, i) => first + Math.floor(i / 6)));
}

function png(value: number, width = 2, height = 3): Uint8Array {
  return encode({ width, height, channels: 1, data: new Uint8Array(width * height).fill(value) });
}

function labels(...values: number[]): Uint8Array<ArrayBuffer> {
  return writeIdx([values.length], Uint8Array.from(values));
}

function npy(count: number): Uint8Array {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${count}, 3, 2), }\n`;
  const start = [0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, header.length, 0];
  return Uint8Array.from([...start, ...new TextEncoder().encode(header), ...idx(count).subarray(16)]);
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

async function hash(path: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await Deno.readFile(path))).toHex();
}

/** The first pixel and the label of each image. */
async function read(path: string, labelsPath?: string) {
  const set = await readImageSet(path, labelsPath);
  const { images: { count, height, width, pixels }, labels, names, files, scaled } = set;
  assertEquals([height, width, pixels.length], [3, 2, 6 * count]);
  return {
    first: Array.from({ length: count }, (_, i) => pixels[6 * i]),
    labels: labels && [...labels],
    names,
    files,
    scaled,
  };
}

Deno.test("readImageSet: PNGs in the order of their names, with or without class folders", async () => {
  await withFolder(async (folder) => {
    for (const [name, value] of [["b.png", 2], ["A.PNG", 0], ["a10.png", 1], ["c.png", 3]] as const) {
      await put(join(folder, "plain", name), png(value));
    }
    await put(join(folder, "plain/.hidden.png"), png(9));
    await put(join(folder, "plain/notes.txt"), labels(1));
    const plain = await read(join(folder, "plain"));
    assertEquals([plain.first, plain.labels, plain.scaled], [[0, 1, 2, 3], undefined, undefined]);
    assertEquals(plain.names, ["A.PNG", "a10.png", "b.png", "c.png"]);
    assertEquals(plain.files.map(({ path }) => path), [join(folder, "plain")]);
    assertEquals(plain.files, (await read(join(folder, "plain"))).files);
    await put(join(folder, "plain/c.png"), png(4));
    assert((await read(join(folder, "plain"))).files[0].sha256 !== plain.files[0].sha256);
    const given = await read(join(folder, "plain"), await put(join(folder, "l"), labels(5, 6, 7, 8)));
    assertEquals([given.labels, given.files.length], [[5, 6, 7, 8], 2]);
    const path = join(folder, "plain/b.png"), one = await read(path, await put(join(folder, "l"), labels(5)));
    assertEquals([one.first, one.labels, one.files[0]], [[2], [5], { path, sha256: await hash(path) }]);

    for (const name of ["10/a.png", "2/b.png", "2/a.png", ".hidden/x.png", "__MACOSX/x.png"]) {
      await put(join(folder, "classes", name), png(name.charCodeAt(name.length - 5)));
    }
    const classes = await read(join(folder, "classes"));
    assertEquals([classes.first, classes.labels], [[97, 98, 97], [2, 2, 10]]);
    assertEquals(classes.names, ["2/a.png", "2/b.png", "10/a.png"]);
  });
});

Deno.test("readImageSet: IDX files, with labels beside them, elsewhere or none; gzip; the folder that synth writes", async () => {
  await withFolder(async (folder) => {
    const alone = await put(join(folder, "some.idx"), idx(3, 7));
    assertEquals(await read(alone), {
      first: [7, 8, 9],
      labels: undefined,
      names: "some.idx",
      scaled: undefined,
      files: [{ path: alone, sha256: await hash(alone) }],
    });
    const images = await put(join(folder, "t10k-images-idx3-ubyte"), idx(3));
    assertEquals((await read(images)).labels, undefined);
    const beside = await put(join(folder, "t10k-labels-idx1-ubyte"), labels(4, 0, 255));
    const both = await read(images);
    assertEquals([both.first, both.labels], [[0, 1, 2], [4, 0, 255]]);
    assertEquals(both.files, [{ path: images, sha256: await hash(images) }, {
      path: beside,
      sha256: await hash(beside),
    }]);
    const elsewhere = await put(join(folder, "mine"), labels(1, 1, 2));
    assertEquals((await read(images, elsewhere)).labels, [1, 1, 2], "what is given goes before what is found");

    const packed = await put(join(folder, "x-images-idx3-ubyte.gz"), await gzip(idx(2)));
    await put(join(folder, "x-labels-idx1-ubyte.gz"), await gzip(labels(3, 8)));
    const unpacked = await read(packed);
    assertEquals([unpacked.first, unpacked.labels], [[0, 1], [3, 8]]);
    assertEquals(unpacked.files[0], { path: packed, sha256: await hash(packed) }, "the sum of the file as it is");

    await put(join(folder, "out/images.idx3-ubyte"), idx(2, 4));
    await put(join(folder, "out/sheet.png"), png(1, 50, 50));
    await put(join(folder, "out/images/0000.png"), png(4));
    assertEquals((await read(join(folder, "out"))).labels, undefined);
    await put(join(folder, "out/labels.idx1-ubyte"), labels(6, 6));
    const synth = await read(join(folder, "out"));
    assertEquals([synth.first, synth.labels, synth.names], [[4, 5], [6, 6], "images.idx3-ubyte"]);
    const record = { images: [{ file: "images/0000.png" }, { file: "images/0001.png" }] };
    await put(join(folder, "out/run.json"), new TextEncoder().encode(JSON.stringify(record)));
    assertEquals((await read(join(folder, "out"))).names, ["images/0000.png", "images/0001.png"]);
    await put(join(folder, "out/run.json"), new TextEncoder().encode("[1"));
    assertEquals((await read(join(folder, "out"))).names, "images.idx3-ubyte", "a damaged record names nothing");
  });
});

Deno.test("readImageSet: NPY files, told by their content, with labels where they are given", async () => {
  await withFolder(async (folder) => {
    const path = await put(join(folder, "samples.dat"), npy(3)), { first, scaled, files } = await read(path);
    assertEquals([first, scaled], [[0, 1, 2], "uint8 taken as they are"]);
    assertEquals(files, [{ path, sha256: await hash(path) }]);
    const given = await read(path, await put(join(folder, "l"), labels(2, 3, 4)));
    assertEquals([given.labels, given.scaled, given.files.length], [[2, 3, 4], "uint8 taken as they are", 2]);
  });
});

Deno.test("readImageSet: colour images that synth wrote, in parts and in one piece, with their labels", async () => {
  await withFolder(async (folder) => {
    const shape = { height: 3, width: 2, channels: 3 } as const, context = { count: 4, shape, labels: [5, 6] };
    const images = Array.from({ length: 4 }, (_, index) => ({
      index,
      label: 5 + index % 2,
      seed: 1,
      pixels: Uint8Array.from({ length: 18 }, (_, i) => 20 * index + i),
      originality: 1,
      sources: [],
    }));
    const [idx, npy, one] = ["idx", "npy", "one"].map((name) => join(folder, name)), names = ["labels.idx1-ubyte"];
    const recorded = async (path: string, names: readonly string[], more: object) => {
      const record = { format: FORMAT, program: PROGRAM, command: "synth", state: "complete", ...more };
      const files = Object.fromEntries(names.map((name) => [name, "0".repeat(64)]));
      await put(join(path, RECORD), new TextEncoder().encode(JSON.stringify({ ...record, files })));
    };
    for (const [path, format] of [[idx, "idx"], [npy, "npy"]] as const) {
      const written: string[] = [];
      for (const first of [0, 2]) {
        const own = images.slice(first, first + 2);
        for (const [name, bytes] of await encodePart(format, { first, end: first + 2 }, own, context)) {
          await put(join(path, name), bytes);
          written.push(name);
        }
      }
      await recorded(path, written, { settings: {} });
    }
    for (const { index, pixels } of images) {
      const name = `images/000${index}.png`;
      await put(join(one, name), pngOf(shape, pixels));
      names.push(name);
    }
    await put(join(one, "labels.idx1-ubyte"), labels(5, 6, 5, 6));
    await recorded(one, names, {});
    for (const path of [idx, npy, one]) {
      const { images: read, labels } = await readImageSet(path, undefined, { channels: 3 });
      assertEquals([read.count, read.height, read.width, read.channels], [4, 3, 2, 3], path);
      assertEquals([[...read.pixels], [...labels!]], [images.flatMap(({ pixels }) => [...pixels]), [5, 6, 5, 6]], path);
      assertEquals((await readImageSet(path)).images.channels ?? 1, 1);
    }
  });
});

Deno.test("readImageSet: what run.json says of images is found for colour images, too, which are read as pictures", async () => {
  await withFolder(async (folder) => {
    const shape = { height: 3, width: 2, channels: 3 } as const, names = ["images/0000.png", "images/0002.png"];
    const images = names.map((file, i) => ({
      file,
      seedImage: 5 + i,
      contributors: [{ image: 1, share: 0.5 - i / 4 }],
    }));
    for (const name of names) await put(join(folder, name), pngOf(shape, new Uint8Array(18)));
    const files = Object.fromEntries(names.map((name) => [name, "0".repeat(64)]));
    const record = { format: FORMAT, program: PROGRAM, command: "synth", state: "complete", files, images };
    await put(join(folder, RECORD), new TextEncoder().encode(JSON.stringify(record)));
    const set = await readImageSet(folder, undefined, { channels: 3 });
    assertEquals(set.names, ["0000.png", "0002.png"]);
    assertEquals([[...set.shares!], [...set.seedImages!]], [[0.5, 0.25], [5, 6]]);
  });
});

Deno.test("readImageSet: of a folder that synth wrote, the pictures that run.json lists; records of others change nothing", async () => {
  await withFolder(async (folder) => {
    const recorded = async (command: string, ...names: string[]) => {
      const files = Object.fromEntries(names.map((name) => [name, "0".repeat(64)]));
      const record = { format: FORMAT, program: PROGRAM, command, state: "complete", files };
      await put(join(folder, RECORD), new TextEncoder().encode(JSON.stringify(record)));
    };
    await put(join(folder, "images/0000.png"), png(4));
    await put(join(folder, "images/mine.png"), png(5));
    await put(join(folder, "others/0.png"), png(6));
    for (const command of ["assess", "data import", "compare"]) {
      await recorded(command, "scores.json", "images/0000.png");
      const { names, classes } = await readImageSet(folder);
      assertEquals([names, classes], [["images/0000.png", "images/mine.png", "others/0.png"], ["images", "others"]]);
    }
    for (const command of ["synth", "restore"]) {
      await recorded(command, "sheet.png", "images/0000.png");
      assertEquals((await read(folder)).names, ["0000.png"]);
    }
    const lost = `holds no images: looked for those that ${join(folder, RECORD)} lists`;
    await Deno.remove(join(folder, "images/0000.png"));
    await assertRejects(() => readImageSet(folder), Error, lost);
    await Deno.remove(join(folder, "images"), { recursive: true });
    await put(join(folder, "sheet.png"), png(1));
    await assertRejects(() => readImageSet(folder), Error, "images: there is no such file");
  });
});

Deno.test("readImageSet: each wrong path or file has its own sentence", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name);
    await Deno.mkdir(at("empty"));
    await put(at("texts/a.txt"), labels(1));
    await put(at("mnist/train-images-idx3-ubyte"), idx(2));
    await put(at("mixed/a.png"), png(1));
    await put(at("mixed/b.png"), png(1, 3, 3));
    await put(at("both/a.png"), png(1));
    await put(at("both/3/a.png"), png(1));
    await put(at("broken/a.png"), png(1).subarray(0, 30));
    const lies: [string, string, string?][] = [
      [at("nothing"), `Cannot read ${at("nothing")}: there is no such file`],
      [at("empty"), `${at("empty")} holds no images: looked for images.idx3-ubyte or pictures`],
      [at("texts"), `${at("texts")} holds no images`],
      [at("mnist"), `${at("mnist")} holds no images: looked for images.idx3-ubyte`],
      [at("mixed"), `${at("mixed/b.png")} is 3x3 pixels: expected 2x3, the size of ${at("mixed/a.png")}`],
      [at("both"), "expected pictures in the folder itself or in class folders, got both"],
      [at("broken"), at("broken/a.png")],
      [await put(at("cut.png"), png(1).subarray(0, 30)), `${at("cut.png")} is a damaged PNG`],
      [await put(at("a.jpg"), Uint8Array.of(255, 216, 255, 224)), `${at("a.jpg")} is a damaged JPEG file`],
      [await put(at("zero"), new Uint8Array()), `${at("zero")} holds no images: expected`],
      [await put(at("l1"), labels(1, 2)), `${at("l1")} holds no images: expected 3 dimensions`],
      [await put(at("cut.idx"), idx(2).subarray(0, 20)), `${at("cut.idx")} is cut off: expected 12 bytes`],
      [await put(at("cut.npy"), npy(2).subarray(0, 80)), `${at("cut.npy")}: expected 12 bytes`],
      [
        await put(at("two.idx"), idx(2)),
        `${at("l3")}: expected 2 labels, one an image, got 3`,
        await put(at("l3"), labels(1, 2, 3)),
      ],
      [at("two.idx"), `${at("two.idx")} holds no labels`, at("two.idx")],
      [at("two.idx"), `Cannot read ${at("no")}`, at("no")],
      [await put(at("u-images"), idx(2)), `${await put(at("u-labels"), labels(1))}: expected 2 labels`],
    ];
    for (const [path, sentence, labelsPath] of lies) {
      await assertRejects(() => readImageSet(path, labelsPath), Error, sentence, path);
    }
  });
});
