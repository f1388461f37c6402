import { assert, assertAlmostEquals, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { finish } from "../../../core/steps.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { accuracies } from "../../../pipelines/worth/classifiers.ts";
import { drawOfEach } from "../../../pipelines/worth/draw_examples.ts";
import { measureWorth, type WorthRequest } from "../../../pipelines/worth/worth.ts";
import type { WorthResult } from "../../../pipelines/worth/worth_program.ts";
import { worthCsv, worthReport, worthTable } from "../../../pipelines/worth/worth_report.ts";
import { compiled, wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

/** Blobs of class 3, and mirror images of other ones, a little brighter, of class 8. */
function classes(count: number, seed: number) {
  const images = blobs(count, 16, seed), labels = Uint8Array.from({ length: count }, (_, i) => i % 2 ? 8 : 3);
  images.pixels.forEach((value, n) => {
    const image = Math.floor(n / 256), right = n % 16 > 7;
    images.pixels[n] = right === (labels[image] === 8) ? value >> 2 : value;
  });
  return { images, labels };
}

const data: DataSet = { name: "blobs", origin: "blobs", train: classes(40, 1), test: classes(20, 2), files: [] };

const request: WorthRequest = {
  profile: { ...small, classwise: true },
  each: [3, 6],
  only: 8,
  methods: [
    "real",
    "warps",
    "smote",
    "affine",
    "morphs",
    "affine-of-morphs",
    "warps+patchloom",
    "patchloom-of-warps",
    "warps-of-patchloom",
  ],
  classifiers: ["nearest", "svm", "gradients", "linear"],
  draws: 2,
  added: 4,
  tested: 16,
  seed: 1,
};

const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });

Deno.test("worth: measures every method, classifier and draw, and what is kept is not measured again", async () => {
  const kept = new Map<string, WorthResult>(), added: string[] = [];
  const store = {
    kept,
    add: (name: string, result: WorthResult) => Promise.resolve(void kept.set(name, (added.push(name), result))),
  };
  const worth = await measureWorth(runner, data, request, store);
  assertEquals(
    added,
    [0, 1].flatMap((draw) => [
      `draw ${draw}, 3 of each class`,
      `draw ${draw}, 6 of each class`,
      `draw ${draw}, 8 alone`,
    ]),
  );
  assertEquals(worth.cells.length, 2 * 4 * (2 * 9 + 3));
  assertEquals(worth.rows.length, 4 * (2 * 9 + 3));
  assert(worth.cells.every(({ accuracy }) => accuracy >= 0 && accuracy <= 100));
  // The classes differ by the side of their light: whatever learns from real images sees that.
  const real = worth.rows.filter(({ method, classifier }) => method === "real" && classifier === "nearest");
  assert(real.every(({ accuracy: { mean } }) => mean > 75), JSON.stringify(real));
  assert(worth.leastQuotient! > 0 && worth.leastQuotient! <= 1);
  const [both] = worth.rows.filter(({ each, method, classifier }) => {
    return each === 6 && method === "warps+patchloom" && classifier === "svm";
  });
  const of = (method: string) => {
    return worth.cells.filter((cell) => cell.each === 6 && cell.method === method && cell.classifier === "svm")
      .map(({ accuracy }) => accuracy);
  };
  const [mine, first] = [of("warps+patchloom"), of("warps")];
  assertAlmostEquals(both.overPart!.mean, (mine[0] + mine[1] - first[0] - first[1]) / 2, 1e-9);

  const ofWarps = worth.rows.filter(({ method, overPart }) => method === "patchloom-of-warps" && overPart);
  assertEquals(ofWarps.length, 2 * 4);
  for (const name of ["morphs", "affine-of-morphs"]) {
    const ofMorphs = worth.rows.filter(({ method, overPart }) => method === name && overPart);
    assertEquals(ofMorphs.length, 2 * 4, `${name} is compared with affine`);
  }

  assertEquals(await measureWorth(runner, data, request, store), worth);
  assertEquals(added.length, 6);
  const table = worthTable(worth, request).join("\n");
  assertStringIncludes(table, "warps+patchloom");
  assertStringIncludes(table, "synthetic alone");
  assertEquals(worthCsv(worth).split("\n").length, worth.cells.length + 2);
  const report = await worthReport(worth, request, { command: "worth", origin: "blobs", seconds: 1 });
  assertEquals(
    report.sections.map(({ figures }) => figures.map(({ kind }) => kind).join()),
    Array(4).fill("chart,table,table"),
  );
});

Deno.test("worth: says in a sentence what data lacks", async () => {
  const store = { kept: new Map<string, WorthResult>(), add: () => Promise.resolve() };
  const { images } = data.train,
    none = { images: { ...images, count: 0, pixels: new Uint8Array() }, labels: new Uint8Array() };
  for (
    const [more, wanted] of [
      [{ train: { images } }, "training images with classes, got images without"],
      [{ test: none }, "test images with classes, got none"],
      [{ train: { images, labels: new Uint8Array(40) } }, "at least two classes, got one"],
      [{ test: { ...data.test, labels: new Uint8Array(20).fill(5) } }, "got class 5"],
    ] as const
  ) {
    const { message } = await assertRejects(
      () => measureWorth(runner, { ...data, ...more }, request, store),
      RangeError,
    );
    assertStringIncludes(message, wanted);
  }
  const tooMany = { ...request, added: 6000 };
  await assertRejects(
    () => measureWorth(runner, data, tooMany, store),
    RangeError,
    "12012 images: expected at most 12000",
  );
  const many = { ...request, each: [21] };
  const { message } = await assertRejects(() => measureWorth(runner, data, many, store), RangeError);
  assertStringIncludes(message, "at least 21 training images of class 3, got 20");
  await assertRejects(
    () => measureWorth(runner, data, { ...request, methods: ["warp"] }, store),
    RangeError,
    "no method",
  );
});

Deno.test("worth: draws are nested, differ, and know their images by every classifier", () => {
  const [three, six, other] = [[3, 0], [6, 0], [3, 1]].map(([count, draw]) => drawOfEach(data.train, count, 1, draw));
  assertEquals([...three.labels!], [3, 3, 3, 8, 8, 8]);
  assertEquals(three.images.pixels.subarray(0, 3 * 256), six.images.pixels.subarray(0, 3 * 256));
  assert(three.images.pixels.some((value, p) => value !== other.images.pixels[p]));
  const examples = { images: six.images, labels: six.labels! };
  const [found] = finish(accuracies(kernels, ["nearest", "linear", "svm", "gradients"], examples, [examples]));
  assertEquals([found.nearest, found.svm, found.gradients], [1, 1, 1]);
  assert(found.linear! > 0.8);
});
