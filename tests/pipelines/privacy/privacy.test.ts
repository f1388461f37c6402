/** Whether the findings tell copies, relit copies, held-out images and synthesized images apart. */
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { stream } from "../../../core/random.ts";
import { finish } from "../../../core/steps.ts";
import type { Images } from "../../../core/types.ts";
import { resampled } from "../../../datasets/warps.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { originalityOf, structureOf } from "../../../pipelines/privacy/copies.ts";
import { movesOf } from "../../../pipelines/privacy/moved_copies.ts";
import { assessPrivacy, type Attack, attackBy, objectionsTo } from "../../../pipelines/privacy/privacy.ts";
import { privacyReport } from "../../../pipelines/privacy/privacy_report.ts";
import { privacyCsv, privacyRecord, privacyTable } from "../../../pipelines/privacy/privacy_results.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import { runHere } from "../../../pipelines/run/run_task.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { compiled, wasm as kernels } from "../../kernels_under_test.ts";
import { small } from "../../small_world.ts";

const SIDE = 32, AREA = SIDE * SIDE;
const planned = plan({ ...small, size: SIDE, regions: [{ name: "top", x: 0, y: 0, width: 1, height: 0.5 }] }, builtins);
const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });

/** A picture of blobs, a few of many places and sizes, in -1..1. */
function detail(seed: number): Float64Array {
  const random = stream(seed), picture = new Float64Array(AREA);
  for (let blob = 0; blob < 60; blob++) {
    const [y, x, width, sign] = [SIDE * random.next(), SIDE * random.next(), 1 + random.next(), random.next() < 0.5];
    for (let p = 0; p < AREA; p++) {
      const square = (Math.floor(p / SIDE) - y) ** 2 + (p % SIDE - x) ** 2;
      picture[p] += (sign ? 0.5 : -0.5) * Math.exp(-square / (2 * width * width));
    }
  }
  return picture;
}

/** The shading of a picture: a slope in some direction. */
function shading(seed: number): Float64Array {
  const random = stream(seed + 0.5), angle = 2 * Math.PI * random.next();
  return Float64Array.from({ length: AREA }, (_, p) => {
    return (Math.floor(p / SIDE) / SIDE - 0.5) * Math.sin(angle) + (p % SIDE / SIDE - 0.5) * Math.cos(angle);
  });
}

/** Images, each the detail of one picture under the shading of another. */
function pictures(details: readonly number[], shadings: readonly number[] = details): Images {
  const pixels = new Uint8Array(details.length * AREA);
  details.forEach((seed, i) => {
    const [fine, coarse] = [detail(seed), shading(shadings[i])];
    pixels.set(fine.map((value, p) => Math.min(Math.max(128 + 45 * value + 90 * coarse[p], 0), 255)), i * AREA);
  });
  return { count: details.length, height: SIDE, width: SIDE, pixels };
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const train = pictures(numbers(0, 200)), test = pictures(numbers(1000, 100));
const data = { name: "pictures", origin: "drawn", files: [], train: { images: train }, test: { images: test } };

/** What is found of some images. */
function found(images: Images, of = data) {
  const set = { images, names: "images.idx", files: [] };
  return assessPrivacy(runner, { plan: planned, data: of, path: "images", set, classes: [undefined] });
}

/** Images that are synthesized from the training images and seed images of others. */
function synthesized(): Images {
  const mark = kernels.mark();
  const training = finish(trainingPyramid(kernels, train, planned.sizes)), all = numbers(0, 30);
  const seeds = seedImages(kernels, pictures(numbers(2000, 30)), planned.sizes, all);
  const pixels = new Uint8Array(30 * AREA);
  const job = { plan: planned, seed: 1, batch: 30, groups: [{ training, numbers: all, seedImages: seeds }] };
  for (const event of runHere(kernels, job)) {
    if (event.type === "image") pixels.set(event.image.pixels, event.image.number * AREA);
  }
  kernels.release(mark);
  return { count: 30, height: SIDE, width: SIDE, pixels };
}

Deno.test("privacy: copies and relit copies are refused, held-out and synthesized images pass", async () => {
  const copies = await found(pictures(numbers(0, 30)));
  assertEquals(copies.nearness.map((one) => one.copies.length), [30, 30, 30]);
  assertEquals(copies.authenticity.assessed.value, 0);
  assert(copies.copyingScore < -3 && copies.attacks.every(({ succeeds }) => succeeds));
  assertEquals(copies.objections.length, 4);

  const relit = await found(pictures(numbers(0, 30), numbers(3000, 30)));
  const [byDistance, byStructure] = relit.nearness.map((one) => one.copies.length);
  // A few have the shading of their own by chance.
  assert(byDistance <= 5 && byStructure === 30, `distance sees ${byDistance} of them, structure ${byStructure}`);
  assert(relit.objections.some((text) => text.startsWith("30 of 30 images are copies by structure")));

  for (const [name, images] of [["held-out", pictures(numbers(2000, 30))], ["synthesized", synthesized()]] as const) {
    const { nearness, objections, attacks } = await found(images);
    assertEquals(nearness.map((one) => one.copies), [[], [], []], name);
    assertEquals(attacks.map(({ succeeds }) => succeeds), [false, false], name);
    assertEquals(objections, [], name);
  }
});

/** A picture whose pixels come from other places of another: `from` returns the row and the column. */
function movedPictures(images: Images, from: (y: number, x: number) => readonly [number, number]): Images {
  const places = numbers(0, AREA).map((p) => from(Math.floor(p / SIDE), p % SIDE));
  const [fromY, fromX] = [0, 1].map((axis) => Float64Array.from(places, (place) => place[axis]));
  const pixels = new Uint8Array(images.pixels.length);
  for (let i = 0; i < images.count; i++) {
    pixels.set(resampled(images.pixels.subarray(i * AREA, (i + 1) * AREA), images, fromY, fromX), i * AREA);
  }
  return { ...images, pixels };
}

Deno.test("privacy: copies are found that were mirrored, turned, transposed, shifted, scaled or inverted", async () => {
  const copied = pictures(numbers(0, 10)), middle = (SIDE - 1) / 2;
  const around = (by: (y: number, x: number) => readonly [number, number]) => {
    return movedPictures(copied, (y, x) => {
      const [dy, dx] = by(y - middle, x - middle);
      return [middle + dy, middle + dx];
    });
  };
  const cheats: Record<string, Images> = {
    mirrored: around((dy, dx) => [dy, -dx]),
    shifted: around((dy, dx) => [dy + 1, dx - 1]),
    "mirrored and shifted": around((dy, dx) => [dy + 1, 1 - dx]),
    scaled: around((dy, dx) => [dy / 1.1, dx / 1.1]),
    turned: around((dy, dx) => [dy + 0.1 * dx, dx - 0.1 * dy]),
    "turned by 90 degrees": around((dy, dx) => [-dx, dy]),
    transposed: around((dy, dx) => [dx, dy]),
    negative: { ...copied, pixels: copied.pixels.map((value) => 255 - value) },
  };
  for (const [name, images] of Object.entries(cheats)) {
    const { nearness: [, still, moved], objections } = await found(images);
    assert(moved.copies.length >= 9, `${name}: ${moved.copies.length} of 10, ${still.copies.length} unmoved`);
    assert(objections.some((text) => text.includes("copies by structure")), name);
    if (name !== "mirrored") continue;
    assertEquals(still.copies, [], "without moves a mirror image is no copy");
    assertStringIncludes(objections.join(), "10 of 10 images are copies by structure when they are mirrored");
  }
});

Deno.test("movesOf: shifts by 3 of 128 pixels in whole ones, at least by one, also diagonally and mirrored", () => {
  for (const [side, far] of [[16, 1], [32, 1], [64, 2], [128, 3]]) {
    const moves = movesOf({ height: side, width: side - 4 });
    for (const mirrored of [undefined, true]) {
      for (const [down, across] of [[far, 0], [0, -far], [far, far], [-far, far], [far, -far], [-far, -far]]) {
        const is = (move: typeof moves[number]) => (move.down ?? 0) === down && (move.across ?? 0) === across;
        assert(moves.some((move) => is(move) && move.mirrored === mirrored), `${side}: ${down}, ${across}`);
      }
    }
  }
});

Deno.test("movesOf: all symmetries of a square, and of a rectangle", () => {
  const symmetries = (height: number, width: number) => {
    const pure = movesOf({ height, width }).filter((move) => !Object.keys(move).some((key) => !/ed$/.test(key)));
    return new Set(
      pure.map(({ mirrored, flipped, transposed }) => [mirrored, flipped, transposed].map((is) => !!is).join()),
    );
  };
  // Seven beside the image itself, which is compared before; three of a rectangle.
  assertEquals([symmetries(8, 8).size, symmetries(8, 6).size], [7, 3]);
});

Deno.test("objectionsTo: many images that share more structure than nearly all held-out images, none of them a copy", () => {
  const score = (values: readonly number[]): MetricScore => {
    const result = { values: Float64Array.from(values), series: {} };
    return { results: [{ result }], images: [Uint32Array.from(values.keys())] } as unknown as MetricScore;
  };
  const heldOut = score(numbers(0, 100).map((n) => 0.5 + 0.003 * n)),
    none = { ...originalityOf(heldOut, heldOut), copies: [] };
  const objections = (values: readonly number[]) => {
    const nearness = [
      none,
      structureOf("structure", score(values), heldOut),
      structureOf("moved structure", heldOut, heldOut),
    ];
    assertEquals(nearness.map(({ copies }) => copies), [[], [], []]);
    return objectionsTo({ attacks: [], nearness }, values.length);
  };
  assertEquals(objections(numbers(0, 40).map((n) => 0.5 + 0.0075 * n)), []);
  // A tenth of them is too many by chance alone, but no objection yet.
  assertEquals(objections(numbers(0, 40).map((n) => n < 4 ? 0.8 : 0.6)), []);
  const [raised, ...more] = objections(numbers(0, 40).map((n) => n < 30 ? 0.8 : 0.6));
  assertEquals(
    raised,
    "75 % of the images share more structure with a training image than all but 5 % of the held-out images do",
  );
  assertEquals(more, []);
});

Deno.test("privacy: one copy among new images is found, and named", async () => {
  const images = pictures([...numbers(2000, 29), 7], [...numbers(2000, 29), 3000]);
  const privacy = await found(images), [, structure] = privacy.nearness;
  assertEquals(structure.copies, [29]);
  assertStringIncludes(privacy.objections.join(), "1 of 30 images are copies by structure");
  assert(structure.assessed.greatest > 0.9 && structure.heldOut.greatest < 0.6);
  assertEquals(privacy.regions.map(({ region }) => region), ["top"]);
  const rows = privacyCsv(privacy).trim().split("\n").map((row) => row.split(","));
  assertEquals(rows.length, 31);
  assertEquals(rows.filter(([, , copy]) => copy === "yes").map(([image]) => image), ["29"]);
  assertEquals(rows[30][rows[0].indexOf("structure nearest")], "7");
  assertStringIncludes(privacyTable(privacy).join("\n"), "Verdict: fails. 1 of 30");
  const record = JSON.parse(JSON.stringify(privacyRecord(privacy, "assess --privacy")));
  assertEquals([record.verdict, record.heldOut, record.nearness[1].copies], ["fails", 100, [29]]);
  const html = toHtml(privacyReport(privacy, "assess --privacy"));
  assertStringIncludes(html, "This is no differential privacy");
  assertStringIncludes(html, "Verdict: fails");
});

Deno.test("privacy: copies of another class than they are said to be of are found", async () => {
  const ofTwo = (count: number) => Uint8Array.from({ length: count }, (_, i) => i % 2);
  const labelled = {
    ...data,
    train: { images: train, labels: ofTwo(200) },
    test: { images: test, labels: ofTwo(100) },
  };
  // Images 0, 2, 4 are of class 0.
  const images = pictures([0, 2, 4, ...numbers(2000, 27)]), labels = new Uint8Array(30).fill(1);
  const set = { images, labels, names: "images.idx", files: [] };
  const assessed = (classes: number[], of = set) => {
    return assessPrivacy(runner, { plan: planned, data: labelled, path: "images", set: of, classes });
  };
  const { nearness, copyingScore } = await assessed([1]);
  assertEquals(nearness.map(({ copies }) => copies), [[0, 1, 2], [0, 1, 2], [0, 1, 2]]);
  assert(Number.isFinite(copyingScore));
  // Of a set of two classes one is assessed: images keep their numbers.
  const some = await assessed([0], { ...set, labels: labels.map((_, i) => i === 2 || i > 20 ? 0 : 1) });
  assertEquals(some.nearness.map(({ copies }) => copies), [[2], [2], [2]]);
  assertStringIncludes(some.objections.join(), "1 of 10 images are copies by distance");
});

Deno.test("privacy: held-out images that are among the training images excuse no copy", async () => {
  const mixed = { ...data, test: { images: pictures([...numbers(1000, 60), 5, 6]) } };
  const { nearness, objections } = await found(pictures([...numbers(0, 4), ...numbers(2000, 26)]), mixed);
  assertEquals(nearness.map(({ copies }) => copies), [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]);
  assertEquals(nearness.slice(0, 2).map(({ duplicates }) => duplicates), [2, 2]);
  assert(objections.length > 0);
  const allCopies = { ...data, test: { images: pictures([...numbers(1000, 19), ...numbers(0, 81)]) } };
  await assertRejects(() => found(pictures([1, 2, 3]), allCopies), Error, "not among the training images, got 19");
});

Deno.test("privacy: without held-out images nothing is said", async () => {
  const few = { ...data, test: { images: pictures(numbers(1000, 19)) } };
  await assertRejects(
    () => found(pictures([1, 2, 3]), few),
    Error,
    "Cannot assess privacy with pictures: expected at least 20 held-out images of the same kind that are not among the training images, got 19",
  );
});

Deno.test("attackBy: it succeeds where members are nearer, by the mean or by a few, and not by chance", () => {
  const random = stream(3),
    draws = (count: number, shift = 0) => {
      return Float64Array.from({ length: count }, () => random.next() + random.next() + shift);
    };
  const succeeds = ({ succeeds }: Attack) => succeeds;
  assert(succeeds(attackBy("distance", draws(300, 0.3), draws(300))));
  const few = draws(300).map((value, i) => i < 15 ? 5 : value);
  assert(succeeds(attackBy("distance", few, draws(300))), "5 % of the members");
  const chance = Array.from({ length: 300 }, () => attackBy("distance", draws(200), draws(200)));
  assert(chance.filter(succeeds).length <= 3, `${chance.filter(succeeds).length} of 300 by chance`);
  assertAlmostEquals(chance.reduce((sum, { area }) => sum + area.value, 0) / 300, 0.5, 0.01);
});
