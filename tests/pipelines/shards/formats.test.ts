import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { decode } from "fast-png";
import { parquetReadObjects } from "hyparquet";
import { parseIdx } from "../../../datasets/formats/idx.ts";
import { encodePart, type FormatName, FORMATS } from "../../../pipelines/shards/formats.ts";
import type { PartContext, PartImage } from "../../../pipelines/shards/part_image.ts";
import { readPart } from "../../../pipelines/shards/read_part.ts";
import { withFolder } from "../../hosts/deno/cli.ts";

const RANGE = { first: 10, end: 15 }, SIDE = 8;
const CONTEXT: PartContext = { count: 20, shape: { height: SIDE, width: SIDE, channels: 1 }, labels: [0, 1, 2] };

/** Images 10 to 14; the third has no originality that JSON knows, the second no sources. */
const IMAGES = Array.from({ length: 5 }, (_, i): PartImage => ({
  index: 10 + i,
  label: i % 3,
  seed: 2 ** 53 - 1,
  pixels: Uint8Array.from({ length: SIDE * SIDE }, (_, p) => p * i),
  originality: i === 2 ? Infinity : i / 3,
  nearest: { image: 7 * i, distance: 0.5 },
  ll: -80.5,
  tries: 1 + i,
  sources: i === 1 ? [] : [{ image: -1, share: 0.5 }, { image: 4, share: 0.25 }],
}));

/** What each format must say of the images, as JSON has it. */
const SAID = IMAGES.map(({ pixels: _, originality, ...rest }) => {
  return { ...rest, ...originality === Infinity ? {} : { originality } };
});

async function encoded(format: FormatName, context = CONTEXT, images = IMAGES): Promise<Map<string, Uint8Array>> {
  return new Map(await encodePart(format, RANGE, images, context));
}

function linesOf(bytes: Uint8Array): unknown[] {
  return new TextDecoder().decode(bytes).trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The pixels of PNG files. */
function pixelsOf(files: Iterable<Uint8Array>): number[][] {
  return Array.from(files, (bytes) => Array.from(decode(bytes).data));
}

const PIXELS = IMAGES.map(({ pixels }) => [...pixels]);

Deno.test("formats: equal images give equal bytes, and names tell the range", async () => {
  for (const format of FORMATS) {
    const files = await encoded(format);
    assertEquals(files, await encoded(format), format);
    for (const name of files.keys()) assert(name.includes("000010-000014"), name);
  }
});

Deno.test("idx: images and labels as MNIST has them, a line of JSON for each image", async () => {
  const files = await encoded("idx"), [images, labels, metadata] = files.values();
  const { dims, data } = parseIdx(images, "images");
  assertEquals([dims, [...data]], [[5, SIDE, SIDE], PIXELS.flat()]);
  assertEquals([...parseIdx(labels, "labels").data], [0, 1, 2, 0, 1]);
  assertEquals(linesOf(metadata), SAID);
  const plain = await encoded(
    "idx",
    { ...CONTEXT, labels: [] },
    IMAGES.map((image) => ({ ...image, label: undefined })),
  );
  assertEquals([...plain.keys()], ["data/images-000010-000014.idx3-ubyte", "data/metadata-000010-000014.jsonl"]);
});

Deno.test("npy: arrays of images and labels with NumPy's headers, a line of JSON for each image", async () => {
  const files = await encoded("npy"), [images, labels, metadata] = files.values();
  const shapes = ["(5, 8, 8)", "(5,)"], values = [PIXELS.flat(), [0, 1, 2, 0, 1]];
  [images, labels].forEach((bytes, i) => {
    const start = 10 + bytes[8] + 256 * bytes[9], header = new TextDecoder().decode(bytes.slice(10, start));
    assertEquals(header.trim(), `{'descr': '|u1', 'fortran_order': False, 'shape': ${shapes[i]}, }`);
    assertEquals([...bytes.subarray(start)], values[i]);
  });
  assertEquals(linesOf(metadata), SAID);
  assertEquals([...files.keys()], [
    ..."images labels".split(" ").map((what) => `data/${what}-000010-000014.npy`),
    "data/metadata-000010-000014.jsonl",
  ]);
});

Deno.test("png: a picture for each image, and lines that name them", async () => {
  const files = await encoded("png"), contents = [...files.values()], names = [...files.keys()];
  assertEquals([names[0], names.at(-1)], ["data/000010-000014/000010.png", "data/000010-000014/metadata.jsonl"]);
  assertEquals(pixelsOf(contents.slice(0, -1)), PIXELS);
  const said = SAID.map((one) => ({ file_name: `0000${one.index}.png`, ...one }));
  assertEquals(linesOf(contents.at(-1)!), said);
});

Deno.test("parquet: rows with pictures, numbers, scores and sources, and the hub's types", async () => {
  const [bytes] = (await encoded("parquet")).values();
  // deno-lint-ignore no-explicit-any
  const rows: any[] = await parquetReadObjects({ file: bytes.slice().buffer, utf8: false });
  assertEquals(pixelsOf(rows.map(({ image }) => image.bytes)), PIXELS);
  assertEquals(rows.map(({ image }) => image.path), IMAGES.map(({ index }) => `0000${index}.png`));
  const numbers = (_: string, value: unknown) => typeof value === "bigint" ? Number(value) : value;
  const read = JSON.parse(JSON.stringify(rows.map(({ image: _, ...rest }) => rest), numbers));
  assertEquals(read, SAID.map((one) => ({ originality: null, ...one })));
  const features = new TextDecoder().decode(bytes.subarray(-4000));
  for (const type of ['"image":{"_type":"Image"}', '"label":{"names":["0","1","2"],"_type":"ClassLabel"}']) {
    assert(features.includes(type), type);
  }
});

Deno.test("readPart: what is read makes the same files again, in every format, also of colours with transparent pixels", async () => {
  const transparent = [255, 0, 255] as const, area = SIDE * SIDE;
  const colours = IMAGES.map((image, i) => {
    const pixels = Uint8Array.from({ length: 3 * area }, (_, p) => (p * (i + 3)) % 256);
    for (const p of [0, 5, 9]) transparent.forEach((value, channel) => pixels[channel * area + p] = value);
    return { ...image, pixels };
  });
  const shape = { ...CONTEXT.shape, channels: 3 },
    bare = IMAGES.map(({ label: _, ll: _ll, tries: _t, ...rest }) => rest);
  const cases: [PartContext, PartImage[]][] = [
    [CONTEXT, IMAGES],
    [{ ...CONTEXT, labels: [] }, bare],
    [{ ...CONTEXT, shape }, colours],
    [{ ...CONTEXT, shape, transparent }, colours],
  ];
  for (const format of FORMATS) {
    for (const [context, images] of cases) {
      const files = await encoded(format, context, images), read = await readPart(format, [...files], context);
      assertEquals(read.map(({ pixels }) => [...pixels]), images.map(({ pixels }) => [...pixels]), format);
      assertEquals(await encoded(format, context, read), files, format);
    }
  }
});

/** Reads a tar file with Python's own module, as WebDataset does: files with the same name up to the point are one sample. */
const READ_TAR = `
import json, sys, tarfile
samples = {}
for member in tarfile.open(sys.argv[1]):
    key, kind = member.name.split(".", 1)
    samples.setdefault(key, {})[kind] = tarfile.open(sys.argv[1]).extractfile(member).read().hex()
print(json.dumps(samples))
`;

const hasPython = await new Deno.Command("python3", { args: ["--version"] }).output().then(() => true, () => false);

Deno.test({
  name: "webdataset: Python reads the samples of a tar file, whatever its length",
  ignore: !hasPython,
  fn: () =>
    withFolder(async (folder) => {
      // Five images without labels take 20 blocks of 512 bytes: exactly one record of tar, which leaves no room for its end.
      for (const [count, isLabelled] of [[5, true], [3, true], [5, false]] as const) {
        const images = IMAGES.slice(0, count).map((image) => isLabelled ? image : { ...image, label: undefined });
        const said = SAID.slice(0, count).map(({ label, ...rest }) => isLabelled ? { ...rest, label } : rest);
        const [bytes] = (await encoded("webdataset", CONTEXT, images)).values(),
          path = join(folder, "part.tar");
        await Deno.writeFile(path, bytes);
        assert(bytes.subarray(-1024).every((byte) => byte === 0), "ends with two empty blocks");
        const { stdout } = await new Deno.Command("python3", { args: ["-c", READ_TAR, path] }).output();
        const samples = JSON.parse(new TextDecoder().decode(stdout)),
          text = (hex: string) => {
            return new TextDecoder().decode(Uint8Array.fromHex(hex));
          };
        assertEquals(Object.keys(samples), IMAGES.slice(0, count).map(({ index }) => `0000${index}`));
        // deno-lint-ignore no-explicit-any
        const found: any[] = Object.values(samples);
        assertEquals(pixelsOf(found.map(({ png }) => Uint8Array.fromHex(png))), PIXELS.slice(0, count));
        assertEquals(found.map(({ cls }) => cls && Number(text(cls))), images.map(({ label }) => label));
        assertEquals(found.map(({ json }) => JSON.parse(text(json))), said);
      }
    }),
});

Deno.test("formats: colour images, with transparent pixels", async () => {
  const shape = { height: 2, width: 2, channels: 3 },
    pixels = Uint8Array.from([255, 1, 2, 3, 0, 4, 5, 6, 255, 7, 8, 9]);
  const image: PartImage = { index: 0, seed: 1, pixels, sources: [] };
  const context: PartContext = { count: 1, shape, labels: [], transparent: [255, 0, 255] };
  for (const format of FORMATS) {
    const [bytes] = (await encodePart(format, { first: 0, end: 1 }, [image], context)).map(([, bytes]) => bytes);
    assert(bytes.length > 0, format);
    if (format === "png") assertEquals([...decode(bytes).data.subarray(0, 8)], [0, 0, 0, 0, 1, 4, 7, 255]);
  }
});

Deno.test("readPart: a damaged part is one sentence that names its file, in every format", async () => {
  const sentence = /^(data|images)\/\S+[^\n]{10,300}$/,
    damages = [
      (bytes: Uint8Array) => bytes.slice(0, bytes.length >> 1),
      (bytes: Uint8Array) => bytes.fill(0xff, bytes.length >> 2, bytes.length >> 1),
      () => new Uint8Array(),
      () => new TextEncoder().encode("no part at all\n"),
    ];
  for (const format of FORMATS) {
    const files = [...await encoded(format)];
    for (const [at, [name, bytes]] of files.entries()) {
      // Labels are in the lines of JSON, too.
      if (name.startsWith("data/labels-")) continue;
      for (const damage of damages) {
        const damaged = files.with(at, [name, damage(bytes.slice())]);
        const error = await readPart(format, damaged, CONTEXT).catch((error) => error);
        // A tar file has no end: what is before the damage is whole. Other pixels in an array are other images.
        if (format === "webdataset" && Array.isArray(error) && error.length < IMAGES.length) continue;
        if (/\.(idx3-ubyte|npy)$/.test(name) && Array.isArray(error) && error.length === IMAGES.length) continue;
        assert(error instanceof Error, `${format}, ${name}`);
        assertEquals(Object.getPrototypeOf(error), Error.prototype);
        assert(sentence.test(error.message), `${format}: ${error.message}`);
      }
    }
  }
});
