import { bmpOf } from "../data/picture_files.ts";
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { digitsPack } from "../../edge/digits_pack.ts";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { proceduralFaces } from "../../../../datasets/procedural/faces.ts";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { assertSentence, assertSentences, blobs, files, inSessions, smallData, withFolder } from "../cli.ts";

const REAL = Deno.env.get("PATCHLOOM_DATA");

const cli = inSessions("restore");

/** Runs `restore --quiet`, which must succeed without a word but the table. Returns restore.json and the table. */
async function restored(out: string, words: readonly string[], env?: Readonly<Record<string, string>>) {
  const line = ["restore", "--profile", "digits", "--out", out, "--quiet", ...words];
  const { code, stdout, stderr } = await cli(line, { env });
  assertEquals([code, stderr], [0, ""]);
  return { table: stdout, json: JSON.parse(await Deno.readTextFile(join(out, "restore.json"))) };
}

async function pixelsOf(path: string): Promise<number[]> {
  const { width, height, channels, data } = decode(await Deno.readFile(path));
  assertEquals([channels, width], [1, height]);
  return [...data];
}

Deno.test("restore: super-resolution of the built-in digits, by 2 and by 4, beats bicubic by 2 dB", async () => {
  await withFolder(async (out) => {
    for (const factor of [2, 4]) {
      const words = ["--task", "superres", "--factor", `${factor}`, "--z-step", "mean", "--count", "10"];
      const { json, table } = await restored(out, words);
      assertEquals([json.task, json.factor, json.zStep, json.samples, json.seed], ["superres", factor, "mean", 1, 1]);
      assertEquals(json.profile.layers.length, Math.log2(factor));
      const [bicubic, own] = json.scores;
      assertEquals([bicubic.name, own.name], ["bicubic", "restored"]);
      assert(own.psnr > bicubic.psnr + 2 && own.ssim > bicubic.ssim, JSON.stringify(json.scores));
      assertMatch(table, /^ +PSNR +SSIM\nbicubic +\d+\.\d\d +0\.\d{3}\nrestored +\d+\.\d\d +0\.\d{3}\n$/);
      assertEquals((await pixelsOf(join(out, "degraded/0003.png"))).length, (32 / factor) ** 2);
    }
  });
});

Deno.test("restore: several samples, their mean and what they differ by; the pictures of an earlier run are removed", async () => {
  await withFolder(async (out) => {
    const { json } = await restored(out, ["--task", "inpaint", "--count", "2", "--samples", "3"]);
    const names = ["0000-1", "0000-2", "0000-3", "0000", "0001-1", "0001-2", "0001-3", "0001"].map((name) => {
      return `images/${name}.png`;
    });
    const all = [
      "degraded/0000.png",
      "degraded/0001.png",
      ...names,
      "restore.json",
      "run.json",
      "sheet.html",
      "sheet.png",
    ];
    assertEquals(await files(out), all.toSorted());
    const page = await Deno.readTextFile(join(out, "sheet.html"));
    for (const name of names) assertStringIncludes(page, `<a href="${name}">`);
    assertMatch(page, /restoration 2, \d+\.\d dB: <a href="images\/0000-2\.png">/);
    assertMatch(page, /mean, \d+\.\d dB: <a href="images\/0000\.png">/);
    assertMatch(page, /truth[\s\S]*restorations, each as plausible as the others[\s\S]*the mean of the restorations/);
    const [mean, ...samples] = await Promise.all(["0000", "0000-1", "0000-2", "0000-3"].map((name) => {
      return pixelsOf(join(out, `images/${name}.png`));
    }));
    mean.forEach((grey, p) => assertEquals(grey, Math.floor(samples.reduce((sum, one) => sum + one[p], 0) / 3 + 0.5)));
    assertNotEquals(samples[0], samples[1]);
    assert(json.restored[0].deviation > 0);
    const degraded = await pixelsOf(join(out, "degraded/0000.png"));
    for (let p = 0; p < 1024; p++) {
      const missing = p >= 512 && p % 32 >= 16;
      for (const sample of samples) if (!missing) assertEquals(sample[p], degraded[p], "known pixels stay unchanged");
      if (missing) assertEquals(degraded[p], 128);
    }
    const [fill, one, many] = json.scores;
    assertEquals([fill.name, one.name, many.name], ["mean-fill", "one sample", "mean of 3 samples"]);
    assert(many.psnr > fill.psnr);
    await restored(out, ["--task", "inpaint", "--count", "1", "--z-step", "map"]);
    assertEquals(await files(out), [
      "degraded/0000.png",
      "images/0000.png",
      "restore.json",
      "run.json",
      "sheet.html",
      "sheet.png",
    ]);
  });
});

Deno.test("restore: denoising beats the best blur", async () => {
  await withFolder(async (out) => {
    const { json } = await restored(out, ["--task", "denoise", "--noise", "0.2", "--count", "10", "--z-step", "mean"]);
    const [degraded, blur, own] = json.scores;
    assertEquals([json.noise, degraded.name, own.name], [0.2, "degraded", "restored"]);
    assertMatch(blur.name, /^blur-\d/);
    assert(own.psnr > blur.psnr + 1 && own.ssim > blur.ssim && blur.psnr > degraded.psnr, JSON.stringify(json.scores));
  });
});

Deno.test("restore: by a denoiser, the best estimate or samples; each beats its baseline", async () => {
  await withFolder(async (out) => {
    for (const task of ["superres", "inpaint", "denoise"]) {
      const { json } = await restored(out, ["--task", task, "--denoiser", "local-score", "--count", "10"]);
      const own = json.scores.at(-1), baseline = json.scores.at(-2);
      assertEquals([json.denoiser, json.samples, json.prior, own.name], ["local-score", 1, undefined, "restored"]);
      assert(own.psnr > baseline.psnr + 2, JSON.stringify(json.scores));
    }
    const { json } = await restored(out, [
      "--task",
      "inpaint",
      "--denoiser",
      "local-score",
      "--count",
      "4",
      "--samples",
      "3",
    ]);
    const [fill, one, many] = json.scores;
    assertEquals([one.name, many.name], ["one sample", "mean of 3 samples"]);
    assert(many.psnr > fill.psnr);
  });
});

/** A denoiser for which every image is the mean of the training images. */
const MEAN_IMAGE = `export default {
  api: 1, kind: "denoiser", name: "mean-image", about: "the mean of the training images", options: {},
  create: () => ({
    fit({ training: { at, count, channels, height, width }, kernels }) {
      const length = channels * height * width, bytes = kernels.u8(at, count * length), mean = new Float64Array(length);
      bytes.forEach((byte, i) => mean[i % length] += (2 * byte / 255 - 1) / count);
      return { denoise: ({ batch }, _, out) => out.images.set(Array.from({ length: batch * length }, (_, i) => mean[i % length])) };
    },
  }),
};
`;

Deno.test("restore: by a denoiser of one's own, with a sandbox and without; by a built-in one the same bytes on any threads", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), plugin = join(folder, "mean.ts");
    await Deno.writeTextFile(plugin, MEAN_IMAGE);
    const words = ["restore", "--profile", "digits", "--data", data, "--class", "all", "--quiet"];
    const run = async (name: string, ...more: string[]) => {
      const out = join(folder, name), ran = await cli([...words, ...more, "--out", out]);
      assertEquals([ran.code, ran.stderr], [0, ""]);
      const names = (await files(out)).filter((name) => /^images\/\d+(-\d+)?\.png$/.test(name));
      return await Promise.all(names.map((name) => pixelsOf(join(out, name))));
    };
    const own = ["--task", "denoise", "--noise", "0.1", "--plugin", plugin, "--denoiser", "mean-image"];
    const [first, ...others] = await run("own", ...own);
    assert(first.some((value) => value !== first[0]) && others.length > 2);
    for (const image of others) assertEquals(image, first);
    assertEquals(await run("confined", ...own, "--sandbox"), [first, ...others]);
    const drawn = ["--task", "superres", "--samples", "9", "--denoiser", "local-score", "--threads"];
    const one = await run("one", ...drawn, "1");
    assert(one.length > 32, "batches for two threads");
    assertEquals(await run("two", ...drawn, "2"), one);
  });
});

Deno.test("restore: the same bytes on any threads; a sample does not depend on how many there are", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), words = ["--data", data, "--samples"];
    for (const task of ["superres", "inpaint"]) {
      const run = async (name: string, ...more: string[]) => {
        await restored(join(folder, name), ["--task", task, ...words, ...more]);
        const names = (await files(join(folder, name))).filter((name) => /-\d\.png/.test(name));
        return Promise.all(names.map(async (name_) => [name_, await pixelsOf(join(folder, name, name_))] as const));
      };
      const one = await run("one", "3", "--threads", "1"), two = await run("two", "3", "--threads", "2");
      assertEquals([one.length, two], [12, one]);
      const fewer = await run("fewer", "2", "--count", "2");
      assertEquals(fewer, one.filter(([name]) => /000[01]-[12]/.test(name)));
      assertNotEquals(await run("other", "3", "--seed", "2"), one);
    }
  });
});

Deno.test("restore: --degraded takes degraded images unchanged, and knows no truth", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), more = ["--data", data, "--class", "all", "--samples", "1"];
    for (const task of ["superres", "inpaint", "denoise"]) {
      const clean = join(folder, "clean"), again = join(folder, "again");
      await restored(clean, ["--task", task, ...more]);
      const given = ["--degraded", join(clean, "degraded"), ...task === "inpaint" ? ["--mask", "quarter"] : []];
      const { json, table } = await restored(again, ["--task", task, ...given, ...more]);
      assertEquals([table, json.scores], ["4 images restored; the truth is not known\n", []]);
      for (const n of [0, 1, 2, 3]) {
        const [a, b] = await Promise.all([clean, again].map((out) => pixelsOf(join(out, `images/000${n}.png`))));
        const error = Math.sqrt(a.reduce((sum, grey, p) => sum + (grey - b[p]) ** 2, 0) / 1024);
        assert(error < 12, `${task}: ${error} grey levels apart, where only rounding and cutting off differ`);
      }
    }
  });
});

Deno.test("restore: a mask from a file, images of one class, images without classes", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), mask = join(folder, "mask.bmp"), out = join(folder, "out");
    const white = Uint8Array.from({ length: 1024 }, (_, p) => p % 32 < 9 ? 255 : 0);
    const rowOf = (y: number) => Array.from(white.subarray(32 * y, 32 * (y + 1)), (v) => [v, v, v] as const);
    await Deno.writeFile(mask, bmpOf(Array.from({ length: 32 }, (_, y) => rowOf(y))));
    const own = await restored(out, [
      "--task",
      "inpaint",
      "--mask",
      mask,
      "--data",
      data,
      "--class",
      "2",
      "--samples",
      "1",
    ]);
    assertEquals(own.json.restored.map(({ image }: { image: number }) => image), [1, 3]);
    assertEquals([own.json.classes, own.json.mask], [[2], mask]);
    const degraded = await pixelsOf(join(out, "degraded/0000.png")), clean = blobs(4, 32, 100).subarray(1024, 2048);
    degraded.forEach((grey, p) => assertEquals(grey, p % 32 < 9 ? 128 : clean[p]));
    await Deno.writeFile(join(folder, "some.idx"), writeIdx([3, 28, 28], blobs(3, 28)));
    const some = ["--images", join(folder, "some.idx"), "--data", data, "--samples", "1", "--task", "superres"];
    const plain = await restored(out, some), one = await restored(out, [...some, "--class", "1"]);
    assertEquals([plain.json.classes, one.json.classes], [["all"], [1]]);
    const pngPath = join(folder, "one.png"), first = blobs(3, 28).subarray(0, 784);
    await Deno.writeFile(pngPath, encode({ width: 28, height: 28, channels: 1, data: first }));
    const single = await restored(out, some.with(1, pngPath));
    assertEquals(single.json.restored, plain.json.restored.slice(0, 1), "one PNG is one image");
    assertEquals(plain.json.restored.length, 3);
    const left = Uint8Array.from({ length: 784 }, (_, p) => p % 28 < 9 ? 255 : 0);
    await Deno.writeFile(mask, encode({ width: 28, height: 28, channels: 1, data: left }));
    await restored(out, [...some.slice(0, -1), "inpaint", "--mask", mask]);
    const padded = await pixelsOf(join(out, "degraded/0000.png"));
    padded.forEach((grey, p) => {
      const y = (p >> 5) - 2, x = p % 32 - 2, inside = Math.min(y, x, 27 - y, 27 - x) >= 0;
      assertEquals(grey, !inside ? 0 : x < 9 ? 128 : first[y * 28 + x], "a mask lies where the image does");
    });
  });
});

Deno.test("restore: wrong usage in one sentence", async () => {
  const wrong: [words: string, ...texts: string[]][] = [
    ["restore", "restore needs --task", "superres, inpaint, denoise"],
    ["restore --task superes --profile digits", 'no task "superes"', "superres"],
    ["restore --task superres", "restore needs --profile", "digits"],
    ["restore --task superres --profile digits --factor 3", "Cannot use --factor 3: expected 2 or 4 or 8", "3 layers"],
    ["restore --task superres --profile digits --factor 16", "--factor", "16"],
    [
      "restore --task superres --profile digits --noise 0.1",
      "Cannot use --noise: expected --task denoise, got --task superres",
    ],
    ["restore --task inpaint --profile digits --mask third", "Cannot use --mask third: expected quarter, half, center"],
    ["restore --task denoise --profile digits --noise 0", "Cannot use --noise 0: expected a number above 0"],
    ["restore --task denoise --profile digits --noise NaN", "--noise", "NaN"],
    ["restore --task denoise --profile digits --noise 2", "Cannot use --noise 2:"],
    ["restore --task inpaint --profile digits --samples 0", "--samples", "0"],
    [
      "restore --task inpaint --profile digits --z-step mean --samples 4",
      "Cannot use --samples 4 with --z-step mean: expected 1",
      "all would be the same",
    ],
    ["restore --task inpaint --profile digits --z-step median", "sample or map or mean"],
    ["restore --task inpaint --profile digits --denoiser locl-score", "locl-score", "local-score"],
    [
      "restore --task denoise --profile digits --denoiser wiener --samples 2",
      "Cannot use --samples 2 with --task denoise --denoiser: expected 1",
    ],
    ["restore --task inpaint --profile digits --denoiser wiener --prior gmm", "Cannot use --denoiser with --prior"],
    ["restore --task inpaint --profile digits --images a --degraded b", "--images", "--degraded", "not both"],
    ["restore --task denoise --profile digits --labels a", "restore takes --labels with --images or --degraded"],
    ["restore --task inpaint --profile digits --degraded b", "restore --task inpaint --degraded needs --mask FILE"],
    ["restore --task inpaint --profile digits --set prior.neighbors=3", 'no option "neighbors"'],
    [
      "restore --task inpaint --profile digits --faces --degraded a.png --mask b.png",
      "Cannot use --faces with the profile digits: expected one of faces",
    ],
    [
      "restore --task superres --profile faces --faces --degraded a.png",
      "restore --faces needs --task inpaint, --degraded",
    ],
    ["restore --task inpaint --profile texture", "of aligned images; holes in textures are filled by deno task fill"],
    ["restore --task inpaint --profile digits more", "flags only", '"more"'],
    [
      "restore --task inpaint --profile digits --class 77",
      "Cannot use --class 77: mnist has no images of that class (classes: 0, 1, 2,",
    ],
  ];
  await assertSentences(wrong.map(([words, ...texts]) => [words.split(" "), 2, ...texts]));
});

Deno.test("restore: bad files in one sentence, and nothing is written", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")),
      out = join(folder, "out"),
      path = (name: string) => join(folder, name);
    const grey = (side: number, value: number) => {
      return encode({ width: side, height: side, channels: 1, data: new Uint8Array(side * side).fill(value) });
    };
    const write = (name: string, bytes: Uint8Array) => Deno.writeFile(path(name), bytes);
    await write("black.png", grey(32, 0));
    await write("white.png", grey(32, 255));
    await write("large.png", grey(33, 255));
    await write("dot.png", grey(1, 255));
    const framed = Uint8Array.from({ length: 1024 }, (_, p) => Math.min(p >> 5, p % 32, 31 - (p >> 5), 31 - p % 32));
    await write(
      "framed.png",
      encode({ width: 32, height: 32, channels: 1, data: framed.map((at) => at < 2 ? 0 : 255) }),
    );
    await write("small.idx", writeIdx([1, 28, 28], blobs(1, 28)));
    await write("cut.png", grey(32, 0).subarray(0, 40));
    await write("large.idx", writeIdx([1, 40, 40], new Uint8Array(1600)));
    await write("short.idx", writeIdx([9, 28, 28], new Uint8Array(9 * 784)).subarray(0, 99));
    await write("none.idx", writeIdx([0, 28, 28], new Uint8Array()));
    const inpaint = ["--task", "inpaint", "--mask"], superres = ["--task", "superres"];
    const bad: [words: string[], ...texts: string[]][] = [
      [[...inpaint, path("black.png")], "black.png: expected it to hide some of the images' 1024 pixels, got 0 hidden"],
      [
        [...inpaint, path("white.png")],
        "white.png: expected it to hide some of the images' 1024 pixels, got 1024 hidden",
      ],
      [
        [...inpaint, path("framed.png"), "--images", path("small.idx")],
        "to hide some of the images' 784 pixels, got 784 hidden",
      ],
      [[...inpaint, path("large.png")], "large.png: expected 32x32 pixels, got 33x33"],
      [[...inpaint, path("dot.png"), "--images", path("small.idx")], "expected 32x32 or 28x28 pixels, got 1x1"],
      [[...inpaint, path("cut.png")], "cut.png"],
      [[...inpaint, path("missing.png")], "Cannot read the mask", "missing.png"],
      [[...superres, "--images", path("large.idx")], "large.idx", "40x40", "32x32"],
      [[...superres, "--images", path("short.idx")], "short.idx"],
      [[...superres, "--images", path("none.idx")], "none.idx"],
      [[...superres, "--images", path("missing")], "missing"],
      [[...superres, "--degraded", path("black.png")], "black.png"],
      [
        [...superres, "--degraded", path("shapes/t10k-images-idx3-ubyte")],
        "32x32",
        "expected grey images of up to 16x16",
      ],
    ];
    const common = ["restore", "--profile", "digits", "--data", data, "--out", out, "--quiet"];
    await assertSentences(bad.map(([words, ...texts]) => [[...common, ...words], 1, ...texts]));
    assertEquals(await Deno.stat(out).catch(() => "nothing"), "nothing");
    await write("digits.loom", digitsPack(5));
    for (const source of [["--profile", path("digits.loom")], ["--profile", "digits", "--data", path("digits.loom")]]) {
      const ran = await cli(["restore", ...source, "--out", out, "--quiet", ...superres]);
      assertSentence(ran, 1, "Cannot restore test images of ", "digits.loom", "expected --images or --degraded");
    }
    await Deno.writeTextFile(out, "a file");
    const ran = await cli(["restore", "--profile", "digits", "--data", data, "--out", out, "--quiet", ...superres]);
    assertSentence(ran, 1, "Cannot write to --out");
  });
});

Deno.test("restore --faces: fills a whole photograph of any size, and leaves all else as it is", async () => {
  await withFolder(async (folder) => {
    const path = (name: string) => join(folder, name), side = 128, area = side * side, width = 240, height = 200;
    const { pixels } = proceduralFaces("train", 24, 1), [face] = [proceduralFaces("test", 1, 1).pixels];
    await Deno.mkdir(path("data"));
    await Deno.writeFile(
      path("data/train-images-idx3-ubyte"),
      writeIdx([24, side, side], pixels.subarray(0, 24 * area)),
    );
    const at = (p: number) => ({ x: p % width, y: Math.floor(p / width) });
    const truth = Uint8Array.from({ length: width * height }, (_, p) => {
      const x = at(p).x - 70, y = at(p).y - 40;
      return x >= 0 && y >= 0 && x < side && y < side ? face[y * side + x] : 128;
    });
    const hole = truth.map((_, p) => Math.hypot(at(p).x - 112, at(p).y - 112) < 9 ? 255 : 0);
    const write = (name: string, data: Uint8Array, size = { width, height }) => {
      return Deno.writeFile(path(name), encode({ ...size, channels: 1, data }));
    };
    await write("old.png", truth.map((value, p) => hole[p] || value));
    await write("hole.png", hole);
    await write("small.png", new Uint8Array(area), { width: side, height: side });
    await write("flat.png", new Uint8Array(width * height).fill(90));
    const words = [
      "restore",
      "--profile",
      "faces",
      "--data",
      path("data"),
      "--out",
      path("out"),
      "--task",
      "inpaint",
      "--faces",
    ];
    const photograph = ["--degraded", path("old.png"), "--mask"];
    const ran = await cli([...words, "--samples", "2", ...photograph, path("hole.png")]);
    assertEquals(ran.code, 0, ran.stderr);
    assertMatch(ran.stderr, /photograph\.png/);
    for (const name of ["photograph.png", "photograph-1.png", "photograph-2.png"]) {
      const filled = decode(await Deno.readFile(path(`out/${name}`)));
      assertEquals([filled.width, filled.height, filled.channels], [width, height, 1]);
      let error = 0, missing = 0;
      truth.forEach((value, p) => {
        const distance = Math.hypot(at(p).x - 112, at(p).y - 112);
        if (distance > 12) assertEquals(filled.data[p], value, `${name}: ${p}`);
        if (hole[p] === 0) return;
        error += (filled.data[p] - value) ** 2;
        missing++;
      });
      // Of a cheek below an eye; white is at less than 10.
      assert(10 * Math.log10(255 ** 2 * missing / error) > 18, `${name}: ${Math.sqrt(error / missing)}`);
    }
    const page = await Deno.readTextFile(path("out/sheet.html"));
    assertStringIncludes(page, "Put back into the photograph: photograph.png, photograph-1.png, photograph-2.png.");
    assert(!page.includes("the truth<"), "it is not known");
    const none = [
      "restore",
      "--profile",
      "faces",
      "--data",
      path("data"),
      "--out",
      path("none"),
      "--quiet",
      "--task",
      "inpaint",
    ];
    await assertSentences([
      [
        [...none, "--faces", "--degraded", path("flat.png"), "--mask", path("hole.png")],
        1,
        "flat.png",
        "no face found",
      ],
      [
        [...none, "--faces", ...photograph, path("small.png")],
        1,
        "small.png",
        "expected 240x200 pixels",
        "got 128x128",
      ],
      [[...none, "--faces", ...photograph, "half"], 2, "restore --faces needs --task inpaint, --degraded"],
      [[...none, "--faces", "--images", path("old.png")], 2, "restore --faces needs --task inpaint, --degraded"],
      [
        [...none, "--size", "64", "--degraded", path("small.png"), "--mask", path("small.png")],
        1,
        "add --size 128x128",
      ],
      [[...none, "--size", "64", ...photograph, path("hole.png")], 1, "got 240x200; with --faces"],
    ]);
    assertEquals(await Deno.stat(path("none")).catch(() => "nothing"), "nothing");
  });
});

if (!REAL) console.log("Not run: restore on MNIST, because PATCHLOOM_DATA does not say where it is");
Deno.test({
  name: "restore: MNIST from 16x16 beats bicubic by more than 2 dB in mean mode, with the class and without (MNIST)",
  ignore: !REAL,
  fn: () =>
    withFolder(async (out) => {
      for (const more of [["--count", "40"], ["--class", "all", "--count", "20"]]) {
        const words = ["--task", "superres", "--z-step", "mean", ...more];
        const { json } = await restored(out, words, { PATCHLOOM_DATA: REAL! });
        const [bicubic, own] = json.scores;
        assert(own.psnr > bicubic.psnr + 2, JSON.stringify(json.scores));
      }
    }),
});
