/** The spatially invariant prior against brute force over all places, against the local one, and end to end. */
import { finish } from "../../core/steps.ts";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import type { Profile } from "../../core/profile.ts";
import { range } from "../../core/numbers.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import type { SynthesizedBatch } from "../../core/batch.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { ContextPixel, Prior } from "../../core/types.ts";
import { squareOf } from "../../core/shape.ts";
import { horizontal } from "../../plugins/contexts/horizontal.ts";
import { mirror } from "../../plugins/contexts/mirror.ts";
import { square } from "../../plugins/contexts/square.ts";
import { localNn } from "../../priors/local_nn.ts";
import { spatiallyInvariant } from "../../priors/spatially_invariant.ts";
import { put, twin, wasm } from "../kernels_under_test.ts";
import { patchAt, pyramid, scaled } from "../plain_synthesis.ts";
import { blobs, NO_SOURCES, small, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const SIZE = 16, HALF = 8, PATCH = 4, SIDE = 2, AREA = PATCH * PATCH, K = 10;
const ring = square.create({ extent: 1, weight: 0.5 }).mask(SIDE, HALF);
const CONTEXTS: Record<string, readonly ContextPixel[]> = {
  none: [],
  ring,
  rows: horizontal.create({ weight: 0.25, step: 1 }).mask(SIDE, HALF),
  mirror: mirror.create({ extent: 0, weight: 0.25 }).mask(SIDE, HALF),
  "ring and mirror's ring": [...ring, ...mirror.create({ extent: 1, weight: 0.1 }).mask(SIDE, HALF)],
};
const EVERYWHERE = Array.from({ length: 13 * 13 }, (_, i) => ({ y: Math.floor(i / 13), x: i % 13, visits: 1 }));

const training = blobs();
/** The training images' V^1, in grey levels. */
const lows = levels(training.pixels, training.count);
/** LR images that are no training images, of whole grey levels: their distances are exact. */
const queries = levels(blobs(8, SIZE, 2).pixels, 8);

function levels(pixels: Uint8Array, count: number): number[][] {
  return Array.from({ length: count }, (_, i) => {
    const image = [...pixels.subarray(i * SIZE * SIZE, (i + 1) * SIZE * SIZE)];
    return pyramid(image, pyramidSizes(squareOf(SIZE), 1))[1].map(Math.round);
  });
}

/** A prior fitted to the finer layer of the first `count` training images, ready to draw for images that are all the same. */
function fitted(prior: Prior, { context = ring, count = 24, batch = K, window = 0, kernels = wasm } = {}) {
  const { hr: [hr], lr: [lr] } = finish(
    finish(trainingPyramid(kernels, training, pyramidSizes(squareOf(SIZE), 1), range(count))),
  );
  const places = { layer: 0, ...squareOf(SIZE), channels: 1, patch: PATCH, window, context, locations: EVERYWHERE };
  const of = finish(prior.fit({ ...places, batch, hr, lr, kernels }));
  /** Draws each of the `batch` nearest once, in their order: every weight is the same. */
  return (at: { y: number; x: number }, low: readonly number[]) => {
    const height = kernels.mark();
    const lrAt = put(kernels, Float32Array.from({ length: batch * low.length }, (_, i) => low[i % low.length] / 255));
    const measuredAt = kernels.allocate(batch * AREA * 4), patchesAt = kernels.allocate(batch * AREA * 4);
    const sourcesAt = kernels.allocate(batch * 12), location = { ...at, visits: 1 };
    const lr = kernels.f32(lrAt, batch * low.length), patches = kernels.f32(measuredAt, batch * AREA);
    const out = { patches: kernels.f32(patchesAt, batch * AREA), sources: kernels.i32(sourcesAt, batch * 3) };
    const random = { uniforms: (to: Float64Array) => to.set(Array.from(to, (_, i) => (i + 0.5) / batch)) };
    const measurements = { batch, lr, patches, lrKey: {}, sources: NO_SOURCES },
      step = { rho: 0, h: 1e12, iteration: 0, zStep: "sample" as const };
    of.draw(location, measurements, step, random, out);
    const candidates = of.candidates!(location, measurements, step, batch - 1);
    const drawn = Array.from({ length: batch }, (_, b) => ({
      source: [...out.sources.subarray(3 * b, 3 * b + 3)],
      patch: [...out.patches.subarray(b * AREA, (b + 1) * AREA)],
    }));
    kernels.release(height);
    return { drawn, sources: drawn.map(({ source }) => source), candidates };
  };
}

const invariant = (neighbours = K) => spatiallyInvariant.create({ neighbours });

/** All examples of a location as (training image, y, x), the nearest first: every place of every image is tried. */
function examples(
  low: readonly number[],
  at: { y: number; x: number },
  context: readonly ContextPixel[],
  count = lows.length,
): number[][] {
  const { pixels } = scaled(SIDE, context), y = at.y >> 1, x = at.x >> 1;
  const all = pixels.map((pixel, i) => ({ ...pixel, mirrored: context[i - SIDE * SIDE]?.mirrored }));
  const within = (value: number, size: number) => value >= 0 && value < size;
  type Pixel = typeof all[number];
  const placeOf = ({ dy, dx, mirrored }: Pixel, y: number, x: number) => {
    const column = mirrored ? HALF - 1 - x - dx : x + dx;
    return within(y + dy, HALF) && within(column, HALF) ? (y + dy) * HALF + column : undefined;
  };
  const counted = all.filter((pixel) => placeOf(pixel, y, x) !== undefined);
  const found: { source: number[]; distance: number }[] = [];
  for (const { y: py, x: px } of EVERYWHERE) {
    const highY = at.y + 2 * (py - y), highX = at.x + 2 * (px - x);
    const there = counted.map((pixel) => placeOf(pixel, py, px));
    if (there.includes(undefined) || !within(highY, SIZE - PATCH + 1) || !within(highX, SIZE - PATCH + 1)) continue;
    lows.slice(0, count).forEach((image, i) => {
      const distance = counted.reduce((sum, pixel, p) => {
        return sum + (pixel.scale * (image[there[p]!] - low[placeOf(pixel, y, x)!])) ** 2;
      }, 0);
      found.push({ source: [i, highY, highX], distance });
    });
  }
  // Equally near ones come in the order of the search: place by place, or image by image where it runs along rows.
  const byImage = count < HALF - SIDE + 1 && !context.some(({ mirrored }) => mirrored);
  const order = (a: number[], b: number[]) => byImage ? a[0] - b[0] : 0;
  return found.sort((a, b) => a.distance - b.distance || order(a.source, b.source)).map(({ source }) => source);
}

// With fewer images than places in a row the search runs along rows: the same examples.
for (
  const [name, context, count] of Object.entries(CONTEXTS).flatMap(([name, of]) =>
    [24, 3].map((n) => [name, of, n] as const)
  )
) {
  Deno.test(`spatiallyInvariant: draws from the ${K} nearest examples of all places of ${count} images (context: ${name})`, () => {
    const height = wasm.mark(), draw = fitted(invariant(), { context, count });
    for (const [i, at] of EVERYWHERE.entries()) {
      const low = queries[i % queries.length], { sources, candidates } = draw(at, low);
      const wanted = examples(low, at, context, count).slice(0, K);
      assertEquals(sources, wanted);
      assertEquals([...candidates.sources], wanted.flat());
    }
    wasm.release(height);
  });
}

for (const name of ["none", "mirror"]) {
  Deno.test(`spatiallyInvariant: is local-nn with a window as large as the image (context: ${name})`, () => {
    const height = wasm.mark(), context = CONTEXTS[name];
    const everywhere = fitted(invariant(), { context });
    const around = fitted(localNn.create({ neighbours: K, hubPenalty: 0, bonus: 0 }), { context, window: HALF });
    for (const [i, at] of EVERYWHERE.entries()) {
      if (i % 5 === 0) assertEquals(everywhere(at, queries[0]), around(at, queries[0]));
    }
    wasm.release(height);
  });
}

Deno.test("spatiallyInvariant: finds what has moved, wherever it went", () => {
  const height = wasm.mark(), draw = fitted(invariant(1), { batch: 1 });
  for (const [dy, dx] of [[0, 0], [2, 1], [-1, 2], [-2, -2], [1, -1]]) {
    // What the 8th training image has at (y, x), the query has at (y - dy, x - dx).
    const clamp = (value: number) => Math.min(Math.max(value, 0), HALF - 1);
    const moved = lows[7].map((_, p) => lows[7][clamp(Math.floor(p / HALF) + dy) * HALF + clamp(p % HALF + dx)]);
    for (const at of [{ y: 6, x: 6 }, { y: 7, x: 6 }, { y: 6, x: 7 }]) {
      assertEquals(draw(at, moved).sources, [[7, at.y + 2 * dy, at.x + 2 * dx]]);
    }
  }
  wasm.release(height);
});

Deno.test("spatiallyInvariant: a drawn patch is the training patch that its source names, byte for byte", () => {
  const height = wasm.mark(), draw = fitted(invariant());
  for (const at of EVERYWHERE.filter((_, i) => i % 7 === 0)) {
    for (const { source: [image, y, x], patch } of draw(at, queries[1]).drawn) {
      const bytes = training.pixels.subarray(image * SIZE * SIZE, (image + 1) * SIZE * SIZE);
      assertEquals(patch, patchAt(bytes, SIZE, PATCH, y, x).map((byte) => Math.fround(byte / 255)));
    }
  }
  wasm.release(height);
});

Deno.test("spatiallyInvariant: more neighbours than examples means all of them", () => {
  // In rows and columns: 5 places at which a ring lies inside, 7 at the even pixels, 6 at the odd ones.
  for (const [context, y, x, places] of [[ring, 5, 6, 5 * 5], [[], 6, 0, 7 * 7], [[], 5, 0, 6 * 7]] as const) {
    const height = wasm.mark(), batch = 2 * places, draw = fitted(invariant(1000), { context, count: 2, batch });
    assertEquals(new Set(draw({ y, x }, queries[0]).sources.map(String)).size, batch);
    wasm.release(height);
  }
});

Deno.test("spatiallyInvariant: a drawn patch is the one that its source names, also of the only image", () => {
  const height = wasm.mark(), draw = fitted(invariant(), { count: 1 });
  for (const at of EVERYWHERE.filter((_, i) => i % 7 === 0)) {
    for (const { source: [image, y, x], patch } of draw(at, queries[1]).drawn) {
      assertEquals(image, 0);
      assertEquals(patch, patchAt(training.pixels, SIZE, PATCH, y, x).map((byte) => Math.fround(byte / 255)));
    }
  }
  wasm.release(height);
});

Deno.test("spatiallyInvariant: training images without room for a patch and its context are refused in one sentence", () => {
  const sizes = [[3, 16], [16, 3]].map(([height, width]) => ({ height, width }));
  for (
    const [tiny, context] of [
      [{ height: 2, width: 16 }, []],
      [{ height: 16, width: 6 }, ring],
      ...sizes.map((s) => [s, []]),
    ] as const
  ) {
    const { height, width } = tiny as { height: number; width: number };
    const rows = { count: 1, channels: 1, height, width, at: 0 },
      low = { ...rows, height: height / 2, width: width / 2, stride: 16, rows: 0 };
    const layer = {
      layer: 0,
      ...squareOf(SIZE),
      channels: 1,
      patch: PATCH,
      window: 0,
      locations: EVERYWHERE,
      batch: 1,
      kernels: wasm,
    };
    const sentence =
      `prior "spatially-invariant" finds no examples: training images of ${width}x${height} at this layer`;
    assertThrows(
      () => finish(invariant().fit({ ...layer, context: context as ContextPixel[], hr: rows, lr: low })),
      Error,
      sentence,
    );
  }
});

Deno.test("spatiallyInvariant: a context that is too large for its sums is refused in one sentence", () => {
  const context = Array.from({ length: 33100 }, (_, i) => ({ dy: 2, dx: i, weight: 1 }));
  const wanted = 'Cannot use prior "spatially-invariant": expected a context of at most 33021 pixels, got 33100';
  assertThrows(() => fitted(invariant(), { context }), RangeError, wanted);
});

const profile: Profile = {
  ...small,
  prior: ["spatially-invariant", { neighbours: 10 }],
  contexts: ["square", "mirror"],
};

/** Synthesizes images of the small world by their numbers. */
function images(numbers: readonly number[], kernels: Kernels = wasm, of = profile): SynthesizedBatch {
  const model = smallModel(kernels, { profile: of, batch: 8 }), length = PATCH * PATCH;
  return toEnd(synthesize(model, {
    seed: 3,
    images: numbers,
    seedImages: smallSeeds(model, numbers),
    onDraw: ({ layer, out }) => {
      const { at, count, width: size } = model.training.hr[layer], rows = kernels.u8(at, count * size * size);
      numbers.forEach((_, b) => {
        const [image, y, x] = out.sources.subarray(3 * b, 3 * b + 3);
        const bytes = patchAt(rows.subarray(image * size * size, (image + 1) * size * size), size, PATCH, y, x);
        const patch = out.patches.subarray(b * length, (b + 1) * length);
        assert(
          bytes.every((byte, i) => Math.fround(byte / 255) === patch[i]),
          `not the bytes of (${image}, ${y}, ${x})`,
        );
      });
    },
  }));
}

Deno.test("spatiallyInvariant: whole images are the same in every batch, and copies of what their sources name", () => {
  const height = wasm.mark(), all = [0, 1, 2, 3, 4, 5, 6, 7], whole = images(all), length = SIZE * SIZE;
  for (const numbers of [[0], [1, 2, 3], [7, 6, 5, 4, 3]]) {
    const { pixels, provenance } = images(numbers);
    numbers.forEach((number, i) => {
      const slice = (of: Uint8Array, n: number) => of.subarray(n * length, (n + 1) * length);
      assertEquals(slice(pixels, i), slice(whole.pixels, number));
      assertEquals(provenance[i], whole.provenance[number]);
    });
  }
  // Some patches did come from other places, and the mirror context is heard.
  const { positions, sources } = whole.provenance[0];
  assert(positions.some(({ y, x }, i) => y !== sources[3 * i + 1] || x !== sources[3 * i + 2]));
  assertNotEquals(images(all, wasm, { ...profile, contexts: ["square"] }).pixels, whole.pixels);
  wasm.release(height);
});

Deno.test("spatiallyInvariant: whole images are the same from the twin and from the WebAssembly", () => {
  const heights = [twin.mark(), wasm.mark()];
  assertEquals(images([2, 5, 11], twin), images([2, 5, 11]));
  twin.release(heights[0]);
  wasm.release(heights[1]);
});
