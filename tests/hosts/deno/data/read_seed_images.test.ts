import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { encode } from "fast-png";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { readSeedImages } from "../../../../hosts/deno/data/read_seed_images.ts";
import { blobs, blobsIdx, withFolder } from "../cli.ts";
import { squareOf } from "../../../../core/shape.ts";

const SIZES = [32, 16, 8, 4].map(squareOf);

/** Reads bytes as a file of seed images. */
function read(bytes: Uint8Array, name = "seeds", padded?: boolean) {
  return withFolder(async (folder) => {
    const path = join(folder, name);
    await Deno.writeFile(path, bytes);
    return (await readSeedImages(path, SIZES, {}, padded)).images;
  });
}

function png(width: number, height = width, grey = 0): Uint8Array {
  return encode({ width, height, channels: 1, data: new Uint8Array(width * height).fill(grey) });
}

Deno.test("readSeedImages: IDX, gzip and PNG, known by their bytes, of the seed's size or up to the profile's", async () => {
  for (const side of [4, 5, 28, 32]) {
    const pixels = blobs(3, side), idx = writeIdx([3, side, side], pixels);
    const images = { count: 3, height: side, width: side, pixels };
    assertEquals(await read(idx, "seeds.png"), images);
    const zipped = new Response(new Blob([idx]).stream().pipeThrough(new CompressionStream("gzip")));
    assertEquals(await read(await zipped.bytes()), images);
    const one = { count: 1, height: side, width: side, pixels: new Uint8Array(side * side) };
    assertEquals(await read(png(side), "seeds.idx"), one);
  }
  assertEquals((await read(png(20, 2))).width, 20, "will be padded");
  const white = await read(png(20, 20, 255));
  assertEquals([white.width, Math.min(...white.pixels)], [32, 255], "is padded with the colour of its border");
});

Deno.test("readSeedImages: where nothing is padded, of the seed's size, or of the result's but for less than a seed's pixel", async () => {
  for (const [width, height] of [[4, 4], [32, 32], [25, 32]]) {
    assertEquals((await read(png(width, height), "seed.png", false)).width, width);
  }
  for (const [width, height] of [[5, 4], [24, 32], [32, 8], [33, 32]]) {
    const wanted = `expected 4x4, or 32x32 to be downscaled, got ${width}x${height}`;
    await assertRejects(() => read(png(width, height), "seed.png", false), Error, wanted);
  }
});

Deno.test("readSeedImages: what cannot be seed images is named", async () => {
  const wrong = (bytes: Uint8Array, sentence: string) => assertRejects(() => read(bytes), Error, sentence);
  for (const [width, height] of [[3, 3], [4, 3], [33, 33], [32, 33]]) {
    const wanted = `expected 4x4, or up to 32x32 to be downscaled, got ${width}x${height}`;
    await wrong(png(width, height), wanted);
    await wrong(writeIdx([2, height, width], new Uint8Array(2 * width * height)), wanted);
  }
  await wrong(new TextEncoder().encode("seeds"), "holds no images: expected PNG");
  await wrong(new Uint8Array(0), "holds no images: expected PNG");
  await wrong(blobsIdx(2, 8).slice(0, -1), "is cut off");
  await wrong(png(8).slice(0, 40), "is a damaged PNG");
  await wrong(writeIdx([3], Uint8Array.of(1, 2, 3)), "holds no images");
  const cannot = "Cannot read --from";
  await assertRejects(
    () => readSeedImages("no/such.png", SIZES),
    Error,
    `${cannot} no/such.png: there is no such file`,
  );
  await withFolder(async (folder) => {
    await assertRejects(() => readSeedImages(folder, SIZES), Error, `${folder} holds no images: looked for pictures`);
    await Deno.writeFile(join(folder, "a.png"), png(8));
    await Deno.writeFile(join(folder, "b.png"), png(9));
    await assertRejects(() => readSeedImages(folder, SIZES), Error, "b.png is 9x9 pixels: expected 8x8");
  });
});

Deno.test("readSeedImages: a folder of PNGs, of classes, and the test split where there is one", async () => {
  await withFolder(async (folder) => {
    const put = async (name: string, value: number) => {
      await Deno.mkdir(join(folder, name, ".."), { recursive: true });
      const data = new Uint8Array(16).fill(value);
      await Deno.writeFile(join(folder, name), encode({ width: 4, height: 4, channels: 1, data }));
    };
    const found = async (name: string, channels: 1 | 3 = 1) => {
      const { images, labels } = await readSeedImages(join(folder, name), SIZES, { channels });
      assertEquals(images.pixels.length, images.count * channels * 16);
      return [Array.from({ length: images.count }, (_, i) => images.pixels[i * channels * 16]), labels && [...labels]];
    };
    await put("plain/b.png", 2);
    await put("plain/a.png", 1);
    assertEquals(await found("plain"), [[1, 2], undefined]);
    assertEquals(await found("plain", 3), [[1, 2], undefined]);
    await put("classes/7/a.png", 3);
    await put("classes/0/a.png", 4);
    assertEquals(await found("classes"), [[4, 3], [0, 7]]);
    await put("split/train/a.png", 5);
    await put("split/test/a.png", 6);
    assertEquals(await found("split"), [[6], undefined]);
  });
});
