/** What priors of example patches ask of the search kernel; what they find is the priors' own tests. */
import { finish } from "../../../core/steps.ts";
import { assert, assertEquals } from "@std/assert";
import { RUN, RUNS_FROM } from "../../../priors/example/runs.ts";
import type { Kernels } from "../../../core/kernels.ts";
import { pyramidSizes, trainingPyramid } from "../../../core/pyramid.ts";
import type { ContextPixel, Prior } from "../../../core/types.ts";
import { horizontal } from "../../../plugins/contexts/horizontal.ts";
import { mirror } from "../../../plugins/contexts/mirror.ts";
import { square } from "../../../plugins/contexts/square.ts";
import { localNn } from "../../../priors/local_nn.ts";
import { spatiallyInvariant } from "../../../priors/spatially_invariant.ts";
import { bytes, floats, put, wasm } from "../../kernels_under_test.ts";
import { NO_SOURCES } from "../../small_world.ts";

const SIZE = { height: 24, width: 40 }, LOW = { height: 12, width: 20 }, PATCH = 4;
const ring = square.create({ extent: 4, weight: 0.5 }).mask(PATCH / 2, LOW.width);
const wide = horizontal.create({ weight: 0.2, step: 1 }).mask(PATCH / 2, LOW.width);
const mirrored = mirror.create({ extent: 3, weight: 0.3 }).mask(PATCH / 2, LOW.width);

/** Fits a prior to noise, draws at many places and returns what was compared: the kernel's arguments are checked by `check`. */
function drawn(
  prior: Prior,
  context: readonly ContextPixel[],
  count: number,
  channels: number,
  check: Kernels["search"],
) {
  const height = wasm.mark(), length = channels * LOW.height * LOW.width, inPatch = channels * PATCH * PATCH;
  const images = { count, ...SIZE, channels, pixels: bytes(count, count * 4 * length) };
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(wasm, images, pyramidSizes(SIZE, 1)));
  const places = [0, 2, 5, 11, 20].flatMap((y) => [0, 1, 7, 18, 36].map((x) => ({ y, x, visits: 1 })));
  const listening: Kernels = { ...wasm, search: (...args) => (check(...args), wasm.search(...args)) };
  const layer = { layer: 0, ...SIZE, channels, patch: PATCH, window: 2, context, locations: places, batch: 2 };
  const fitted = finish(prior.fit({ ...layer, hr, lr, kernels: listening }));
  const at = { lr: put(wasm, floats(1, 2 * length, 0, 1)), patches: put(wasm, floats(2, 2 * inPatch, 0, 1)) };
  const to = { patches: wasm.allocate(2 * inPatch * 4), sources: wasm.allocate(2 * 12) };
  const measurements = {
    batch: 2,
    lr: wasm.f32(at.lr, 2 * length),
    patches: wasm.f32(at.patches, 2 * inPatch),
    lrKey: {},
    sources: NO_SOURCES,
  };
  const out = { patches: wasm.f32(to.patches, 2 * inPatch), sources: wasm.i32(to.sources, 6) };
  const step = { rho: 1, h: 1, iteration: 0, zStep: "sample" as const };
  for (const place of places) fitted.draw(place, measurements, step, { uniforms: (values) => values.fill(0.5) }, out);
  wasm.release(height);
}

const CASES: [string, Prior, readonly ContextPixel[], number, number][] = [
  [
    "local, around the patch and its mirror place",
    localNn.create({ neighbours: 3, hubPenalty: 0, bonus: 0 }),
    [...ring, ...mirrored],
    5,
    1,
  ],
  [
    "local, in colour, across the image",
    localNn.create({ neighbours: 3, hubPenalty: 0, bonus: 0 }),
    [...ring, ...wide, ...mirrored],
    5,
    3,
  ],
  ["everywhere, over the images", spatiallyInvariant.create({ neighbours: 3 }), [...ring, ...mirrored], 5, 1],
  ["everywhere, along the rows of few", spatiallyInvariant.create({ neighbours: 3 }), ring, 2, 3],
];
for (const [name, prior, context, count, channels] of CASES) {
  Deno.test(`runs are the same bytes, scales and queries as planes (${name})`, () => {
    let withRuns = 0, searches = 0;
    drawn(prior, context, count, channels, (comparison) => {
      const { table, scale, queries, planes, runs = 0, stride = 0, count, segments, batch } = comparison;
      searches++;
      assertEquals(runs > 0, planes >= RUNS_FROM);
      if (runs === 0) return 0;
      withRuns++;
      const values = planes + RUN * runs, scales = wasm.i16(scale, values);
      const compared = (segment: number, example: number, query: Int16Array, inRuns: boolean) => {
        const addresses = wasm.u32(table + segment * (planes + runs) * 4, planes + runs), found: string[] = [];
        for (let i = inRuns ? planes : 0; i < (inRuns ? values : planes); i++) {
          const run = Math.floor((i - planes) / RUN), lane = (i - planes) % RUN;
          const at = inRuns ? addresses[planes + run] + example * stride + lane : addresses[i] + example;
          if (scales[i] !== 0) found.push([scales[i], query[i], wasm.u8(at, 1)[0]].join());
        }
        return found.sort();
      };
      for (const segment of new Set([0, segments >> 1, segments - 1])) {
        for (const example of [0, count - 1]) {
          for (let b = 0; b < batch; b++) {
            const query = wasm.i16(queries + b * values * 2, values);
            assertEquals(compared(segment, example, query, true), compared(segment, example, query, false));
          }
        }
      }
      return 0;
    });
    assert(withRuns > searches / 2, "most places have a context that is large enough for runs");
  });
}

Deno.test("samples of one seed image are searched for once, and have what each alone has", () => {
  const height = wasm.mark(),
    pixels = LOW.height * LOW.width,
    inPatch = PATCH * PATCH,
    location = { y: 4, x: 6, visits: 2 };
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(
    wasm,
    { count: 9, ...SIZE, pixels: bytes(1, 36 * pixels) },
    pyramidSizes(SIZE, 1),
  ));
  const seeds = [0, 1, 2].map((seed) => floats(seed, pixels, 0, 1)),
    step = { rho: 1, h: 1, iteration: 0, zStep: "sample" as const };
  /** The candidates of images of these seeds, and how many were searched for. */
  const found = (images: readonly number[]) => {
    const asked: number[] = [], batch = images.length;
    const listening: Kernels = { ...wasm, search: (...args) => (asked.push(args[0].batch), wasm.search(...args)) };
    const layer = {
      layer: 0,
      ...SIZE,
      channels: 1,
      patch: PATCH,
      window: 2,
      context: ring,
      locations: [location],
      batch,
    };
    const prior = finish(
      localNn.create({ neighbours: 7, hubPenalty: 0, bonus: 0 }).fit({
        ...layer,
        hr,
        lr,
        kernels: listening,
      }),
    );
    const lows = put(wasm, Float32Array.from(images.flatMap((seed) => [...seeds[seed]])));
    const patches = put(wasm, new Float32Array(batch * inPatch));
    const measurements = {
      batch,
      lr: wasm.f32(lows, batch * pixels),
      patches: wasm.f32(patches, batch * inPatch),
      lrKey: {},
      sources: NO_SOURCES,
    };
    return { asked, candidates: images.map((_, b) => prior.candidates!(location, measurements, step, b)) };
  };
  const alone = [0, 1, 2].map((seed) => found([seed]).candidates[0]);
  for (
    const [images, different] of [[[0, 0, 1, 1, 1, 2, 0], 4], [[2, 2, 2], 1], [[0, 1, 2, 2], 3], [[1, 0], 2]] as const
  ) {
    assertEquals(found(images), { asked: [different], candidates: images.map((seed) => alone[seed]) });
  }
  wasm.release(height);
});
