import { finish } from "../../../core/steps.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { fitModel } from "../../../core/model.ts";
import { plan } from "../../../core/plan.ts";
import { rebuild } from "../../../core/provenance.ts";
import { trainingPyramid } from "../../../core/pyramid.ts";
import { synthesize } from "../../../core/synthesize.ts";
import {
  openSynthesizer,
  RequestError,
  type SynthesisProgress,
  type SynthesisRequest,
  type SynthesisResult,
  type Synthesizer,
} from "../../../pipelines/synthesis/synthesizer.ts";
import { morphHere } from "../../../pipelines/synthesis/morph_training.ts";
import { type Pack, readPack, writePack } from "../../../datasets/formats/pack.ts";
import { registry } from "../../../core/registry.ts";
import { builtins } from "../../../plugins/mod.ts";
import { gmm } from "../../../priors/gmm.ts";
import { toEnd } from "../../small_world.ts";
import { newKernels, smallPack } from "../../datasets/formats/packs.ts";

function open(pack: Pack = smallPack(), memory?: number): Synthesizer {
  return openSynthesizer(newKernels(), pack, builtins, memory);
}

function made(synthesizer: Synthesizer, request: SynthesisRequest): SynthesisResult {
  return finish(synthesizer.synthesize(request));
}

/** The pixels of one image made without a synthesizer: of a class's images alone, from one seed image, by its number. */
function plainly(pack: Pack, label: number | undefined, image: number, seedNumber: number, seed: number): Uint8Array {
  const kernels = newKernels(), planned = plan(pack.profile, builtins);
  const { images, labels } = pack.train;
  const chosen = [...Array(images.count).keys()].filter((i) => label === undefined || labels![i] === label);
  const model = finish(fitModel(kernels, planned, finish(trainingPyramid(kernels, images, planned.sizes, chosen)), 1));
  const seedImages = pack.seeds.images.slice(seedNumber * 16, (seedNumber + 1) * 16);
  return toEnd(synthesize(model, { seed, images: [image], seedImages })).pixels;
}

Deno.test("synthesizer: each class in turn, seed images in the order of their class, as plain synthesis has it", () => {
  const pack = readPack(writePack(smallPack())), synthesizer = open(pack);
  assertEquals(synthesizer.classes, [2, 5, 7]);
  const { images } = made(synthesizer, { seed: 7, images: [10, 0, 1, 2, 3] });
  assertEquals(images.map(({ number }) => number), [0, 1, 2, 3, 10]);
  assertEquals(images.map(({ label }) => label), [2, 5, 7, 2, 5]);
  // Class 5 has the seed images 1 and 4; image 10 is its fourth (3), around again.
  assertEquals(images.map(({ seedNumber }) => seedNumber), [0, 1, 2, 3, 4]);
  for (const { number, label, seedNumber, seedImage, pixels } of images) {
    assertEquals(pixels, plainly(pack, label, number, seedNumber!, 7), `image ${number}`);
    assertEquals(seedImage, pack.seeds.images.slice(seedNumber! * 16, (seedNumber! + 1) * 16));
  }
});

Deno.test("synthesizer: an image is the same whatever else is requested, before and with it", () => {
  const synthesizer = open(), numbers = Array.from({ length: 70 }, (_, i) => i);
  const all = made(synthesizer, { seed: 1, images: numbers }).images;
  for (const request of [[69], [0, 69], [3, 1, 69, 40]]) {
    for (const image of made(synthesizer, { seed: 1, images: request }).images) assertEquals(image, all[image.number]);
  }
  assertEquals(made(open(), { seed: 1, images: [69] }).images[0], all[69], "in another loom");
});

Deno.test("synthesizer: a prior in parts is fitted once for each class and plan, with the images of a new fit", () => {
  let parts = 0;
  const counted = {
    ...gmm,
    create: (...args: Parameters<typeof gmm.create>) => {
      const prior = gmm.create(...args), own = prior.parts!;
      return { ...prior, parts: { ...own, fit: (...of: Parameters<typeof own.fit>) => (parts++, own.fit(...of)) } };
    },
  };
  const plugins = registry(...builtins.plugins.map((plugin) => plugin.name === "gmm" ? counted : plugin));
  const synthesizer = openSynthesizer(newKernels(), smallPack(), plugins),
    set = ["prior.components=2", "prior.patches=8"];
  const fits = (request: Partial<SynthesisRequest>) => {
    const before = parts, all = { prior: "gmm", set, class: 5, seed: 1, images: [0], ...request };
    const [image] = made(synthesizer, all).images;
    return { fitted: parts > before, image, all };
  };
  const first = fits({});
  assert(first.fitted);
  assertEquals(fits({}), { ...first, fitted: false });
  const other = fits({ seed: 2 });
  assertEquals(other.fitted, false);
  assertEquals(other.image, made(openSynthesizer(newKernels(), smallPack(), builtins), other.all).images[0]);
  // What a fit does not depend on, what it does, another class, and back.
  assertEquals(fits({ set: [...set, "layers.0.h.0=2"] }).fitted, false);
  assert(fits({ set: [...set, "prior.floor=5"] }).fitted);
  assert(fits({ class: 7 }).fitted);
  assertEquals(fits({}), { ...first, fitted: false });
});

Deno.test("synthesizer: one class, all classes together, data without classes, a profile that is not class-wise", () => {
  const pack = smallPack(), synthesizer = open(pack);
  const five = made(synthesizer, { class: 5, seed: 1, images: [0, 1, 2] }).images;
  assertEquals(five.map(({ label, seedNumber }) => [label, seedNumber]), [[5, 1], [5, 4], [5, 1]]);
  for (const { number, seedNumber, pixels } of five) assertEquals(pixels, plainly(pack, 5, number, seedNumber!, 1));
  const request = { seed: 1, images: [0, 5, 6] }, together = made(synthesizer, { ...request, class: "all" }).images;
  assertEquals(together.map(({ label, seedNumber }) => [label, seedNumber]), [0, 5, 0].map((n) => [undefined, n]));
  for (const { number, seedNumber, pixels } of together) {
    assertEquals(pixels, plainly(pack, undefined, number, seedNumber!, 1));
  }
  for (const options of [{ labelled: false }, { classwise: false }]) {
    const without = open(smallPack(options));
    assertEquals(made(without, request).images, together);
    assertEquals(without.classes, options.labelled === false ? [] : [2, 5, 7]);
  }
});

Deno.test("synthesizer: training images go by their numbers in the pack", () => {
  const pack = smallPack(), { train: { images: { pixels: train, height, width } } } = pack;
  const distance = (a: Uint8Array, image: number) => {
    let sum = 0;
    for (let p = 0; p < 256; p++) {
      const y = (p >> 4) - 1, x = (p & 15) - 1, inside = y >= 0 && y < height && x >= 0 && x < width;
      sum += (a[p] - (inside ? train[(image * height + y) * width + x] : 0)) ** 2;
    }
    return Math.sqrt(sum) / 255;
  };
  for (
    const { label, pixels, nearest, contributors, provenance } of made(open(pack), { seed: 3, images: [1, 2] }).images
  ) {
    const own = [...Array(24).keys()].filter((i) => pack.train.labels![i] === label);
    const distances = own.map((image) => distance(pixels, image));
    assertEquals(nearest!.image, own[distances.indexOf(Math.min(...distances))]);
    assertEquals(nearest!.distance.toFixed(6), Math.min(...distances).toFixed(6));
    for (const { image } of contributors) assert(own.includes(image));
    const merged = rebuild(provenance, pack.train.images);
    merged.forEach((value, p) => {
      const whole = Math.min(Math.max(value + provenance.correction[p], 0), 1);
      assert(Math.abs(whole * 255 - pixels[p]) < 0.51, `pixel ${p}: ${whole * 255} and ${pixels[p]}`);
    });
  }
});

Deno.test("synthesizer: tells of every iteration of every batch, and of every draw", () => {
  const synthesizer = open(), told: SynthesisProgress[] = [], layers = new Set<number>();
  const steps = synthesizer.synthesize(
    { class: 2, seed: 1, images: [...Array(20).keys()] },
    ({ layer }) => layers.add(layer),
  );
  for (const event of steps) if (event.type === "iteration") told.push(event);
  assertEquals(told.map(({ done }) => done), Array.from({ length: 12 }, (_, i) => (i + 1) / 12));
  assertEquals(told.map(({ numbers }) => numbers.length), [...Array(6).fill(16), ...Array(6).fill(4)]);
  assertEquals([told[0].width, told[5].height, told[0].label], [8, 16, 2]);
  assertEquals(layers, new Set([1, 0]));
});

Deno.test("synthesizer: entries of a request reach the plan", () => {
  const synthesizer = open(), base = { seed: 1, images: [0] };
  const { plan: { prior, contexts, zStep, layers } } = made(synthesizer, {
    ...base,
    prior: "spatially-invariant",
    contexts: [],
    zStep: "mean",
    set: ["layers.0.window=1"],
  });
  assertEquals([prior.plugin.name, contexts.length, zStep, layers[0].window], ["spatially-invariant", 0, "mean", 1]);
  const own = made(synthesizer, { ...base, images: [4, 1], seedImages: new Float32Array(32).fill(1, 16) }).images;
  assertEquals(own.map(({ seedNumber, seedImage }) => [seedNumber, seedImage![0]]), [[undefined, 1], [undefined, 0]]);
});

Deno.test("synthesizer: pyramids are kept within a limit, and what it makes does not depend on it", () => {
  const requests: SynthesisRequest[] = [2, 5, 7, 5, 2].map((label) => ({ class: label, seed: 1, images: [0] }));
  const all = requests.map((request) => made(open(), request).images);
  for (const memory of [0, 6000, 10000, 2 ** 20]) {
    const kernels = newKernels(),
      synthesizer = openSynthesizer(kernels, smallPack(), builtins, memory),
      base = kernels.mark();
    for (const [i, request] of requests.entries()) {
      assertEquals(made(synthesizer, request).images, all[i]);
      const kept = kernels.mark() - base;
      assert(kept > 0 && kept <= Math.max(memory, 6000), `${kept} of ${memory}`);
    }
  }
});

Deno.test("synthesizer: an unfinished request gives everything back; two at once are refused", () => {
  const kernels = newKernels(), synthesizer = openSynthesizer(kernels, smallPack(), builtins);
  const request = { class: 2, seed: 1, images: [0] }, whole = made(synthesizer, request), height = kernels.mark();
  const steps = synthesizer.synthesize(request);
  steps.next();
  steps.next();
  assertThrows(() => synthesizer.synthesize(request).next(), Error, "Cannot start a request: expected the one before");
  steps.return(whole);
  assertEquals(kernels.mark(), height);
  assertEquals(made(synthesizer, request).images, whole.images);
});

Deno.test("synthesizer: a wrong entry is named, at once", () => {
  const synthesizer = open(), right = { seed: 1, images: [0] };
  const cases: [keyof SynthesisRequest, object][] = [
    ["seed", { seed: -1 }],
    ["seed", { seed: 1.5 }],
    ["seed", { seed: "1" }],
    ["seed", { seed: 2 ** 53 }],
    ["images", { images: [] }],
    ["images", { images: 4 }],
    ["images", { images: [-1] }],
    ["images", { images: [2 ** 32] }],
    ["images", { images: [1, 1] }],
    ["images", { images: [NaN] }],
    ["class", { class: 3 }],
    ["class", { class: "5" }],
    ["class", { class: -1 }],
    ["prior", { prior: "local-mn" }],
    ["prior", { prior: 5 }],
    ["contexts", { contexts: ["sqare"] }],
    ["contexts", { contexts: "square" }],
    ["zStep", { zStep: "best" }],
    ["set", { set: ["prior.neighbors=5"] }],
    ["set", { set: ["prior.neighbours=0"] }],
    ["set", { set: ["size=32"] }],
    ["set", { set: ["size=8"] }],
    ["set", { set: ["aligned=false"] }],
    ["set", { set: "prior.neighbours=5" }],
    ["set", { set: ["nonsense"] }],
    ["seedImages", { seedImages: new Float32Array(15) }],
    ["seedImages", { seedImages: new Float32Array(16).fill(NaN) }],
    ["seedImages", { seedImages: [] }],
    ["sead" as "seed", { sead: 1 }],
  ];
  for (const [parameter, change] of cases) {
    const error = assertThrows(
      () => synthesizer.synthesize({ ...right, ...change } as SynthesisRequest),
      RequestError,
    ) as RequestError;
    assertEquals(error.parameter, parameter, error.message);
    assert(/^[^\n]+$/.test(error.message) && error.expected.length > 0 && "found" in error, error.message);
  }
  assertThrows(
    () => open(smallPack({ labelled: false })).synthesize({ ...right, class: 5 }),
    RequestError,
    "have no labels",
  );
});

Deno.test("openLoom: a pack that does not fit its profile", () => {
  const pack = smallPack(), { profile } = pack;
  const cases: [Partial<Pack["profile"]> & Record<string, unknown>, string][] = [
    [{ patch: 3 }, "Cannot use patch of the profile: expected an even number, got 3"],
    [{ colour: 1 }, 'the profile has an unknown entry "colour"'],
    [{ prior: "elsewhere" }, 'There is no prior "elsewhere"'],
    [{ size: 32 }, "Cannot use the pack: expected seed images of 8x8, got 4x4"],
    [{ size: 8, patch: 4 }, "Cannot use the pack: expected images of up to 8x8, got 14x14"],
  ];
  for (const [change, sentence] of cases) {
    assertThrows(() => open({ ...pack, profile: { ...profile, ...change } }), Error, sentence);
  }
});

Deno.test("synthesizer: learns from the morphs that the profile asks for, and names their parents", () => {
  const pack = smallPack(), morphing = { ...pack, profile: { ...pack.profile, morph: 3 } };
  const train =
    morphHere(newKernels(), { ...pack, name: "", files: [], test: pack.train }, plan(morphing.profile, builtins)).train;
  assert(train.images.count > 30);
  const request = { seed: 3, images: [0, 1, 2, 5] };
  const morphed = open(morphing),
    { images } = made(morphed, request),
    before = made(open({ ...pack, train }), request).images;
  images.forEach((image, i) => assertEquals(image.pixels, before[i].pixels));
  assertEquals(morphed.pack.train.images.count, train.images.count);
  assert(before.some(({ contributors }) => contributors.some(({ image }) => image >= 24)), "morphs contribute");
  for (const { contributors, label } of images) {
    assert(contributors.every(({ image }) => image < 24 && pack.train.labels![image] === label));
  }
  // Morphs are made when a pack is opened.
  const sentence = "Cannot use set: expected morph 3, as the pack's";
  assertThrows(() => made(morphed, { ...request, set: ["morph=2"] }), RequestError, sentence);
  assertThrows(() => made(morphed, { ...request, set: ["morphOf=fours"] }), RequestError, "expected morphOf pairs");
});
