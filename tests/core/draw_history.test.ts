/** What priors see of earlier draws: a history against a plain count, and against what was really drawn. */
import { finish } from "../../core/steps.ts";
import { assert, assertEquals } from "@std/assert";
import { drawHistory } from "../../core/draw_history.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { Batch } from "../../core/batch.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { DrawOutput, FittedPrior, Location, Measurements, Step } from "../../core/types.ts";
import { builtins } from "../../plugins/mod.ts";
import { wasm } from "../kernels_under_test.ts";
import { small, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const SIZE = { height: 6, width: 8 }, PATCH = 4, PLACES = [{ y: 0, x: 0 }, { y: 1, x: 2 }, { y: 2, x: 4 }];

/** (training image, y, x) of two images. */
const sourcesOf = (first: number, second: number) => Int32Array.of(first, 0, 0, second, 1, 1);

Deno.test("drawHistory: the patch drawn last counts, a patch that is no copy is none, and a restart forgets all", () => {
  const history = drawHistory(SIZE, PATCH, 2, 3, 5);
  const row = (image: number, y: number) => Array.from({ length: 8 }, (_, x) => history.sourceAt(image, y, x));
  history.restart(PLACES);
  assertEquals([history.total, row(0, 0), history.count(0, 4)], [3, new Array(8).fill(-1), 0]);
  history.add(sourcesOf(4, 2));
  assertEquals([row(0, 0), row(0, 4)], [[4, 4, 4, 4, -1, -1, -1, -1], new Array(8).fill(-1)]);
  assertEquals([history.count(0, 4), history.count(0, 2), history.count(1, 2)], [1, 0, 1]);
  history.add(sourcesOf(4, -1));
  history.add(sourcesOf(0, 2));
  assertEquals([row(0, 0), row(0, 1)], [[4, 4, 4, 4, -1, -1, -1, -1], [4, 4, 4, 4, 4, 4, -1, -1]]);
  assertEquals([row(0, 2), row(0, 5)], [[4, 4, 4, 4, 0, 0, 0, 0], [-1, -1, -1, -1, 0, 0, 0, 0]]);
  assertEquals([row(1, 0), row(1, 2)], [[2, 2, 2, 2, -1, -1, -1, -1], [2, 2, -1, -1, 2, 2, 2, 2]]);
  assertEquals([0, 1, 2, 3, 4].map((source) => history.count(0, source)), [1, 0, 0, 0, 2]);
  assertEquals([0, 1, 2, 3, 4].map((source) => history.count(1, source)), [0, 0, 2, 0, 0]);
  assertEquals([...history.sources], [4, 0, 0, 2, 1, 1, 4, 0, 0, -1, 1, 1, 0, 0, 0, 2, 1, 1]);
  history.restart(PLACES.slice(1));
  assertEquals([history.total, row(0, 2), history.count(0, 4)], [2, new Array(8).fill(-1), 0]);
  history.add(sourcesOf(3, 1));
  assertEquals([row(1, 1), history.count(0, 3)], [[-1, -1, 1, 1, 1, 1, -1, -1], 1]);
});

/** A prior like the profile's own that calls `ask` before each draw. */
function asking(ask: (layer: number, at: Location, measurements: Measurements, step: Step) => void) {
  const own = builtins.find("prior", "local-nn");
  const prior = definePlugin({
    api: 1,
    kind: "prior",
    name: "asking",
    about: "for tests",
    options: {},
    create: () => ({
      fit(layer) {
        const fitted: FittedPrior = finish(own.create({ neighbours: 6 } as never).fit(layer));
        return {
          draw(at, measurements, step, random, out) {
            ask(layer.layer, at, measurements, step);
            fitted.draw(at, measurements, step, random, out);
          },
        };
      },
    }),
  });
  return { profile: { ...small, prior: "asking" }, plugins: builtins.with(prior) };
}

/** The map of a batch's images by plain loops over all draws of an iteration, the last one on top. */
function plainMap(draws: readonly { at: Location; sources: Int32Array }[], width: number, b: number): number[] {
  const map = new Array(width * width).fill(-1);
  for (const { at, sources } of draws) {
    for (let p = 0; p < 16; p++) map[(at.y + (p >> 2)) * width + at.x + p % 4] = sources[3 * b];
  }
  return map;
}

Deno.test("synthesize: a prior sees this iteration, the one before and the last one of the coarser layer", () => {
  const drawn = new Map<string, { at: Location; sources: Int32Array }[]>(), images = [4, 1, 7];
  const of = (layer: number, iteration: number) => drawn.get(`${layer} ${iteration}`) ?? [];
  let asked = 0;
  const ask = (layer: number, _at: Location, measurements: Measurements, { iteration }: Step) => {
    const width = layer === 0 ? 16 : 8;
    const same = (found: Measurements["previousSources"], draws: ReturnType<typeof of>, side: number) => {
      for (let b = 0; b < images.length; b++) {
        const map = Array.from({ length: side * side }, (_, p) => found!.sourceAt(b, Math.floor(p / side), p % side));
        assertEquals(map, plainMap(draws, side, b));
        for (let source = 0; source < 24; source++) {
          assertEquals(found!.count(b, source), draws.filter(({ sources }) => sources[3 * b] === source).length);
        }
      }
    };
    same(measurements.sources, of(layer, iteration), width);
    assert(measurements.sources.total > of(layer, iteration).length);
    if (iteration === 0) assertEquals(measurements.previousSources, undefined);
    else same(measurements.previousSources, of(layer, iteration - 1), width);
    if (layer === 1) assertEquals(measurements.coarserSources, undefined);
    else same(measurements.coarserSources, of(1, 1), width / 2);
    asked++;
  };
  const onDraw: Batch["onDraw"] = (
    { layer, location: at, step: { iteration }, out }: {
      layer: number;
      location: Location;
      step: Step;
      out: DrawOutput;
    },
  ) => {
    const key = `${layer} ${iteration}`;
    drawn.set(key, [...drawn.get(key) ?? [], { at, sources: out.sources.slice() }]);
  };
  const model = smallModel(wasm, asking(ask));
  const made = toEnd(synthesize(model, { seed: 3, images, seedImages: smallSeeds(model, images), onDraw }));
  assert(asked > 50);
  const silent = smallModel(wasm, asking(() => {}));
  assertEquals(toEnd(synthesize(silent, { seed: 3, images, seedImages: smallSeeds(silent, images) })), made);
});
