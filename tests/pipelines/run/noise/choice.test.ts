/** How images from noise are chosen by training images that are left out. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { kernelMemory, loadKernels } from "../../../../core/kernels.ts";
import { isNoiseChosen, plan } from "../../../../core/plan.ts";
import type { Profile } from "../../../../core/profile.ts";
import { trainingPyramid } from "../../../../core/pyramid.ts";
import { windowsUpTo } from "../../../../core/schedule.ts";
import { finish } from "../../../../core/steps.ts";
import type { Region } from "../../../../core/metric.ts";
import type { Images } from "../../../../core/types.ts";
import { withMirrorImages } from "../../../../datasets/mirror.ts";
import { denoRunner } from "../../../../hosts/deno/workers/deno_runner.ts";
import { choiceGroup } from "../../../../pipelines/run/noise/choose.ts";
import type { Job } from "../../../../pipelines/run/job.ts";
import {
  type ChoiceGroup,
  choosing,
  chosenNoise,
  type LeftOutLimits,
  type NoiseChoice,
  type Shortfalls,
} from "../../../../pipelines/run/noise/choice.ts";
import { measured, openGate } from "../../../../pipelines/run/noise/gate.ts";
import type { Nearness } from "../../../../pipelines/run/noise/nearness.ts";
import { boxAround, informationOf, trainingHalves } from "../../../../pipelines/run/noise/halves.ts";
import { FACE_REGIONS } from "../../../../datasets/profiles/faces_relit.ts";
import { foldCount, leftOutOf } from "../../../../pipelines/run/noise/left_out.ts";
import { run } from "../../../../pipelines/run/run.ts";
import { runHere } from "../../../../pipelines/run/run_task.ts";
import type { Runner } from "../../../../pipelines/run/runner.ts";
import { dependsOnAll } from "../../../../pipelines/synthesis/dependencies.ts";
import { windowsText } from "../../../../pipelines/synthesis/noise_text.ts";
import { structure } from "../../../../plugins/metrics/structure.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { compiled, wasm } from "../../../kernels_under_test.ts";
import { withFolder } from "../../../hosts/deno/cli.ts";
import { blobs, small } from "../../../small_world.ts";

const planned = (noise: Profile["noise"] = {}, regions?: Profile["regions"]) => {
  return plan(
    { ...small, ...regions && { regions }, from: "noise", noise: { layer: 0, steps: 6, ...noise } },
    builtins,
  );
};

/** Makes a choice of some training images, in memory that is given back. */
function chosen(
  images: Images,
  noise: Profile["noise"] = {},
  copies = 1,
  origins?: ChoiceGroup["origins"],
  regions?: readonly Region[],
): NoiseChoice {
  const mark = wasm.mark(), of = planned(noise, regions);
  const training = finish(trainingPyramid(wasm, images, of.sizes)), before = wasm.mark();
  const choice = finish(chosenNoise(wasm, choiceGroup(of, { training, copies, ...origins && { origins } })!));
  assertEquals(wasm.mark(), before, "all kernel memory is given back");
  wasm.release(mark);
  return choice;
}

const LIMITS: LeftOutLimits = {
  leftOut: 8,
  training: 80,
  originality: 0.8,
  structure: 0.6,
  minOriginality: 0.7,
  maxStructure: 0.65,
  leastTypicality: -1,
  inRegions: [],
};

/** The search where of 32 images `nearAt(reach)` are too near, and `alikeAt(reach)` too alike. */
function search(nearAt: (reach: number) => number, alikeAt: (reach: number) => number = () => 0) {
  const group = {
    noise: planned().noise!,
    regions: [] as readonly Region[],
    training: { height: 16, width: 12 },
  } as ChoiceGroup;
  const asked = choosing(group), sets: string[] = [];
  let next = asked.next([]);
  while (!next.done) {
    const answers = next.value.map((question): LeftOutLimits | Nearness => {
      if (question.type === "limits") return LIMITS;
      assert(question.type === "images");
      const numbers = Array.from({ length: question.count }, (_, i) => question.first + i);
      sets.push(`${question.reach} ${numbers}`);
      return {
        originality: numbers.map((n) => n < nearAt(question.reach) ? 0.79 : 0.8),
        structure: numbers.map((n) => n < alikeAt(question.reach) ? 0.61 : 0.6),
      };
    });
    next = asked.next(answers);
  }
  assertEquals(new Set(sets).size, sets.length, "each image is made once");
  return next.value;
}

Deno.test("windows auto: the widest that pass, found in four trials at most; the narrowest where none does", () => {
  const reaches = [0.11, 0.14, 0.18, 0.22, 0.27, 0.33, 0.4, 0.5, 0.62, 0.8];
  for (const widest of reaches) {
    const half = (r: number) => r > widest ? 17 : 16;
    // An image that is both too near and too alike counts once.
    for (const choice of [search(half), search(() => 0, half), search(half, half)]) {
      assertEquals(choice.search!.reach, widest);
      assertEquals(choice.windows, windowsUpTo(widest, 6, 16));
      assert(choice.search!.tried.length <= 4);
    }
  }
  const none = search(() => 32);
  assertEquals(none.search!.reach, 0.11);
  assertEquals(none.search!.tried.at(-1), { reach: 0.11, images: 32, near: 32 });
  const { minOriginality, maxStructure } = search(() => 0);
  assertEquals([minOriginality, maxStructure], [0.7, 0.65]);
});

Deno.test("windowsUpTo: the radius falls with the root of the steps that are left, and is 1 at least", () => {
  assertEquals(windowsUpTo(0.5, 4, 16), [17, 15, 13, 9]);
  assertEquals(windowsUpTo(0.01, 2, 16), [3, 3]);
});

Deno.test("windows auto: a group that copies at once gets narrow windows, and every image keeps the distance", () => {
  const choice = chosen(blobs(24)), { search } = choice;
  assertEquals([search!.leftOut, search!.training], [24, 16], "each image is left out once, 8 at a time");
  const refused = search!.tried.filter(({ near }) => near > 16);
  assert(refused.length > 0 && refused.every(({ reach }) => reach > search!.reach || search!.reach === 0.11));
  assert(choice.minOriginality >= 0.6 && choice.minOriginality === search!.originality);
  assert(choice.maxStructure < 1 && choice.maxStructure === search!.structure);
  assertEquals(chosen(blobs(24)), choice, "always the same");
  // What the profile says is not chosen.
  const given = chosen(blobs(24), { minOriginality: 0.1, maxStructure: 0.99 });
  assertEquals([given.minOriginality, given.maxStructure], [0.1, 0.99]);
  assert(given.search!.reach > search!.reach, "windows are as wide as what is given allows");
});

Deno.test("windows auto: a left-out image takes its copies with it", () => {
  const { images } = withMirrorImages({ images: blobs(24) });
  const doubled = { ...images, pixels: new Uint8Array([...blobs(24).pixels, ...blobs(24).pixels]) };
  assertEquals(chosen(doubled, { windows: [9, 9, 7, 5, 3, 3] }, 2).maxStructure < 1, true);
  // Not told of them, most left-out images are found again, and do not count.
  const told = chosen(doubled, {}, 2).search!, untold = chosen(doubled).search!;
  assertEquals([told.leftOut, told.training, untold.leftOut, untold.training], [24, 32, 48, 40]);
  assert(told.structure < untold.structure && told.originality < untold.originality);
});

Deno.test("windows auto: near copies in the data do not let images be near copies", () => {
  // Twenty-four images, and each again with one pixel that differs.
  const real = blobs(24), pixels = new Uint8Array([...real.pixels, ...real.pixels]), area = pixels.length / 48;
  for (let i = 24; i < 48; i++) pixels[i * area] ^= 8;
  const choice = chosen({ ...real, count: 48, pixels });
  assertEquals([choice.minOriginality, choice.search!.originality], [0.6, 0.6]);
  // Given windows, the limit is the nearest left-out image's own.
  assert(chosen({ ...real, count: 48, pixels }, { windows: ALL.windows }).minOriginality < 0.6);
  assertEquals(chosen({ ...real, count: 48, pixels }, { minOriginality: 0.3 }).search!.originality, 0.3);
});

Deno.test("windows auto: all of few images are left out in turn, and the second most alike of each turn decides", () => {
  const choice = chosen(blobs(40)), group = { training: { count: 40 } as ChoiceGroup["training"], copies: 1 };
  assertEquals(foldCount(group), 5);
  const folds = [0, 1, 2, 3, 4].map((fold) => leftOutOf(group, fold));
  assertEquals(folds.flatMap(({ leftOut }) => leftOut).sort((a, b) => a - b), Array.from({ length: 40 }, (_, n) => n));
  for (const { leftOut, rest } of folds) assertEquals(new Set([...leftOut, ...rest]).size, 40);
  // Given windows, the one image decides that is most alike: more than that image's share more.
  const given = chosen(blobs(40), { windows: ALL.windows });
  assert(given.maxStructure > choice.maxStructure);
  assertEquals([640, 6000].map((count) => foldCount({ training: { ...group.training, count }, copies: 1 })), [1, 1]);
});

Deno.test("windows auto: of three training images nothing is left out", () => {
  assertEquals(chosen(blobs(3)), {
    windows: planned().noise!.windows,
    minOriginality: 0,
    maxStructure: 1,
    leastTypicality: -1,
    inRegions: [],
    maxShortfall: 0,
  });
});

const ALL = { windows: [9, 9, 7, 5, 3, 3], minOriginality: 0, maxStructure: 1 };

Deno.test("minTypicality: images below the quantile are made again; a quantile of 0 asks nothing", () => {
  assert(!isNoiseChosen(planned(ALL).noise!));
  const half = chosen(blobs(24), { ...ALL, minTypicality: 0.5 }).leastTypicality;
  const tenth = chosen(blobs(24), { ...ALL, minTypicality: 0.1 }).leastTypicality;
  assert(tenth < half && half < 1);
  const of = planned({ ...ALL, minTypicality: 0.9 }), mark = wasm.mark();
  const training = finish(trainingPyramid(wasm, blobs(24), of.sizes)), tries: number[] = [];
  for (
    const event of runHere(wasm, { plan: of, seed: 1, batch: 8, groups: [{ training, numbers: [0, 1, 2, 3, 4] }] })
  ) {
    if (event.type === "image") tries.push(event.image.tries!);
  }
  wasm.release(mark);
  assert(tries.some((count) => count > 1) && tries.every((count) => count >= 1 && count <= 8), `${tries}`);
});

const WHOLE: Region = { name: "whole", x: 0, y: 0, width: 1, height: 1 };
const LEFT: Region = { name: "left", x: 0, y: 0.25, width: 0.5, height: 0.5 };

Deno.test("minTypicality: above the median, images between it and the limit lack something, too", () => {
  const mark = wasm.mark(), [training] = finish(trainingPyramid(wasm, blobs(24), planned().sizes)).hr;
  const choice = chosen(blobs(24), { ...ALL, minTypicality: 0.9 }, 1, undefined, [LEFT]);
  const { medianTypicality, ...alone } = choice.inRegions[0];
  assert(medianTypicality! < alone.leastTypicality);
  const [shortfalls, isBelow] = [choice.inRegions[0], alone].map((region) => {
    const limits = { ...choice, leastTypicality: -1, inRegions: [region] };
    const gate = finish(openGate(wasm, training, limits, undefined, [LEFT]));
    return finish(measured(wasm, gate, blobs(24, 16, 6).pixels)).map(({ shortfall }) => shortfall);
  });
  wasm.release(mark);
  assert(isBelow.includes(1), "without a median all that lies below the limit lacks 1");
  shortfalls.forEach((shortfall, n) => assert(isBelow[n] ? shortfall > 0 && shortfall < 1 : shortfall === 0));
});

Deno.test("regions: limits as those of whole images, in each region by its own structure", () => {
  const { windows } = ALL, both = [WHOLE, LEFT];
  const choice = chosen(blobs(24), { windows, minTypicality: 0.3 }, 1, undefined, both),
    [whole, left] = choice.inRegions;
  const { maxStructure, leastTypicality, medianTypicality } = choice;
  assertEquals(whole, { maxStructure, leastTypicality, medianTypicality });
  assert(left.maxStructure < 1 && left.maxStructure !== whole.maxStructure);
  assert(left.leastTypicality > -1 && left.leastTypicality !== whole.leastTypicality);
  // What the profile limits is limited as a whole.
  const given = chosen(blobs(24), { ...ALL, minTypicality: 0.3 }, 1, undefined, both).inRegions;
  assertEquals(given, [whole, left].map((limits) => ({ ...limits, maxStructure: 1 })));
  assertEquals(chosen(blobs(24), { windows }, 1, undefined, [LEFT]).inRegions[0].leastTypicality, -1);
  assertEquals(chosen(blobs(3), { windows }, 1, undefined, [LEFT]).inRegions[0].maxStructure, 1);
});

Deno.test("regions: images that share more structure inside a region are made again, as the metric measures it", () => {
  const windows = [17, 13, 11, 9, 7, 5], regions = [LEFT], mark = wasm.mark();
  const limit = chosen(blobs(80), { windows, minOriginality: 0 }, 1, undefined, regions).inRegions[0].maxStructure;
  const training = finish(trainingPyramid(wasm, blobs(80), planned().sizes));
  /** For each image how often it was made, and what the metric measures in the region. */
  const measured = (noise: Profile["noise"]) => {
    const of = planned({ windows, minOriginality: 0, ...noise }, regions), tries: number[] = [];
    const pixels: Uint8Array[] = [], groups = [{ training, numbers: Array.from({ length: 12 }, (_, n) => n) }];
    for (const event of runHere(wasm, { plan: of, seed: 1, batch: 12, groups })) {
      if (event.type !== "image") continue;
      tries.push(event.image.tries!);
      pixels.push(event.image.pixels);
    }
    const at = wasm.allocate(12 * 256);
    pixels.forEach((image, n) => wasm.u8(at + 256 * n, 256).set(image));
    const generated = { ...training.hr[0], count: 12, at };
    const input = { generated, training: training.hr[0], regions, patch: 4, overlap: 1, window: 2, kernels: wasm };
    const { series } = structure.create({}).measure(input);
    return tries.map((count, n) => ({ count, shared: series.left[n] }));
  };
  const free = measured({ maxStructure: 1 }), limited = measured({});
  assert(free.some(({ shared }) => shared > limit), "without the limit there are such images");
  const kept = limited.filter(({ count }) => count < 8);
  assert(kept.length >= 6 && kept.every(({ shared }) => shared <= limit), JSON.stringify({ limit, limited }));
  wasm.release(mark);
});

/** Images of blobs, each beside its mirror image. */
function mirrored(count: number): Images {
  const { pixels, ...shape } = blobs(count);
  return { ...shape, pixels: pixels.map((_, i) => pixels[i - i % 16 + Math.min(i % 16, 15 - i % 16)]) };
}

Deno.test("minMutualInformation: the quantile of training images that are left out of the fit", () => {
  const limitOf = (part: number, count = 160) => {
    return chosen(mirrored(count), { ...ALL, minMutualInformation: part }).information;
  };
  const [tenth, half] = [0.1, 0.5].map((part) => limitOf(part)!);
  assert(tenth.least < half.least && half.least === half.median && tenth.median === half.median);
  assertEquals(limitOf(0.5, 79), undefined, "an eighth of 79 are too few to say");
  assert(limitOf(0.5, 80) !== undefined);
  assertEquals([0, 0.1].map((part) => isNoiseChosen(planned({ ...ALL, minMutualInformation: part }).noise!)), [
    false,
    true,
  ]);
});

Deno.test("minMutualInformation: images whose halves do not belong together are made again, as often as said", () => {
  const windows = [5, 5, 5, 5, 3, 3], mark = wasm.mark(), images = mirrored(160);
  const training = finish(trainingPyramid(wasm, images, planned().sizes)), [hr] = training.hr;
  const { information, maxShortfall } = chosen(images, { ...ALL, windows, minMutualInformation: 0.1 });
  const { least, median } = information!, halves = finish(trainingHalves(wasm, hr));
  /** A half of it is what the halves lack: a half again where they are as far below the limit as that is below the median. */
  const shortfall = (value: number) => value >= least ? 0 : (least - value) / (median - value) / 2;
  const made = (noise: Profile["noise"]) => {
    const of = planned({ ...ALL, windows, ...noise }), results: { tries: number; information: number }[] = [];
    const groups = [{ training, numbers: Array.from({ length: 8 }, (_, n) => n) }];
    for (const event of runHere(wasm, { plan: of, seed: 1, batch: 8, groups })) {
      if (event.type !== "image") continue;
      const at = wasm.allocate(256);
      wasm.u8(at, 256).set(event.image.pixels);
      const [information] = finish(informationOf(wasm, halves, { ...hr, count: 1, at }));
      results.push({ tries: event.image.tries!, information });
    }
    return results;
  };
  const free = made({}), limited = made({ minMutualInformation: 0.1 });
  const longer = made({ minMutualInformation: 0.1, tries: 12 });
  wasm.release(mark);
  assert(
    free.some(({ information }) => shortfall(information) > maxShortfall),
    "without the limit there are such images",
  );
  for (const [results, most] of [[limited, 8], [longer, 12]] as const) {
    const isKept = (information: number) => shortfall(information) <= maxShortfall;
    assert(results.every(({ tries, information }) => tries <= most && (tries === most || isKept(information))));
    assert(results.every(({ information }, n) => information >= free[n].information), "the best is kept");
  }
  assert(longer.some(({ tries }) => tries > 8) || limited.every(({ tries }) => tries < 8));
});

Deno.test("minMutualInformation: what fewer than 4 of 32 trial images reach is asked as far as twelve reach it", () => {
  /** The shortfall that is allowed where that of image `n` is `of(n)`. */
  const allowed = (of: (n: number) => number) => {
    const { noise } = planned({ ...ALL, minMutualInformation: 0.1 }), training = { height: 16, width: 12 };
    const asked = choosing({ noise, regions: [] as readonly Region[], training } as ChoiceGroup);
    let next = asked.next([]);
    while (!next.done) {
      next = asked.next(next.value.map((question): LeftOutLimits | Shortfalls => {
        if (question.type === "limits") return { ...LIMITS, information: { least: 1, median: 2 } };
        assert(question.type === "shortfalls" && question.choice.information?.least === 1);
        return { shortfall: Array.from({ length: question.count }, (_, i) => of(question.first + i)) };
      }));
    }
    return next.value.maxShortfall;
  };
  assertEquals(allowed((n) => n % 8 === 7 ? 0 : 0.4), 0, "four lack nothing");
  assertEquals(allowed((n) => n < 3 ? 0 : n / 64), 11 / 64);
  assertEquals(allowed((n) => n % 8 < 3 ? 0.3 : 1), 0.3);
  // Narrow windows make halves that do not agree as those of images do that are drawn alike on both sides.
  assert(chosen(mirrored(160), { ...ALL, windows: [3, 3, 3, 3, 3, 3], minMutualInformation: 0.5 }).maxShortfall > 0);
});

Deno.test("minMutualInformation: of regions the box around all of them and a margin counts", () => {
  const { x, y, width, height } = boxAround(FACE_REGIONS);
  [x, y, width, height].forEach((value, i) => assertAlmostEquals(value, [0.1575, 0.2375, 0.685, 0.675][i], 1e-12));
  const [all] = [boxAround([{ name: "edge", x: 0, y: 0.5, width: 0.99, height: 0.5 }])];
  assertAlmostEquals(all.width + all.x, 1);
  assertAlmostEquals(all.height + all.y, 1);
  assertEquals([all.x, all.y, boxAround([]).width], [0, 0.4375, 1]);
});

/** The images of a job whose windows are chosen, and what was told of the fit. */
async function images(threads: number, folder?: string, noise: Profile["noise"] = {}) {
  const kernels = loadKernels(compiled("kernels.shared.wasm"), kernelMemory({ shared: true })), of = planned(noise);
  const groups = [[0, 2], [1]].map((numbers, group) => {
    return { training: finish(trainingPyramid(kernels, blobs(20, 16, 5 + group), of.sizes)), numbers };
  });
  const job: Job = { plan: of, seed: 3, batch: 2, groups }, told: number[] = [];
  using runner: Runner & Disposable = denoRunner({ threads, quiet: true, folder });
  const pixels: Uint8Array[] = [];
  let choices: unknown;
  for await (const event of run(job, runner, kernels)) {
    if (event.type === "progress" && event.phase === "fit") told.push(event.done);
    if (event.type === "fitted") choices = event.job.groups.map(({ noise }) => noise);
    if (event.type === "image") pixels[event.image.number] = event.image.pixels;
  }
  const here: Uint8Array[] = [];
  for (const event of runHere(kernels, job)) if (event.type === "image") here[event.image.number] = event.image.pixels;
  assertEquals(pixels, here, "the same in one thread, without a runner");
  return { pixels, choices, told };
}

Deno.test("windows auto: the same on one thread and two, kept and taken from what was kept", async () => {
  await withFolder(async (folder) => {
    const one = await images(1), two = await images(2, folder), again = await images(2, folder);
    assertEquals([two.pixels, two.choices], [one.pixels, one.choices]);
    assertEquals([again.pixels, again.choices], [one.pixels, one.choices]);
    assertEquals(one.told, one.told.toSorted((a, b) => a - b));
    assert(one.told.length > 5 && one.told.at(-1)! <= 1);
    assertEquals(again.told, [], "what was kept is not searched again");
  });
});

Deno.test("windows auto: every image depends on all training images, and the sentence says why", () => {
  const why = (noise: Profile["noise"]) => {
    return dependsOnAll({ plan: planned(noise), seedSource: "noise" }, { height: 16, width: 16 }, 24);
  };
  assertEquals(why(ALL), undefined);
  assertEquals(why({}), "windows are chosen by training images that are left out (noise.windows auto)");
  assert(why({ ...ALL, minTypicality: 0.2 })!.includes("noise.minTypicality"));
  assert(why({ ...ALL, minMutualInformation: 0.2 })!.includes("noise.minMutualInformation"));
  assert(why({ windows: ALL.windows })!.includes("noise.minOriginality"));
});

Deno.test("windowsText: what was chosen and why, of one group or of several classes", () => {
  const choice = search((reach) => reach > 0.3 ? 19 : 12);
  const sentence =
    `a radius of up to 27 % of the side was chosen, in windows of up to ${
      choice.windows[0]
    } pixels. 12 of 32 trial images came nearer to a training image ` +
    "than 8 left-out training images come; with a radius of 33 % it is 19, which is too many. Such images are made again " +
    "by themselves: nothing needs doing.";
  assertEquals(windowsText([choice], [undefined]), `Windows: ${sentence}`);
  const other = search(() => 0), sides = [choice, other].map(({ windows: [widest] }) => widest);
  const tail = `Of all classes, the radius is 27 % to 80 % of the side, in windows of up to ${
    sides.join(" to ")
  } pixels.`;
  assertEquals(windowsText([choice, other], [3, 5]), `Windows: of class 3, ${sentence} ${tail}`);
  assertEquals(windowsText([undefined, chosen(blobs(3))], [0, 1]), undefined);
  assertAlmostEquals(choice.search!.reach, 0.27);
});

Deno.test("chooseNoise: what is done is a part of what is chosen, whether windows are or not", async () => {
  for (const noise of [{}, { ...ALL, minTypicality: 0.2 }]) {
    const { told } = await images(2, undefined, noise);
    assert(told.at(-1)! > 0.7, `${told.at(-1)} at the end`);
  }
});

Deno.test("windows auto: a left-out image takes the morphs with it that it is a parent of", () => {
  // Twenty images, and the mean of each two that follow each other.
  const real = blobs(20), { width, height } = real, area = width * height, count = 39;
  const pixels = new Uint8Array(count * area);
  pixels.set(real.pixels);
  for (let i = 0; i < 19; i++) {
    for (let p = 0; p < area; p++) {
      const at = i * area + p;
      pixels[(20 + i) * area + p] = (real.pixels[at] + real.pixels[at + area]) >> 1;
    }
  }
  const origins = Array.from({ length: count }, (_, i) => i < 20 ? [i] : [i - 20, i - 19]);
  const images = { ...real, count, pixels };
  const told = chosen(images, {}, 1, origins), untold = chosen(images);
  assert(told.search!.structure < untold.search!.structure - 0.1, `${told.search!.structure}`);
  assert(told.minOriginality > untold.minOriginality);
  assertEquals(told.search!.leftOut, 8);
  // At least as many morphs go as images are left out, but for a last one.
  assert(told.search!.training <= count - 8 - 8);
  // Where only morphs are learned from, those of left-out images alone are left out.
  const morphs = { ...real, count: 19, pixels: pixels.slice(20 * area) };
  const alone = chosen(morphs, {}, 1, origins.slice(20)).search!;
  assert(alone.leftOut >= 1 && alone.leftOut + alone.training < 19, JSON.stringify(alone));
});
