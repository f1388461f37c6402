/** The prior of detail transfer against its definition in float64, its cap and coherence, and end to end. */
import { finish } from "../../core/steps.ts";
import { assert, assertEquals, assertLess, assertNotEquals, assertThrows } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import type { Profile } from "../../core/profile.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import { stream } from "../../core/random.ts";
import { squareOf } from "../../core/shape.ts";
import type { SynthesizedBatch } from "../../core/batch.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { Candidates, ContextPixel, Images, LayerData, PatchSources, ZStep } from "../../core/types.ts";
import { detail } from "../../priors/detail.ts";
import { assertClose, put, twin, wasm } from "../kernels_under_test.ts";
import { colouredBlobs, small, smallColour, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const SIZE = 8, PATCH = 4, AT = { y: 3, x: 2, visits: 1 }, HALF = SIZE / 2;
/** Two columns to the right of the LR patch. */
const CONTEXT: ContextPixel[] = [{ dy: 0, dx: 2, weight: 0.5 }, { dy: 1, dx: 2, weight: 0.25 }];
const OPTIONS = { neighbours: 3, gain: 1.2, lrShare: 0.4, maxShare: 0.06, coherent: true, bonus: 0 };

/** Noise of middling contrast, so that little has to be clamped. */
function noise(count: number, channels = 1): Images {
  const random = stream(5), pixels = new Uint8Array(count * channels * SIZE * SIZE);
  for (let p = 0; p < pixels.length; p++) pixels[p] = 100 + 70 * random.next() + 3 * (p % SIZE);
  return { count, ...squareOf(SIZE), channels, pixels };
}

interface Asked {
  readonly images?: Images;
  readonly lr: readonly number[];
  readonly measured: readonly number[];
  readonly options?: Partial<typeof OPTIONS>;
  readonly layer?: Partial<LayerData>;
  readonly zStep?: ZStep;
  readonly rho?: number;
  readonly h?: number;
  readonly drawn?: PatchSources;
  readonly before?: PatchSources;
  readonly coarser?: PatchSources;
}

/** Nothing was drawn yet. */
const NOTHING: PatchSources = { total: 25, sourceAt: () => -1, count: () => 0 };

/** Draws one patch at the location; its values, its source and the candidates. */
function draw(asked: Asked): { patch: number[]; source: number[]; listed: Candidates } {
  const { images = noise(30), lr, measured, options, layer, zStep = "map", rho = 0.1, h = 1 } = asked;
  const { drawn = NOTHING, before, coarser } = asked, height = wasm.mark(), { channels = 1 } = images;
  const { hr: [hr], lr: [planes] } = finish(trainingPyramid(wasm, images, pyramidSizes(squareOf(SIZE), 1)));
  const places = { layer: 0, ...squareOf(SIZE), channels, patch: PATCH, window: 0, context: CONTEXT, locations: [AT] };
  const fitted = finish(
    detail.create({ ...OPTIONS, ...options }).fit(
      { ...places, batch: 1, hr, lr: planes, kernels: wasm, ...layer },
    ),
  );
  const length = channels * PATCH * PATCH;
  const lrAt = put(wasm, Float32Array.from(lr)), measuredAt = put(wasm, Float32Array.from(measured));
  const out = { patches: wasm.f32(wasm.allocate(length * 4), length), sources: wasm.i32(wasm.allocate(12), 3) };
  const measurements = {
    batch: 1,
    lr: wasm.f32(lrAt, lr.length),
    patches: wasm.f32(measuredAt, length),
    lrKey: {},
    sources: drawn,
    previousSources: before,
    coarserSources: coarser,
  };
  const step = { rho, h, iteration: 1, zStep };
  fitted.draw(AT, measurements, step, { uniforms: (to) => void to.fill(0.5) }, out);
  const result = {
    patch: [...out.patches],
    source: [...out.sources],
    listed: fitted.candidates!(AT, measurements, step, 0),
  };
  wasm.release(height);
  return result;
}

/** The LR images of a training set, in grey levels. */
function reduced(images: Images): number[][] {
  const height = wasm.mark(), { lr: [lr] } = finish(trainingPyramid(wasm, images, pyramidSizes(squareOf(SIZE), 1)));
  const length = (images.channels ?? 1) * HALF * HALF;
  const all = Array.from({ length: images.count }, (_, i) => [...wasm.u8(lr.rows + i * length, length)]);
  wasm.release(height);
  return all;
}

/** Every training image's d, candidate and log T for an LR image in [0, 1], by the definition. */
function definition(images: Images, lr: readonly number[], measured: readonly number[], rho: number, h: number) {
  const { channels = 1 } = images, levels = reduced(images), weights: [number, number][] = [];
  for (let channel = 0; channel < channels; channel++) {
    const add = (dy: number, dx: number, weight: number) => {
      weights.push([channel * HALF * HALF + ((AT.y >> 1) + dy) * HALF + (AT.x >> 1) + dx, weight]);
    };
    for (const [dy, dx] of [[0, 0], [0, 1], [1, 0], [1, 1]]) add(dy, dx, 1);
    for (const { dy, dx, weight } of CONTEXT) add(dy, dx, weight);
  }
  const total = weights.reduce((sum, [, w]) => sum + w, 0);
  const normal = (image: readonly number[]) => {
    const mean = weights.reduce((sum, [p, w]) => sum + w * image[p], 0) / total;
    const spread = Math.sqrt(weights.reduce((sum, [p, w]) => sum + w * (image[p] - mean) ** 2, 0) / total) + 0.02;
    return { spread, values: weights.map(([p]) => (image[p] - mean) / spread) };
  };
  const up = (image: readonly number[], p: number) => {
    const channel = Math.floor(p / PATCH ** 2), y = AT.y + Math.floor(p / PATCH) % PATCH, x = AT.x + p % PATCH;
    const at = (v: number, u: number) =>
      image[channel * HALF * HALF + Math.min(v, HALF - 1) * HALF + Math.min(u, HALF - 1)];
    const v = y >> 1, u = x >> 1;
    return (at(v, u) + at(v, u + x % 2) + at(v + y % 2, u) + at(v + y % 2, u + x % 2)) / 4;
  };
  const query = normal(lr);
  return levels.map((bytes, image) => {
    const own = bytes.map((byte) => byte / 255), other = normal(own);
    const d = query.spread ** 2 *
      weights.reduce((sum, [, w], i) => sum + w * (query.values[i] - other.values[i]) ** 2, 0);
    const ratio = Math.min(Math.max(query.spread / other.spread, 0.5), 2);
    /** U of an image less its mean over the patch in the channel of value p. */
    const deviation = (image: readonly number[], p: number) => {
      const area = PATCH ** 2, first = p - p % area;
      return up(image, p) - Array.from({ length: area }, (_, i) => up(image, first + i) / area).reduce((a, b) => a + b);
    };
    const patch = measured.map((_, p) => {
      const channel = Math.floor(p / PATCH ** 2), y = AT.y + Math.floor(p / PATCH) % PATCH, x = AT.x + p % PATCH;
      const byte = images.pixels[((image * channels + channel) * SIZE + y) * SIZE + x];
      const detail = 1.2 * ratio * (byte / 255 - up(own, p)), shared = ratio * deviation(own, p) - deviation(lr, p);
      return Math.min(Math.max(up(lr, p) + detail + 0.4 * shared, 0), 1);
    });
    const high = patch.reduce((sum, value, p) => sum + (value - measured[p]) ** 2, 0);
    return { image, d, patch, logT: -d / h - rho / 2 * high };
  });
}

for (const channels of [1, 3]) {
  Deno.test(`detail: candidates, their weights, the likeliest and the mean are the definition's (${channels} channels)`, () => {
    const images = noise(30, channels), random = stream(8), length = channels * PATCH * PATCH;
    const lr = Array.from({ length: channels * HALF * HALF }, () => 0.3 + 0.3 * random.next());
    const measured = Array.from({ length }, () => 0.2 + 0.6 * random.next()), rho = 2, h = 0.01;
    const near = definition(images, lr, measured, rho, h).sort((a, b) => a.d - b.d).slice(0, 3);
    const { patch, source, listed } = draw({ images, lr, measured, rho, h });
    assertEquals([...listed.sources], near.flatMap(({ image }) => [image, AT.y, AT.x]));
    // Queries are rounded to a part of a grey level.
    assertClose(listed.logT, near.map(({ logT }) => logT), 0.05, "log T");
    const best = near.reduce((a, b) => b.logT > a.logT ? b : a);
    assertEquals(source, [best.image, AT.y, AT.x]);
    assertClose(patch, best.patch, 1e-5);
    const weights = [...listed.logT].map((log) => Math.exp(log - best.logT)), total = weights.reduce((a, w) => a + w);
    const mean = patch.map((_, p) => near.reduce((sum, one, c) => sum + weights[c] * one.patch[p], 0) / total);
    const averaged = draw({ images, lr, measured, rho, h, zStep: "mean" });
    assertClose(averaged.patch, mean, 1e-5);
    assertEquals(averaged.source[0], -1);
  });
}

const LR = reduced(noise(30))[4].map((byte) => byte / 255), MEASURED = new Array<number>(PATCH * PATCH).fill(0.5);
/** The training images among the candidates. */
const listedImages = (asked: Partial<Asked>) => {
  return [...draw({ lr: LR, measured: MEASURED, ...asked }).listed.sources].filter((_, i) => i % 3 === 0);
};

Deno.test("detail: a training image's own LR image gives its own patch; brighter and of less contrast it gives that", () => {
  const images = noise(30),
    own = Array.from({ length: 16 }, (_, p) => {
      return images.pixels[4 * SIZE * SIZE + (AT.y + (p >> 2)) * SIZE + AT.x + p % 4] / 255;
    });
  const asked = { measured: MEASURED, options: { neighbours: 1, gain: 1 } };
  assertClose(draw({ lr: LR, ...asked }).patch, own, 1e-3);
  const brighter = draw({ lr: LR.map((value) => value + 0.1), ...asked });
  assertClose(brighter.patch, own.map((value) => value + 0.1), 1e-3);
  assertEquals(brighter.source[0], 4);
  const flat = draw({ lr: LR.map((value) => 0.5 + (value - 0.5) * 0.7), ...asked });
  assertEquals(flat.source[0], 4);
  const contrast = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
  assertLess(1.1 * contrast(flat.patch), contrast(own));
});

Deno.test("detail: a training image that gave its share is no candidate, unless all did", () => {
  const [first, second, third] = listedImages({});
  assertEquals(first, 4);
  /** So many patches were drawn from the first. */
  const drawn = (count: number): PatchSources => ({ ...NOTHING, count: (_, source) => source === first ? count : 0 });
  // 0.06 of 25 patches are 1.5.
  assertEquals(listedImages({ drawn: drawn(1) }).slice(0, 3), [first, second, third]);
  const others = listedImages({ drawn: drawn(2) });
  assertEquals(others.slice(0, 2), [second, third]);
  assertEquals([others.length, others.includes(first)], [3, false]);
  assertEquals(listedImages({ drawn: drawn(25), options: { maxShare: 1 } }), [first, second, third]);
  // As many as can have given their share: the next neighbours stand in.
  const near = listedImages({ options: { neighbours: 20 } });
  const all = { ...NOTHING, count: (_: number, source: number) => near.slice(0, 17).includes(source) ? 2 : 0 };
  assertEquals(listedImages({ drawn: all }), near.slice(17, 20));
  assertEquals(listedImages({ drawn: { ...NOTHING, count: () => 25 } }), [first]);
});

Deno.test("detail: what overlapping patches were drawn from before is a candidate, too", () => {
  const near = listedImages({}), far = listedImages({ options: { neighbours: 30 } }).at(-1)!;
  const asked: number[][] = [];
  /** Of the corners and the centre, one comes from afar, one from the nearest, the others from nowhere. */
  const before: PatchSources = {
    ...NOTHING,
    sourceAt(_, y, x) {
      asked.push([y - AT.y, x - AT.x]);
      return y === AT.y && x === AT.x ? far : y > AT.y && x > AT.x ? near[0] : -1;
    },
  };
  assertEquals(listedImages({ before }), [...near, far]);
  assertEquals(asked.slice(0, 5), [[0, 0], [0, 3], [3, 0], [3, 3], [2, 2]]);
  assertEquals(listedImages({ before, options: { coherent: false } }), near);
  const drawn = { ...NOTHING, count: (_: number, source: number) => source === far ? 25 : 0 };
  assertEquals(listedImages({ before, drawn }), near);
  // Its weight is that of any candidate: by its own distance.
  const all = draw({ lr: LR, measured: MEASURED, options: { neighbours: 30 } }).listed.logT;
  assertEquals(draw({ lr: LR, measured: MEASURED, before }).listed.logT[3], all[29]);
  // Five different ones are the most.
  const each = { ...NOTHING, sourceAt: (_: number, y: number, x: number) => 10 + (5 * y + x) % 20 };
  assertEquals(listedImages({ before: each }).length <= 8, true);
});

Deno.test("detail: coherent candidates come from this iteration, else from the one before, else from the coarser layer", () => {
  const near = listedImages({}), rest = listedImages({ options: { neighbours: 30 } }).slice(3);
  const from = (image: number, asked: number[][] = []): PatchSources => ({
    ...NOTHING,
    sourceAt: (_, y, x) => (asked.push([y, x]), image),
  });
  const asked: number[][] = [], coarser = from(rest[2], asked);
  assertEquals(listedImages({ drawn: from(rest[0]), before: from(rest[1]), coarser }), [...near, rest[0]]);
  assertEquals(listedImages({ before: from(rest[1]), coarser }), [...near, rest[1]]);
  assertEquals(listedImages({ before: from(-1), coarser }), near);
  assertEquals(asked, []);
  assertEquals(listedImages({ coarser }), [...near, rest[2]]);
  const [y, x, far] = [AT.y, AT.x, PATCH - 1];
  const points = [[y, x], [y, x + far], [y + far, x], [y + far, x + far], [y + 2, x + 2]];
  assertEquals(asked.slice(0, 5), points.map((point) => point.map((value) => value >> 1)));
});

Deno.test("detail: the bonus is added to log T of coherent candidates, near or not", () => {
  const logs = (bonus: number, image: number) => {
    const before = { ...NOTHING, sourceAt: () => image };
    return [...draw({ lr: LR, measured: MEASURED, options: { bonus }, before }).listed.logT];
  };
  const near = listedImages({}), far = listedImages({ options: { neighbours: 30 } })[20];
  assertEquals(logs(3, near[1]), logs(0, near[1]).map((log, c) => c === 1 ? log + 3 : log));
  assertEquals(logs(3, far), logs(0, far).map((log, c) => c === 3 ? log + 3 : log));
});

Deno.test("detail: refuses images without the same places, and a context that its sums have no room for", () => {
  const refuse = (layer: Partial<LayerData>) => () => void draw({ lr: LR, measured: MEASURED, layer });
  assertThrows(refuse({ aligned: false }), Error, 'prior "detail" compares the same places');
  const context = Array.from({ length: 33000 }, () => CONTEXT[0]);
  const message = 'Cannot use prior "detail": expected a context of at most 32996 pixels, got 33000';
  assertThrows(refuse({ context }), RangeError, message);
});

const made = (profile: Profile, kernels: Kernels = wasm, numbers = [0, 1, 2, 3, 4]): SynthesizedBatch => {
  const height = kernels.mark(), images = profile.channels === 3 ? colouredBlobs() : undefined;
  const model = smallModel(kernels, { profile, images });
  const result = toEnd(synthesize(model, { seed: 1, images: numbers, seedImages: smallSeeds(model, numbers) }));
  kernels.release(height);
  return result;
};

for (const profile of [small, smallColour, { ...small, contexts: ["square", "mirror"] }] as Profile[]) {
  const title = `${profile.channels === 3 ? "colour" : "grey"}, ${profile.contexts!.join(" and ")}`;
  Deno.test(`detail: whole images are the same from the twin and from the WebAssembly, alone and in a batch (${title})`, () => {
    const own = { ...profile, prior: "detail" } as Profile, { pixels } = made(own), length = pixels.length / 5;
    assertEquals(made(own, twin).pixels, pixels);
    assertEquals(made(own, wasm, [3]).pixels, pixels.slice(3 * length, 4 * length));
    assert(new Set(pixels).size > 50);
  });
}

Deno.test("detail: no training image gives more than its share; coherence changes images", () => {
  const shares = (options: Partial<typeof OPTIONS>) => {
    const { provenance, pixels } = made({ ...small, prior: ["detail", { ...OPTIONS, ...options }] });
    const most = provenance.map(({ sources, positions }) => {
      const counts = new Map<number, number>();
      for (let i = 0; i < sources.length; i += 3) counts.set(sources[i], (counts.get(sources[i]) ?? 0) + 1);
      return Math.max(...counts.values()) / positions.length;
    });
    return { most: Math.max(...most), pixels };
  };
  const free = shares({ maxShare: 1 }), capped = shares({ maxShare: 0.1 });
  assertLess(0.2, free.most);
  // The count may pass the share by less than one of 25 patches or more.
  assertLess(capped.most, 0.1 + 1 / 25);
  assertNotEquals(shares({ coherent: false }).pixels, shares({}).pixels);
});
