/** The estimate of a request's work against what is done, and what servers rely on: no step is long. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { faces } from "../../../datasets/profiles/faces.ts";
import { openSynthesizer, RequestError, type SynthesisRequest } from "../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels, noisyFaces, smallPack } from "../../datasets/formats/packs.ts";

/** Runs a request to its end; the work of its steps. */
function workDone(pack: Pack, request: SynthesisRequest): number[] {
  const { synthesize, counter } = openSynthesizer(newKernels(), pack, builtins), work: number[] = [];
  let before = counter.workDone();
  for (const _ of synthesize(request)) {
    work.push(counter.workDone() - before);
    before = counter.workDone();
  }
  return [...work, counter.workDone() - before];
}

Deno.test("workOf: planes x examples x locations x images, and what the rest takes", () => {
  const { workOf } = openSynthesizer(newKernels(), smallPack(), builtins), request = { seed: 1, class: 2, images: [0] };
  const set = (...values: string[]) => ({ ...request, contexts: [], set: values });
  // A window of 3 x 3 offsets in place of one: 8 examples more for each of 8 images, at 3 x 3 locations. The second iteration keeps
  // what the first one found. A pixel counts 0.4, and one image alone as three of a batch, but examples are read once for a batch: that
  // counts 150, and to write where a pixel of an offset lies 30.
  const [narrow, wide] = ["0", "2"].map((window) =>
    workOf(set("prior.neighbours=1", `layers.1.window=${window}`)).total
  );
  assertAlmostEquals(wide - narrow, 9 * 8 * (3 * 8 * 4 * 0.4 + 8 * 150 + 4 * 30), 1e-5);
  const [one, two, four] = [1, 2, 4].map((count) => workOf({ ...request, images: [...Array(count).keys()] }).total);
  const each = two - one;
  assertAlmostEquals((four - two) / each, 2, 0.01); // and the fit
  assert(one > 3 * each && one < 4 * each, `${one} for one, ${each} for each more`);
  assertThrows(() => workOf({ ...request, class: 9 }), RequestError);
});

Deno.test("synthesize: no step is long, whatever is requested", () => {
  // 7 to 30 ms: fits, draws of a batch, the X-step and the description of images of 128x128 pixels beside small ones.
  const most = 2 ** 26,
    cases: [pack: Pack, request: Partial<SynthesisRequest>][] = [
      [noisyFaces(20), { images: [...Array(8).keys()], set: ["layers.3.prior.neighbours=40"] }],
      [{ ...noisyFaces(2), profile: faces }, { prior: "spatially-invariant", set: ["prior.neighbours=3"] }],
      [smallPack(), { images: [...Array(8).keys()], class: "all", prior: "tangent-plane", zStep: "mean" }],
      [smallPack(), { images: [...Array(40).keys()], set: ["prior.hubPenalty=2"] }],
    ];
  for (const [pack, request] of cases) {
    const work = workDone(pack, { seed: 1, images: [0], ...request });
    assert(work.length > 10 && Math.max(...work) <= most, `${JSON.stringify(request)}: ${Math.max(...work)}`);
  }
});

Deno.test("workOf: close to what is done, for every prior and z-step: loops in TypeScript are counted where they run, too", () => {
  for (const { name, kind } of builtins.plugins) {
    if (kind !== "prior") continue;
    for (const zStep of ["sample", "map", "mean"] as const) {
      const images = name === "gmm" ? [0] : [...Array(24).keys()], small = smallPack();
      const request = { seed: 1, images, class: "all", prior: name, zStep } as const;
      const { total } = openSynthesizer(newKernels(), small, builtins).workOf(request);
      const done = workDone(small, request).reduce((sum, one) => sum + one, 0);
      assert(done > 0.7 * total && done < 2 * total, `${name} ${zStep}: ${done} of ${total}`);
    }
  }
});

/** The most work that is done, as a multiple of what was counted: docs/serving.md promises it. */
const PROMISED = 1.3;

Deno.test("workOf: no less than promised where images take all their tries", () => {
  const { profile, ...small } = smallPack(), noise = { layer: 0, steps: 6, windows: [9, 9, 7, 5, 3, 3], tries: 24 };
  const names = Array.from({ length: 99 }, (_, n) => "abcdefghij"[Math.floor(n / 10)] + "abcdefghij"[n % 10]);
  const regions = names.map((name) => ({ name, x: 0, y: 0, width: 1, height: 1 }));
  // Each try misses a limit; where there is no noise most do.
  const held = { ...profile, noise: { ...noise, minOriginality: 5, minTypicality: 0.15 } };
  const original = { ...profile, layers: profile.layers.map((layer) => ({ ...layer, minOriginality: 1 })) };
  const cases: [own: Pack["profile"], request: Partial<SynthesisRequest>][] = [
    [held, { from: "noise" }],
    [held, { from: "noise", prior: "local-nn", zStep: "map" }],
    // What training images have in regions is measured for each request that names others.
    [held, { from: "noise", images: [0], class: "all", set: [`regions=${JSON.stringify(regions)}`, "noise.tries=1"] }],
    [original, {}],
    [original, { prior: "local-nn", zStep: "map" }],
    [original, { contexts: [], zStep: "map" }],
  ];
  for (const [own, changes] of cases) {
    const pack = { ...small, profile: own }, request = { seed: 1, images: [...Array(24).keys()], class: 2, ...changes };
    const { total } = openSynthesizer(newKernels(), pack, builtins).workOf(request);
    const done = workDone(pack, request).reduce((sum, one) => sum + one, 0);
    // All tries are taken: otherwise this would show nothing.
    assert(done <= PROMISED * total && done > total / 2, `${JSON.stringify(changes)}: ${done} of ${total}`);
  }
});

Deno.test("workOf: where images come from noise, seed images that a request brings count as those of test images", () => {
  const { profile, ...pack } = smallPack(), noise = { layer: 0, steps: 6, windows: [9, 9, 7, 5, 3, 3] };
  const layers = profile.layers.map((layer) => ({ ...layer, minOriginality: 0.5 }));
  const { workOf } = openSynthesizer(
    newKernels(),
    { ...pack, profile: { ...profile, from: "noise", noise, layers } },
    builtins,
  );
  const request = { seed: 1, images: [0], class: 2 }, { seeds } = pack;
  const seedImages = seeds!.images.subarray(0, seeds!.height * seeds!.width);
  assertEquals(workOf({ ...request, seedImages }).total, workOf({ ...request, from: "test" }).total);
});

Deno.test("workOf: a cost that is no number from 0 on names the plugin, as it would pass every limit", () => {
  const plain = builtins.find("prior", "local-nn");
  const wrong: readonly (readonly [cost: unknown, sentence: string])[] = [
    [{ fit: NaN, draw: () => 1 }, "expected a number from 0 on, got NaN"],
    [{ fit: -5, draw: () => 1 }, "expected a number from 0 on, got -5"],
    [{ fit: 0, draw: () => "5" }, 'expected a number from 0 on, got "5"'],
    [{ fit: 0, draw: () => Infinity }, "expected a number from 0 on, got Infinity"],
    [undefined, "expected { fit, draw }"],
  ];
  for (const [cost, sentence] of wrong) {
    const costly = {
      ...plain,
      name: "costly",
      create: (values: Parameters<typeof plain.create>[0]) => ({ ...plain.create(values), cost: () => cost as never }),
    };
    const { workOf } = openSynthesizer(newKernels(), smallPack(), builtins.with(costly));
    const { message } = assertThrows(() => workOf({ seed: 1, images: [0], prior: "costly" }), Error, sentence);
    assert(message.includes('prior "costly"'), message);
  }
});
