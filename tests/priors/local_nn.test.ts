/** The prior of the paper against brute force: which examples it draws from, how often, and what it copies. */
import { assert, assertAlmostEquals, assertEquals, assertLess, assertThrows } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import { range } from "../../core/numbers.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import { seedKey } from "../../core/random.ts";
import type { ContextPixel, FittedPrior, Images, LayerData, PatchSources, ZStep } from "../../core/types.ts";
import { squareOf } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import { horizontal } from "../../plugins/contexts/horizontal.ts";
import { square } from "../../plugins/contexts/square.ts";
import { hubPenalties } from "../../priors/example/hub_penalty.ts";
import { quantize } from "../../priors/example/lr_pixels.ts";
import { localNn } from "../../priors/local_nn.ts";
import { chiSquare, floats, put, wasm } from "../kernels_under_test.ts";
import { examplesAt, patchAt, pyramid, squaredDistance } from "../plain_synthesis.ts";
import { blobs } from "../small_world.ts";
import { NO_SOURCES } from "../small_world.ts";

const SIZE = 16, HALF = 8, PATCH = 4, AREA = PATCH * PATCH;
const K = 10;
const ring = square.create({ extent: 1, weight: 0.5 }).mask(PATCH / 2, HALF);
const rows = horizontal.create({ weight: 0.25, step: 1 }).mask(PATCH / 2, HALF);
const faint = square.create({ extent: 3, weight: 0.001 }).mask(PATCH / 2, HALF);
const EVERYWHERE = Array.from({ length: 13 * 13 }, (_, i) => ({ y: Math.floor(i / 13), x: i % 13 }));

const training = blobs();
const levels = levelsOf(training.count);

/** V^0 and V^1 of the first training images, in grey levels. */
function levelsOf(count: number): number[][][] {
  return Array.from({ length: count }, (_, i) => {
    const image = [...training.pixels.subarray(i * SIZE * SIZE, (i + 1) * SIZE * SIZE)];
    return pyramid(image, pyramidSizes(squareOf(SIZE), 1)).map((level) => level.map(Math.round));
  });
}

interface Setting {
  kernels?: Kernels;
  neighbours?: number;
  hubPenalty?: number;
  bonus?: number;
  images?: Images;
  window?: number;
  context?: readonly ContextPixel[];
  count?: number;
  batch?: number;
  visits?: number;
}

/** The prior fitted to the finer layer of the first `count` training images, and what it was fitted on. */
function fitted(setting: Setting = {}): { prior: FittedPrior; layer: LayerData } {
  const {
    kernels = wasm,
    neighbours = K,
    hubPenalty = 0,
    bonus = 0,
    images = training,
    window = 2,
    context = ring,
    count = 24,
    batch = 2 * K,
    visits = 1,
  } = setting;
  const { hr, lr } = finish(trainingPyramid(kernels, images, pyramidSizes(squareOf(SIZE), 1), range(count)));
  const locations = EVERYWHERE.map((place) => ({ ...place, visits }));
  const layer = {
    layer: 0,
    ...squareOf(SIZE),
    channels: 1,
    patch: PATCH,
    window,
    context,
    locations,
    batch,
    hr: hr[0],
    lr: lr[0],
    kernels,
  };
  return { prior: finish(localNn.create({ neighbours, hubPenalty, bonus }).fit(layer)), layer };
}

interface Ask {
  at: { y: number; x: number };
  /** One LR image in [0, 1] for all of the batch. */
  low: ArrayLike<number>;
  measured?: ArrayLike<number>;
  /** One for each image of the batch. */
  uniforms: ArrayLike<number>;
  h?: number;
  rho?: number;
  lrKey?: object;
  before?: PatchSources;
  zStep?: ZStep;
}

/** Draws for a batch of images that are all the same. Returns the sources, the patches and what they were drawn from. */
function draw({ prior, layer: { kernels } }: ReturnType<typeof fitted>, ask: Ask) {
  const {
    at,
    low,
    measured = new Array(AREA).fill(0),
    uniforms,
    h = 1e12,
    rho = 0,
    lrKey = {},
    before,
    zStep = "sample",
  } = ask;
  const height = kernels.mark(), batch = uniforms.length;
  const repeat = (values: ArrayLike<number>) => {
    return put(kernels, Float32Array.from({ length: batch * values.length }, (_, i) => values[i % values.length]));
  };
  // Addresses first, views last: memory may grow in between.
  const lrAt = repeat(low), measuredAt = repeat(measured);
  const patchesAt = kernels.allocate(batch * AREA * 4), sourcesAt = kernels.allocate(batch * 12);
  const lr = kernels.f32(lrAt, batch * low.length), patches = kernels.f32(measuredAt, batch * AREA);
  const out = { patches: kernels.f32(patchesAt, batch * AREA), sources: kernels.i32(sourcesAt, batch * 3) };
  const random = { uniforms: (to: Float64Array) => to.set(uniforms) };
  const measurements = { batch, lr, patches, lrKey, sources: NO_SOURCES, previousSources: before },
    step = { rho, h, iteration: 0, zStep },
    location = { ...at, visits: 1 };
  prior.draw(location, measurements, step, random, out);
  const sources = Array.from({ length: batch }, (_, b) => [...out.sources.subarray(3 * b, 3 * b + 3)]);
  const drawn = sources.map((_, b) => [...out.patches.subarray(b * AREA, (b + 1) * AREA)]);
  const candidates = prior.candidates!(location, measurements, step, batch - 1);
  kernels.release(height);
  return { sources, patches: drawn, candidates };
}

/** In the middle of `count` equal parts of [0, 1): with equal weights, each candidate is drawn once, in its order. */
function middles(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i + 0.5) / count);
}

/** LR images that are no training images, of whole grey levels: their distances are exact. */
const lows = Array.from({ length: 8 }, (_, i) => {
  const image = [...blobs(8, SIZE, 2).pixels.subarray(i * SIZE * SIZE, (i + 1) * SIZE * SIZE)];
  return pyramid(image, pyramidSizes(squareOf(SIZE), 1))[1].map(Math.round);
});
const unit = (levels: readonly number[]) => levels.map((level) => level / 255);
const near = (layer: LayerData, low: readonly number[], at: { y: number; x: number }) =>
  examplesAt(layer, levels.slice(0, layer.hr.count).map(([, lr]) => lr), low, at);
const place = ({ image, y, x }: { image: number; y: number; x: number }) => [image, y, x];

const CONTEXTS = { none: [], ring, rows, faint };
for (const [name, context] of Object.entries(CONTEXTS)) {
  Deno.test(`localNn: draws from the ${K} nearest examples, for every location and window (context: ${name})`, () => {
    for (const window of [0, 1, 2, 3]) {
      const height = wasm.mark(), of = fitted({ window, context });
      // Window 0 is window 1, and larger ones are slower to check: some locations do, the borders among them.
      const some = EVERYWHERE.filter((_, i) => window === 2 || i % 12 === 0);
      for (const [i, at] of some.entries()) {
        const low = lows[i % lows.length];
        const { sources } = draw(of, { at, low: unit(low), uniforms: middles(K) });
        assertEquals(sources, near(of.layer, low, at).slice(0, K).map(place));
      }
      wasm.release(height);
    }
  });
}

Deno.test("localNn: a window reaches strictly below its offset, twice as far in the HR image", () => {
  for (const [window, reach] of [[0, 0], [1, 0], [2, 1], [3, 2]]) {
    const of = fitted({ window, neighbours: 1000, batch: 1000 });
    const { sources } = draw(of, {
      at: { y: 5, x: 6 },
      low: unit(lows[0]),
      uniforms: middles(24 * (2 * reach + 1) ** 2),
    });
    const reached = [...new Set(sources.map(([, y]) => y - 5))].sort((a, b) => a - b);
    assertEquals(reached, Array.from({ length: 2 * reach + 1 }, (_, i) => 2 * (i - reach)));
    assertEquals([...new Set(sources.map(([, , x]) => x - 6))].sort((a, b) => a - b), reached);
  }
});

Deno.test("localNn: near any query, drawn examples are nearest up to the query's rounding", () => {
  const of = fitted({ context: [...ring, ...rows.filter(({ dx }) => dx < -1 || dx > 2)] });
  for (let i = 0; i < 40; i++) {
    const low = floats(i, HALF * HALF, 0, 1), at = EVERYWHERE[i * 11 % EVERYWHERE.length];
    const all = near(of.layer, [...low].map((value) => value * 255), at);
    // A scaled pixel is rounded by 1/2 at the most, of scales of at least 40: 60 of them move a distance by this much.
    const slack = 2 * Math.sqrt(60) * 0.5 / (40 * 255);
    for (const source of draw(of, { at, low, uniforms: middles(K) }).sources) {
      const { distance } = all.find((example) => place(example).join() === source.join())!;
      assertLess(Math.sqrt(distance), Math.sqrt(all[K - 1].distance) + slack);
    }
  }
});

Deno.test("localNn: a drawn patch is the training patch that its source names, byte for byte", () => {
  const of = fitted();
  for (const at of EVERYWHERE.filter((_, i) => i % 5 === 0)) {
    const { sources, patches } = draw(of, { at, low: unit(lows[0]), uniforms: middles(K) });
    sources.forEach(([image, y, x], b) => {
      const bytes = training.pixels.subarray(image * SIZE * SIZE, (image + 1) * SIZE * SIZE);
      assertEquals(patches[b], patchAt(bytes, SIZE, PATCH, y, x).map((byte) => Math.fround(byte / 255)));
    });
  }
});

Deno.test("localNn: more neighbours than examples means all of them; one training image is always drawn", () => {
  const at = { y: 3, x: 6 },
    all = draw(fitted({ neighbours: 65535, window: 0, batch: 24 }), {
      at,
      low: unit(lows[0]),
      uniforms: middles(24),
    });
  assertEquals(all.sources.map(([image]) => image).sort((a, b) => a - b), Array.from({ length: 24 }, (_, i) => i));
  for (const neighbours of [1, K]) {
    const one = fitted({ neighbours, count: 1, window: 1 });
    assertEquals(
      draw(one, { at, low: unit(lows[0]), uniforms: [0, 0.5, 0.999] }).sources,
      [0, 0, 0].map(() => [0, 3, 6]),
    );
  }
});

/** Probabilities of the K nearest by equation (posterior example based), from the numbers of brute force. */
function posterior(layer: LayerData, low: readonly number[], at: { y: number; x: number }, measured: Float32Array) {
  const h = 0.4, rho = 2, candidates = near(layer, low, at).slice(0, K);
  const weights = candidates.map(({ image, y, x, distance }) => {
    const patch = patchAt(levels[image][0], SIZE, PATCH, y, x).map((byte) => byte / 255);
    return Math.exp(-distance / h - rho / 2 * squaredDistance(patch, measured));
  });
  const total = weights.reduce((a, b) => a + b);
  return { h, rho, candidates: candidates.map(place).map(String), chances: weights.map((weight) => weight / total) };
}

Deno.test("localNn: draws with the posterior's probabilities: exactly where the uniform numbers are even", () => {
  const count = 2000, of = fitted({ batch: count });
  for (const at of [{ y: 0, x: 0 }, { y: 5, x: 6 }, { y: 9, x: 12 }]) {
    const measured = floats(at.x, AREA, 0, 1), want = posterior(of.layer, lows[1], at, measured);
    const { sources, candidates } = draw(of, { at, low: unit(lows[1]), measured, uniforms: middles(count), ...want });
    // The list and its log T, up to their common constant, are there to be looked at.
    const listed = Array.from({ length: K }, (_, c) => String([...candidates.sources.subarray(3 * c, 3 * c + 3)]));
    assertEquals([listed, candidates.logT.length], [want.candidates, K]);
    want.chances.forEach((chance, c) => {
      assertAlmostEquals(candidates.logT[c] - candidates.logT[0], Math.log(chance / want.chances[0]), 1e-5);
    });
    want.candidates.forEach((candidate, c) => {
      const drawn = sources.filter((source) => String(source) === candidate).length;
      assert(Math.abs(drawn - count * want.chances[c]) < 1.01, `${drawn} of ${count * want.chances[c]}`);
    });
    // All of them count: otherwise this would be a test of the nearest only.
    assert(Math.min(...want.chances) > 0.002 && Math.max(...want.chances) < 0.9);
  }
});

Deno.test("localNn: draws with the posterior's probabilities over many images of the same seed image", () => {
  const count = 5000, of = fitted({ batch: count }), at = { y: 5, x: 6 }, [low, high] = seedKey(2016);
  const ids = put(wasm, range(count)), numbers = wasm.allocate(8 * count);
  wasm.uniforms(low, high, ids, count, 0, at.y * 65536 + at.x, 0, numbers);
  const measured = floats(3, AREA, 0, 1), want = posterior(of.layer, lows[1], at, measured);
  const uniforms = [...wasm.f64(numbers, count)];
  const { sources } = draw(of, { at, low: unit(lows[1]), measured, uniforms, ...want });
  const counts = want.candidates.map((candidate) => sources.filter((source) => String(source) === candidate).length);
  // One in a thousand of chi-square with 9 degrees of freedom.
  assertLess(chiSquare(counts, want.chances.map((chance) => chance * count)), 27.88);
});

Deno.test("localNn: h to 0 draws the nearest, rho to infinity the one nearest to the measured patch", () => {
  const of = fitted(), uniforms = [0, 0.3, 0.999999];
  for (const [i, at] of EVERYWHERE.entries()) {
    if (i % 4 > 0) continue;
    const low = lows[i % lows.length], [nearest, ...rest] = near(of.layer, low, at).slice(0, K);
    if (rest[0].distance - nearest.distance < 1e-4) continue;
    assertEquals(draw(of, { at, low: unit(low), uniforms, h: 1e-7 }).sources, uniforms.map(() => place(nearest)));
    const wanted = [nearest, ...rest][i % K],
      measured = patchAt(levels[wanted.image][0], SIZE, PATCH, wanted.y, wanted.x);
    const drawn = draw(of, { at, low: unit(low), measured: unit(measured), uniforms, rho: 1e9 });
    assertEquals(drawn.sources, uniforms.map(() => place(wanted)));
  }
});

Deno.test("localNn: map takes the likeliest candidate, not the nearest LR example, and no random number", () => {
  const of = fitted(), h = 1e12, rho = 1e9;
  for (const [i, at] of [[0, 0], [5, 6], [9, 12]].map(([y, x]) => ({ y, x })).entries()) {
    const candidates = near(of.layer, lows[i], at).slice(0, K), wanted = candidates[3 + i];
    const measured = unit(patchAt(levels[wanted.image][0], SIZE, PATCH, wanted.y, wanted.x));
    const ask = { at, low: unit(lows[i]), measured, h, zStep: "map" } as const;
    const { sources, patches } = draw(of, { ...ask, rho, uniforms: [0, 0.5, 0.999999] });
    assertEquals(sources, Array(3).fill(place(wanted)));
    assertEquals(patches, Array(3).fill([...Float32Array.from(measured)]));
    // Without the HR distance the nearest LR example is the likeliest.
    assertEquals(draw(of, { ...ask, rho: 0, h: 0.4, uniforms: [0.999999] }).sources, [place(candidates[0])]);
  }
});

Deno.test("localNn: mean averages the candidates by the posterior's weights, and has no one source", () => {
  const of = fitted(), at = { y: 5, x: 6 }, low = unit(lows[1]), measured = floats(3, AREA, 0, 1);
  const patches = near(of.layer, lows[1], at).slice(0, K).map(({ image, y, x }) => {
    return unit(patchAt(levels[image][0], SIZE, PATCH, y, x));
  });
  const plain = patches.map(() => 1 / K), want = posterior(of.layer, lows[1], at, measured);
  for (const { chances, ...asked } of [{ chances: plain, h: 1e12, rho: 0 }, want]) {
    const drawn = draw(of, { at, low, measured, uniforms: [0, 0.999999], zStep: "mean", ...asked });
    assertEquals(drawn.sources, Array(2).fill([-1, -1, -1]));
    for (const patch of drawn.patches) {
      patch.forEach((value, p) => {
        assertAlmostEquals(value, patches.reduce((sum, one, c) => sum + chances[c] * one[p], 0), 1e-5);
      });
    }
  }
});

Deno.test("localNn: lists are kept while the LR images stay, and give what fresh ones give", () => {
  let searches = 0;
  const counting = { ...wasm, search: (...args: Parameters<Kernels["search"]>) => (searches++, wasm.search(...args)) };
  const kept = fitted({ visits: 2, kernels: counting }), fresh = fitted({ kernels: counting });
  const first = {}, second = {}, [a, b] = [{ y: 0, x: 3 }, { y: 7, x: 4 }];
  const asks: [{ y: number; x: number }, number, object][] = [
    [a, 0, first],
    [b, 0, first],
    [a, 0, first],
    [b, 0, first],
    [a, 1, second],
    [a, 1, second],
    [a, 0, first],
  ];
  const searched = asks.map(([at, low, lrKey], i) => {
    const ask = { at, low: unit(lows[low]), lrKey, uniforms: middles(K), measured: floats(i, AREA), h: 0.4, rho: 2 };
    const before = searches, result = draw(kept, ask), after = searches;
    assertEquals(result, draw(fresh, { ...ask, lrKey: {} }));
    return after - before;
  });
  assertEquals(searched, [1, 1, 0, 0, 1, 0, 1]);
});

Deno.test("localNn: locations over one LR patch share its list, where their examples are the same", () => {
  let searches = 0;
  const counting = { ...wasm, search: (...args: Parameters<Kernels["search"]>) => (searches++, wasm.search(...args)) };
  const shared = fitted({ visits: 2, kernels: counting }), fresh = fitted(), lrKey = {};
  // (2, 6) and (3, 7) have the same LR patch and window. At (11, 11) the HR patches one LR pixel on do not fit any more, at
  // (10, 10) they do: other examples.
  const places = [[2, 6], [3, 7], [2, 7], [10, 10], [11, 11], [10, 11], [11, 11]];
  const searched = places.map(([y, x], i) => {
    const ask = { at: { y, x }, low: unit(lows[0]), uniforms: middles(K), measured: floats(i, AREA), h: 0.4, rho: 2 };
    const before = searches;
    assertEquals(draw(shared, { ...ask, lrKey }), draw(fresh, { ...ask, lrKey: {} }));
    return searches - before;
  });
  assertEquals(searched, [1, 0, 0, 1, 1, 1, 0]);
});

Deno.test("localNn: the hub penalty lowers log T of the candidates by that of their training images, and nothing else", () => {
  const many = { images: blobs(120), count: 120 };
  const hub = fitted({ ...many, hubPenalty: 1.5 }), plain = fitted(many);
  const penalties = finish(hubPenalties(hub.layer, 1.5)), unlike = new Set<number>();
  for (const [i, at] of [[0, 0], [5, 6], [12, 12]].map(([y, x]) => ({ y, x })).entries()) {
    const ask = { at, low: unit(lows[0]), uniforms: middles(K), measured: floats(i, AREA), h: 0.4, rho: 2 };
    const a = draw(hub, ask).candidates, b = draw(plain, ask).candidates;
    assertEquals(a.sources, b.sources);
    a.logT.forEach((logT, c) => {
      assertEquals(logT, b.logT[c] - penalties[b.sources[3 * c]]);
      unlike.add(penalties[b.sources[3 * c]]);
    });
  }
  assert(unlike.size > 3);
});

Deno.test("localNn: the bonus is added to log T of candidates from the training images of overlapping patches, and to no other", () => {
  const at = { y: 5, x: 6 },
    ask = { at, low: unit(lows[0]), uniforms: middles(K), measured: floats(1, AREA), h: 0.4, rho: 2 };
  const plain = draw(fitted(), ask).candidates, favoured = plain.sources[3 * 4];
  const logT = (before: PatchSources) => draw(fitted({ bonus: 3 }), { ...ask, before }).candidates.logT;
  assertEquals(logT(NO_SOURCES), plain.logT);
  const expected = plain.logT.map((log, c) => plain.sources[3 * c] === favoured ? log + 3 : log);
  assertEquals(logT({ ...NO_SOURCES, sourceAt: () => favoured }), expected);
  assertEquals(logT({ ...NO_SOURCES, sourceAt: () => 1000 }), plain.logT);
});

Deno.test("localNn: a context that is too large for its sums is refused in one sentence", () => {
  // 33025 x 255^2 is below 2^31 - 1, and four pixels are the patch's own.
  const many = Array.from({ length: 33022 }, (_, i) => ({ dy: 2, dx: i, weight: 1 })), { layer } = fitted();
  const sentence = 'Cannot use prior "local-nn": expected a context of at most 33021 pixels, got 33022';
  assertThrows(() => fitted({ context: many }), RangeError, sentence);
  assertEquals(quantize({ ...layer, context: many.slice(1) }, "local-nn").unit, 1);
  // Patches of 364 x 364 have as many pixels themselves, in their LR patches.
  const large = 'Cannot use prior "local-nn": expected LR patches of at most 33025 pixels, got 33124';
  assertThrows(() => quantize({ ...layer, patch: 364 }, "local-nn"), RangeError, large);
});

Deno.test("local-nn: training images of another shape than the images to synthesize are refused in one sentence", () => {
  const [height, width] = [SIZE, SIZE + 4], { layer } = fitted();
  const sentence = `prior "local-nn" compares the same places: expected training images of ${width}x${height} as the ` +
    `layer's, got ${SIZE}x${SIZE}`;
  assertThrows(
    () => finish(localNn.create({ neighbours: K, hubPenalty: 0, bonus: 0 }).fit({ ...layer, height, width })),
    Error,
    sentence,
  );
});
