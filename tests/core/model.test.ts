import { finish } from "../../core/steps.ts";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { locations } from "../../core/locations.ts";
import { contextOf, fitModel, fitText, trainingLayers } from "../../core/model.ts";
import { type Plan, plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { definePlugin } from "../../core/plugin.ts";
import { range } from "../../core/numbers.ts";
import { trainingPyramid } from "../../core/pyramid.ts";
import { squareOf } from "../../core/shape.ts";
import type { ContextPixel, LayerData } from "../../core/types.ts";
import { builtins } from "../../plugins/mod.ts";
import { wasm } from "../kernels_under_test.ts";
import { blobs, small, smallModel } from "../small_world.ts";

/** A context of the given pixels, whatever the patch. */
function fixed(name: string, pixels: readonly ContextPixel[]) {
  return definePlugin({
    api: 1,
    kind: "context",
    name,
    about: "",
    options: {},
    create: () => ({ mask: () => pixels }),
  });
}
const at = (dx: number, dy: number, weight: number) => ({ dx, dy, weight });
/** The context of the finest layer, whose LR images are 8x8. */
const contextAt = (planned: Plan) => contextOf(planned.layers[0]);
const byPlace = (a: ContextPixel, b: ContextPixel) => a.dy - b.dy || a.dx - b.dx;

Deno.test("contextOf: a pixel of several contexts counts once, with its largest weight", () => {
  const plugins = builtins.with(
    fixed("one", [at(-1, 0, 0.5), at(3, 0, 0.1), at(5, 5, 0.3)]),
    fixed("two", [at(-1, 0, 0.2), at(3, 0, 0.4), at(0, 3, 0.6)]),
  );
  for (const contexts of [["one", "two"], ["two", "one"]]) {
    assertEquals(contextAt(plan({ ...small, contexts }, plugins)).toSorted(byPlace), [
      at(-1, 0, 0.5),
      at(3, 0, 0.4),
      at(0, 3, 0.6),
      at(5, 5, 0.3),
    ]);
  }
});

Deno.test("contextOf: the patch's own pixels are no context", () => {
  const all = [at(0, 0, 1), at(1, 1, 1), at(0, 2, 1), at(2, 0, 1), at(-1, 1, 1)];
  const planned = plan({ ...small, contexts: ["five"] }, builtins.with(fixed("five", all)));
  assertEquals(contextAt(planned), all.slice(2));
});

Deno.test("contextOf: the contexts of a profile together, and none at all", () => {
  // A patch of 2x2: the ring has 12 pixels, and of the 2 x 13 of the rows 4 lie in it.
  const found = contextAt(plan(small, builtins));
  assertEquals([found.length, found.filter(({ weight }) => weight === 0.5).length], [12 + 26 - 4, 12]);
  assertEquals(contextAt(plan({ ...small, contexts: [] }, builtins)), []);
});

Deno.test("fitModel: fits the prior once a layer, on that layer's images, context and locations", () => {
  const seen: LayerData[] = [], strengths: number[] = [];
  const watching = definePlugin({
    api: 1,
    kind: "prior",
    name: "watching",
    about: "",
    options: { strength: { default: 1, about: "" } },
    create: ({ strength }) => (strengths.push(strength), { fit: (layer) => (seen.push(layer), { draw: () => {} }) }),
  });
  const profile: Profile = { ...small, prior: ["watching", { strength: 3 }] }, plugins = builtins.with(watching);
  const model = smallModel(wasm, { profile, plugins, batch: 5 });
  assertEquals(
    seen.map(({ layer, height, width, channels, patch, window, batch }) => [
      layer,
      height,
      width,
      channels,
      patch,
      window,
      batch,
    ]),
    [
      [0, 16, 16, 1, 4, 2, 5],
      [1, 8, 8, 1, 4, 0, 5],
    ],
  );
  seen.forEach((layer, l) => {
    assertEquals(layer.context, contextOf(model.plan.layers[layer.layer]));
    assertEquals([layer.hr, layer.lr], [model.training.hr[l], model.training.lr[l]]);
    assertEquals([layer.hr.width, layer.lr.width, layer.kernels], [layer.width, layer.width / 2, wasm]);
    // Every location that an iteration visits, once, with the number of its visits.
    const { overlap, iterations } = model.plan.layers[l], visits = new Map<string, number>();
    for (const { offset } of iterations) {
      for (const { y, x } of locations(layer, 4, overlap, offset)) {
        visits.set(`${y} ${x}`, (visits.get(`${y} ${x}`) ?? 0) + 1);
      }
    }
    assertEquals(new Map(layer.locations.map(({ y, x, visits }) => [`${y} ${x}`, visits])), visits);
    assertEquals(layer.locations.length, visits.size);
  });
  assertEquals(strengths, [3]);
});

Deno.test("fitModel: the same list of locations while the offset repeats, another where it changes", () => {
  const { layers, plan } = smallModel(wasm);
  const [first, second, third, fourth] = layers[0].locations;
  assert(first === second && third !== second && fourth !== third);
  layers.forEach((layer, l) =>
    layer.locations.forEach((places, k) => {
      const wanted = locations(layer, 4, layer.overlap, plan.layers[l].iterations[k].offset);
      assertEquals(places.map(({ y, x }) => ({ y, x })), wanted);
    })
  );
});

Deno.test("fitModel: the order of an iteration changes its list, not what a prior is fitted on; a layer's patch changes both", () => {
  const changed = (entries: object) => {
    const { layers, plan } = smallModel(wasm, {
      profile: { ...small, layers: [{ ...small.layers[0], ...entries }, small.layers[1]] },
    });
    return { lists: layers[0].locations, fitted: fitText(plan) };
  };
  const rows = changed({}), sweep = changed({ order: "sweep" }), wide = changed({ patch: 8 });
  assertEquals(sweep.lists.map((list, k) => new Set(list).size === new Set(rows.lists[k]).size), [
    true,
    true,
    true,
    true,
  ]);
  assertNotEquals(sweep.lists[0], rows.lists[0]);
  assertEquals(sweep.fitted, rows.fitted);
  assertNotEquals(wide.fitted, rows.fitted);
  assertEquals(wide.lists[0].map(({ y, x }) => ({ y, x })), locations(squareOf(16), 8, 1, [0, 0]));
});

Deno.test("fitText: differs where a prior is fitted on another layer: exemplars, images that tile", () => {
  const exemplars: Profile = { ...small, aligned: false }, tiles = ["x", "y", "both"] as const;
  const plans = [small, exemplars, ...tiles.map((tile) => ({ ...exemplars, tile }))].map((own) => plan(own, builtins));
  const training = finish(trainingPyramid(wasm, blobs(), plans[0].sizes));
  const fittedOn = plans.map((own) => {
    const layers = trainingLayers(wasm, own, training, 1).map(({ data: { kernels: _, ...data } }) => data);
    return JSON.stringify(layers);
  });
  assertEquals(new Set(fittedOn).size, plans.length);
  assertEquals(new Set(plans.map(fitText)).size, plans.length);
  // What a fit does not depend on leaves the text as it is: the fit is kept.
  assertEquals(fitText(plan({ ...small, zStep: "map", seedNoise: 0.1 }, builtins)), fitText(plans[0]));
});

Deno.test("fitModel: an empty training set is one sentence", () => {
  const planned = plan(small, builtins), none = finish(trainingPyramid(wasm, blobs(), planned.sizes, range(0)));
  assertThrows(() => finish(fitModel(wasm, planned, none, 1)), Error, "Cannot fit a prior: the training set is empty");
});

/** A prior with these parts, as a host has loaded it. */
function loaded(parts: { fit?: (layer: LayerData) => void; create?: () => void; dispose?: (layer: number) => void }) {
  return {
    api: 1,
    kind: "prior",
    name: "watched",
    about: "",
    options: {},
    from: "./watched.ts",
    create() {
      parts.create?.();
      return {
        fit: (layer: LayerData) => (parts.fit?.(layer), { draw() {}, dispose: () => parts.dispose?.(layer.layer) }),
      };
    },
  } as const;
}

Deno.test("fitModel: priors are disposed of with the model, also those fitted before another layer failed", () => {
  const disposed: number[] = [], dispose = (layer: number) => void disposed.push(layer);
  const fit = (parts: Parameters<typeof loaded>[0]) =>
    smallModel(wasm, {
      profile: { ...small, prior: "watched" },
      plugins: builtins.with(loaded({ ...parts, dispose })),
    });
  fit({}).dispose();
  assertEquals(disposed, [0, 1]);
  disposed.length = 0;
  const failing = (layer: LayerData) => {
    if (layer.layer === 1) throw new Error("no room");
  };
  assertThrows(() => fit({ fit: failing }), Error, 'prior "watched" of ./watched.ts failed in fit, layer 1: no room');
  assertEquals(disposed, [0]);
  const create = () => {
    throw new Error("not today");
  };
  assertThrows(() => fit({ create }), Error, 'prior "watched" of ./watched.ts failed in create: not today');
});

Deno.test("contextOf: refuses a pixel that is none", () => {
  const ring = (pixel: unknown) => {
    const mask = () => [pixel] as { dx: number; dy: number; weight: number }[];
    const own = { api: 1, kind: "context", name: "ring", about: "", options: {}, from: "./ring.ts" } as const;
    return plan({ ...small, contexts: ["ring"] }, builtins.with({ ...own, create: () => ({ mask }) }));
  };
  for (
    const wrong of [{}, undefined, { dx: 0.5, dy: 0, weight: 1 }, { dx: 9, dy: 0, weight: 0 }, {
      dx: 9,
      dy: 0,
      weight: 2,
    }]
  ) {
    const sentence = 'context "ring" of ./ring.ts masks a pixel wrongly: expected whole numbers dx and dy and a weight';
    assertThrows(() => contextAt(ring(wrong)), Error, sentence);
  }
});
