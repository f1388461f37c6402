/** `synth --profile sprites`: palettes, transparency, sizes, copies. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { readPack } from "../../../../datasets/formats/pack.ts";
import { proceduralSprites } from "../../../../datasets/procedural/sprites.ts";
import { inSessions, openSession, withFolder } from "../cli.ts";

const cli = inSessions("synth", "pack", "unpack", "assess");
const session = openSession("synth");

const KEY = [255, 0, 255] as const, AREA = 24 * 24;

/** Runs `synth --profile sprites`; `run.json` and the pictures in RGBA. */
async function synthesized(folder: string, words: readonly string[]) {
  const out = join(folder, "out"),
    ran = await cli(["synth", "--profile", "sprites", "--out", out, "--quiet", ...words], { session });
  assertEquals(ran, { code: 0, stdout: "", stderr: "" });
  const run = JSON.parse(await Deno.readTextFile(join(out, "run.json")));
  const pictures = await Promise.all(run.images.map(async ({ file }: { file: string }) => {
    const { width, height, channels, data } = decode(await Deno.readFile(join(out, file)));
    assertEquals(channels, 4);
    return { width, height, data: Uint8Array.from(data) };
  }));
  return { run, pictures: pictures as { width: number; height: number; data: Uint8Array }[] };
}

const colourOf = (data: Uint8Array, p: number) => data[4 * p + 3] === 0 ? "clear" : data.slice(4 * p, 4 * p + 4).join();

Deno.test("synth sprites: 100 of the 60 built-in ones: their colours only, transparent grounds, no copies", async () => {
  await withFolder(async (folder) => {
    const { pixels } = proceduralSprites("train", 60, KEY),
      { run, pictures } = await synthesized(folder, ["--count", "100"]);
    const rgb = (i: number, p: number) => [0, 1, 2].map((c) => pixels[(3 * i + c) * AREA + p]);
    const palette = new Set(Array.from({ length: 60 * AREA }, (_, n) => {
      const colour = rgb(Math.floor(n / AREA), n % AREA);
      return colour.join() === KEY.join() ? "clear" : `${colour.join()},255`;
    }));
    assertEquals([run.data.origin, run.data.transparent], ["60 + 12 creatures drawn by rule", [...KEY]]);
    let fewColours = 0;
    for (const { width, height, data } of pictures) {
      assertEquals([width, height], [24, 24]);
      const colours = Array.from({ length: AREA }, (_, p) => colourOf(data, p));
      for (const colour of colours) assert(palette.has(colour), `${colour} is of no sprite`);
      const clear = colours.filter((colour) => colour === "clear").length;
      assert(clear > 0.2 * AREA && clear < 0.9 * AREA, `${clear} transparent pixels`);
      if (new Set(colours).size <= 8) fewColours++;
      const own = (p: number, c: number) => colours[p] === "clear" ? KEY[c] : data[4 * p + c];
      const distances = Array.from({ length: 60 }, (_, i) => {
        let sum = 0;
        for (let p = 0; p < AREA; p++) {
          for (let c = 0; c < 3; c++) sum += (own(p, c) - pixels[(3 * i + c) * AREA + p]) ** 2;
        }
        return Math.sqrt(sum);
      }).sort((a, b) => a - b);
      assert(distances[0] / distances[1] >= 1 / 3, `${distances[0]} of ${distances[1]}: nearly a copy`);
    }
    assert(fewColours > 50, `${fewColours} of 100 have the colours of one or two sprites`);
  });
});

/** Writes 20 sprites as RGBA pictures of a size, cut out of the middle of built-in ones, with shadows that shine through a little. */
async function pictures(folder: string, width: number, height: number): Promise<string> {
  const { pixels } = proceduralSprites("train", 20, KEY), data = join(folder, "mine");
  await Deno.mkdir(data);
  for (let i = 0; i < 20; i++) {
    const rgba = new Uint8Array(4 * width * height);
    for (let p = 0; p < width * height; p++) {
      const from = (Math.floor(p / width) + (24 - height >> 1)) * 24 + p % width + (24 - width >> 1);
      const colour = [0, 1, 2].map((c) => pixels[(3 * i + c) * AREA + from]);
      const alpha = colour.join() === KEY.join() ? (p % 7 === 0 ? 60 : 0) : p % 5 === 0 ? 200 : 255;
      rgba.set([...alpha < 100 ? [9, 9, 9] : colour, alpha], 4 * p);
    }
    await Deno.writeFile(join(data, `${i}.png`), encode({ width, height, channels: 4, data: rgba }));
  }
  return data;
}

Deno.test("synth sprites: one's own pictures of any size; pixels are opaque or not; mirror images; the least originality", async () => {
  await withFolder(async (folder) => {
    const data = await pictures(folder, 18, 20), words = ["--data", data, "--count", "6"];
    const { run, pictures: made } = await synthesized(folder, words);
    assertEquals([run.profile.size, made[0].width, made[0].height], [[24, 24], 18, 20]);
    assertEquals(run.images[0].originality >= 0.3, true);
    const assess = ["assess", "--profile", "sprites", "--data", data, "--images", join(folder, "out"), "--quiet"];
    const scored = await cli([...assess, "--metric", "originality", "--out", join(folder, "scores")]);
    assertEquals([scored.code, scored.stderr], [0, ""]);
    for (const { data } of made) {
      for (let p = 3; p < data.length; p += 4) assert(data[p] === 0 || data[p] === 255);
      for (let p = 0; 4 * p < data.length; p++) {
        assert(colourOf(data, p) !== "9,9,9,255", "what hardly shines through is transparent");
      }
    }
    const mirrored = await synthesized(folder, [
      ...words,
      "--mirror",
      "--min-originality",
      "0.9",
      "--background",
      "#00ff00",
    ]);
    const named = mirrored.run.images.flatMap((image: { contributors: { image: number }[] }) => {
      return image.contributors.map(({ image }) => image);
    });
    assert(named.some((image: number) => image >= 18), "mirror images are numbered after the 18 training images");
    assertEquals([mirrored.run.request.mirror, mirrored.run.minOriginality], [true, 0.9]);
    assertEquals(mirrored.run.data.transparent, [0, 255, 0]);
    const larger = await synthesized(folder, [...words, "--size", "20"]);
    assertEquals([larger.run.profile.size, larger.pictures[0].width, larger.pictures[0].height], [[24, 24], 20, 20]);
  });
});

Deno.test("synth --help: tells of sprites", async () => {
  assertStringIncludes((await cli(["synth", "--help"])).stdout, "sprites");
});

Deno.test("pack sprites: the pack keeps transparent pixels, and synth and unpack read them again", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "sprites.loom"), images = join(folder, "images");
    const data = await pictures(folder, 20, 17), larger = join(folder, "larger.loom");
    const packing = (...words: string[]) => cli(["pack", "--profile", "sprites", "--data", data, ...words]);
    const packed = await packing("--out", pack);
    assertEquals(packed.code, 0, packed.stderr);
    const { transparent, profile, train } = readPack(await Deno.readFile(pack));
    assertEquals([transparent, profile.size, train.images.width], [[...KEY], [24, 24], 24]);
    assertEquals((await packing("--size", "40x32", "--out", larger)).code, 0);
    const { height, width } = readPack(await Deno.readFile(larger)).train.images;
    assertEquals([width, height], [40, 32]);
    const made = await synthesized(folder, ["--data", pack, "--count", "4"]);
    assertEquals(made.run.data.transparent, [...KEY]);
    for (const { width, data } of made.pictures) assertEquals([width, colourOf(data, 0)], [24, "clear"]);
    assertEquals((await cli(["unpack", pack, "--out", images, "--quiet"])).code, 0);
    const { channels, data: pixels } = decode(await Deno.readFile(join(images, "train/00.png")));
    assertEquals([channels, pixels[3]], [4, 0]);
  });
});
