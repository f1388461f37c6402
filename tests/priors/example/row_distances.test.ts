/** What a row shares changes nothing: with it and without it every location has the candidates of a sort of all distances. */
import { assert, assertEquals } from "@std/assert";
import { examplePrior } from "../../../priors/example/example_prior.ts";
import { aroundTheLocation } from "../../../priors/example/neighbourhood.ts";
import type { Kernels } from "../../../core/kernels.ts";
import { isInside } from "../../../core/patches.ts";
import { numberOf, quantize } from "../../../priors/example/lr_pixels.ts";
import { pyramidSizes, trainingPyramid } from "../../../core/pyramid.ts";
import { finish } from "../../../core/steps.ts";
import type { ContextPixel, LayerData } from "../../../core/types.ts";
import { horizontal } from "../../../plugins/contexts/horizontal.ts";
import { mirror } from "../../../plugins/contexts/mirror.ts";
import { square } from "../../../plugins/contexts/square.ts";
import { bytes, floats, put, wasm } from "../../kernels_under_test.ts";
import { NO_SOURCES } from "../../small_world.ts";

interface Setting {
  readonly width?: number;
  readonly patch?: number;
  readonly channels?: number;
  readonly window?: number;
  readonly batch?: number;
  readonly sharesRows?: boolean;
  context(side: number, size: number): readonly ContextPixel[];
}

const HEIGHT = 28, COUNT = 21, NEIGHBOURS = 5;
const rows = (weight: number, step = 1) => horizontal.create({ weight, step });
const ring = (extent: number, weight: number) => square.create({ extent, weight });

/** Asks for the candidates of every image at places all over the image, row by row; counts what was summed for rows. */
function candidates(setting: Setting) {
  const { width = 72, patch = 8, channels = 1, window = 0, batch = 3, sharesRows } = setting;
  const size = { height: HEIGHT, width }, inLow = channels * HEIGHT * width / 4, mark = wasm.mark();
  const images = { count: COUNT, ...size, channels, pixels: bytes(1, COUNT * 4 * inLow) };
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(wasm, images, pyramidSizes(size, 1)));
  const columns = [0, 1, 5, 12, 31, 33, width - patch - 3, width - patch];
  const places = [0, 3, 4, 9, HEIGHT - patch].flatMap((y) => columns.map((x) => ({ y, x, visits: 1 })));
  let sums = 0;
  const kernels: Kernels = { ...wasm, addDistances: (...args) => (sums++, wasm.addDistances(...args)) };
  const context = setting.context(patch / 2, Math.max(width, HEIGHT) / 2);
  const layer: LayerData = {
    layer: 0,
    ...size,
    channels,
    patch,
    window,
    context,
    locations: places,
    batch,
    hr,
    lr,
    kernels,
  };
  const around = aroundTheLocation(layer, "test");
  const prior = finish(examplePrior(layer, { name: "test", neighbours: NEIGHBOURS, sharesRows, ...around }));
  const low = floats(2, batch * inLow),
    lows = put(wasm, low),
    patches = wasm.allocate(batch * channels * patch * patch * 4);
  const measurements = {
    batch,
    lr: wasm.f32(lows, batch * inLow),
    patches: wasm.f32(patches, batch * channels * patch * patch),
    lrKey: {},
    sources: NO_SOURCES,
  };
  const step = { rho: 1, h: 1, iteration: 0, zStep: "sample" as const };
  const found = places.map((at) =>
    Array.from({ length: batch }, (_, b) => prior.candidates!(at, measurements, step, b)).map(({ sources, logT }) => ({
      sources: [...sources],
      logT: [...logT],
    }))
  );
  const levels = [...wasm.u8(lr.rows, COUNT * inLow)];
  wasm.release(mark);
  return { found, sums, places, layer, low, levels, inLow };
}

/** The training images of the nearest examples at the same place: all distances, sorted. */
function nearest({ places, layer, low, levels, inLow }: ReturnType<typeof candidates>): number[][][] {
  const { pixels } = quantize(layer, "test"), { height, width } = layer.lr, size = { height, width };
  return places.map(({ y, x }) =>
    Array.from({ length: layer.batch }, (_, b) => {
      const inside = pixels.filter((pixel) => isInside(pixel, y >> 1, x >> 1, size));
      const of = inside.map((pixel) => numberOf(pixel, y >> 1, x >> 1, size));
      return Array.from({ length: COUNT }, (_, image) => ({
        image,
        distance: inside.reduce((sum, { scale }, p) => {
          const query = Math.floor(Math.fround(Math.fround(low[b * inLow + of[p]] * (255 * scale)) + 0.5));
          return sum + (scale * levels[image * inLow + of[p]] - query) ** 2;
        }, 0),
      })).sort((a, b) => a.distance - b.distance || a.image - b.image).slice(0, NEIGHBOURS).map(({ image }) => image);
    })
  );
}

const both = (side: number, size: number) => {
  const near = ring(2, 0.1).mask(side, size), taken = new Set(near.map(({ dy, dx }) => `${dy} ${dx}`));
  return [...near, ...rows(0.02).mask(side, size).filter(({ dy, dx }) => !taken.has(`${dy} ${dx}`))];
};

/** Contexts that go across, and how many blocks of columns share them. */
const SHARING: [string, Setting, number][] = [
  ["the faces' contexts", { context: both }, 5],
  ["as heavy as the patch", { context: (side, size) => rows(1).mask(side, size) }, 0],
  ["in colour", { channels: 3, context: both, batch: 1 }, 5],
  ["patches with odd halves, a width that blocks do not divide", { patch: 6, width: 78, context: both }, 5],
  ["a mirror place, too", {
    context: (side, size) => [...both(side, size), ...mirror.create({ extent: 1, weight: 0.5 }).mask(side, size)],
  }, 5],
  ["a large batch", { batch: 9, context: both }, 5],
  ["of too few pixels for runs", { width: 64, patch: 2, context: (side, size) => rows(0.1).mask(side, size) }, 4],
];
for (const [name, setting, blocks] of SHARING) {
  Deno.test(`rows share a context that goes across: ${name}`, () => {
    const shared = candidates(setting), apart = candidates({ ...setting, sharesRows: false });
    const lows = new Set(shared.places.map(({ y }) => y >> 1)).size;
    assertEquals([shared.sums, apart.sums], [lows * blocks, 0]);
    assertEquals(shared.found, apart.found);
    const images = shared.found.map((of) => of.map(({ sources }) => sources.filter((_, i) => i % 3 === 0)));
    assertEquals(images, nearest(shared));
  });
}

/** Contexts and images that rows share nothing of. */
const ALONE: [string, Setting][] = [
  ["no context", { context: () => [] }],
  ["around the patch only", { context: (side, size) => ring(3, 0.2).mask(side, size) }],
  ["every second column", { context: (side, size) => rows(0.1, 2).mask(side, size) }],
  ["other examples than those of the same place", { window: 2, context: both }],
  ["a narrow image", { width: 44, context: both }],
  ["one row of the patch only", { context: (side, size) => rows(0.1).mask(side, size).filter(({ dy }) => dy === 0) }],
];
for (const [name, setting] of ALONE) {
  Deno.test(`rows share nothing: ${name}`, () => {
    const shared = candidates(setting);
    assertEquals(shared.sums, 0);
    assert(shared.found.flat().every(({ logT }) => logT.length === NEIGHBOURS));
    assertEquals(shared.found, candidates({ ...setting, sharesRows: false }).found);
  });
}

Deno.test("rows share nothing across batches: another lrKey is another sum", () => {
  const size = { height: 16, width: 64 }, mark = wasm.mark(), pixels = 16 * 64;
  const training = { count: 9, ...size, pixels: bytes(3, 9 * pixels) };
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(wasm, training, pyramidSizes(size, 1)));
  const at = { y: 4, x: 20, visits: 1 }, context = both(4, 32);
  const layer = { layer: 0, ...size, channels: 1, patch: 8, window: 0, context, locations: [at], batch: 1, hr, lr };
  const prior = (kernels: Kernels) => {
    const whole = { ...layer, kernels };
    return finish(examplePrior(whole, { name: "test", neighbours: 4, ...aroundTheLocation(whole, "test") }));
  };
  const asked = prior(wasm), step = { rho: 1, h: 1, iteration: 0, zStep: "sample" as const };
  const patches = put(wasm, new Float32Array(64)), lows = [4, 5].map((seed) => put(wasm, floats(seed, pixels / 4)));
  const found = (fitted: typeof asked, low: number) => {
    const measurements = {
      batch: 1,
      lr: wasm.f32(low, pixels / 4),
      patches: wasm.f32(patches, 64),
      lrKey: {},
      sources: NO_SOURCES,
    };
    return fitted.candidates!(at, measurements, step, 0);
  };
  const [first, second] = lows.map((low) => found(asked, low));
  assertEquals([first, second], lows.map((low) => found(prior(wasm), low)));
  assert(String(first.sources) !== String(second.sources));
  wasm.release(mark);
});
