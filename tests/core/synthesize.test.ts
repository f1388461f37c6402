/** Algorithm 2 end to end: on what an image depends, against a plain reimplementation, and what becomes of memory. */
import { assert, assertAlmostEquals, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { loadKernels } from "../../core/kernels.ts";
import type { Profile } from "../../core/profile.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { Batch, SynthesizedBatch } from "../../core/batch.ts";
import { coarseBatch } from "../../core/coarse_batch.ts";
import { synthesize, synthesizeCoarse } from "../../core/synthesize.ts";
import { finish } from "../../core/steps.ts";
import type { FittedPrior, LayerData } from "../../core/types.ts";
import { builtins } from "../../plugins/mod.ts";
import { compiled, twin, wasm } from "../kernels_under_test.ts";
import { patchAt, plainSynthesis, uniform } from "../plain_synthesis.ts";
import { blobs, colouredBlobs, small, smallColour, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const SEED = 2 ** 33 + 5;
const model = smallModel(wasm);

/** Synthesizes images of the small world by their numbers; image i takes seed image i. */
function images(numbers: readonly number[], seed = SEED, of = model): SynthesizedBatch {
  return toEnd(synthesize(of, { seed, images: numbers, seedImages: smallSeeds(of, numbers) }));
}

/** The images one by one, by their numbers. */
function byNumber(numbers: readonly number[], { pixels, provenance }: SynthesizedBatch) {
  const length = pixels.length / numbers.length;
  return new Map(numbers.map((number, i) => [number, {
    pixels: pixels.slice(i * length, (i + 1) * length),
    provenance: provenance[i],
  }]));
}

const ALL = Array.from({ length: 16 }, (_, i) => i);

Deno.test("synthesizeCoarse: images go on from a layer in any batch, and become those that are made at once", () => {
  // A coherent prior asks which training images the coarser layer was drawn from.
  const of = smallModel(wasm, { profile: { ...small, prior: ["detail", { neighbours: 2, coherent: true }] } });
  const mark = wasm.mark();
  const batchOf = (numbers: readonly number[]) => ({
    seed: SEED,
    images: numbers,
    seedImages: smallSeeds(of, numbers),
  });
  const [some, others] = [[0, 1, 2], [7, 4]].map((numbers) => finish(synthesizeCoarse(of, batchOf(numbers), 1)));
  const coarse = coarseBatch([{ of: others, image: 1 }, { of: some, image: 2 }, { of: others, image: 0 }]);
  assertEquals([coarse.layer, coarse.count], [1, 3]);
  const numbers = [4, 2, 7];
  const whole = finish(synthesize(of, batchOf(numbers)));
  assertEquals(finish(synthesize(of, { ...batchOf(numbers), coarse })), whole);
  assertEquals(wasm.mark(), mark, "all kernel memory is given back");
  assertThrows(
    () => finish(synthesize(of, { ...batchOf([4, 2]), coarse })),
    RangeError,
    "expected 2 images up to a layer",
  );
  of.dispose();
});

Deno.test("synthesize: an image does not depend on its batch or its place in it", () => {
  const whole = byNumber(ALL, images(ALL));
  for (const size of [1, 2, 3, 5]) {
    for (let first = 0; first < ALL.length; first += size) {
      const numbers = ALL.slice(first, first + size);
      for (const [number, image] of byNumber(numbers, images(numbers))) assertEquals(image, whole.get(number));
    }
  }
  const shuffled = ALL.map((i) => i * 7 % 16);
  for (const [number, image] of byNumber(shuffled, images(shuffled))) assertEquals(image, whole.get(number));
});

Deno.test("synthesize: no two images, nor two seeds, draw the same from one seed image", () => {
  const numbers = [0, 1, 2, 2 ** 32 - 1], one = smallSeeds(model, [3, 3, 3, 3]);
  const draw = (seed: number) => {
    return [...byNumber(numbers, toEnd(synthesize(model, { seed, images: numbers, seedImages: one }))).values()];
  };
  // The seed's high word counts too.
  const all = [SEED, SEED + 1, SEED + 2 ** 32].flatMap(draw);
  assertEquals(new Set(all.map(({ pixels }) => pixels.join())).size, 12);
});

Deno.test("synthesize: an image depends on its seed image and on the training images", () => {
  const [a, b] = [[1], [2]].map((of) => synthesize(model, { seed: 1, images: [0], seedImages: smallSeeds(model, of) }));
  assertNotEquals(toEnd(a).pixels, toEnd(b).pixels);
  const other = smallModel(wasm, { images: blobs(24, 16, 3) });
  assertNotEquals(images([0], 1, other).pixels, images([0], 1).pixels);
});

Deno.test("synthesize: the same bytes at every step from the kernels and their twin", () => {
  const run = (kernels: typeof wasm) => {
    const fitted = smallModel(kernels);
    return toEnd(synthesize(fitted, { seed: SEED, images: ALL, seedImages: smallSeeds(fitted) }));
  };
  assertEquals(run(wasm), run(twin));
});

Deno.test("synthesize: each image has its own attempt, whatever those of the others; attempt 0 is the default", () => {
  const numbers = [5, 6, 7, 8, 9], seeds = smallSeeds(model, numbers), attempts = [0, 3, 3, 127, 0];
  const made = (chosen: number[], own?: number[]) => {
    const seedImages = Float32Array.from(chosen.flatMap((i) => [...seeds.subarray(16 * i, 16 * (i + 1))]));
    const work = { seed: SEED, images: chosen.map((i) => numbers[i]), seedImages, attempts: own };
    return byNumber(work.images, toEnd(synthesize(model, work)));
  };
  const all = made([0, 1, 2, 3, 4], attempts), plain = images([5, 6]);
  numbers.forEach((number, i) => assertEquals(made([i], [attempts[i]]).get(number), all.get(number)));
  assertEquals(all.get(5)!.pixels, plain.pixels.slice(0, 256));
  assertNotEquals(all.get(6)!.pixels, plain.pixels.slice(256));
  assertEquals(made([0, 1]), byNumber([5, 6], plain));
});

Deno.test("synthesize: asks no clock and no other source of chance", () => {
  const forbidden = [[Math, "random"], [Date, "now"], [performance, "now"]] as const;
  const wanted = images([1, 2]);
  // `performance` inherits `now`: what it has of its own is taken away again.
  const before = forbidden.map(([object, name]) => Object.getOwnPropertyDescriptor(object, name));
  for (const [object, name] of forbidden) {
    const value = () => {
      throw new Error(`called ${name}`);
    };
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  }
  try {
    assertThrows(() => Math.random(), Error, "called random");
    assertEquals(images([1, 2], SEED, smallModel(wasm)), wanted);
  } finally {
    forbidden.forEach(([object, name], i) => {
      Reflect.deleteProperty(object, name);
      if (before[i]) Object.defineProperty(object, name, before[i]);
    });
  }
});

Deno.test("synthesize: a step for each iteration of each layer, the coarsest first; the bytes are the last step's", () => {
  const { steps, pixels } = toEnd(
    synthesize(model, { seed: 1, images: [4, 5, 6], seedImages: smallSeeds(model, [4, 5, 6]) }),
  );
  assertEquals(
    steps.map(({ layer, iteration, width, images }) => [layer, iteration, width, images.length]),
    [[1, 0, 8, 192], [1, 1, 8, 192], [0, 0, 16, 768], [0, 1, 16, 768], [0, 2, 16, 768], [0, 3, 16, 768]],
  );
  for (const { residual } of steps) assert(residual >= 0 && residual <= 1e-4);
  steps.at(-1)!.images.forEach((value, i) => {
    assert(Math.abs(pixels[i] - 255 * Math.min(Math.max(value, 0), 1)) < 0.5001);
  });
});

Deno.test("synthesize: no images, no work; more than the model has room for, one sentence", () => {
  assertEquals(images([]).pixels.length, 0);
  const run = synthesize(model, { seed: 1, images: [...ALL, 16], seedImages: smallSeeds(model, [...ALL, 16]) });
  assertThrows(() => run.next(), RangeError, "Cannot synthesize: expected at most 16 images at once, got 17");
});

Deno.test("synthesize: arrays of another length than the batch's, one sentence and no memory taken", () => {
  const seeds = smallSeeds(model, [0, 1]), height = wasm.mark(), longer = new Float32Array(33);
  for (const seedImages of [seeds.subarray(1), seeds.subarray(0, 16), new Float32Array(0), longer]) {
    const run = synthesize(model, { seed: 1, images: [0, 1], seedImages });
    const sentence = `Cannot synthesize: expected 32 values of seed images, got ${seedImages.length}`;
    assertThrows(() => run.next(), RangeError, sentence);
  }
  const { sizes: [full] } = model.plan,
    pixels = new Float32Array(2 * full.height * full.width),
    few = pixels.subarray(1);
  const wrong = [
    [{ attempts: [1] }, "2 attempts, got 1"],
    [
      { observed: [{ values: few, weights: pixels }] },
      `${pixels.length} observed values of layer 0, got ${few.length}`,
    ],
    [{ observed: [{ values: pixels, weights: few }] }, `${pixels.length} weights of observed values of layer 0, got `],
  ] as const;
  for (const [more, sentence] of wrong) {
    const run = synthesize(model, { seed: SEED, images: [0, 1], seedImages: seeds, ...more });
    assertThrows(() => run.next(), RangeError, `Cannot synthesize: expected ${sentence}`);
  }
  assertEquals(wasm.mark(), height);
});

/** A profile of one prior, made of what `draw` does; `fit` may add to what it is fitted on. */
function withPrior(draw: (layer: LayerData) => FittedPrior["draw"], changes: Partial<Profile> = {}) {
  const stub = definePlugin({
    api: 1,
    kind: "prior",
    name: "stub",
    about: "for tests",
    options: {},
    create: () => ({ fit: (layer) => ({ draw: draw(layer) }) }),
  });
  return { profile: { ...small, prior: "stub", ...changes }, plugins: builtins.with(stub) };
}

Deno.test("synthesize: memory is given back at the end, at an early end and when a prior throws", () => {
  const kernels = loadKernels(compiled("kernels.wasm"));
  const fitted = smallModel(kernels), work = { seed: 1, images: [0], seedImages: smallSeeds(fitted, [0]) };
  const height = kernels.mark();
  toEnd(synthesize(fitted, work));
  assertEquals(kernels.mark(), height);
  const run = synthesize(fitted, work);
  run.next();
  assert(kernels.mark() > height);
  run.return(undefined as never);
  assertEquals(kernels.mark(), height);
  for (const _ of synthesize(fitted, work)) break;
  assertEquals(kernels.mark(), height);
  const broken = smallModel(
    kernels,
    withPrior(({ layer }) => (_at, _now, _step, _random, out) => {
      if (layer === 0) throw new Error("out of ideas");
      out.patches.fill(0.5);
    }),
  );
  const before = kernels.mark();
  assertThrows(() => toEnd(synthesize(broken, work)), Error, "out of ideas");
  assertEquals(kernels.mark(), before);
});

Deno.test("synthesize: refuses a prior that leaves a patch unfilled, or grows memory in draw", () => {
  const run = (draw: FittedPrior["draw"]) => () => {
    const kernels = loadKernels(compiled("kernels.wasm")), fitted = smallModel(kernels, withPrior(() => draw));
    toEnd(synthesize(fitted, { seed: 1, images: [0, 1], seedImages: smallSeeds(fitted, [0, 1]) }));
  };
  const unfilled = 'prior "stub" left a patch unfilled or not a number in draw at (0, 0), layer 1';
  assertThrows(run(() => {}), Error, unfilled);
  assertThrows(run((_at, _now, _step, _random, out) => out.patches.subarray(0, 16).fill(0)), Error, unfilled);
  assertThrows(run((_at, _now, _step, _random, out) => out.patches.fill(NaN)), Error, unfilled);
  const second = 'prior "stub" left a patch unfilled or not a number in draw at (2, 0), layer 1';
  assertThrows(run((at, _now, _step, _random, out) => out.patches.fill(at.x === 2 ? NaN : 0)), Error, second);
  const one = "left a patch unfilled or not a number in draw at (0, 0), layer 1";
  assertThrows(run((_at, _now, _step, _random, out) => out.patches.fill(0).fill(NaN, 5, 6)), Error, one);
  const kernels: { growing?: LayerData["kernels"] } = {};
  const growing = withPrior((layer) => (_at, _now, _step, _random, out) => {
    kernels.growing = layer.kernels;
    out.patches.fill(0);
    layer.kernels.allocate(layer.kernels.memory.buffer.byteLength);
  });
  const fitted = smallModel(loadKernels(compiled("kernels.wasm")), growing);
  assertThrows(
    () => toEnd(synthesize(fitted, { seed: 1, images: [0], seedImages: smallSeeds(fitted, [0]) })),
    Error,
    'prior "stub" grew kernel memory in draw at (0, 0), layer 1: allocate in fit',
  );
});

Deno.test("synthesize: keyed numbers are the documented ones, in kernel memory and outside it", () => {
  const seen: { layer: number; iteration: number; y: number; x: number; inside: number[]; outside: number[] }[] = [];
  const numbers = [3, 9];
  const fitted = smallModel(
    wasm,
    withPrior(({ layer, kernels }) => {
      const room = kernels.allocate(16);
      return (at, measurements, { iteration }, random, out) => {
        out.patches.fill(0.5);
        const inside = kernels.f64(room, measurements.batch), outside = new Float64Array(measurements.batch);
        for (const draw of [0, 1]) {
          random.uniforms(inside, draw);
          random.uniforms(outside, draw);
          seen.push({ layer, iteration, y: at.y, x: at.x, inside: [...inside], outside: [...outside] });
        }
      };
    }),
  );
  const attempts = [0, 5], seedImages = smallSeeds(fitted, numbers);
  toEnd(synthesize(fitted, { seed: SEED, images: numbers, seedImages, attempts }));
  seen.forEach(({ layer, iteration, y, x, inside, outside }, i) => {
    const wanted = numbers.map((image, b) => {
      return uniform(SEED, [image, attempts[b] * 256 + layer, iteration, y, x, i % 2]);
    });
    assertEquals([inside, outside], [wanted, wanted]);
  });
  assertEquals(new Set(seen.flatMap(({ inside }) => inside)).size, 2 * seen.length);
});

/** `small` with a patch that is the whole image in the coarsest layer, and every row from its centre outwards in the finest. */
const OWN_PATCH = smallModel(wasm, {
  profile: { ...small, layers: [{ ...small.layers[0], order: "sweep" }, { ...small.layers[1], patch: 8 }] },
});
const COLOURED = smallModel(wasm, { profile: smallColour, images: colouredBlobs() });
for (
  const [what, fitted, training] of [
    ["grey squares", model, blobs()],
    ["colour", COLOURED, colouredBlobs()],
    ["a patch and an order of a layer's own", OWN_PATCH, blobs()],
  ] as const
) {
  Deno.test(`synthesize: what plain loops over Algorithms 1 and 2 make, at every step and from the same sources: ${what}`, () => {
    const numbers = [0, 1, 7], seeds = smallSeeds(fitted, numbers), length = seeds.length / numbers.length;
    const { steps, provenance } = toEnd(synthesize(fitted, { seed: SEED, images: numbers, seedImages: seeds }));
    numbers.forEach((image, b) => {
      const seedImage = [...seeds.subarray(b * length, (b + 1) * length)];
      const wanted = plainSynthesis(fitted.plan, training, { seed: SEED, image, seedImage });
      assertEquals([...provenance[b].sources], wanted.sources);
      wanted.steps.forEach((pixels, step) => {
        pixels.forEach((pixel, p) => assertAlmostEquals(steps[step].images[b * pixels.length + p], pixel, 1e-3));
      });
    });
  });
}

Deno.test("synthesize: onDraw is shown every draw, which the candidates explain; to look changes nothing", () => {
  const numbers = [0, 1, 7], work = { seed: SEED, images: numbers, seedImages: smallSeeds(model, numbers) };
  let draws = 0;
  const onDraw: Batch["onDraw"] = ({ layer, location: at, measurements, step, prior, out }) => {
    draws++;
    numbers.forEach((image, b) => {
      const { sources, logT } = prior.candidates!(at, measurements, step, b), largest = Math.max(...logT);
      const weights = [...logT].map((log) => Math.exp(log - largest)), total = weights.reduce((a, w) => a + w);
      let aim = uniform(SEED, [image, layer, step.iteration, at.y, at.x, 0]) * total, c = 0;
      while (c < weights.length - 1 && (aim -= weights[c]) >= 0) c++;
      assertEquals(out.sources.slice(3 * b, 3 * b + 3), sources.slice(3 * c, 3 * c + 3));
    });
  };
  assertEquals(toEnd(synthesize(model, { ...work, onDraw })), toEnd(synthesize(model, work)));
  assertEquals(draws, model.layers.flatMap(({ locations }) => locations.flat()).length);
});

Deno.test("synthesize: a prior measures R X + u; u is 0 at first and where the offset changes, and persists while it stays", () => {
  const size = 8, patch = 4, offsets = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 0], [0, 0]] as const;
  const iterations = offsets.length, all = (value: number) => offsets.map(() => value);
  const layers = [{ overlap: 2, iterations, window: 0, h: all(1), lambda: all(0.3), rho: all(0.5), offsets }];
  const seen: { y: number; x: number; iteration: number; measured: number[]; z: number[] }[] = [];
  const recording = withPrior(() => (at, measurements, { iteration, rho, h }, random, out) => {
    assertEquals([rho, h, measurements.batch, measurements.lr.length], [0.5, 1, 2, 32]);
    random.uniforms(new Float64Array(2));
    out.patches.forEach((_, i) => out.patches[i] = (at.y * 7 + at.x * 3 + iteration * 5 + i * 11) % 13 / 13);
    seen.push({ ...at, iteration, measured: [...measurements.patches], z: [...out.patches] });
  }, { size, patch, layers });
  const fitted = smallModel(wasm, { ...recording, images: blobs(3, size) });
  const { steps } = toEnd(synthesize(fitted, { seed: 1, images: [0, 1], seedImages: smallSeeds(fitted, [0, 1]) }));
  const parts = (images: Float32Array, y: number, x: number) =>
    [0, 1].flatMap((b) => patchAt(images.subarray(b * 64, (b + 1) * 64), size, patch, y, x));
  const u = new Map<string, number[]>();
  for (const { y, x, iteration, measured, z } of seen) {
    const changed = iteration > 0 && String(offsets[iteration]) !== String(offsets[iteration - 1]);
    if (iteration === 0 || changed) u.set(`${y} ${x}`, z.map(() => 0));
    const dual = u.get(`${y} ${x}`)!;
    if (iteration > 0) {
      const x0 = parts(steps[iteration - 1].images, y, x);
      measured.forEach((value, i) => assertAlmostEquals(value, x0[i] + dual[i], 1e-6));
    }
    const x1 = parts(steps[iteration].images, y, x);
    u.set(`${y} ${x}`, dual.map((value, i) => value + x1[i] - z[i]));
  }
  assertEquals(seen.length, 6 * 9 + 2 * 3);
});

Deno.test("synthesize: a layer's own prior and context act in that layer alone", () => {
  const own = (entries: Partial<Profile["layers"][0]>) => {
    const fitted = smallModel(wasm, {
      profile: { ...small, layers: [{ ...small.layers[0], ...entries }, small.layers[1]] },
    });
    return toEnd(synthesize(fitted, { seed: SEED, images: [1, 2], seedImages: smallSeeds(fitted, [1, 2]) }));
  };
  const common = images([1, 2]);
  for (const entries of [{ prior: ["local-nn", { neighbours: 2 }] }, { contexts: [] }] as const) {
    const changed = own(entries), coarse = ({ steps }: typeof changed) => steps.filter(({ layer }) => layer === 1);
    assertEquals(coarse(changed), coarse(own({})));
    assertNotEquals(changed.pixels, common.pixels);
  }
  assertEquals(own({ prior: small.prior, contexts: small.contexts }).pixels, common.pixels);
});

Deno.test("synthesize: seed noise acts like noisy seed images, depends on seed, number and attempt, and stays in [0, 1]", () => {
  const fitted = smallModel(wasm, { profile: { ...small, seedNoise: 0.25 } }), seeds = smallSeeds(fitted, [3, 3, 3]);
  const made = (numbers: number[], seed = SEED, attempt = 0) => {
    const seedImages = seeds.subarray(0, 16 * numbers.length), attempts = numbers.map(() => attempt);
    const work = { seed, images: numbers, seedImages, attempts };
    return toEnd(synthesize(fitted, work));
  };
  const [two, one] = [made([8, 5]), made([5])], length = one.pixels.length;
  assertEquals(two.pixels.subarray(length), one.pixels);
  assertNotEquals(made([5], SEED + 1).pixels, one.pixels);
  assertNotEquals(made([5], SEED, 1).pixels, one.pixels);
  // The same seed image, with the noise already in it, gives the same image without noise.
  let low: Float32Array | undefined;
  const onDraw: Batch["onDraw"] = ({ layer, measurements }) =>
    low ??= layer === 1 ? measurements.lr.slice() : undefined;
  toEnd(synthesize(fitted, { seed: SEED, images: [5], seedImages: seeds.subarray(0, 16), onDraw }));
  assert(low!.every((value) => value >= 0 && value <= 1) && low!.join() !== seeds.subarray(0, 16).join());
  assert(low!.some((value) => value === 0 || value === 1), "clamped");
  assertEquals(toEnd(synthesize(model, { seed: SEED, images: [5], seedImages: low! })).pixels, one.pixels);
  const noise = low!.map((value, i) => value - seeds[i]).filter((_, i) => low![i] > 0 && low![i] < 1);
  const deviation = Math.sqrt(noise.reduce((sum, value) => sum + value * value, 0) / noise.length);
  assert(deviation > 0.1 && deviation < 0.4, String(deviation));
});
