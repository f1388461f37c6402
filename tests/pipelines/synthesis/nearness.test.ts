import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Images } from "../../../core/types.ts";
import type { GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import { contactSheet } from "../../../pipelines/synthesis/contact_sheet.ts";
import { nearnessHint } from "../../../pipelines/synthesis/hints.ts";
import { measureNearness, nearnessAhead } from "../../../pipelines/synthesis/nearness.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { compiled, wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const SIDE = 32;
const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });
const planned = plan({ ...small, size: SIDE }, builtins);
const train = blobs(40, SIDE, 1);
const imageOf = ({ pixels }: Images, n: number) => pixels.slice(n * SIDE * SIDE, (n + 1) * SIDE * SIDE);
/** An image in another light: brighter to the right, and of half the contrast. */
const relit = (pixels: Uint8Array) => pixels.map((value, i) => 20 + 3 * (i % SIDE) + value / 2);

/** A finished image; its nearest training image by distance is number 5, whatever it is. */
function finished(number: number, pixels: Uint8Array, share = 0.2, image = 5): GroupImage {
  const nearest = { image: 5, distance: 3, trainingDistance: 2, other: 1 };
  return { number, group: 0, pixels, nearest, contributors: [{ image, share }], correction: 0 };
}

/** The run that made some images. */
function runOf(done: readonly GroupImage[], heldOut: number) {
  const data = {
    name: "blobs",
    origin: "",
    files: [],
    train: { images: train },
    test: { images: blobs(heldOut, SIDE, 2) },
  };
  const groups = [{ label: undefined, images: done.map(({ number }) => number) }];
  const input = { plan: planned, size: { height: SIDE, width: SIDE }, data, classes: [undefined], count: 3, seed: 1 };
  return { input: { ...input, seedSource: "test" as const }, groups, kernels };
}

Deno.test("measureNearness: relit copies are found by structure, whatever their distance; held-out images beside", async () => {
  const [other] = [blobs(1, SIDE, 3)];
  const done = [finished(0, relit(imageOf(train, 7))), finished(1, imageOf(other, 0)), finished(2, imageOf(train, 9))];
  const mark = kernels.mark();
  const { done: measured, compared } = (await measureNearness(runner, runOf(done, 100), done))!;
  assertEquals(kernels.mark(), mark, "all kernel memory is given back");
  const [copied, fresh, same] = measured.map(({ structure }) => structure!);
  assert(copied.image === 7 && copied.correlation > 0.9, `${copied.correlation}`);
  assertEquals(same, { image: 9, correlation: 1 });
  const [{ of, count, mean, greatest }] = compared as { of: string; count: number; mean: number; greatest: number }[];
  assertEquals([of, count], ["held-out images", 64]);
  assert(mean < greatest && greatest < copied.correlation && fresh.correlation <= greatest + 0.1);
  const alone = (await measureNearness(runner, runOf(done, 0), done))!.compared[0]!;
  assertEquals([alone.of, alone.count], ["training images", 40]);
  assert(alone.greatest < 0.9, "a training image is not compared with itself");
  const texture = plan({ ...small, aligned: false, contexts: [] }, builtins), run = runOf(done, 3);
  assertEquals(await measureNearness(runner, { ...run, input: { ...run.input, plan: texture } }, done), undefined);
});

Deno.test("measureNearness: the comparison is kept for later runs, unless images differ or third-party plugins run", async () => {
  const kept = new Map<string, Uint8Array>(), written: string[] = [];
  const keyOf = (name: string, key: Uint8Array) =>
    `${name} ${key.length} ${key.reduce((sum, byte, i) => sum + byte * (i + 1), 0)}`;
  const cache = {
    read: (name: string, key: Uint8Array) => Promise.resolve(kept.get(keyOf(name, key))),
    write(name: string, key: Uint8Array, bytes: Uint8Array) {
      written.push(name);
      kept.set(keyOf(name, key), bytes.slice());
      return Promise.resolve();
    },
  };
  const done = [finished(0, imageOf(blobs(1, SIDE, 3), 0))], cached = { ...runner, cache };
  const measured = async (heldOut: number, by = cached) =>
    (await measureNearness(by, runOf(done, heldOut), done))!.compared;
  for (const heldOut of [100, 0]) {
    const alone = (await measureNearness(runner, runOf(done, heldOut), done))!.compared;
    assertEquals([await measured(heldOut), await measured(heldOut)], [alone, alone], "first, and from the cache");
  }
  assertEquals(written, ["structure", "structure-comparison", "structure-comparison"]);
  const run = runOf(done, 100),
    ahead = await nearnessAhead(cached, run),
    alone = await measureNearness(runner, run, done);
  assertEquals(ahead.kept[0]?.structure.count, 40);
  assertEquals(await measureNearness(runner, run, done, ahead), alone, "nothing was measured before");
  const early = ahead.measure(done[0]), late = (await measureNearness(runner, run, done, ahead))!;
  assert(late.done[0] === early, "measured before, it is not measured again");
  assertEquals(late, alone);
  const none = await nearnessAhead(runner, run);
  assertEquals(none.kept, [], "without a cache none are kept");
  assert(none.measure(done[0]) === done[0] && none.measured.size === 0);
  const [name] = [...kept.keys()].filter((key) => key.startsWith("structure-comparison"));
  kept.set(name, new Uint8Array(Float64Array.of(64, 0.25, 0.5).buffer));
  assertEquals(
    await measured(100),
    [{ of: "held-out images", count: 64, mean: 0.25, greatest: 0.5 }],
    "read, not computed",
  );
  assert((await measured(99))[0]!.mean !== 0.25, "other held-out images are compared anew");
  written.length = 0;
  await measured(98, { ...cached, isolated: true });
  assertEquals(written, []);
});

Deno.test("nearnessHint: how many share more structure than held-out images, or come from one image, and what to change", () => {
  const compared = [{ of: "held-out images" as const, count: 64, mean: 0.4, greatest: 0.6 }];
  const at = (correlation: number, share: number, image = 5) => {
    return { ...finished(0, new Uint8Array(), share, image), structure: { image: 5, correlation } };
  };
  const hint = (
    used: typeof planned,
    done: ReturnType<typeof at>[],
    others: Parameters<typeof nearnessHint>[1]["compared"] = compared,
  ) => {
    return nearnessHint(used, { done, compared: others }, 40);
  };
  assertEquals(hint(planned, [at(0.69, 0.5), at(0.1, 0.9, 6)]), undefined);
  const near = hint(planned, [at(0.71, 0.2), at(0.2, 0.51), at(0.9, 0.2)])!;
  assert(near.includes("2 of 3 images share more structure with a training image than held-out images do"), near);
  assert(near.includes("(greatest 0.90, theirs 0.60)") && near.includes("--max-structure 0.70"), near);
  const fromNearest = "1 of 3 images takes more than half of its pixels from the training image that is nearest, by " +
    "distance or by structure (largest share 0.51)";
  assert(near.includes(fromNearest), near);
  assert(near.includes("--from noise"));
  // Of several classes, each is compared with its own; the limit draws all such images again.
  const classes = [...compared, { ...compared[0], greatest: 0.96 }];
  const ofClasses = hint(planned, [at(0.85, 0.2), { ...at(0.93, 0.2), group: 1 }], classes)!;
  assert(ofClasses.includes("1 of 2 images shares more structure"), ofClasses);
  assert(ofClasses.includes("(furthest above its class 0.85, theirs 0.60)"), ofClasses);
  assert(ofClasses.includes("--max-structure 0.70"), ofClasses);
  const noise = plan({ ...small, size: SIDE, from: "noise", noise: {} }, builtins);
  assert(!hint(noise, [at(0.71, 0.2)])!.includes("noise"), "its windows are chosen already");
  const wide = plan({ ...small, size: SIDE, from: "noise", noise: { windows: Array(20).fill(9) } }, builtins);
  const leave = ". Leave such images out, and make more (--count); more training images help, too";
  assert(
    hint(noise, [at(0.2, 0.51)])!.endsWith(`which originality does not show${leave}`),
    "nothing else can be changed",
  );
  assert(hint(wide, [at(0.71, 0.2)])!.includes("Try --set noise.windows=auto, or --max-structure 0.70"));
  // Where held-out images themselves share nearly all, the limit lies between theirs and 1.
  const alike = [{ ...compared[0], greatest: 0.94 }];
  assertEquals(hint(planned, [at(0.96, 0.2)], alike), undefined);
  assert(hint(planned, [at(0.98, 0.2)], alike));
  assertEquals(hint(planned, [at(1, 0.2)], [undefined]), undefined);
});

Deno.test("nearnessHint: says whether images are copies, and never proposes the limit that they were just drawn with", () => {
  const compared = [{ of: "held-out images" as const, count: 4, mean: 0.2, greatest: 0.28 }];
  const done = [0.41, 0.45].map((correlation) => {
    return { ...finished(0, new Uint8Array()), structure: { image: 5, correlation } };
  });
  const few = plan({ ...small, size: SIDE, morph: 25, morphOf: "fours" }, builtins);
  const near = nearnessHint(few, { done, compared }, 39)!;
  assert(
    near.includes("They are no copies, which share 0.75 or more") && near.includes("With 39 training images"),
    near,
  );
  assert(near.includes("--max-structure 0.38"), near);
  const [finest, ...rest] = small.layers, layers = [{ ...finest, maxStructure: 0.38 }, ...rest];
  const limited = nearnessHint(plan({ ...few.profile, layers }, builtins), { done, compared }, 39)!;
  assert(!limited.includes("--max-structure"), limited);
  const copied = [{ ...done[0], structure: { image: 5, correlation: 0.8 } }, done[1]];
  const copies = nearnessHint(few, { done: copied, compared }, 39)!;
  assert(copies.includes("1 of them, with 0.75 or more, can be copies") && !copies.includes("no copies"), copies);
});

Deno.test("contactSheet: the red frame shows the nearest by structure, where that is another than by distance", () => {
  const done = [finished(0, imageOf(train, 0))], run = runOf(done, 3), times = { fit: 0, synthesis: 0 };
  const sheetOf = (image?: number) => {
    const structure = image === undefined ? undefined : { image, correlation: 0.87 };
    return contactSheet({ ...run, done: [{ ...done[0], structure }], noise: [], times });
  };
  const plain = sheetOf(), other = sheetOf(9);
  assertEquals([sheetOf(5).data, sheetOf(-1).data], [plain.data, plain.data]);
  assertEquals([other.width, other.height], [plain.width, plain.height]);
  // The red frame is the second: its picture is training image 9, of 3 x 3 pixels for one.
  const scale = 3, frame = 3, left = 14 + (SIDE * scale + 2 * frame + 6) + frame, top = 14 + frame;
  const pixelOf = ({ data, width }: typeof other, y: number, x: number) =>
    data[((top + scale * y) * width + left + scale * x) * 3];
  for (const [picture, image] of [[plain, 5], [other, 9]] as const) {
    for (const [y, x] of [[0, 0], [10, 20], [31, 31]]) {
      assertAlmostEquals(pixelOf(picture, y, x), train.pixels[(image * SIDE + y) * SIDE + x]);
    }
  }
});
