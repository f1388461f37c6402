import { assert, assertAlmostEquals, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "@std/csv/parse";
import { join } from "@std/path";
import { encode } from "fast-png";
import type { LabelledImages } from "../../../../datasets/data_set.ts";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { proceduralDigits } from "../../../../datasets/procedural/digits.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { elements } from "../../../well_formed.ts";
import {
  assertSentence,
  assertSentences,
  blobsIdx,
  cli,
  files,
  openSession,
  type Options,
  smallData,
  synthesized,
  taskWords,
  withFolder,
  type Wrong,
} from "../cli.ts";
import { fewDigits } from "../with_idx.ts";

/** Sixty digits, six of each class in turn, that are not among the built-in ones. */
const DIGITS = part(proceduralDigits("test", 46), 400, 60);
/** As the built-in data has them. */
const TRAINING = part(proceduralDigits("train", 6), 0, 60), HELD_OUT = part(proceduralDigits("test", 6), 0, 60);
const PAPER = ["likelihood", "originality", "spread"];
const USUAL = [...PAPER, "judge", "closest-correlation", "structure", "contrast", "sharpness", "symmetry", "novelty"];

function part({ images, labels }: Required<LabelledImages>, from: number, count: number): Required<LabelledImages> {
  const pixels = images.pixels.slice(from * 784, (from + count) * 784);
  return { images: { ...images, count, pixels }, labels: labels.slice(from, from + count) };
}

/** Writes IDX files, the labels beside the images where `labelled`; the path of the images. */
async function idx(folder: string, { images, labels }: LabelledImages, labelled = true): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const path = join(folder, "my-images.idx");
  await Deno.writeFile(path, writeIdx([images.count, images.height, images.width], images.pixels));
  if (labelled && labels) await Deno.writeFile(join(folder, "my-labels.idx"), writeIdx([images.count], labels));
  return path;
}

/** Writes PNGs, in class folders where `inClasses`; the folder. */
async function pngs(folder: string, { images, labels }: Required<LabelledImages>, inClasses = false): Promise<string> {
  for (let i = 0; i < images.count; i++) {
    const to = inClasses ? join(folder, `${labels[i]}`) : folder;
    await Deno.mkdir(to, { recursive: true });
    const data = images.pixels.subarray(i * 784, (i + 1) * 784);
    const name = `${String(i).padStart(4, "0")}.png`;
    await Deno.writeFile(join(to, name), encode({ width: 28, height: 28, channels: 1, data }));
  }
  return folder;
}

/** Writes an NPY file of float32 in [0, 1], or of what `change` makes of each; its path. */
async function npy(folder: string, { images }: LabelledImages, change = (value: number) => value): Promise<string> {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${images.count}, 28, 28), }\n`;
  const text = new TextEncoder(), floats = Float32Array.from(images.pixels, (value) => change(value / 255));
  const path = join(folder, "digits.npy");
  await Deno.mkdir(folder, { recursive: true });
  const bytes = [0x93, ...text.encode("NUMPY"), 1, 0, header.length, 0, ...text.encode(header)];
  await Deno.writeFile(path, Uint8Array.from([...bytes, ...new Uint8Array(floats.buffer)]));
  return path;
}

async function sha256(path: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await Deno.readFile(path))).toHex();
}

const session = openSession("assess");

/** Runs `assess` on digits, which must succeed; what it said and wrote. */
async function assessed(images: string, words: readonly string[] = [], options?: Options) {
  const out = await Deno.makeTempDir();
  try {
    const all = ["assess", "--profile", "digits", "--images", images, "--out", out, ...words];
    const { code, stdout, stderr } = await cli(all, options ?? { session });
    assertEquals(code, 0, stderr);
    const text = await Deno.readTextFile(join(out, "scores.json")), summary = JSON.parse(text);
    const names = await files(out),
      csv = parse(await Deno.readTextFile(join(out, "images.csv")), { skipFirstRow: true });
    const html = names.includes("report.html") ? await Deno.readTextFile(join(out, "report.html")) : "";
    assertEquals(names, ["images.csv", ...html ? ["report.html"] : [], "run.json", "scores.json"]);
    assertEquals(csv.length, summary.images.count, "one row an image");
    assertEquals(csv.map(({ image }) => image), csv.map((_, i) => String(i)));
    // deno-lint-ignore no-explicit-any
    const score = (name: string) => summary.scores.find(({ metric }: any) => metric === name);
    return { stdout, stderr, text, summary, csv, html, score };
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

const numbers = (rows: readonly Record<string, string>[], column: string) => rows.map((row) => Number(row[column]));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

Deno.test("assess: the largest share of images that synth wrote is measured; of other images there is none", async () => {
  await withFolder(async (folder) => {
    const { run } = await synthesized(join(folder, "run"), ["--profile", "digits", "--count", "10"]);
    const { score, csv } = await assessed(join(folder, "run"));
    const shares = run.images.map(({ contributors }: { contributors: { share: number }[] }) => contributors[0].share);
    numbers(csv, "share").forEach((share, i) => assertAlmostEquals(share, shares[i]));
    assertAlmostEquals(score("share").ofAllImages, mean(shares));
    const images = await idx(folder, DIGITS), { summary } = await assessed(images, ["--metric", "share"]);
    assertStringIncludes(summary.scores[0].tooFew, "the images have no record of what they were made of");
  });
});

Deno.test("assess: images of one seed image are not independent, as run.json says which they come from", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), words = ["--profile", "digits-paper", "--data", data];
    const { run } = await synthesized(join(folder, "run"), [...words, "--count", "12"]);
    const seeds = run.images.map(({ seedImage }: { seedImage: number }) => seedImage);
    assertEquals(new Set(seeds).size, 4, "four test images");
    const { score, csv } = await assessed(join(folder, "run"), ["--data", data, "--metric", "originality"]);
    const { score: middle, interval: [low, high], warnings } = score("originality");
    assertEquals(
      warnings.filter((text: string) => text.startsWith("12 images come from 4 seed images: the interval ")).length,
      1,
    );
    // By hand: of few seed images their means vary alike in both classes, and 3 degrees of freedom have 3.182.
    const values = numbers(csv, "originality"), of = (seed: number) => values.filter((_, i) => seeds[i] === seed);
    const means = [...new Set<number>(seeds)].map((seed) => mean(of(seed))), all = mean(means);
    const error = Math.sqrt(means.reduce((sum, one) => sum + (one - all) ** 2, 0) / 3 / 4);
    assertAlmostEquals(high - middle, 3.182 * error, 0.002 * error);
    assertAlmostEquals(middle - low, 3.182 * error, 0.002 * error);
  });
});

Deno.test("assess: labelled digits: the table, scores.json and images.csv have all that they must have", async () => {
  await withFolder(async (folder) => {
    const images = await idx(folder, DIGITS), { stdout, stderr, summary, csv, score } = await assessed(images);
    const lines = stdout.trimEnd().split("\n");
    assertMatch(lines[0], /^metric +score +95 % interval +n +held-out +least \.\. greatest +of all images +settings$/);
    USUAL.forEach((name, i) => {
      const number = "-?[\\d.]+", range = `${number} \\.\\. ${number}`;
      const cells = [name, number, range, "\\d+", `${number} ±${number}`, range, number].join(" +");
      // Six images of a class are too few for these two: the terminal says so, as the report does.
      const few = [name, "n/a", "-", "\\d+", "n/a", `(-|${range})`, "n/a"].join(" +");
      assertMatch(lines[1 + i], new RegExp(`^${["judge", "spread"].includes(name) ? few : cells} `));
    });
    assertMatch(lines[2 + USUAL.length], /^likelihood by class: 0: -[\d.]+ .* 9: -[\d.]+$/);
    assertMatch(lines.at(-1)!, /^60 images in \d+\.\d s$/);
    assertEquals(lines.length, 1 + USUAL.length + 1 + USUAL.length + 1);
    // A slow machine shows progress between them.
    const [said, data, written] = stderr.split("\n").filter((line) => !line.startsWith("Assessing: "));
    assertEquals(said, `Images: 60 of 28x28 from ${images}, measured as 32x32`);
    assertEquals(data, "Data: 4000 + 400 digits drawn by rule in MNIST's place");
    assertMatch(written, /^Written: .*scores\.json$/);
    assertMatch(stderr, /\nspread: .*12 images are too few for perplexity 10: 3\.7 is used\n/);

    assertEquals([summary.profile, summary.labels, summary.images.path], ["digits", "given", images]);
    assertEquals(summary.images.measured, "32x32");
    assertStringIncludes(summary.command, `deno task assess --profile digits --images ${images}`);
    assertMatch(summary.patchloom, /^\d+\.\d+\.\d+$/);
    assert(summary.seconds > 0);
    const paths = summary.images.files.map(({ path }: { path: string }) => path);
    assertEquals(paths, [images, images.replace("my-images", "my-labels")]);
    for (const { path, sha256: sum } of summary.images.files) assertEquals(sum, await sha256(path));
    assertEquals([summary.data.name, summary.data.files.length], ["mnist", 4]);
    for (const { sha256 } of summary.data.files) assertMatch(sha256, /^[0-9a-f]{64}$/);

    assertEquals(summary.scores.map(({ metric }: { metric: string }) => metric), USUAL);
    for (
      const { metric, score, interval: [low, high], range, ofAllImages, count, byClass, heldOut } of summary.scores
    ) {
      if (metric === "judge") {
        assertEquals([score, low, high, ...range, count], [null, null, null, null, null, 0]);
        continue;
      }
      assert(range[0] < score && score < range[1], metric);
      if (metric === "spread") assertEquals([low, high], [null, null], "too few images for an interval");
      else assert(low < score && score < high, metric);
      assert(Math.abs(score - ofAllImages) < 1, metric);
      assertEquals([count, heldOut.count, heldOut.metric], [60, 60, metric]);
      const labels = byClass.map(({ label, count }: { label: number; count: number }) => [label, count]);
      assertEquals(labels, Array.from({ length: 10 }, (_, label) => [label, 6]));
      assertAlmostEquals(score, mean(byClass.map(({ score }: { score: number }) => score)), 1e-9);
      assert(heldOut.score !== score && Math.abs(heldOut.score / score - 1) < 0.3, "digits of the same hand");
    }
    assertEquals(score("spread").settings.perplexity, 11 / 3);
    assertEquals(score("likelihood").settings, {
      sigma: 0.3989422804014327,
      window: "+-1",
      locations: 49,
      training: 400,
    });
    assert(score("spread").warnings.some((text: string) => text.includes("perplexity")));

    const columns = [
      "image",
      "file",
      "class",
      "likelihood",
      "originality",
      "originality dG",
      "originality dT",
      "originality nearest",
      "judge",
      "judge decision",
      "closest-correlation",
      "closest-correlation nearest",
      "structure",
      "structure nearest",
      "contrast",
      "contrast deviation",
      "sharpness",
      "sharpness energy",
      "symmetry",
      "novelty",
    ];
    assertEquals(Object.keys(csv[0]), columns);
    assertEquals(numbers(csv, "class"), [...DIGITS.labels]);
    assertEquals(new Set(csv.map(({ file }) => file)), new Set(["my-images.idx"]));
    for (const name of ["likelihood", "originality"]) {
      assertAlmostEquals(mean(numbers(csv, name)), score(name).ofAllImages, 1e-9);
      const threes = csv.filter((row) => row.class === "3");
      assertAlmostEquals(mean(numbers(threes, name)), score(name).byClass[3].score, 1e-9);
    }
    for (const row of csv) {
      assertAlmostEquals(Number(row["originality dG"]) / Number(row["originality dT"]), Number(row.originality), 1e-9);
      assertEquals(
        Number(row["originality nearest"]) % 10,
        Number(row.class),
        "the number of a training image, all in turn",
      );
      assertEquals(Number(row["closest-correlation nearest"]) % 10, Number(row.class), "the same");
    }
  });
});

Deno.test("assess: PNGs, class folders, IDX, NPY and what synth wrote are all the same images", async () => {
  await withFolder(async (folder) => {
    // A quarter of the built-in digits, of which half as many held-out ones: the scores of those take the most time.
    const data = ["--data", await fewDigits(join(folder, "data"), 100, 20)];
    const assessedHere = (images: string) => assessed(images, data);
    const labelled = await assessedHere(await idx(join(folder, "labelled"), DIGITS));
    const byClass = await assessedHere(await pngs(join(folder, "classes"), DIGITS, true));
    assertEquals(numbers(byClass.csv, "class"), [...DIGITS.labels].sort());
    assertEquals(byClass.csv.slice(0, 2).map(({ file }) => file), ["0/0000.png", "0/0010.png"]);
    for (const name of PAPER) {
      assertAlmostEquals(byClass.score(name).score, labelled.score(name).score, 1e-9, name);
      assertAlmostEquals(byClass.score(name).heldOut.score, labelled.score(name).heldOut.score, 1e-9, name);
    }
    const values = (rows: readonly Record<string, string>[]) => numbers(rows, "likelihood").sort((a, b) => a - b);
    assertEquals(values(byClass.csv), values(labelled.csv));

    // Without labels they are classified; the accuracy reported is that on the 200 held-out images.
    const plain = await assessedHere(await idx(join(folder, "plain"), DIGITS, false));
    const right = numbers(plain.csv, "class").filter((label, i) => label === DIGITS.labels[i]).length;
    assert(right > 0.95 * 60, `${right} of 60`);
    const accuracy = plain.summary.labels.classifiedWithAccuracy;
    assert(accuracy > 0.95 && accuracy < 1 && Number.isInteger(accuracy * 200), `${accuracy}`);
    assertStringIncludes(plain.stderr, `classified by nearest neighbours (right for ${(100 * accuracy).toFixed(1)} %`);
    for (const images of [await pngs(join(folder, "pngs"), DIGITS), await npy(folder, DIGITS)]) {
      const { summary: { scores, labels, images: { scaled, files } }, csv } = await assessedHere(images);
      assertEquals([scores, labels], [plain.summary.scores, plain.summary.labels]);
      const values = (rows: typeof csv) => rows.map(({ file: _, ...row }) => row);
      assertEquals(values(csv), values(plain.csv));
      assertEquals(scaled, images.endsWith(".npy") ? "float32 in [0, 1], scaled by 255" : undefined);
      assertEquals(files.length, 1);
    }

    const out = join(folder, "synth"), words = ["--profile", "digits", "--count", "10", ...data];
    const { run } = await synthesized(out, words);
    const ours = await assessedHere(out);
    assertEquals([ours.summary.labels, ours.summary.images.files.length], ["given", 2]);
    assertEquals(ours.csv.map(({ file }) => file), run.images.map(({ file }: { file: string }) => file));
    // What synth said of its images is what assess finds.
    const found = numbers(ours.csv, "originality"), nearest = numbers(ours.csv, "originality nearest");
    for (const [i, image] of run.images.entries()) {
      assertAlmostEquals(found[i], image.originality, 1e-6);
      assertEquals(nearest[i], image.nearest.image);
    }
  });
});

Deno.test("assess: copies of training images have originality 0, held-out images their own score and no baseline", async () => {
  await withFolder(async (folder) => {
    const data = ["--data", await fewDigits(join(folder, "data"), 30)];
    const { csv, score } = await assessed(await idx(join(folder, "copies"), TRAINING), data);
    assertEquals([score("originality").score, score("originality").interval], [0, [0, 0]]);
    assertEquals(numbers(csv, "originality nearest"), csv.map((_, i) => i), "each its own nearest");
    assert(score("originality").heldOut.score > 0.5);
    const same = await assessed(await idx(join(folder, "held-out"), HELD_OUT), data);
    assertEquals(same.score("likelihood").heldOut, undefined);
    assertMatch(same.stdout, /\nlikelihood +-[\d.]+ +-[\d.]+ \.\. -[\d.]+ +\d+ +- +/);
  });
});

Deno.test("assess: --json, --quiet, --metric, --set, --class, --threads", async () => {
  await withFolder(async (folder) => {
    const images = await idx(join(folder, "labelled"), DIGITS), plain = await idx(join(folder, "plain"), DIGITS, false);
    const data = await fewDigits(join(folder, "data"), 30);
    const assessedHere = (images: string, words: string[]) => assessed(images, ["--data", data, ...words]);
    const all = await assessedHere(images, ["--json", "--quiet", "--threads", "1"]);
    assertEquals([all.stdout, all.stderr], [all.text, ""]);
    const three = await assessedHere(images, ["--threads", "3"]);
    assertEquals([three.summary.scores, three.csv], [all.summary.scores, all.csv], "whatever the threads");

    const words = ["--metric", "spread", "--metric", "precision", "--metric", "spread", "--set", "spread.perplexity=2"];
    const some = await assessedHere(images, words);
    assertEquals(some.summary.scores.map(({ metric }: { metric: string }) => metric), ["spread", "precision"]);
    assertEquals(some.score("spread").settings.perplexity, 2);
    assert(some.score("spread").score !== all.score("spread").score);
    assertEquals(Object.keys(some.csv[0]).slice(0, 4), ["image", "file", "class", "precision"]);

    const threes = await assessedHere(images, ["--class", "3", "--set", "spread.perplexity=3"]);
    assertEquals(threes.score("likelihood").byClass, [all.score("likelihood").byClass[3]]);
    assertEquals([threes.score("likelihood").count, threes.score("likelihood").heldOut.count], [6, 6]);
    assertEquals(threes.csv.filter((row) => row.likelihood !== "").map((row) => row.class), Array(6).fill("3"));
    assert(!threes.stdout.includes("by class"));
    // All sixty taken for threes: the threes among them score as before, the others worse.
    const taken = await assessedHere(plain, ["--class", "3"]);
    assertStringIncludes(taken.stderr, "The images have no labels: all are taken for class 3");
    assertEquals([taken.score("likelihood").count, taken.score("likelihood").heldOut.count], [60, 6]);
    const of = (i: number) => Number(taken.csv[i].likelihood);
    threes.csv.forEach((row, i) => row.class === "3" && assertEquals(of(i), Number(row.likelihood)));
    assert(taken.score("likelihood").score < threes.score("likelihood").score - 20);

    const together = await assessedHere(plain, ["--class", "all"]);
    assertEquals([together.summary.labels, together.score("spread").settings.perplexity], ["none", 10]);
    assertEquals(together.score("originality").byClass.length, 1);
    assertEquals(together.score("originality").settings.training, 300);
    assertEquals(Object.keys(together.csv[0]).slice(0, 3), ["image", "file", "likelihood"]);
    const labelled = await assessedHere(images, ["--class", "all"]);
    assertEquals(labelled.summary.scores, together.summary.scores);
  });
});

Deno.test("assess: --report writes one file that needs nothing else; --metric all measures all metrics", async () => {
  await withFolder(async (folder) => {
    const data = await fewDigits(join(folder, "data"));
    const images = await idx(join(folder, "<b>&"), DIGITS), words = ["--data", data, "--report", "--metric", "all"];
    const { html, summary, csv, score, stderr } = await assessed(images, words);
    const known = builtins.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);
    assertEquals(summary.scores.map(({ metric }: { metric: string }) => metric), known);
    assertMatch(stderr, /\nWritten: .*report\.html\n/);
    assert(score("label-accuracy").score > 0.7);
    const guide = await Deno.readTextFile(new URL("../../../../docs/assessing.md", import.meta.url));
    const series = Object.keys(csv[0]).filter((column) => column.includes(" "));
    assertEquals(series.filter((column) => !guide.includes(`\`${column}\``)), [], "columns that the guide lacks");
    assert(series.length > 9);

    const all = elements(html), outside = html.replaceAll("http://www.w3.org/", "");
    assert(
      !/https?:|<script|<link|url\((?!#)|@import|srcset/i.test(outside.replaceAll("&lt;", "")),
      "needs something else",
    );
    for (const { attributes } of all) {
      const source = attributes.get("src") ?? attributes.get("href") ?? attributes.get("xlink:href");
      if (source !== undefined) assertMatch(source, /^(#|data:(image\/png|image\/svg\+xml|text\/csv);base64,)/);
    }
    assert(!html.includes("<b>"), "a path is a text");
    for (const title of ["Scores", "Likelihood", "Originality", "Spread"]) {
      assertStringIncludes(html, `>${title}</h2>`);
    }
    for (const name of known) assertStringIncludes(html, `<th scope="row">${name}</th>`);
    assertStringIncludes(html, "lowest log-likelihood");
    assertStringIncludes(html, "deno task assess --profile digits");
    assertStringIncludes(html, "highest correlation with a training image");
    assert(all.filter(({ name }) => name === "img").length >= 4, "best, worst, least original, most correlated images");
    assert(all.filter(({ name }) => name === "svg").length >= 5, "histogram, scatter, three maps");
    assert(!html.includes(">Judge</h2>"), "six images of a class are too few for the judge");
    assertMatch(
      html,
      /judge<\/th><td[^>]*>n\/a<small class="prose">class 0: 6 generated and \d+ real images are too few/,
    );
    assertMatch(
      html,
      /spread<\/th><td[^>]*>n\/a<small class="prose">class 0: a spread of 6 images does not rank systems/,
    );
    assertMatch(html, /originality<\/th><td[^>]*>[\d.]+<small>[\d.]+ to [\d.]+, n = 60<\/small>/);
    for (const file of ["table-1.csv", "figure-1.svg", "figure-1.csv", "figure-2.png"]) {
      assertStringIncludes(html, `download="${file}"`);
    }
    const usual = await assessed(images, ["--data", data, "--report"]);
    assertEquals(usual.summary.scores.map(({ metric }: { metric: string }) => metric), USUAL, "the slow ones by name");
    assert(!/undefined|NaN|\[object/.test(html.replaceAll(/base64,[^"]*/g, "")), "pictures may spell these words");

    // Without classes the metrics of labels are left out; with guessed ones too: their accuracy would be that of the guess.
    const withoutLabels = known.filter((name) => name !== "label-accuracy");
    for (const more of [[], ["--class", "all"]]) {
      const plain = await assessed(await idx(join(folder, "plain"), DIGITS, false), [...words, ...more]);
      assertEquals(plain.summary.scores.map(({ metric }: { metric: string }) => metric), withoutLabels);
      assertStringIncludes(plain.html, "<svg");
      const isJudged = more.length > 0;
      for (const text of [">Judge</h2>", "finds least real", "finds most real", "Histogram of the decisions"]) {
        assertEquals(plain.html.includes(text), isJudged, text);
      }
      assertEquals(numbers(plain.csv, "judge decision").every((value) => value !== 0), isJudged);
    }
  });
});

Deno.test("assess: one image, constant images, fewer than the perplexity: scores, and warnings", async () => {
  await withFolder(async (folder) => {
    const data = ["--data", await fewDigits(join(folder, "data"), 30)];
    const one = await assessed(await idx(join(folder, "one"), part(DIGITS, 4, 1)), [...data, "--report"]);
    assertEquals([one.summary.images.count, one.score("originality").count], [1, 1]);
    assert(one.score("originality").score > 0);
    assertEquals(one.score("spread").score, null, "no number, and no crash");
    assertMatch(one.stderr, /\n[^\n:]*\boriginality\b[^\n:]*: fewer than 30[^\n]*a guess\n/);
    assertEquals(one.stderr.split("the score is a guess").length, 2, "each warning is said once");
    assertStringIncludes(one.stderr, "spread: class 4: 2 images are too few for perplexity 10: 1.0 is used");
    assertStringIncludes(one.html, "<svg");

    for (const value of [0, 255, 100]) {
      const pixels = new Uint8Array(40 * 784).fill(value), images = { ...DIGITS.images, count: 40, pixels };
      const constant = await assessed(await idx(join(folder, `constant-${value}`), { images }), data);
      assertEquals(constant.score("likelihood").count, 40);
      const likelihoods = numbers(constant.csv, "likelihood");
      assert(likelihoods.every((found) => found === likelihoods[0] && found < -30), `${likelihoods[0]}`);
      assert(constant.score("originality").score > 0.8);
    }
    const tiny = { images: { count: 2, height: 9, width: 9, pixels: new Uint8Array(162) } };
    const padded = await assessed(await idx(join(folder, "tiny"), tiny), [...data, "--metric", "originality"]);
    assertStringIncludes(padded.stderr, "Images: 2 of 9x9 from ");
    assertStringIncludes(padded.stderr, ", padded to the 32x32 pixels of profile digits (--size 9x9 scores images of");
    const few = await assessed(await idx(join(folder, "few"), part(DIGITS, 0, 5)), [...data, "--class", "all"]);
    assertStringIncludes(few.stderr, "spread: 10 images are too few for perplexity 10: 3.0 is used");
    assertEquals(few.score("spread").settings.perplexity, 3);
  });
});

Deno.test("assess: every wrong word of the command line: exit code 2, one sentence", async () => {
  const wrong: [string, string[]][] = [
    [
      "assess needs --profile: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, sprites, digits-paper, faces-paper, a file.json or a pack.loom",
      [
        "--images",
        "x",
      ],
    ],
    [
      "assess needs --images: a picture, a folder of pictures, or a file of images (IDX, NPY, NPZ, Parquet, WebDataset)",
      ["--profile", "digits"],
    ],
    ['There is no profile "digit"; nearest: "digits"', ["--profile", "digit", "--images", "x"]],
    ["Cannot use --profile .: expected the name of a profile", ["--profile", ".", "--images", "x"]],
    ['There is no profile "constructor"', ["--profile", "constructor", "--images", "x"]],
    ["assess has no flag --metrics; nearest: --metric", ["--profile", "digits", "--metrics", "spread"]],
    ["--out needs a value", ["--profile", "digits", "--images", "x", "--out="]],
    ['assess takes flags only, got "x"', ["--profile", "digits", "x"]],
  ];
  const given: [string, string[]][] = [
    ['There is no metric "spred"; nearest: "spread"', ["--metric", "spred"]],
    ['There is no metric "mymetric" (valid: ', ["--metric", "mymetric"]],
    ["novelty); --plugin FILE loads one of your own", ["--metric", "mymetric"]],
    ["one name, got several (--metric spread --metric judge measures", ["--metric", "spread,judge"]],
    ['there is no metric "spred"; nearest: "spread"', ["--set", "spred.perplexity=5"]],
    ['Cannot set "precision.neighbours=5": precision is not measured (add --metric precision)', [
      "--set",
      "precision.neighbours=5",
    ]],
    ['metric "spread" has no option "perplexty"; nearest: "perplexity"', ["--set", "spread.perplexty=5"]],
    ['Cannot set "perplexity" on metric "spread": expected a number >= 1.5 and <= 1000, got 0', [
      "--set",
      "spread.perplexity=0",
    ]],
    ['got "many"', ["--set", "spread.perplexity=many"]],
    ['Cannot set "perplexity=5": expected METRIC.OPTION=VALUE', ["--set", "perplexity=5"]],
    ["Cannot use --class three: expected an integer from 0 to 255", ["--class", "three"]],
    ["Cannot use --threads 0", ["--threads", "0"]],
    ["threes/my-images.idx has no images of that class (classes: 3)", ["--class", "7"]],
  ];
  await withFolder(async (folder) => {
    const threes = part(DIGITS, 3, 1), images = await idx(join(folder, "threes"), threes), out = join(folder, "out");
    const all = [
      ...wrong,
      ...given.map(([text, words]): [string, string[]] => [
        text,
        ["--profile", "digits", "--images", images, "--out", out, ...words],
      ]),
    ];
    await assertSentences(all.map(([text, words]) => [["assess", "--quiet", ...words], 2, text]), { cwd: folder });
    const faces = ["assess", "--quiet", "--profile", "faces", "--images", images, "--class", "3", "--out", out];
    assertSentence(await cli(faces), 2, "Cannot use --class 3: the images of faces have no labels");
    assertEquals(await files(folder), ["threes/my-images.idx", "threes/my-labels.idx"], "nothing was written");
    const help = await cli(["assess", "--help"]);
    assertEquals([help.code, help.stderr], [0, ""]);
    for (const flag of ["--profile", "--images", "--labels", "--metric", "--report"]) {
      assertStringIncludes(help.stdout, flag);
    }
  });
});

Deno.test("assess: every wrong input: exit code 1, one sentence, nothing written", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name), out = at("out");
    const wrong: Wrong[] = [],
      words = (images: string, more: readonly string[] = []) => {
        return ["assess", "--quiet", "--profile", "digits", "--images", images, "--out", out, ...more];
      };
    const fails = (text: string, images: string, more?: readonly string[]) =>
      wrong.push([words(images, more), 1, text]);
    const images = await idx(at("good"), DIGITS), few = part(DIGITS, 0, 3);
    await Deno.mkdir(at("empty"));
    fails(`Cannot read ${at("nothing")}: `, at("nothing"));
    fails(`${at("empty")} holds no images`, at("empty"));
    await Deno.writeFile(at("large"), blobsIdx(2, 33));
    fails(`Cannot assess with ${at("large")}: expected images of up to 32x32, got 33x33`, at("large"));
    await pngs(at("mixed"), few);
    await Deno.writeFile(at("mixed/z.png"), encode({ width: 27, height: 28, channels: 1, data: new Uint8Array(756) }));
    fails(`${at("mixed/z.png")} is 27x28 pixels: expected 28x28`, at("mixed"));
    const spoilt = await npy(at("nan"), few, (value) => value === 0 ? NaN : value);
    fails(`${spoilt}: value 0 is NaN: expected finite numbers`, spoilt);
    await Deno.writeFile(at("five"), writeIdx([5], Uint8Array.of(1, 2, 3, 4, 5)));
    fails(`${at("five")}: expected 60 labels, one an image, got 5`, images, ["--labels", at("five")]);
    fails("There is no file or folder nowhere", images, ["--data", "nowhere"]);
    const data = await smallData(at("data"));
    fails("Cannot assess images of class 0, which has no training images: expected one of 1, 2", images, [
      "--data",
      data,
    ]);
    const few5 = "Cannot use --class 5: data has no images of that class (classes: 1, 2)";
    wrong.push([words(images, ["--data", data, "--class", "5"]), 2, few5]);
    const accuracy = ["--class", "all", "--metric", "label-accuracy"];
    fails("label-accuracy: Cannot measure label-accuracy", await idx(at("plain"), few, false), accuracy);
    await assertSentences(wrong);
    assertEquals(await Deno.stat(out).catch(() => undefined), undefined);
    assertSentence(
      await cli(words(images), { without: "--allow-read" }),
      1,
      "without Deno's permission --allow-read for ",
    );
    await Deno.writeTextFile(at("file"), "");
    for (const place of [at("file"), at("file/below")]) {
      const words = ["assess", "--quiet", "--profile", "digits", "--images", images, "--out", place];
      assertSentence(await cli(words), 1, `Cannot write to --out ${place}: `);
      // This is known before anything is measured, here by a metric that would fail.
      const failing = [...words, "--images", at("plain/my-images.idx"), "--class", "all", "--metric", "label-accuracy"];
      assertSentence(await cli(failing.toSpliced(4, 2)), 1, `Cannot write to --out ${place}: `);
    }
    assertEquals(await Deno.readTextFile(at("file")), "");
    const denied = await cli(words(images), { without: "--allow-write" });
    assertSentence(
      denied,
      1,
      `Cannot write to --out ${out}: the command was started without Deno's permission --allow-write`,
    );
    assertEquals(await Deno.stat(out).catch(() => undefined), undefined);
  });
});

Deno.test("tasks: assess may do what synth may but use an engine, and reproduce, which takes no plugins, all but run programs", () => {
  const [synth, assess, reproduce] = (["synth", "assess", "reproduce"] as const).map((task) => {
    return taskWords(task).slice(0, -1);
  });
  assertEquals(assess, synth.map((word) => word.replace("PATCHLOOM_ENGINE,", "")));
  assertEquals(reproduce, assess.filter((word) => word !== "--allow-run"));
});

const real = Deno.env.get("PATCHLOOM_DATA");
if (!real) console.log("assess of MNIST is not tested: PATCHLOOM_DATA is not set");
Deno.test({
  name: "assess: the first 100 ones of MNIST's test images (ignored where PATCHLOOM_DATA is not set)",
  ignore: !real,
  async fn() {
    await withFolder(async (folder) => {
      const { imagesFromIdx, labelsFromIdx, gunzip } = await import("../../../../datasets/formats/idx.ts");
      const read = async (name: string) => {
        const path = join(real!, "mnist", name);
        return await gunzip(await Deno.readFile(path).catch(() => Deno.readFile(`${path}.gz`)), name);
      };
      const images = imagesFromIdx(await read("t10k-images-idx3-ubyte"), "images");
      const labels = labelsFromIdx(await read("t10k-labels-idx1-ubyte"), "labels", images.count);
      const ones = [...labels.keys()].filter((i) => labels[i] === 1).slice(0, 100);
      const pixels = Uint8Array.from(ones.flatMap((i) => [...images.pixels.subarray(i * 784, (i + 1) * 784)]));
      const set = { images: { ...images, count: 100, pixels }, labels: new Uint8Array(100).fill(1) };
      const words = ["--class", "1", "--metric", "likelihood"], env = { PATCHLOOM_DATA: real! };
      const { score, summary } = await assessed(await idx(folder, set), words, { env });
      assertMatch(summary.data.origin, /^MNIST, 60000 \+ 10000 images from /);
      assertAlmostEquals(score("likelihood").score, -42.65, 3);
    });
  },
});

Deno.test("assess --privacy: copies fail, other images pass; --gate turns that into an exit code", async () => {
  await withFolder(async (folder) => {
    const data = await fewDigits(join(folder, "data"), 12, 6);
    const out = join(folder, "out"), words = ["assess", "--profile", "digits", "--data", data, "--class", "all"];
    const run = (images: string, ...more: string[]) => {
      return cli([...words, "--images", images, "--out", out, "--privacy", ...more], { session });
    };
    const recorded = async () => JSON.parse(await Deno.readTextFile(join(out, "privacy.json")));
    const copies = await idx(join(folder, "copies"), part(proceduralDigits("train", 12), 0, 40));
    const refused = await run(copies, "--gate", "--report");
    assertEquals(refused.code, 1, refused.stderr);
    assertStringIncludes(refused.stdout, "Verdict: fails. 40 of 40 images are copies by distance");
    assertEquals(await files(out), ["images.csv", "privacy.json", "report.html", "run.json"]);
    const { verdict, nearness, heldOut } = await recorded();
    assertEquals([verdict, heldOut], ["fails", 60]);
    assertEquals(nearness[0].copies.length, 40);
    assertEquals((await run(copies)).code, 0, "without --gate the verdict is a finding");
    // What the gate refuses whatever is measured is said before.
    const gzipped = join(folder, "gzipped-idx3-ubyte.gz"), zipped = new CompressionStream("gzip");
    const file = (await Deno.open(copies)).readable.pipeThrough(zipped);
    await Deno.writeFile(gzipped, file);
    const early = await run(gzipped, "--gate"), told = `The gate refuses this: ${gzipped} holds more than pixels`;
    assertEquals(early.code, 1);
    assert(early.stderr.indexOf(told) < early.stderr.indexOf("Written: ") && early.stderr.includes(told), early.stderr);
    assertStringIncludes(early.stdout, `${gzipped} holds more than pixels`);
    const others = await idx(join(folder, "others"), DIGITS), passed = await run(others, "--gate", "--json");
    assertEquals([passed.code, JSON.parse(passed.stdout).verdict], [0, "passes"], passed.stdout);
  });
  await assertSentences([
    [["assess", "--profile", "digits", "--images", "x", "--gate"], 2, "Cannot use --gate alone: expected --privacy"],
    [
      ["assess", "--profile", "digits", "--images", "x", "--privacy", "--metric", "judge"],
      2,
      "Cannot use --metric with --privacy",
    ],
  ], { session });
});
