import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { plan } from "../../../../core/plan.ts";
import { squareOf } from "../../../../core/shape.ts";
import type { DataSet } from "../../../../datasets/data_set.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { BUILTIN_PLUGINS } from "../../../../hosts/deno/plugins/plugins.ts";
import { readImageSet } from "../../../../hosts/deno/data/read_image_set.ts";
import { openResults, type RunCircumstances } from "../../../../hosts/deno/runs/synthesis_results.ts";
import type { SynthesisRun } from "../../../../pipelines/synthesis/run_record.ts";
import { builtins } from "../../../../plugins/mod.ts";
import {
  assertSentence,
  assertSentences,
  blobs,
  blobsIdx,
  cli,
  files,
  readResult,
  smallData,
  synthesized,
  withFolder,
  type Wrong,
} from "../cli.ts";

const HOW = { threads: 1, load: 1, recorded: {} };

/** A run of `count` images that are the blobs from 50 on, without classes. */
function runOf(count: number): SynthesisRun {
  const images = { count: 3, height: 30, width: 30, pixels: blobs(3, 30) };
  const data: DataSet = { name: "blobs", origin: "3 blobs", train: { images }, test: { images }, files: [] };
  return {
    plugins: BUILTIN_PLUGINS,
    input: {
      plan: plan(digits, builtins),
      size: squareOf(32),
      seed: 5,
      data,
      classes: [undefined],
      count,
      seedSource: "model",
    },
    from: "model",
    groups: [{ images: Array.from({ length: count }, (_, i) => i) }],
    done: Array.from({ length: count }, (_, number) => ({
      number,
      group: 0,
      pixels: blobs(1, 32, 50 + number),
      nearest: { image: 2, distance: 4, trainingDistance: number === 0 ? Infinity : 2, other: 0 },
      contributors: [{ image: 1, share: 0.75 }, { image: -1, share: 0.25 }],
      correction: 0,
    })),
    noise: [],
    times: { fit: 0, synthesis: 2 },
    kernelsSha256: "0123",
  };
}

async function write(folder: string, count: number, recorded: RunCircumstances["recorded"] = {}): Promise<object> {
  const run = runOf(count);
  await using results = await openResults(folder, run.input);
  await results.images(run.done, squareOf(32));
  return await results.finish(run, { ...HOW, recorded });
}

/** The contents of all files below a folder. */
async function contents(folder: string): Promise<[name: string, bytes: Uint8Array][]> {
  return await Promise.all((await files(folder)).map(async (name) => [name, await Deno.readFile(join(folder, name))]));
}

Deno.test("openResults: what it writes, and no more than JSON can say", async () => {
  await withFolder(async (folder) => {
    const summary = await write(folder, 2), { run, pixels } = await readResult(folder);
    assertEquals(run, JSON.parse(JSON.stringify(summary)));
    assertEquals(pixels, blobs(2, 32, 50));
    const [first, second] = run.images;
    assertEquals([first.trainingDistance, first.originality], [null, 0], "one training image has no nearest other");
    assertEquals([second.trainingDistance, second.originality], [2, 2]);
    assertEquals(second.contributors, [{ image: 1, share: 0.75 }, { image: null, share: 0.25 }]);
  });
});

Deno.test("openResults: the sheet shows what the run was asked for", async () => {
  await withFolder(async (folder) => {
    const sheetOf = async (sheet: "new" | "atlas") => {
      await write(folder, 2, { sheet });
      return decode(await Deno.readFile(join(folder, "sheet.png")));
    };
    const { width, height, channels, data } = await sheetOf("atlas"), row = 20;
    assertEquals([width, height, channels], [64, 32, 1]);
    const second = blobs(1, 32, 51).subarray(row * 32, (row + 1) * 32);
    assertEquals([...data.slice(row * 64 + 32, (row + 1) * 64)], [...second]);
    const enlarged = await sheetOf("new");
    assertEquals([enlarged.width, enlarged.height], [8 + 2 * 200, 8 + 200]);
  });
});

Deno.test("openResults: a sheet of hundreds shows the first hundred", async () => {
  await withFolder(async (folder) => {
    await write(join(folder, "many"), 130);
    await write(join(folder, "hundred"), 100);
    const sheet = async (name: string) => decode(await Deno.readFile(join(folder, name, "sheet.png")));
    assertEquals(await sheet("many"), await sheet("hundred"));
    assertEquals((await readResult(join(folder, "many"))).count, 130);
  });
});

Deno.test("openResults: what cannot be written leaves no file half written, and a folder that no reader takes for a whole one", async () => {
  await withFolder(async (folder) => {
    const run = runOf(1);
    {
      await using results = await openResults(folder, run.input);
      await results.images(run.done.slice(0, 1), squareOf(32));
      await Deno.mkdir(join(folder, "sheet.png"));
      await assertRejects(() => results.finish(run, HOW), Error, `Cannot write to --out ${folder}: `);
    }
    assertEquals(await files(folder), [".patchloom/sums", "images/0000.png", "run.json"]);
    await assertRejects(() => readImageSet(folder), Error, "its run was killed or has not ended yet");
    await Deno.remove(join(folder, "sheet.png"));
    await write(folder, 1);
    assertEquals((await readResult(folder)).count, 1);
  });
});

/** Words, and what the sentence about them must hold. Paths are in the folder that the test below fills. */
const WRONG: readonly (readonly [words: string, ...texts: string[]])[] = [
  ["--data missing", "There is no file or folder missing"],
  ["--data https://example.org/x.zip", "expected a path, got an address; download it first"],
  ["--data cut.idx", "cut.idx is cut off", "expected 640 bytes", "got 639"],
  ["--data long.idx", "long.idx is too long", "expected 640 bytes", "got 641"],
  ["--data lying.idx", "lying.idx: expected at most 4194304 images", "got 16711690"],
  ["--data text.idx", "text.idx holds no images: expected PNG"],
  ["--data none.idx", "none.idx is empty"],
  ["--data large/0.png", "expected a folder of pictures", "got one picture", "--profile texture"],
  ["--data text", "text/0.png is no picture"],
  ["--data mixed", "mixed/1.png is 9x8 pixels", "expected 8x8"],
  ["--data large", "images of 40x20 pixels", "32x32"],
  ["--data empty", "empty holds no images", "train-images-idx3-ubyte"],
  ["--data untested --class 5", "Class 5 has no images to seed from: --from noise and --from model need none"],
  ["--data unequal", "train-labels-idx1-ubyte", "expected 24 labels", "got 23"],
  [
    "--data small --from missing.png",
    "missing.png",
    "there is no such file",
    "(valid: test, model, quilt, noise), or give a path",
  ],
  ["--data small --from text.idx", "text.idx holds no images: expected PNG"],
  ["--data small --from large/0.png", "large/0.png", "4x4", "32x32", "got 40x20"],
  ["--data small --from empty", "empty holds no images", "looked for pictures"],
  ["--data small --out text.idx", "--out text.idx", "expected a folder, got the file"],
  ["--data small --out text.idx/below", "--out text.idx/below", "expected a folder, got the file"],
  // Needs more memory than there is, which comes out when the first job is begun: in this process and in a worker.
  ["--profile big.json --data small --threads 1", "Cannot allocate", "kernel memory"],
  ["--profile big.json --data small --threads 2", "Cannot allocate", "kernel memory"],
];

Deno.test("what cannot be done: exit code 1, one sentence, and an earlier result stays as it was", async () => {
  await withFolder(async (folder) => {
    const put = async (name: string, bytes: Uint8Array) => {
      await Deno.mkdir(join(folder, name, ".."), { recursive: true });
      await Deno.writeFile(join(folder, name), bytes);
    };
    const text = new TextEncoder().encode("text"), idx = blobsIdx(10, 8);
    const png = (width: number, height: number) =>
      encode({ width, height, channels: 1, data: new Uint8Array(width * height) });
    await put("cut.idx", idx.slice(0, -1));
    await put("long.idx", Uint8Array.from([...idx, 0]));
    await put("lying.idx", idx.map((byte, i) => i === 5 ? 255 : byte)); // 16 million images
    await put("text.idx", text);
    await put("none.idx", writeIdx([0, 8, 8], new Uint8Array(0)));
    await put("text/0.png", text);
    for (const [i, width] of [8, 9].entries()) await put(`mixed/${i}.png`, png(width, 8));
    for (const i of [0, 1]) await put(`large/${i}.png`, png(40, 20));
    await Deno.mkdir(join(folder, "empty"));
    await smallData(join(folder, "small"));
    await smallData(join(folder, "untested"));
    await put("untested/train-labels-idx1-ubyte", writeIdx([24], new Uint8Array(24).fill(1).fill(5, 20)));
    await smallData(join(folder, "unequal"));
    await put("unequal/train-labels-idx1-ubyte", writeIdx([23], new Uint8Array(23)));
    const layer = { overlap: 63, iterations: 1, window: 0, h: [1], lambda: [0], rho: [1], offsets: [[0, 0]] };
    const big = { ...digits, size: 256, patch: 64, contexts: [], layers: [layer] };
    await put("big.json", new TextEncoder().encode(JSON.stringify(big)));

    await synthesized(join(folder, "out/digits"), ["--profile", "digits", "--count", "2"]);
    const before = await contents(folder);
    const lines = WRONG.map(([words, ...texts]): Wrong => {
      const profile = words.includes("--profile") ? [] : ["--profile", "digits"];
      return [["synth", ...profile, "--quiet", ...words.split(" ")], 1, ...texts];
    });
    await assertSentences(lines, { cwd: folder });
    assertEquals(await contents(folder), before);
    for (const without of ["--allow-write", "--allow-read"]) {
      const words = ["synth", "--profile", "digits", "--data", "small", "--class", "1", "--quiet"];
      assertSentence(await cli(words, { cwd: folder, without }), 1, `without Deno's permission ${without}`);
      assertEquals(await contents(folder), before, without);
    }
  });
});

// The superuser may write everywhere: there is nothing to test then.
if (Deno.uid() !== 0) {
  Deno.test("synth: a read-only folder", async () => {
    await withFolder(async (folder) => {
      const out = join(folder, "locked");
      await Deno.mkdir(out, { mode: 0o500 });
      assertSentence(await cli(["synth", "--profile", "digits", "--quiet", "--out", out]), 1, `--out ${out}`);
    });
  });
}

Deno.test("synth: a smaller run takes the whole place of a larger one", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "small")), out = join(folder, "out");
    await synthesized(out, ["--profile", "digits", "--data", data, "--count", "12"]);
    const { count } = await synthesized(out, ["--profile", "digits", "--data", data, "--class", "all", "--count", "3"]);
    assertEquals(count, 3, "and no labels are left: readResult asserts that");
    const from = join(out, "images/0002.png"), words = ["--profile", "digits", "--data", data, "--from", from];
    const { run } = await synthesized(join(folder, "next"), [...words, "--count", "1"]);
    assertStringIncludes(run.from, "0002.png");
  });
});
