import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { encode } from "fast-png";
import { zlibSync } from "fflate";
import { bytesToNpy, floatsToNpy } from "../../../../datasets/formats/npy.ts";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { chunk } from "../../../../datasets/formats/png_chunk.ts";
import { pngOf, transparentPng } from "../../../../datasets/formats/write_png.ts";
import { WHITE } from "../../../../datasets/formats/colour.ts";
import { filesWithMore, moreText } from "../../../../hosts/deno/assessments/beside_pixels.ts";
import { gateObjections } from "../../../../hosts/deno/assessments/gate.ts";
import { readImageSet } from "../../../../hosts/deno/data/read_image_set.ts";
import { withFolder } from "../cli.ts";

const SIDE = 4, SHAPE = { width: SIDE, height: SIDE }, AREA = SIDE * SIDE;
const grey = (of: (p: number) => number) => Uint8Array.from({ length: AREA }, (_, p) => of(p));
const GOOD = pngOf(SHAPE, grey((p) => 9 * p)), HIDDEN = pngOf(SHAPE, grey((p) => p & 1 ? 200 : 30));

/** What the pixels of a picture become, each as some samples. */
const samples = (channels: 1 | 2 | 3 | 4, of: (p: number) => readonly number[], depth: 8 | 16 = 8) => {
  const values = grey((p) => p).reduce<number[]>((all, p) => [...all, ...of(p)], []);
  const data = depth === 16 ? Uint16Array.from(values) : Uint8Array.from(values);
  return encode({ ...SHAPE, channels, depth, data });
};
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
/** A picture with a chunk before its last one. */
const withChunk = (name: string, content = HIDDEN) => {
  return joined(GOOD.subarray(0, -12), chunk(name, content), GOOD.subarray(-12));
};
/** A picture of the compressed pixels that are given. */
const ofData = (data: Uint8Array) => joined(GOOD.subarray(0, 33), chunk("IDAT", data), GOOD.subarray(-12));
const rows = joined(...Array.from({ length: SIDE }, (_, y) => Uint8Array.of(0, 9 * y, 9 * y, 9 * y, 9 * y)));
/** A GIF of one pixel. */
const GIF = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="), (c) => c.charCodeAt(0));

/** What a gate says of a folder with some files. */
async function saidOf(files: Readonly<Record<string, Uint8Array>>, channels: 1 | 3 = 1): Promise<string[]> {
  const said: string[] = [];
  await withFolder(async (folder) => {
    for (const [name, bytes] of Object.entries(files)) await Deno.writeFile(join(folder, name), bytes);
    const isOne = Object.keys(files).some((name) => !/\.(png|gif)$/.test(name));
    const path = isOne ? join(folder, Object.keys(files)[0]) : folder;
    said.push(
      ...(await filesWithMore(path, await readImageSet(path, undefined, { channels }))).map(({ more }) => more),
    );
  });
  return said;
}

Deno.test("filesWithMore: files that hold pixels alone", async () => {
  const images = grey((p) => p), npy = bytesToNpy([1, SIDE, SIDE], images);
  const numpys = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 4, 4), }".padEnd(117) + "\n";
  const plain: Record<string, Uint8Array> = {
    "a.png": GOOD,
    "several-chunks.png": joined(GOOD.subarray(0, 33), chunk("IDAT"), GOOD.subarray(33)),
    "colour.png": samples(3, (p) => [p, p, p]),
    "images.idx3-ubyte": writeIdx([1, SIDE, SIDE], images),
    "images.npy": npy,
    "numpys.npy": joined(npy.subarray(0, 8), Uint8Array.of(118, 0), new TextEncoder().encode(numpys), images),
  };
  for (const [name, bytes] of Object.entries(plain)) {
    assertEquals(await saidOf({ [name]: bytes }), [], name);
    assertEquals(await saidOf({ [name]: bytes }, 3), [], name);
  }
  const noise = crypto.getRandomValues(new Uint8Array(64 * 64));
  assertEquals(
    await saidOf({ "a.png": pngOf({ width: 64, height: 64 }, noise) }),
    [],
    "pixels that cannot be compressed",
  );
  const sprite = transparentPng(SHAPE, new Uint8Array(3 * AREA).fill(255, 0, 40), WHITE);
  assertEquals(await saidOf({ "a.png": sprite }, 3), [], "white pixels as synth writes them for sprites");
});

Deno.test("filesWithMore: whatever a file can hold beside its pixels is found", async () => {
  const images = grey((p) => p), npy = bytesToNpy([1, SIDE, SIDE], images), header = npy.slice();
  header.set(new TextEncoder().encode("x"), npy.length - AREA - 3);
  const hiding: [string, Uint8Array, RegExp][] = [
    ["a.gif", GIF, /^more than pixels/],
    ["tEXt.png", withChunk("tEXt"), /^a chunk "tEXt" with \d+ bytes$/],
    ["eXIf.png", withChunk("eXIf"), /"eXIf"/],
    ["animated.png", withChunk("fdAT"), /"fdAT"/],
    ["unknown.png", withChunk("quIz"), /"quIz"/],
    ["after.png", joined(GOOD, HIDDEN), /^\d+ bytes after its end$/],
    ["stream.png", ofData(joined(zlibSync(rows), Uint8Array.of(1, 2, 3))), /^bytes after its pixels$/],
    [
      "long.png",
      ofData(joined(zlibSync(rows).subarray(0, 2), ...emptyBlocks(60), zlibSync(rows).subarray(2))),
      /bytes for 16/,
    ],
    ["16.png", samples(1, (p) => [257 * p + (p & 1)], 16), /^16 bits a sample$/],
    ["alpha.png", samples(4, (p) => [p, p, p, 0]), /^transparency/],
    ["white.png", samples(4, (p) => [255, 255, 255, p]), /^transparency/],
    ["cut.png", samples(4, (p) => p & 1 ? [0, 0, 0, 0] : [255, 255, 255, 255]), /^transparency/],
    ["greyalpha.png", samples(2, (p) => [p, 0]), /^transparency/],
    ["colours.png", samples(3, (p) => [p, 0, 0]), /^colours, which were read in grey$/],
    ["header.npy", header, /^other numbers than bytes/],
    ...["(01, 4, 4)", "(1, 4, 0004)", "(1 , 4, 4)", "(1, 4, 4,)", "(1,4, 4)"].map((shape): typeof hiding[number] => {
      return ["shape.npy", withShape(npy, shape), /^other numbers than bytes/];
    }),
    ["floats.npy", floatsToNpy([1, SIDE, SIDE], new Float32Array(AREA).fill(0.5)), /^other numbers than bytes/],
    ["zipped.gz", await gzip(writeIdx([1, SIDE, SIDE], images)), /^more than pixels/],
  ];
  for (const [name, bytes, more] of hiding) {
    const said = await saidOf({ [name]: bytes });
    assertEquals(said.length, 1, name);
    assertEquals(more.test(said[0]), true, `${name}: ${said[0]}`);
  }
  assertEquals((await saidOf({ "a.png": GOOD, "b.png": withChunk("tEXt") })).length, 1);
  const files = { "my-images.npy": npy, "my-labels.npy": bytesToNpy([1, 1], Uint8Array.of(3)) };
  assertEquals(await saidOf(files), []);
  const labels = bytesToNpy([1, 1], Uint8Array.of(3));
  labels.set(new TextEncoder().encode("x"), labels.length - 4);
  assertEquals((await saidOf({ "my-images.npy": npy, "my-labels.npy": labels })).length, 1, "labels beside the file");
});

Deno.test("filesWithMore: links, files that were changed after they were read, and labels below the folder", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, "images", name), path = join(folder, "images");
    await Deno.mkdir(path);
    await Deno.writeFile(at("a.png"), GOOD);
    await Deno.writeFile(join(folder, "b.png"), HIDDEN);
    await Deno.symlink(join(folder, "b.png"), at("b.png"));
    const read = await readImageSet(path), found = await filesWithMore(path, read);
    assertEquals(found, [{ path: at("b.png"), more: "a link" }]);
    assertStringIncludes(moreText(found), "b.png holds a link, and may show training images. Write PNG");
    await Deno.writeFile(at("a.png"), HIDDEN);
    assertEquals((await filesWithMore(path, read))[0].more, "other content than when it was assessed");
    const labels = join(path, "labels"), sha256 = "";
    await Deno.writeFile(labels, writeIdx([2], Uint8Array.of(1, 2)));
    const [, , changed] = await filesWithMore(path, { ...read, files: [...read.files, { path: labels, sha256 }] });
    assertEquals(changed, { path: labels, more: "other content than when it was assessed" });
  });
});

Deno.test("gateObjections: images of classes that were not assessed", async () => {
  await withFolder(async (folder) => {
    for (const name of ["3", "4"]) {
      await Deno.mkdir(join(folder, name));
      await Deno.writeFile(join(folder, name, "a.png"), GOOD);
    }
    const set = await readImageSet(folder), data = { train: set };
    const request = { path: folder, set, data } as unknown as Parameters<typeof gateObjections>[0];
    assertEquals(await gateObjections({ ...request, classes: [3, 4] }, set), []);
    assertEquals(await gateObjections({ ...request, classes: [undefined] }, set), []);
    const [said] = await gateObjections({ ...request, classes: [3] }, set);
    assertStringIncludes(said, "1 image in");
    // Copies at another size would be compared with nothing; some pixels of padding are no other size.
    const { height, width } = set.images, paddedFrom = { height: 2 * height, width };
    const sides = [[2 * height, 2 * width], [height / 2, width / 2], [height * 9 / 8, width * 9 / 8]];
    const saidOf = (more: object) =>
      gateObjections({ ...request, data: { ...data, ...more }, classes: [3, 4] } as unknown as typeof request, set);
    const found = await Promise.all(sides.map(([height, width]) => saidOf({ train: { images: { height, width } } })));
    assertEquals(found.map(({ length }) => length), [1, 1, 0]);
    assertStringIncludes(found[0][0], "copies at another size are not found");
    assertEquals((await saidOf({ paddedFrom })).length, 1);
  });
});

/** An array of images with a shape of another spelling. */
function withShape(npy: Uint8Array, shape: string): Uint8Array {
  const length = npy.length - AREA, header = new TextDecoder("latin1").decode(npy.subarray(10, length));
  const changed = header.replace(/\(.*\)/, shape).trimEnd().padEnd(header.length - 1) + "\n";
  return joined(npy.subarray(0, 10), new TextEncoder().encode(changed), npy.subarray(length));
}

/** Blocks of deflate without content, as many as can hold anything beside it. */
function emptyBlocks(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => Uint8Array.of(0, 0, 0, 255, 255));
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
}
