import { assert, assertAlmostEquals, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { recordText, withDigest } from "../../../../hosts/deno/folders/folder_record.ts";
import { fingerprintOf } from "../../../../pipelines/page/page_pack.ts";
import { paceText } from "../../../../hosts/deno/runs/synthesize.ts";
import { DOWNLOADS } from "../../../../hosts/deno/data/downloads.ts";
import {
  assertSentence,
  blobs,
  blobsIdx,
  inSessions,
  openSession,
  readResult,
  smallData,
  synthesized as synthesizedIn,
  taskWords,
  withFolder,
} from "../cli.ts";

const cli = inSessions("synth", "pack");
const session = openSession("synth");
const synthesized = (out: string, words: readonly string[]) => synthesizedIn(out, words, { session });
const THREES = ["--profile", "digits", "--class", "3"];

function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return crypto.subtle.digest("SHA-256", bytes).then((sum) => new Uint8Array(sum).toHex());
}

Deno.test("synth: the built-in digits, with --json", async () => {
  await withFolder(async (folder) => {
    const out = join(folder, "deep/threes");
    const { code, stdout, stderr } = await cli(["synth", ...THREES, "--count", "4", "--out", out, "--json"]);
    assertEquals(code, 0, stderr);
    assertEquals(stdout, await Deno.readTextFile(join(out, "run.json")), "exactly run.json");
    const [data, end, ...more] = stderr.trimEnd().split("\n");
    assertEquals(data, "Data: 4000 + 400 digits drawn by rule in MNIST's place");
    assertMatch(end, /^4 images in \d+\.\d s \(\d+\.\d (a second|s each)\): .*\/deep\/threes\/sheet\.png$/);
    assertEquals(more, []);

    const { run, labels, pixels } = await readResult(out);
    assertEquals(labels, [3, 3, 3, 3]);
    assert(new Set(pixels).size > 50, "more than noise or nothing");
    assertEquals([run.seed, run.from, run.wanted, run.profile.name, run.profile.size], [1, "test", 4, "digits", 32]);
    assertEquals(run.prior, { name: "local-nn", neighbours: 1000, hubPenalty: 1.6, bonus: 0 });
    assertEquals(run.contexts, [{ name: "square", extent: 1, weight: 0.5 }]);
    assertEquals(run.data.origin, data.slice("Data: ".length));
    assertEquals(run.data.files.length, 4);
    for (const { sha256 } of run.data.files) assertMatch(sha256, /^[0-9a-f]{64}$/);
    assert(run.milliseconds.load >= 0 && run.milliseconds.synthesis > 0);

    const { width, channels, data: sheet } = decode(await Deno.readFile(join(out, "sheet.png")));
    assertEquals(channels, 3);
    const colours = new Set<string>();
    for (let i = 0; i < sheet.length; i += 3) colours.add(sheet.slice(i, i + 3).join());
    for (const frame of ["36,160,72", "40,90,220", "214,48,49"]) assert(colours.has(frame), `no ${frame} in ${width}`);
  });
});

Deno.test("synth: what run.json says of an image is so", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), train = blobs(24, 32);
    const words = ["--profile", "digits", "--data", data, "--class", "2", "--count", "3"];
    const { run, pixels } = await synthesized(join(folder, "out"), words);
    const distance = (a: Uint8Array, b: Uint8Array) =>
      Math.sqrt(a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0)) / 255;
    const twos = Array.from({ length: 12 }, (_, i) => 2 * i + 1);
    const of = (i: number) => train.subarray(i * 1024, (i + 1) * 1024);
    for (const [i, image] of run.images.entries()) {
      const to = twos.map((two) => distance(pixels.subarray(i * 1024, (i + 1) * 1024), of(two)));
      assertEquals(image.nearest.image, twos[to.indexOf(Math.min(...to))]);
      assertEquals(image.nearest.distance.toFixed(6), Math.min(...to).toFixed(6));
      const others = twos.filter((two) => two !== image.nearest.image).map((two) =>
        distance(of(image.nearest.image), of(two))
      );
      assertEquals(image.trainingDistance.toFixed(6), Math.min(...others).toFixed(6));
      assertEquals(image.originality, image.nearest.distance / image.trainingDistance);
      const shares = image.contributors.map(({ share }: { share: number }) => share);
      assert(shares.length > 0 && shares.every((share: number) => share > 0 && share <= 1));
      assertEquals(shares, shares.toSorted((a: number, b: number) => b - a));
      for (const { image: from } of image.contributors) assert(twos.includes(from), `${from} is no two`);
    }
    const root = new URL("../../../../", import.meta.url);
    const wasm = await sha256(
      await Deno.readFile(new URL(`assembly/kernels${run.runtime.threads > 1 ? ".shared" : ""}.wasm`, root)),
    );
    assertEquals(run.kernels.sha256, wasm);
    for (const { path, sha256: sum } of run.data.files) assertEquals(sum, await sha256(await Deno.readFile(path)));
  });
});

Deno.test("synth: the same bytes whatever --count and --threads, the classes in turn; another --seed, other images", async () => {
  await withFolder(async (folder) => {
    const out = join(folder, "out"), digits = ["--profile", "digits"];
    const all = await synthesized(out, [...digits, "--count", "23", "--threads", "1"]);
    assertEquals(all.labels, Array.from({ length: 23 }, (_, i) => i % 10));
    assertEquals(all.seedImages, Array.from({ length: 23 }, (_, i) => i), "the built-in test images are in turn too");
    for (const [count, threads] of [[23, 3], [5, 2], [1, 1]]) {
      const some = await synthesized(out, [...digits, "--count", `${count}`, "--threads", `${threads}`]);
      assertEquals(some.pixels, all.pixels.slice(0, count * 1024), `${count} images on ${threads} threads`);
      assertEquals(some.run.images, all.run.images.slice(0, count));
    }
    const other = await synthesized(out, [...digits, "--count", "5", "--seed", "9007199254740991"]);
    assertEquals(other.seedImages, [0, 1, 2, 3, 4]);
    for (let i = 0; i < 5; i++) {
      assertNotEquals(other.pixels.slice(i * 1024, (i + 1) * 1024), all.pixels.slice(i * 1024, (i + 1) * 1024));
    }
  });
});

Deno.test("paceText: images a second, or the seconds of each where they take longer", () => {
  assertEquals([6.25, 1, 0.04].map(paceText), ["6.3 a second", "1.0 a second", "25.0 s each"]);
});

Deno.test("synth: --class N, --class all and data without classes", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), out = join(folder, "out");
    const digits = ["--profile", "digits", "--data", data];
    const turns = await synthesized(out, [...digits, "--count", "6"]);
    assertEquals([turns.labels, turns.seedImages], [[1, 2, 1, 2, 1, 2], [0, 1, 2, 3, 0, 1]], "around again");
    for (const list of ["1-2", "2,1", "1,1-2"]) {
      const listed = await synthesized(out, [...digits, "--class", list, "--count", "6"]);
      assertEquals([listed.pixels, listed.labels], [turns.pixels, turns.labels], list);
    }
    const twos = await synthesized(out, [...digits, "--class", "2", "--count", "5"]);
    assertEquals([twos.labels, twos.seedImages], [[2, 2, 2, 2, 2], [1, 3, 1, 3, 1]]);
    assertNotEquals(twos.pixels.slice(0, 1024), twos.pixels.slice(2048, 3072), "the same seed image, another draw");
    const together = await synthesized(out, [...digits, "--class", "all", "--count", "5"]);
    assertEquals([together.labels, together.seedImages], [undefined, [0, 1, 2, 3, 0]]);
    await Deno.remove(join(data, "train-labels-idx1-ubyte"));
    await Deno.remove(join(data, "t10k-labels-idx1-ubyte"));
    assertEquals((await synthesized(out, [...digits, "--count", "5"])).pixels, together.pixels);
    await Deno.writeFile(join(folder, "one.idx"), blobsIdx(24, 16));
    const one = await synthesized(out, ["--profile", "digits", "--data", join(folder, "one.idx"), "--count", "2"]);
    assertEquals(one.seedImages, [0, 1], "smaller images, every tenth of which was held out");
  });
});

Deno.test("synth: --from test, model and files", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), out = join(folder, "out"), file = join(folder, "seeds");
    const digits = ["--profile", "digits", "--data", data];
    const from = async (source: string | Uint8Array, ...words: string[]) => {
      if (typeof source !== "string") await Deno.writeFile(file, source);
      return await synthesized(out, [...digits, "--from", typeof source === "string" ? source : file, ...words]);
    };
    const png = (first: number, side: number) =>
      encode({ width: side, height: side, channels: 1, data: blobs(1, side, first) });

    const test = await from("test", "--count", "4");
    assertEquals(test.pixels, (await synthesized(out, [...digits, "--count", "4"])).pixels, "the default");
    // A file of the test images, in their order, is as good as they are; so is one PNG for the image that it seeds.
    const idx = await from(blobsIdx(4, 32, 100), "--count", "4");
    assertEquals([idx.pixels, idx.seedImages, idx.run.from], [test.pixels, [0, 1, 2, 3], file]);
    assertEquals((await from(png(100, 32), "--count", "1")).pixels, test.pixels.slice(0, 1024));
    const one = await from(png(101, 32), "--count", "2");
    assertEquals([one.pixels.slice(1024), one.seedImages], [test.pixels.slice(1024, 2048), [0, 0]]);

    await Deno.mkdir(join(folder, "pngs"));
    for (const i of [0, 1, 2, 3]) await Deno.writeFile(join(folder, `pngs/${i}.png`), png(100 + i, 32));
    const pngs = await from(join(folder, "pngs"), "--count", "4");
    assertEquals([pngs.pixels, pngs.seedImages], [test.pixels, [0, 1, 2, 3]], "a folder of the test images, too");

    const tiny = await from(blobsIdx(3, 4), "--count", "4");
    assertEquals(tiny.seedImages, [0, 1, 2, 0]);
    assertEquals((await from(png(0, 4), "--count", "1")).pixels, tiny.pixels.slice(0, 1024), "seeds as they are");
    const black = await from(writeIdx([1, 4, 4], new Uint8Array(16)), "--count", "1", "--set", "prior.neighbours=1");
    const white = await from(
      writeIdx([1, 4, 4], new Uint8Array(16).fill(255)),
      "--count",
      "1",
      "--set",
      "prior.neighbours=1",
    );
    const sum = (pixels: Uint8Array) => pixels.reduce((sum, value) => sum + value, 0);
    assert(
      sum(black.pixels) < sum(white.pixels) * 0.8,
      `dark seeds, dark images: ${sum(black.pixels)}, ${sum(white.pixels)}`,
    );

    const model = await from("model", "--count", "4"), fewer = await from("model", "--count", "2", "--threads", "1");
    assertEquals(model.seedImages, [undefined, undefined, undefined, undefined]);
    assertEquals(fewer.pixels, model.pixels.slice(0, 2048));
    const ones = await from("model", "--count", "3", "--class", "1");
    assertEquals(ones.pixels.slice(2048), model.pixels.slice(2048, 3072), "image 2 is a one in both");
    // With one neighbour there is nothing to draw but the seed image.
    const only = ["--count", "2", "--set", "prior.neighbours=1", "--seed"];
    assertNotEquals((await from("model", ...only, "1")).pixels, (await from("model", ...only, "2")).pixels);
    assertNotEquals(model.pixels, test.pixels);
  });
});

Deno.test("synth: data from PATCHLOOM_DATA, a profile from a file, the folder out/NAME", async () => {
  await withFolder(async (folder) => {
    await smallData(join(folder, "data/mnist"));
    const { run } = JSON.parse(JSON.stringify(await synthesized(join(folder, "plain"), [...THREES, "--count", "1"])));
    await Deno.writeTextFile(join(folder, "mine.json"), JSON.stringify({ ...run.profile, name: "mine" }));
    const words = [
      "synth",
      "--profile",
      "mine.json",
      "--set",
      "prior.neighbours=7",
      "--context",
      "none",
      "--count",
      "2",
    ];
    const { code, stderr } = await cli(words, { cwd: folder, env: { PATCHLOOM_DATA: "data" } });
    assertEquals([code, stderr.split("\n")[0]], [0, "Data: MNIST, 24 + 4 images from data/mnist"]);
    const result = await readResult(join(folder, "out/mine"));
    assertEquals([result.run.prior.neighbours, result.run.contexts, result.run.profile.contexts], [7, [], []]);
  });
});

const real = Deno.env.get("PATCHLOOM_DATA");
Deno.test({
  name: "synth: the threes of MNIST (ignored where PATCHLOOM_DATA is not set)",
  ignore: !real,
  async fn() {
    await withFolder(async (folder) => {
      const words = [...THREES, "--count", "8"], env = { PATCHLOOM_DATA: real! };
      const { run } = await synthesizedIn(join(folder, "out"), words, { env });
      assertMatch(run.data.origin, /^MNIST, 60000 \+ 10000 images from /);
      for (const { number, originality } of run.images) assert(originality > 0.5, `${number}: ${originality}`);
    });
  },
});

Deno.test("tasks: synth may read, write, see five variables and run itself; data may use the net too; that is enough", async () => {
  const least = ["run", "--quiet", "--no-prompt", "--allow-read", "--allow-write"];
  least.push("--allow-env=PATCHLOOM_DATA,HOME,XDG_CACHE_HOME,LOCALAPPDATA");
  // It runs itself again in a process of its own if there are plugins, and gives this up before anything else; with an engine it
  // starts the client, as `worker` does.
  // A worker signs the addresses of private packs with the keys that programs for object stores have in common.
  const aws = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION", "ENDPOINT_URL"].map((name) =>
    `AWS_${name}`
  );
  for (const [task, more] of [["synth", []], ["worker", aws]] as const) {
    const running = least.toSpliced(3, 0, "--allow-run")
      .map((word) => word.replace("DATA,", "DATA,PATCHLOOM_ENGINE,").replace("APPDATA", ["APPDATA", ...more].join()));
    assertEquals(taskWords(task), [...running, "hosts/deno/main.ts", task]);
  }
  const mirrors = DOWNLOADS.mnist.mirrors.map((mirror) => new URL(mirror).host);
  assertEquals(taskWords("data"), [...least, `--allow-net=${mirrors}`, "hosts/deno/main.ts", "data"]);
  await withFolder(async (folder) => {
    // The data folder is found through the environment: HOME where there is no XDG_CACHE_HOME.
    const env = { XDG_CACHE_HOME: "", HOME: folder };
    await smallData(join(folder, ".cache/patchloom/mnist"));
    const ran = await cli(["synth", ...THREES.with(-1, "2"), "--count", "1", "--out", join(folder, "out")], { env });
    assertEquals([ran.code, ran.stderr.split(" images")[0]], [0, "Data: MNIST, 24 + 4"]);
    const list = await cli(["data", "list", "--json"], { env });
    assertEquals([list.code, JSON.parse(list.stdout)[0].train], [0, 24]);

    await using server = Deno.serve({ port: 0, onListen: () => {} }, () => new Response(null, { status: 404 }));
    const from = ["data", "pull", "mnist", "--from", `http://127.0.0.1:${server.addr.port}/`];
    const refused = `may not connect to 127.0.0.1:${server.addr.port}: run deno with --allow-net=127.0.0.1`;
    assertSentence(await cli(from, { env }), 1, "Cannot fetch t10k-labels-idx1-ubyte.gz", refused);
    const pulled = await cli(from, { env, more: ["--allow-net=127.0.0.1"], without: "--allow-net" });
    assertSentence(pulled, 1, "Cannot fetch t10k-labels-idx1-ubyte.gz", "answered 404");
  });
});

Deno.test("synth: contexts that contradict each other are wrong usage", async () => {
  for (
    const [contexts, sentence] of [
      ["none square", "Cannot use --context none with others: expected it alone, got none, square"],
      ["square square", "each context once"],
    ]
  ) {
    const flags = contexts.split(" ").flatMap((name) => ["--context", name]);
    assertSentence(await cli(["synth", "--profile", "digits", ...flags]), 2, sentence);
  }
});

Deno.test("synth: --min-originality draws images again, the same on any number of threads; run.json says how many", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes"));
    const words = ["--profile", "digits", "--data", data, "--class", "2", "--count", "6"];
    const plain = await synthesized(join(folder, "plain"), words);
    const values = plain.run.images.map(({ originality }: { originality: number }) => originality) as number[];
    const least = values.toSorted((a, b) => a - b)[3];
    const [one, two] = await Promise.all([1, 2].map((threads) => {
      const more = ["--min-originality", String(least), "--threads", String(threads)];
      return synthesized(join(folder, `on${threads}`), [...words, ...more]);
    }));
    assertEquals([one.pixels, one.run.images], [two.pixels, two.run.images]);
    const { minOriginality, redrawn, unmet } = one.run;
    const missed = one.run.images.filter(({ originality }: { originality: number }) => originality < least).length;
    assertEquals([minOriginality, redrawn, unmet, plain.run.redrawn], [least, 3, missed, undefined]);
    one.run.images.forEach(({ originality, tries }: { originality: number; tries: number }, i: number) => {
      assert(originality >= values[i] && tries > 1 === values[i] < least, `image ${i}`);
    });
    for (const wrong of ["-1", "much", "Infinity"]) {
      const { code, stderr } = await cli(["synth", ...words, `--min-originality=${wrong}`]);
      assertEquals(
        [code, stderr.includes(`Cannot use --min-originality ${wrong}: expected a number from 0 to 10`)],
        [2, true],
        stderr,
      );
    }
    const { code, stderr } = await cli(["synth", "--profile", "texture", "--min-originality", "1"]);
    assertEquals([code, stderr.includes("expected a profile of aligned images")], [2, true], stderr);
  });
});

Deno.test("synth: --max-structure draws images again, of layers and from noise; run.json has structure and share", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes"));
    for (const from of ["test", "noise"]) {
      const words = ["--profile", "digits", "--data", data, "--class", "2", "--count", "4", "--from", from];
      const plain = await synthesized(join(folder, `plain-${from}`), words);
      const values: number[] = plain.run.images.map((image: { structure: { correlation: number } }) => {
        return image.structure.correlation;
      });
      assertAlmostEquals(plain.run.structure.mean, values.reduce((a, b) => a + b, 0) / 4);
      assertEquals(plain.run.structure.greatest, Math.max(...values));
      const shares: number[] = plain.run.images.map(({ contributors }: { contributors: { share: number }[] }) => {
        return contributors[0].share;
      });
      assertEquals(plain.run.share.greatest, Math.max(...shares));
      assertEquals(plain.run.structure.comparedWith.length, 1);
      const most = values.toSorted()[1] + 1e-6;
      const limited = await synthesized(join(folder, from), [...words, "--max-structure", String(most)]);
      assertEquals(limited.run.maxStructure, most, from);
      limited.run.images.forEach(
        ({ structure, tries }: { structure: { correlation: number }; tries: number }, i: number) => {
          assert(structure.correlation <= Math.max(most, values[i]) && tries > 1 === values[i] > most, `${from} ${i}`);
        },
      );
    }
    for (const wrong of ["-1", "1.1", "much"]) {
      const { code, stderr } = await cli(["synth", "--profile", "digits", `--max-structure=${wrong}`]);
      assertEquals(code, 2);
      assert(stderr.includes(`Cannot use --max-structure ${wrong}: expected a number from 0 to 1`), stderr);
    }
    const { code, stderr } = await cli(["synth", "--profile", "texture", "--max-structure", "0.5"]);
    assertEquals([code, stderr.includes("expected a profile of aligned images")], [2, true], stderr);
  });
});

Deno.test("synth --run makes the images of a run again byte for byte, or says what differs", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), out = join(folder, "out"), again = join(folder, "again");
    const changes = [
      "--set",
      "prior.neighbours=7",
      "--context",
      "none",
      "--class",
      "2",
      "--seed",
      "5",
      "--from",
      "model",
    ];
    await synthesized(out, ["--profile", "digits", "--data", data, ...changes, "--count", "3", "--threads", "2"]);
    const words = ["synth", "--run", out, "--out", again, "--threads", "1"], ran = await cli(words);
    assertEquals([ran.code, ran.stderr.trimEnd().split("\n").at(-1)], [
      0,
      "All 3 images are byte-identical to those of the run",
    ], ran.stderr);
    const [first, second] = [await readResult(out), await readResult(again)];
    assertEquals([second.pixels, second.run.images, second.run.request], [
      first.pixels,
      first.run.images,
      first.run.request,
    ]);

    // What differs, in one sentence.
    const wrong = await cli([...words, "--seed", "6"]);
    assertSentence(wrong, 2, "Cannot use --seed with --run");
    const record = join(out, "run.json"), text = await Deno.readTextFile(record);
    const quiet = ["synth", "--run", record, "--out", again, "--quiet"];
    await Deno.writeTextFile(record, text.replace(/"seed": 5/, '"seed": 6'));
    assertSentence(await cli(quiet), 1, "run.json: it was changed since it was written");
    const seed6 = JSON.parse(text.replaceAll(/"seed": 5/g, '"seed": 6'));
    await Deno.writeTextFile(record, recordText(await withDigest(seed6)));
    assertSentence(await cli(quiet), 1, "3 of 3 images differ from those of the run, such as images/0000.png");
    await Deno.writeTextFile(record, text.replace(/"state": "complete"/, '"state": "running"'));
    assertSentence(await cli(quiet), 1, "expected a complete or stopped run");
    await Deno.writeTextFile(record, text);
    await Deno.writeFile(join(data, "train-images-idx3-ubyte"), blobsIdx(24, 32, 1));
    assertSentence(await cli(quiet), 1, "Cannot repeat the run: its data differs", "train-images-idx3-ubyte");
    assertSentence(
      await cli([...quiet.with(2, join(folder, "none"))]),
      1,
      "Cannot read --run",
      "there is no such file",
    );
  });
});

Deno.test("synth --run takes an address of the page: the bytes are those of the flags that it stands for", async () => {
  await withFolder(async (folder) => {
    const path = (name: string) => join(folder, name), data = await smallData(path("shapes")), pack = path("p.loom");
    assertEquals((await cli(["pack", "--profile", "digits", "--data", data, "--out", pack])).code, 0);
    const seed = Uint8Array.from({ length: 16 }, (_, i) => 16 * i), from = path("seed.idx3-ubyte");
    await Deno.writeFile(from, writeIdx([1, 4, 4], seed));
    const flags = ["--class", "2", "--seed", "9", "--set", "prior.neighbours=3", "--from", from, "--count", "4"];
    const { pixels } = await synthesized(path("flags"), ["--profile", pack, ...flags]);

    const drawn = seed.toBase64({ alphabet: "base64url", omitPadding: true });
    const choices = `class=2&seed=9&drawn=${drawn}&set=prior.neighbours%3D3&tile=2`;
    const named = `pack=${fingerprintOf(await Deno.readFile(pack))}`, out = path("out");
    const run = (address: string) => cli(["synth", "--run", address, "--data", pack, "--out", out]);
    const { code, stderr } = await run(`https://a.example/page/#${named}&${choices}`);
    assertEquals([code, stderr], [
      0,
      `The picture of the address made again: ${out}/images/0002.png, one of 4\n`,
    ]);
    for (let i = 0; i < 4; i++) {
      const picture = decode(await Deno.readFile(join(out, `images/000${i}.png`)));
      assertEquals(new Uint8Array(picture.data), pixels.slice(1024 * i, 1024 * (i + 1)));
    }

    for (
      const [address, code, sentence] of [
        ["#", 2, "expected the page's choices after #"],
        [`#${named}&seed=x`, 2, "Cannot use seed=x of the link"],
        [`#${named}&class=7`, 2, "This pack has no class 7"],
        [`#${named}&prior=absent`, 2, "absent"],
        [`#pack=01234567-89&class=2`, 1, "its pack is 01234567-89, got "],
      ] as const
    ) assertSentence(await run(address), code, "Cannot repeat the ", sentence);
  });
});

Deno.test("synth: --size fits the layers to the size and says what became of the training images; results have the size", async () => {
  await withFolder(async (folder) => {
    const words = ["synth", ...THREES, "--data", "built-in", "--count", "1", "--out"];
    const half = await cli([...words, join(folder, "half"), "--size", "16", "--json"]);
    const run = JSON.parse(half.stdout);
    assertEquals([run.profile.size, run.profile.layers.length], [[16, 16], 2]);
    assert(half.stderr.includes("(scaled from 28x28 to 16x16 pixels)"), half.stderr);
    const other = await cli([...words, join(folder, "other"), "--size", "30x29", "--json"]);
    assertEquals(JSON.parse(other.stdout).profile.size, [32, 32]);
    const { width, height } = decode(await Deno.readFile(join(folder, "other/images/0000.png")));
    assertEquals([width, height], [30, 29]);
    const bad = await cli([...words, join(folder, "bad"), "--size", "40x20"]);
    assertSentence(bad, 1, "Cannot use images of 28x28 pixels for images of 40x20", "data import FOLDER --size 40x20");
  });
});

Deno.test("synth: windows of images from noise are chosen for other images than the profile's, as far as they are not set", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "shapes")), out = join(folder, "out");
    const words = ["synth", "--profile", "digits", "--from", "noise", "--class", "1", "--count", "2", "--out", out];
    const recordOf = async (...more: string[]) => {
      const { code, stderr } = await cli([...words, "--threads", "1", ...more]);
      assertEquals(code, 0, stderr);
      return { said: stderr, ...JSON.parse(await Deno.readTextFile(join(out, "run.json"))) };
    };
    const { noise: [choice], profile, said } = await recordOf("--data", data);
    assertEquals(profile.noise, { layer: 0 });
    assertEquals([choice.class, choice.windows.length, choice.search.leftOut], [1, 20, 12]);
    assertMatch(
      said,
      /^Windows: of class 1, a radius of up to \d+ % of the side was chosen, in windows of up to \d+ pixels\. \d+ of 32 trial images came nearer/m,
    );
    const { noise: [set] } = await recordOf("--data", data, "--set", "noise.minOriginality=0.25");
    assertEquals([set.minOriginality, set.search.originality, set.windows.length], [0.25, 0.25, 20]);
    // The images are those of the request that the run recorded.
    const before = await readResult(out), again = join(folder, "again");
    assertEquals((await cli(["synth", "--run", out, "--out", again, "--threads", "1"])).code, 0);
    assertEquals((await readResult(again)).pixels, before.pixels);
  });
});
