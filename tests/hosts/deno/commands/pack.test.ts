import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { encode } from "fast-png";
import { loadKernels } from "../../../../core/kernels.ts";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { finish } from "../../../../core/steps.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import { readPack, writePack } from "../../../../datasets/formats/pack.ts";
import { infoText, packInfo } from "../../../../hosts/deno/packs/pack_text.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { compiled } from "../../../kernels_under_test.ts";
import {
  assertSentence,
  assertSentences,
  blobs,
  files,
  inSessions,
  openSession,
  smallData,
  synthesized as synthesizedIn,
  withFolder,
} from "../cli.ts";

const cli = inSessions("pack", "unpack", "assess");
const packs = openSession("pack"), syntheses = openSession("synth");
const synthesized = (out: string, words: readonly string[]) => synthesizedIn(out, words, { session: syntheses });

/** Runs `pack`, which must succeed without a word; the bytes that it wrote. */
async function packed(out: string, words: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const line = ["pack", "--profile", "digits", "--out", out, "--quiet", ...words];
  const ran = await cli(line, { session: packs });
  assertEquals(ran, { code: 0, stdout: "", stderr: "" });
  return await Deno.readFile(out);
}

Deno.test("pack: synth gives the same bytes from the data, from the pack of it, and so does a loom", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")),
      synthesizer = join(folder, "deep/all.loom"),
      out = join(folder, "out");
    const pack = readPack(await packed(synthesizer, ["--data", data]));
    assertEquals(pack.origin, "shapes: 24 of 24 training images");
    const open = openSynthesizer(loadKernels(compiled("kernels.wasm")), pack, builtins);
    for (const flags of [[], ["--class", "2"], ["--class", "all", "--seed", "5"]]) {
      const words = ["--count", "6", "--set", "prior.neighbours=5", ...flags];
      const plain = await synthesized(out, ["--profile", "digits", "--data", data, ...words]);
      for (const given of [["--profile", "digits", "--data", synthesizer], ["--profile", synthesizer]]) {
        const { run, ...rest } = await synthesized(out, [...given, ...words]), { run: plainRun, ...plainRest } = plain;
        assertEquals(rest, plainRest);
        assertEquals(run.images, plainRun.images);
        assertMatch(run.data.origin, /^shapes: 24 of 24 training images, and 4 seed images, from .*all\.loom$/);
      }
      const steps = open.synthesize({
        class: flags[1] === undefined ? undefined : flags[1] === "all" ? "all" : Number(flags[1]),
        seed: Number(flags[3] ?? 1),
        images: [0, 1, 2, 3, 4, 5],
        set: ["prior.neighbours=5"],
      });
      let step = steps.next();
      while (!step.done) step = steps.next();
      step.value.images.forEach((image, i) => {
        assertEquals(image.pixels, plain.pixels.slice(i * 1024, (i + 1) * 1024), `image ${i} of ${flags}`);
        const { class: label, seedImage, nearest, contributors, correction } = plain.run.images[i];
        assertEquals([image.label, image.seedNumber, image.nearest!.image], [label, seedImage, nearest.image]);
        assertEquals([image.nearest!.distance, image.contributors, image.correction], [
          nearest.distance,
          contributors,
          correction,
        ]);
      });
    }
  });
});

Deno.test("pack: grey images are packed as pixel art, too", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes"));
    const bytes = await packed(join(folder, "art.loom"), ["--data", data, "--set", "pixelArt=true"]);
    const { train, seeds, transparent } = readPack(bytes);
    assertEquals([train.images.channels ?? 1, seeds?.channels ?? 1, transparent], [1, 1, undefined]);
  });
});

Deno.test("pack: of images of one's own, images from noise are those of the data: windows and limits are chosen by them", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), out = join(folder, "out"), path = join(folder, "own.loom");
    const { profile } = readPack(await packed(path, ["--data", data]));
    const names = ["windows", "minOriginality", "maxStructure"] as const;
    assertEquals(names.map((name) => profile.noise?.[name]), [undefined, undefined, undefined]);
    const words = ["--from", "noise", "--class", "1", "--count", "2"];
    const plain = await synthesized(out, ["--profile", "digits", "--data", data, ...words]);
    const again = await synthesized(out, ["--profile", path, ...words]);
    assertEquals([again.pixels, again.run.images], [plain.pixels, plain.run.images]);
    const open = openSynthesizer(loadKernels(compiled("kernels.wasm")), readPack(await Deno.readFile(path)), builtins);
    const { images } = finish(open.synthesize({ from: "noise", class: 1, seed: 1, images: [0, 1] }));
    assertEquals(images.flatMap(({ pixels }) => [...pixels]), [...plain.pixels]);

    // What is stated stays, and so do the profile's own entries with its own images.
    const stated = readPack(await packed(path, ["--data", data, "--set", "noise.minOriginality=0.3"])).profile.noise;
    assertEquals([stated?.minOriginality, stated?.windows], [0.3, undefined]);
    const own = readPack(await packed(path, ["--data", "built-in", "--images-per-class", "2"])).profile;
    assertEquals(own.noise, digits.noise);
  });
});

Deno.test("pack: the same bytes again; classes, sizes, settings; a pack of a pack", async () => {
  await withFolder(async (folder) => {
    const data = ["--data", await smallData(join(folder, "shapes"))], out = join(folder, "p.loom");
    const whole = await packed(out, data);
    assertEquals(await packed(out, data), whole);
    assertEquals(await packed(join(folder, "again.loom"), ["--data", out]), whole);
    const least = await packed(out, [...data, "--max-size", "16kB", "--class", "1-2", "--seed-images-per-class", "1"]);
    const { train, seeds, profile } = readPack(least);
    assert(least.length <= 16_000 && least.length > 13_800, `${least.length}`);
    assertEquals([new Set(train.labels), seeds.labels], [new Set([1, 2]), Uint8Array.of(1, 2)]);
    assertEquals(profile.prior, ["local-nn", { neighbours: 1000, hubPenalty: 1.6 }]);
    const ones = readPack(await packed(out, [...data, "--class", "1", "--images-per-class", "3", "--set", "patch=4"]));
    assertEquals([[...ones.train.labels!], ones.profile.patch], [[1, 1, 1], 4]);
    const few = [
      "--class",
      "1",
      "--images-per-class",
      "1",
      "--seed-images-per-class",
      "1",
      "--out",
      join(folder, "one.loom"),
    ];
    const one = await cli(["pack", "--profile", "digits", ...data, ...few]);
    assertMatch(one.stderr, /, 1 training image \(32x32\) of 1 class and 1 seed image \(4x4\)\n$/);
    const fewer = ["--data", out, "--images-per-class", "2"],
      again = readPack(await packed(join(folder, "again.loom"), fewer));
    assertEquals([again.train.images.count, again.origin], [
      2,
      "shapes: 3 of 24 training images: 2 of 3 training images",
    ]);
    // As in synth: layer 1 of the profile is the finest one that images of half the size have.
    const half = readPack(await packed(out, [...data, "--size", "16", "--set", "layers.1.window=3"])).profile;
    assertEquals([half.size, half.layers.map(({ window }) => window)], [[16, 16], [3, 0]]);
  });
});

Deno.test("unpack: tells what is in a pack, and writes it as data that packs to the same examples", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")),
      synthesizer = join(folder, "shapes.loom"),
      folders = join(folder, "png");
    const bytes = await packed(synthesizer, ["--data", data]), pack = readPack(bytes);
    for (const words of [["--info", synthesizer], [synthesizer, "--info"]]) {
      const { code, stdout, stderr } = await cli(["unpack", ...words]);
      assertEquals([code, stderr], [0, ""]);
      for (
        const text of ["24 of 32x32", "4 of 4x4", "1: 12 + 2, 2: 12 + 2", `(${bytes.length} bytes)`, "digits: hand"]
      ) {
        assert(stdout.includes(text), `${text} in ${stdout}`);
      }
    }
    const layered = { ...pack.profile, layers: pack.profile.layers.map((layer) => ({ ...layer, contexts: [] })) };
    const lines = infoText(packInfo({ ...pack, profile: layered }, 1), "a.loom");
    assertEquals(lines.filter((line) => /contexts, layer \d {2}\[\]$/.test(line)).length, layered.layers.length);
    const info = JSON.parse((await cli(["unpack", synthesizer, "--info", "--json"])).stdout);
    assertEquals([info.bytes, info.profile, info.train.count], [bytes.length, pack.profile, 24]);

    // The folder of the data is none that unpack wrote.
    const foreign = "shapes: train-images-idx3-ubyte (and 1 more) is there and was not written by Patchloom";
    assertSentence(await cli(["unpack", synthesizer]), 1, foreign, "--force");
    const idx = await cli(["unpack", synthesizer, "--force"]);
    assertEquals([idx.code, idx.stdout], [0, ""]);
    const written = ["profile.json", "run.json", "seeds/images.npy", "seeds/labels.idx1-ubyte"];
    written.push("train-images-idx3-ubyte", "train-labels-idx1-ubyte");
    assertEquals(
      await files(join(folder, "shapes")),
      [...written, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"].sort(),
    );
    for (const name of ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"]) {
      assertEquals(await Deno.readFile(join(folder, "shapes", name)), await Deno.readFile(join(data, name)));
    }
    const npy = await Deno.readFile(join(folder, "shapes/seeds/images.npy")),
      at = npy.length - 4 * pack.seeds.images.length;
    assertEquals(at % 64, 0);
    assertEquals(new Float32Array(npy.slice(at).buffer), pack.seeds.images);
    assertMatch(
      new TextDecoder("latin1").decode(npy.slice(6, at)),
      /\{'descr': '<f4', 'fortran_order': False, 'shape': \(4, 4, 4\), \} *\n$/s,
    );

    assertEquals((await cli(["unpack", synthesizer, "--png", "--out", folders, "--quiet"])).stderr, "");
    assertEquals((await files(folders)).filter((name) => name.endsWith(".png")).length, 24);
    await Deno.copyFile(synthesizer, join(folder, "B.LOOM"));
    assertEquals((await cli(["unpack", join(folder, "B.LOOM"), "--quiet"])).stderr, "");
    assertEquals(await files(join(folder, "B")), written);
    assertEquals((await files(join(folders, "train"))).slice(0, 2), ["1/00.png", "1/02.png"]);
    const profile = join(folders, "profile.json");
    const remade = join(folder, "again.loom");
    assertEquals((await cli(["pack", "--profile", profile, "--data", folders, "--out", remade, "--quiet"])).code, 0);
    const { train, profile: same } = readPack(await Deno.readFile(remade));
    assertEquals([train.images.count, same], [22, pack.profile], "every tenth of a class is held out again");
  });
});

Deno.test("unpack: a profile by which nothing can be made is refused with the sentence that it has elsewhere", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), path = join(folder, "wrong.loom"), out = join(folder, "out");
    const pack = readPack(await packed(join(folder, "own.loom"), ["--data", data])), { layers } = pack.profile;
    const wrong: [entries: object, sentence: string][] = [
      [{ layers: Array(40).fill(layers[0]) }, "size of the profile: expected a multiple of "],
      [{ layers: [{ ...layers[0], iterations: -1 }] }, "layers.0.iterations of the profile: expected "],
      [{ prior: ["local-nn", { neighbours: 0 }] }, 'Cannot set "neighbours" on prior "local-nn": expected '],
      [{ patch: 5 }, "Cannot use patch of the profile: expected an even number, got 5"],
    ];
    for (const [entries, sentence] of wrong) {
      await Deno.writeFile(
        path,
        writePack({ ...pack, profile: { ...pack.profile, ...entries } as typeof pack.profile }),
      );
      const synth = await cli(["synth", "--profile", path, "--count", "1", "--quiet", "--out", out], {
        session: syntheses,
      });
      assertSentence(synth, 2, sentence);
      const whole = `${path}: ${synth.stderr.trim()}`;
      for (const words of [[path, "--out", out], ["--info", path], ["--info", "--json", path]]) {
        const run = await cli(["unpack", ...words]);
        assertEquals([run.code, run.stdout, run.stderr.trim()], [2, "", whole]);
      }
    }
    await assertRejects(() => Deno.stat(out), Deno.errors.NotFound);

    // Only a command that loads the plugin can check a profile that names it.
    await Deno.writeFile(path, writePack({ ...pack, profile: { ...pack.profile, prior: "of-others" } }));
    assertEquals((await cli(["unpack", path, "--out", out, "--quiet"])).code, 0);
  });
});

Deno.test("pack, unpack: refuse wrong files and words in one sentence, and write nothing", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), at = (name: string) => join(folder, name);
    const whole = await packed(at("p.loom"), ["--data", data]);
    await Deno.writeFile(at("cut.loom"), whole.slice(0, 5000));
    await Deno.writeFile(at("flipped.loom"), whole.with(5000, whole[5000] ^ 4));
    await Deno.writeFile(at("plain"), whole);
    await Deno.writeFile(at("newer.loom"), whole.with(8, 9));
    await Deno.writeTextFile(at("alien.loom"), "This is no pack, whatever its name says.");
    await Deno.writeTextFile(at("empty.loom"), "");
    await Deno.mkdir(at("folder.loom"));
    await Deno.writeTextFile(at("own.json"), JSON.stringify({ plugins: ["./mine.ts"] }));
    const before = await files(folder),
      digits = ["pack", "--profile", "digits", "--data", data, "--out", at("no.loom")];
    const cases: [string[], number, ...string[]][] = [
      [
        ["pack"],
        2,
        "pack needs --profile: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, texture, sprites, digits-paper, faces-paper, a file.json or a pack.loom",
      ],
      [["pack", "--profile", "digit"], 2, 'There is no profile "digit"; nearest: "digits"'],
      [
        ["pack", "--profile", at("own.json"), "--out", at("no.loom")],
        2,
        "expected a profile of built-in plugins, as pack loads no others, got one that names ",
        "mine.ts",
      ],
      [["pack", "more", ...digits.slice(1)], 2, 'pack takes flags only, got "more"'],
      [[...digits, "--max-size", "4XB"], 2, "Cannot use --max-size 4XB: expected a size below 4 GiB, such as 4MB"],
      [[...digits, "--max-size", "-1"], 2, "Cannot use --max-size -1"],
      [[...digits, "--max-size", "NaN"], 2, "Cannot use --max-size NaN"],
      [[...digits, "--max-size", "1000000GB"], 2, "Cannot use --max-size 1000000GB"],
      [[...digits, "--max-size", "900"], 1, "Cannot make a pack of 900 bytes: expected at least "],
      [[...digits, "--class", "9-0"], 2, "Cannot use --class 9-0: expected integers from 0 to 255, such as 3, 0-9"],
      [[...digits, "--class", "1,,2"], 2, "Cannot use --class 1,,2"],
      [[...digits, "--class", "256"], 2, "Cannot use --class 256"],
      [[...digits, "--class", "1-3"], 1, "Cannot pack class 3, which has no training images: expected classes of 1, 2"],
      [
        [...digits, "--seed-images-per-class", "0"],
        2,
        "Cannot use --seed-images-per-class 0: expected an integer from 1",
      ],
      [[...digits, "--images-per-class", "some"], 2, "Cannot use --images-per-class some"],
      [[...digits, "--set", "patch=5"], 2, "Cannot use patch of the profile: expected an even number, got 5"],
      [
        [...digits, "--size", "40x16"],
        1,
        "Cannot use images of 32x32 pixels for images of 40x16: expected images larger or smaller than that in both directions",
      ],
      [[...digits.slice(0, -1), join(data, "train-images-idx3-ubyte", "no.loom")], 1, "Cannot write to --out "],
      [["unpack"], 2, "unpack needs a pack: unpack FILE.loom"],
      [["unpack", "a", "b"], 2, 'unpack takes one file, got also "b"'],
      [["unpack", at("p.loom"), "--json"], 2, "unpack takes --json with --info only"],
      [["unpack", at("none.loom")], 1, `Cannot read ${at("none.loom")}: `],
      [["unpack", at("folder.loom")], 1, `Cannot read ${at("folder.loom")}: `],
      [
        ["unpack", at("p.loom"), "--out", at("alien.loom"), "--quiet"],
        1,
        `Cannot write to --out ${at("alien.loom")}: `,
      ],
      [["unpack", at("plain")], 2, "unpack needs --out"],
      [["unpack", "--info", join(data, "train-images-idx3-ubyte")], 1, "train-images-idx3-ubyte is not a pack: "],
    ];
    const damaged: [string, string][] = [
      ["cut", `is cut off: expected ${whole.length} bytes, got 5000`],
      ["flipped", "is damaged: expected the checksum "],
      ["newer", "was made by a newer Patchloom: expected version 1, got 9"],
      ["alien", "is not a pack: expected it to begin with 89 4c 4f 4f 4d, got 54 68 69 73 20"],
      ["empty", "is not a pack: expected it to begin with 89 4c 4f 4f 4d, got no bytes"],
    ];
    for (const [name, sentence] of damaged) {
      const path = at(`${name}.loom`);
      cases.push([["unpack", "--info", path], 1, `${path} ${sentence}`], [["unpack", path], 1, `${path} ${sentence}`]);
      cases.push([["synth", "--profile", path, "--out", at("out")], 1, `${path} ${sentence}`]);
      if (name !== "alien" && name !== "empty") { // as data those two are no IDX files
        cases.push([["synth", "--profile", "digits", "--data", path, "--out", at("out")], 1, `${path} ${sentence}`]);
      }
    }
    const synthesizer = at("p.loom");
    cases.push([
      ["synth", "--profile", "faces-relit", "--data", synthesizer, "--out", at("out")],
      1,
      "expected 8x8, got 4x4",
    ]);
    cases.push([
      ["reproduce", "digits", "--data", synthesizer, "--out", at("out")],
      1,
      "expected test images, got a pack's seed images only",
    ]);
    cases.push([
      ["compare", "--profile", "digits", "--data", synthesizer, "--out", at("out")],
      1,
      "expected test images",
    ]);
    const assess = ["assess", "--profile", "digits", "--data", synthesizer, "--out", at("out"), "--quiet"];
    cases.push([
      [...assess, "--images", join(data, "t10k-images-idx3-ubyte"), "--labels", join(data, "none")],
      1,
      "none",
    ]);
    await assertSentences(cases.map(([words, code, ...texts]) => {
      const quiet = words.includes("--quiet") || words[0] === "unpack" || ["reproduce", "compare"].includes(words[0])
        ? []
        : ["--quiet"];
      return [[...words, ...quiet], code, ...texts];
    }));
    assertEquals((await files(folder)).filter((name) => !name.startsWith("out/")), before);
  });
});

Deno.test("assess: against a pack, without held-out images", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")),
      synthesizer = join(folder, "p.loom"),
      out = join(folder, "out");
    await packed(synthesizer, ["--data", data]);
    await synthesized(out, ["--profile", synthesizer, "--count", "4"]);
    const words = [
      "assess",
      "--profile",
      "digits",
      "--images",
      out,
      "--out",
      join(folder, "scores"),
      "--json",
      "--quiet",
    ];
    const [of, plain] = [await cli([...words, "--data", synthesizer]), await cli([...words, "--data", data])];
    assertEquals([of.code, of.stderr], [0, ""]);
    const scores = ({ stdout }: { stdout: string }) => {
      return JSON.parse(stdout).scores.map(({ metric, score }: { metric: string; score: number }) => [metric, score]);
    };
    assertEquals(scores(of), scores(plain));
    await Deno.remove(join(out, "labels.idx1-ubyte"));
    assertSentence(
      await cli([...words, "--data", synthesizer]),
      2,
      "which has no held-out images to check it on: expected --labels",
    );
  });
});

Deno.test("classes with names: kept in packs, in what unpack writes, in scores, and chosen by name", async () => {
  await withFolder(async (folder) => {
    const cwd = folder, paths = ["cats", "dogs"].map((name) => join(folder, "pets", name));
    for (const [c, path] of paths.entries()) {
      await Deno.mkdir(path, { recursive: true });
      for (let i = 0; i < 12; i++) {
        const data = blobs(1, 32, 12 * c + i);
        await Deno.writeFile(join(path, `${i}.png`), encode({ width: 32, height: 32, channels: 1, data }));
      }
    }
    const run = async (...words: string[]) => {
      const ran = await cli(words, { cwd });
      assertEquals(ran.code, 0, ran.stderr);
      return ran;
    };
    const profile = ["--profile", "digits"], small = ["--set", "prior.neighbours=auto", "--threads", "1"];
    await run("pack", ...profile, "--data", "pets", "--out", "pets.loom");
    assertStringIncludes((await run("unpack", "--info", "pets.loom")).stdout, "cats: 11 + 1, dogs: 11 + 1");
    await run("unpack", "pets.loom", "--out", "un");
    assertEquals(Array.from(Deno.readDirSync(join(folder, "un/train")), ({ name }) => name).sort(), ["cats", "dogs"]);
    await run("synth", "--profile", "pets.loom", "--class", "dogs", "--count", "2", "--out", "o", ...small);
    const { data, images } = JSON.parse(await Deno.readTextFile(join(folder, "o/run.json")));
    assertEquals([data.classes, images[0].class], [["cats", "dogs"], 1]);
    assertSentence(await cli(["synth", ...profile, "--data", "pets", "--class", "dgs"], { cwd }), 2, 'nearest: "dogs"');
    assertSentence(
      await cli(["pack", ...profile, "--data", "pets", "--class", "3"], { cwd }),
      2,
      'There is no class "3" (valid: cats, dogs)',
    );
    const scores = ["assess", ...profile, "--data", "pets", "--images", "pets", "--metric", "sharpness", "--out", "a"];
    assertStringIncludes((await run(...scores)).stdout, "sharpness by class: cats: ");
  });
});
