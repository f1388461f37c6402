import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { leastSide, plan, type PlanLayer } from "../../core/plan.ts";
import type { Profile, ProfileLayer } from "../../core/profile.ts";
import { squareOf } from "../../core/shape.ts";
import { digits, profiles, texture } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";
import { small } from "../small_world.ts";

/** `small` with entries replaced by anything. */
const changed = (entries: Record<string, unknown>) => ({ ...small, ...entries }) as Profile;
/** `small` with entries of its finest layer replaced by anything. */
const layered = (entries: Record<string, unknown>) =>
  changed({ layers: [{ ...small.layers[0], ...entries }, small.layers[1]] });
const without = (object: object, key: string) => Object.fromEntries(Object.entries(object).filter(([k]) => k !== key));
const sentence = (profile: unknown) => assertThrows(() => plan(profile as Profile, builtins), Error).message;
const cannot = (name: string, wanted: string, found: string) =>
  `Cannot use ${name} of the profile: expected ${wanted}, got ${found}`;

Deno.test("plan: sizes, layers and iterations of a profile, with plugins found and options filled in", () => {
  const planned = plan(small, builtins);
  assertEquals([planned.sizes, planned.patch], [[16, 8, 4].map(squareOf), 4]);
  assertEquals(planned.prior.plugin.name, "local-nn");
  assertEquals(planned.prior.values, { neighbours: 10, hubPenalty: 0, bonus: 0 });
  assertEquals(planned.contexts.map(({ plugin, values }) => [plugin.name, values]), [
    ["square", { extent: 1, weight: 0.5 }],
    ["horizontal", { weight: 0.2, step: 1 }],
  ]);
  assertEquals(planned.layers[0], {
    layer: 0,
    height: 16,
    width: 16,
    patch: 4,
    order: "rows",
    overlap: 1,
    window: 2,
    feather: 0,
    minOriginality: 0,
    maxStructure: 1,
    projection: 0,
    iterations: [
      { h: 1, lambda: 0, rho: 0.01, offset: [0, 0] },
      { h: 1, lambda: 0.05, rho: 0.1, offset: [0, 0] },
      { h: 0.5, lambda: 0.05, rho: 1, offset: [1, 2] },
      { h: 0.5, lambda: 1, rho: 2, offset: [2, 1] },
    ],
    prior: planned.prior,
    contexts: planned.contexts,
  });
  assertEquals([planned.layers[1].layer, planned.layers[1].width], [1, 8]);
  assertEquals(planned.profile, small);
});

/** Every object and array inside, plugins apart. */
function inside(value: unknown): object[] {
  if (typeof value !== "object" || value === null || "api" in value) return [];
  return [value, ...Object.values(value).flatMap(inside)];
}

Deno.test("plan: frozen through and through; the profile is neither frozen nor changed", () => {
  const profile = structuredClone(digits), planned = plan(profile, builtins), parts = inside(planned);
  assert(parts.length > 50 && parts.every(Object.isFrozen));
  assert(!inside(profile).some(Object.isFrozen));
  assertEquals(profile, digits);
  const [h] = digits.layers[0].h;
  (profile.layers[0].h as number[])[0] = 77;
  assertEquals([planned.profile.layers[0].h[0], planned.layers[0].iterations[0].h], [h, h]);
});

const NUMBERS = [NaN, Infinity, -Infinity, -1, 2.5, "4", null, true, [4], { of: 4 }, undefined];
const SHOWN = ["NaN", "Infinity", "-Infinity", "-1", "2.5", '"4"', "null", "true", "[4]", '{"of":4}', "undefined"];

Deno.test("plan: names the range where a whole number is out of it, or is no whole number", () => {
  NUMBERS.forEach((value, i) => {
    const pair = Array.isArray(value) ? "a number or a pair [width, height]" : undefined;
    assertEquals(sentence(changed({ size: value })), cannot("size", pair ?? "an integer from 2 to 4096", SHOWN[i]));
    assertEquals(sentence(changed({ size: [16, value] })), cannot("size.1", "an integer from 2 to 4096", SHOWN[i]));
    assertEquals(sentence(changed({ patch: value })), cannot("patch", "an integer from 2 to 16", SHOWN[i]));
    const layer = (name: string, wanted: string) =>
      assertEquals(sentence(layered({ [name]: value })), cannot(`layers.0.${name}`, wanted, SHOWN[i]));
    layer("overlap", "an integer from 0 to 3");
    layer("iterations", "an integer from 1 to 65535");
    layer("window", "an integer from 0 to 16");
    const offsets = [[0, 0], [0, 0], [1, value], [0, 0]];
    assertEquals(sentence(layered({ offsets })), cannot("layers.0.offsets.2.1", "an integer from 0 to 2", SHOWN[i]));
  });
  const ends: [Profile, string][] = [
    [changed({ size: 4097 }), cannot("size", "an integer from 2 to 4096", "4097")],
    [changed({ patch: 18 }), cannot("patch", "an integer from 2 to 16", "18")],
    [layered({ overlap: 4 }), cannot("layers.0.overlap", "an integer from 0 to 3", "4")],
    [layered({ iterations: 0 }), cannot("layers.0.iterations", "an integer from 1 to 65535", "0")],
    [layered({ window: 17 }), cannot("layers.0.window", "an integer from 0 to 16", "17")],
  ];
  for (const [profile, wanted] of ends) assertEquals(sentence(profile), wanted);
  for (const offset of [[3, 0], [0, 3]]) {
    const axis = offset.indexOf(3), profile = layered({ offsets: [[0, 0], offset, [0, 0], [0, 0]] });
    assertEquals(sentence(profile), cannot(`layers.0.offsets.1.${axis}`, "an integer from 0 to 2", "3"));
  }
});

Deno.test("plan: sizes that no pyramid or patch fits", () => {
  const wanted = "a multiple of 4 whose coarsest HR layer holds a patch of 4";
  for (const size of [18, 15, 6, 4]) assertEquals(sentence(changed({ size })), cannot("size", wanted, String(size)));
  assertEquals(sentence(changed({ patch: 5 })), cannot("patch", "an even number", "5"));
  assertEquals(sentence(changed({ patch: 10 })), cannot("size", wanted.replace(/4$/, "10"), "16"));
  assertEquals(plan(changed({ size: 8, patch: 4 }), builtins).sizes, [8, 4, 2].map(squareOf));
  for (const size of [[18, 16], [16, 18], [16, 4], [4, 16]]) {
    assertEquals(sentence(changed({ size })), cannot("size", wanted, JSON.stringify(size).replaceAll(",", ",")));
  }
  const { height, width } = plan(changed({ size: [16, 8] }), builtins).layers[0];
  assertEquals([height, width], [8, 16]);
});

Deno.test("plan: lists of another length, of other things, or with holes", () => {
  for (const name of ["h", "lambda", "rho", "offsets"]) {
    const wanted = "a list of 4 (one for each iteration)", at = `layers.0.${name}`;
    for (const value of [[1, 1, 1], [], 4, null, "abcd", { length: 4 }]) {
      assertEquals(sentence(layered({ [name]: value })), cannot(at, wanted, JSON.stringify(value)));
    }
    const pair = name === "offsets", number = `a finite number ${name === "lambda" ? ">= 0" : "> 0"}`;
    const value = pair ? "a pair [x, y]" : number;
    assertEquals(sentence(layered({ [name]: new Array(4) })), cannot(`${at}.0`, value, "undefined"));
    const bad = pair ? [5, null, "00", [1], [1, 1, 1], {}] : [NaN, Infinity, -Infinity, -1, "1", null, [1], true];
    for (const one of bad) {
      const values = [...small.layers[0][name as "h"] as unknown[]];
      values[2] = one;
      const found = typeof one === "number" ? String(one) : JSON.stringify(one);
      assertEquals(sentence(layered({ [name]: values })), cannot(`${at}.2`, value, found));
    }
  }
  for (const name of ["h", "rho"]) {
    assertEquals(sentence(layered({ [name]: [0, 1, 1, 1] })), cannot(`layers.0.${name}.0`, "a finite number > 0", "0"));
  }
});

Deno.test("plan: entries that are not there, misspelled, or of another kind", () => {
  for (const key of Object.keys(small)) {
    assertEquals(sentence(without(small, key)), `the profile lacks the entry "${key}"`);
  }
  for (const key of Object.keys(small.layers[0])) {
    const layers = [small.layers[0], without(small.layers[1], key)];
    assertEquals(sentence(changed({ layers })), `layers.1 lacks the entry "${key}"`);
  }
  assertEquals(plan(changed({}), builtins).zStep, "sample");
  assertEquals(plan(changed({ zStep: "mean" }), builtins).zStep, "mean");
  assertEquals(sentence(changed({ zStep: "median" })), cannot("zStep", "sample or map or mean", '"median"'));
  const layerKeys =
    "(valid: overlap, iterations, window, h, lambda, rho, offsets, prior, contexts, feather, patch, order, minOriginality, maxStructure, projection)";
  assertEquals(
    sentence(layered({ lamda: [0] })),
    `layers.0 has an unknown entry "lamda"; nearest: "lambda" ${layerKeys}`,
  );
  const keys =
    "(valid: name, about, dataset, size, classwise, patch, prior, contexts, layers, zStep, channels, aligned, relativeH, morph, morphOf, seedNoise, seedModel, from, noise, quiltLayer, regions, few, tile, pixelArt, restoredAs)";
  assertEquals(
    sentence(changed({ context: [] })),
    `the profile has an unknown entry "context"; nearest: "contexts" ${keys}`,
  );
  for (const value of [null, undefined, 5, "digits", [], true]) {
    const found = value === undefined ? "undefined" : JSON.stringify(value);
    assertEquals(sentence(value), `Cannot use the profile: expected an object, got ${found}`);
    assertEquals(sentence(changed({ layers: [value, small.layers[1]] })), cannot("layers.0", "a layer", found));
    if (typeof value !== "string") {
      for (const name of ["name", "about", "dataset"]) {
        assertEquals(sentence(changed({ [name]: value })), cannot(name, "a text", found));
        for (const text of ["x\ud800y", "two\nlines", "\x1b[2J", "a\u202eb", "a\u2028b"]) {
          const got = JSON.stringify(text).replace(/[\u202e\u2028]/, " ");
          assertEquals(sentence(changed({ [name]: text })), cannot(name, "a text of printable characters", got));
        }
      }
    }
    if (typeof value !== "boolean") {
      assertEquals(sentence(changed({ classwise: value })), cannot("classwise", "true or false", found));
    }
    if (!Array.isArray(value)) {
      assertEquals(sentence(changed({ contexts: value })), cannot("contexts", "a list of contexts", found));
    }
    assertEquals(sentence(changed({ layers: value })), cannot("layers", "a list of one or more layers", found));
  }
});

Deno.test("plan: a layer's own prior and contexts, on top of the profile's options for a plugin of the same name", () => {
  const named = ({ prior, contexts }: Pick<PlanLayer, "prior" | "contexts">) => {
    return [prior, ...contexts].map(({ plugin, values }) => [plugin.name, values]);
  };
  const common = { prior: ["gmm", { patches: 60 }], contexts: [["square", { extent: 2 }], "horizontal"] };
  const own = { prior: ["gmm", { components: 3 }], contexts: ["mirror", ["square", { weight: 0.25 }]] };
  const planned = plan(changed({ ...common, layers: [small.layers[0], { ...small.layers[1], ...own }] }), builtins);
  assertEquals(named(planned.layers[0]), named(planned));
  assertEquals(planned.layers[0].prior.values.patches, 60);
  const [prior, ...contexts] = named(planned.layers[1]);
  assertEquals(prior, ["gmm", { ...planned.prior.values, patches: 60, components: 3 }]);
  assertEquals(contexts, [["mirror", { extent: 0, weight: 0.25 }], ["square", { extent: 2, weight: 0.25 }]]);
  // Another prior takes no options of the profile's.
  const other = plan(
    changed({ ...common, layers: [{ ...small.layers[0], prior: "local-nn" }, small.layers[1]] }),
    builtins,
  );
  assertEquals(other.layers.map(({ prior }) => prior.plugin.name), ["local-nn", "gmm"]);
  assertEquals(other.layers[0].prior.values, plan(changed({ prior: "local-nn" }), builtins).prior.values);
  assertEquals(plan(layered({ contexts: [] }), builtins).layers.map(({ contexts }) => contexts.length), [0, 2]);

  const pair = "a name or a pair of name and options";
  for (const choice of [null, 5, {}, [], ["local-nn"], ["local-nn", null], ["local-nn", [1]], ["local-nn", {}, 1]]) {
    assertEquals(sentence(layered({ prior: choice })), cannot("layers.0.prior", pair, JSON.stringify(choice)));
    assertEquals(sentence(layered({ contexts: [choice] })), cannot("layers.0.context", pair, JSON.stringify(choice)));
  }
  for (const contexts of [null, "square", 5]) {
    assertEquals(
      sentence(layered({ contexts })),
      cannot("layers.0.contexts", "a list of contexts", JSON.stringify(contexts)),
    );
  }
  assertEquals(
    sentence(layered({ prior: ["local-nn", { neighbours: 0 }] })),
    'Cannot set "neighbours" on prior "local-nn": expected an integer >= 1 and <= 65535 or "auto", got 0',
  );
});

Deno.test("plan: seed noise is a number from 0 to 1, by default 0", () => {
  assertEquals([plan(small, builtins).seedNoise, plan(changed({ seedNoise: 0.25 }), builtins).seedNoise], [0, 0.25]);
  for (const seedNoise of [-0.1, 1.5, NaN, "0.1", null, true]) {
    const found = typeof seedNoise === "number" ? String(seedNoise) : JSON.stringify(seedNoise);
    assertEquals(sentence(changed({ seedNoise })), cannot("seedNoise", "a number from 0 to 1", found));
  }
});

Deno.test("plan: the projection of a layer is an integer, by default 0, and of aligned images", () => {
  assertEquals(plan(layered({ projection: 2 }), builtins).layers.map(({ projection }) => projection), [2, 0]);
  for (const projection of [-1, 65536, 0.5, "2", null, true]) {
    const found = typeof projection === "number" ? String(projection) : JSON.stringify(projection);
    assertEquals(sentence(layered({ projection })), cannot("layers.0.projection", "an integer from 0 to 65535", found));
  }
  const layers = [small.layers[0], { ...small.layers[1], projection: 1 }];
  const wanted = "0 for images that are not aligned";
  assertEquals(sentence(changed({ aligned: false, layers })), cannot("layers.1.projection", wanted, "1"));
});

Deno.test("plan: the feather of a layer is an integer from 0 to 8, by default 0", () => {
  assertEquals(plan(layered({ feather: 4 }), builtins).layers.map(({ feather }) => feather), [4, 0]);
  for (const feather of [-1, 9, 0.5, "2", null, true]) {
    const found = typeof feather === "number" ? String(feather) : JSON.stringify(feather);
    assertEquals(sentence(layered({ feather })), cannot("layers.0.feather", "an integer from 0 to 8", found));
  }
});

Deno.test("plan: a layer's own patch is even and fits into the layer; the overlap and the offsets are below it", () => {
  assertEquals(plan(layered({ patch: 16, offsets: [[0, 0], [0, 0], [7, 14], [0, 0]] }), builtins).layers[0].patch, 16);
  const coarse = (patch: unknown) => changed({ layers: [small.layers[0], { ...small.layers[1], patch }] });
  assertEquals(plan(coarse(8), builtins).layers.map(({ patch }) => patch), [4, 8]);
  assertEquals(leastSide(plan(coarse(8), builtins)), 16);
  assertEquals(leastSide(plan(small, builtins)), 8);
  for (const patch of [0, 10, 3.5, "4", null]) {
    const found = typeof patch === "number" ? String(patch) : JSON.stringify(patch);
    assertEquals(sentence(coarse(patch)), cannot("layers.1.patch", "an integer from 2 to 8", found));
  }
  assertEquals(sentence(coarse(5)), cannot("layers.1.patch", "an even number", "5"));
  assertEquals(sentence(coarse(2)), cannot("layers.1.overlap", "an integer from 0 to 1", "2"));
  assertEquals(sentence(layered({ patch: 4, overlap: 4 })), cannot("layers.0.overlap", "an integer from 0 to 3", "4"));
  const finest = plan(layered({ patch: 8, overlap: 3, offsets: [[0, 0], [0, 0], [4, 4], [0, 0]] }), builtins);
  assertEquals(finest.compared, { patch: 4, overlap: 1, window: 2 });
  assertEquals(plan(layered({ patch: 4, overlap: 3, offsets: Array(4).fill([0, 0]) }), builtins).compared.overlap, 1);
  assertEquals(plan(layered({ overlap: 3, offsets: Array(4).fill([0, 0]) }), builtins).compared.overlap, 3);
  assertEquals(plan(small, builtins).compared, { patch: 4, overlap: 1, window: 2 });
  // The profile's own patch need not fit into layers that have another.
  const layers = [small.layers[0], { ...small.layers[1], patch: 4 }];
  assertEquals(plan(changed({ patch: 16, layers }), builtins).layers.map(({ patch }) => patch), [16, 4]);
});

Deno.test("plan: the order of a layer is rows or sweep, by default rows", () => {
  assertEquals(plan(layered({ order: "sweep" }), builtins).layers.map(({ order }) => order), ["sweep", "rows"]);
  for (const order of ["columns", 1, null, ["sweep"]]) {
    assertEquals(sentence(layered({ order })), cannot("layers.0.order", "rows or sweep", JSON.stringify(order)));
  }
});

Deno.test("plan: the least originality of a layer is a number from 0 to 10, by default 0, and 0 for exemplars", () => {
  assertEquals(plan(layered({ minOriginality: 0.8 }), builtins).layers.map((layer) => layer.minOriginality), [0.8, 0]);
  for (const minOriginality of [-0.1, 10.1, NaN, Infinity, "1", null, true]) {
    const found = typeof minOriginality === "number" ? String(minOriginality) : JSON.stringify(minOriginality);
    assertEquals(
      sentence(layered({ minOriginality })),
      cannot("layers.0.minOriginality", "a number from 0 to 10", found),
    );
  }
  const texture = { ...layered({ minOriginality: 0.8 }), aligned: false, contexts: [] };
  const wanted = "0 for images that are not aligned";
  assertEquals(sentence(texture), cannot("layers.0.minOriginality", wanted, "0.8"));
});

Deno.test("plan: the most structure of a layer is a number from 0 to 1, by default 1, and 1 for exemplars", () => {
  assertEquals(plan(layered({ maxStructure: 0.6 }), builtins).layers.map((layer) => layer.maxStructure), [0.6, 1]);
  for (const maxStructure of [-0.1, 1.1, NaN, "1", null]) {
    const found = typeof maxStructure === "number" ? String(maxStructure) : JSON.stringify(maxStructure);
    assertEquals(
      sentence(layered({ maxStructure })),
      cannot("layers.0.maxStructure", "a number from 0 to 1", found),
    );
  }
  const texture = { ...layered({ maxStructure: 0.6 }), aligned: false, contexts: [] };
  assertEquals(sentence(texture), cannot("layers.0.maxStructure", "1 for images that are not aligned", "0.6"));
});

Deno.test("plan: morphs are of up to 100 others each, of aligned images that are no pixel art", () => {
  const planned = plan(changed({ morph: 7, morphOf: "fours" }), builtins);
  assertEquals([planned.morph, planned.morphOf], [7, "fours"]);
  assertEquals([plan(changed({}), builtins).morph, plan(changed({}), builtins).morphOf], [0, "pairs"]);
  for (const morph of [-1, 101, 1.5]) {
    assertEquals(sentence(changed({ morph })), cannot("morph", "an integer from 0 to 100", String(morph)));
  }
  assertEquals(sentence(changed({ morphOf: "threes" })), cannot("morphOf", "pairs or fours", '"threes"'));
  const exemplars = { ...changed({ morph: 3, aligned: false }), contexts: [] };
  assertEquals(sentence(exemplars), cannot("morph", "0 for images that are not aligned", "3"));
  const art = changed({ morph: 3, pixelArt: true, channels: 3 });
  assertEquals(sentence(art), cannot("morph", "0 for pixel art, whose colours no average may mix", "3"));
});

Deno.test("plan: regions lie in aligned images, each with a name of its own", () => {
  const eyes = { name: "eyes", x: 0.2, y: 0.3, width: 0.6, height: 0.2 };
  const edge = { ...eyes, name: "edge", x: 0.7, width: 0.3 };
  assertEquals(plan(changed({ regions: [eyes, edge] }), builtins).regions, [eyes, edge]);
  assertEquals(plan(small, builtins).regions, undefined);
  const wrong = (entries: object, at: string, expected: string, got: string) => {
    assertEquals(
      sentence(changed({ regions: [eyes, { ...edge, ...entries }] })),
      cannot(`regions.1.${at}`, expected, got),
    );
  };
  wrong({ x: -0.1 }, "x", "a number from 0 to 1", "-0.1");
  wrong({ x: 0.71 }, "width", "a region inside the image", "0.3");
  wrong({ height: 0 }, "height", "a region inside the image", "0");
  wrong({ name: "eyes" }, "name", "a word that no other region has", '"eyes"');
  wrong({ name: "left eye" }, "name", "a word that no other region has", '"left eye"');
  assertEquals(sentence(changed({ regions: [5] })), cannot("regions.0", "a region", "5"));
  assertEquals(sentence(changed({ regions: [] })), cannot("regions", "a list of regions", "[]"));
  const likely = (x: number) => changed({ from: "noise", noise: { layer: 0, likelyIn: [{ ...edge, x }] } });
  assertEquals(plan(likely(0.7), builtins).noise!.likelyIn, [edge]);
  assertEquals(sentence(likely(0.71)), cannot("noise.likelyIn.0.width", "a region inside the image", "0.3"));
  const texture = changed({ regions: [eyes], aligned: false, contexts: [] });
  assertStringIncludes(sentence(texture), "expected none for images that are not aligned");
});

Deno.test("plan: wrong plugins and options", () => {
  const pair = "a name or a pair of name and options";
  for (
    const choice of [null, 5, true, {}, [], [5, {}], ["square"], ["square", null], ["square", [1]], ["square", {}, 1]]
  ) {
    assertEquals(sentence(changed({ contexts: [choice] })), cannot("context", pair, JSON.stringify(choice)));
    assertEquals(sentence(changed({ prior: choice })), cannot("prior", pair, JSON.stringify(choice)));
  }
  const cases: [Record<string, unknown>, string][] = [
    [
      { prior: "local-nm" },
      'There is no prior "local-nm"; nearest: "local-nn" (valid: local-nn, spatially-invariant, tangent-plane, gmm, detail)',
    ],
    [
      { prior: ["square", {}] },
      'There is no prior "square" (valid: local-nn, spatially-invariant, tangent-plane, gmm, detail)',
    ],
    [{ contexts: ["sqare"] }, 'There is no context "sqare"; nearest: "square" (valid: square, horizontal, mirror)'],
    [
      { prior: ["local-nn", { neighbors: 5 }] },
      'prior "local-nn" has no option "neighbors"; nearest: "neighbours" (valid: neighbours, hubPenalty, bonus)',
    ],
    [
      { prior: ["local-nn", { neighbours: 0 }] },
      'Cannot set "neighbours" on prior "local-nn": expected an integer >= 1 and <= 65535 or "auto", got 0',
    ],
    [
      { contexts: ["square", ["horizontal", { weight: "0.2" }]] },
      'Cannot set "weight" on context "horizontal": expected a number >= 0.001 and <= 1, got "0.2"',
    ],
  ];
  for (const [entries, wanted] of cases) assertEquals(sentence(changed(entries)), wanted);
});

Deno.test("plan: the profiles that come along, unchanged", () => {
  for (const profile of Object.values(profiles)) {
    const { layers } = plan(profile, builtins);
    layers.forEach(({ iterations }, l) => {
      const { h, lambda, rho, offsets }: ProfileLayer = profile.layers[l];
      assertEquals(iterations, h.map((h, k) => ({ h, lambda: lambda[k], rho: rho[k], offset: offsets[k] })));
    });
  }
});

Deno.test("plan: images from noise: the layers below follow, and metrics compare the same patches", () => {
  const { sizes, layers, noise, compared } = plan(changed({ from: "noise", noise: { layer: 1 } }), builtins);
  assertEquals([sizes, layers.length], [[16, 8].map(squareOf), 1]);
  assertEquals([noise!.layer, noise!.plugin.name, noise!.schedule, noise!.windows!.length], [
    1,
    "local-score",
    "cosine",
    20,
  ]);
  assertEquals(compared, plan(small, builtins).compared);
  const whole = plan(changed({ from: "noise" }), builtins);
  assertEquals([whole.sizes, whole.layers, whole.compared], [[squareOf(16)], [], compared]);
  assertEquals(plan(changed({ noise: { layer: 1 } }), builtins).noise, undefined);
});

Deno.test("plan: one sentence for noise that is none", () => {
  const noisy = (noise: unknown) => changed({ from: "noise", noise });
  assertEquals(
    sentence(noisy({ layer: 3 })),
    cannot("noise.layer", "an integer from 0 to 2, the layer of the seed images", "3"),
  );
  assertEquals(
    sentence(noisy({ windows: [3, 5] })),
    'Cannot plan a diffusion: expected 20 windows, one for each step, or "windows": "auto", got 2',
  );
  assertEquals(
    sentence(noisy({ windows: "wide" })),
    cannot("noise.windows", "auto, or a list of odd numbers, one for each step", '"wide"'),
  );
  assertEquals(sentence(noisy({ windows: [2] })), cannot("noise.windows.0", "an odd number", "2"));
  assertEquals(sentence(changed({ from: "pack" })), cannot("from", "test or model or quilt or noise", '"pack"'));
  const exemplars = changed({ from: "noise", aligned: false });
  assertEquals(sentence(exemplars), cannot("from", "quilt for images that are not aligned", '"noise"'));
});

Deno.test("plan: quilted images are exemplars', at any of their layers; given seed images are not quilted", () => {
  const quilted = (change: object) => plan({ ...texture, ...change } as Profile, builtins);
  for (
    const [quiltLayer, sides] of [[0, [192]], [1, [192, 96]], [2, [192, 96, 48]], [undefined, [192, 96, 48]]] as const
  ) {
    const { sizes, layers, quiltLayer: planned } = quilted({ quiltLayer });
    assertEquals([sizes.map(({ width }) => width), layers.length, planned], [
      sides,
      sides.length - 1,
      sides.length - 1,
    ]);
  }
  const given = quilted({ from: "test" });
  assertEquals([given.quiltLayer, given.layers.length], [undefined, 2]);
  assertThrows(() => quilted({ quiltLayer: 3 }), Error, "quiltLayer");
  assertThrows(() => plan({ ...small, quiltLayer: 0 } as Profile, builtins), Error, "none for aligned images");
});
