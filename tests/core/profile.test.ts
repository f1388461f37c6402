import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { withContexts, withPrior, withSetting } from "../../core/profile_changes.ts";
import { builtins } from "../../plugins/mod.ts";
import { small } from "../small_world.ts";

/** `small` with entries replaced by anything. */
const changed = (entries: Record<string, unknown>) => ({ ...small, ...entries }) as Profile;

Deno.test("withPrior: options carry over where the new prior has them and takes their values", () => {
  const prior = (name: string, options: object) =>
    ({ api: 1, kind: "prior", name, about: "", options, create: () => ({ fit: () => ({ draw() {} }) }) }) as const;
  const plugins = builtins.with(
    prior("near", { neighbours: { default: 2, min: 1, max: 5, about: "" }, more: { default: 1, about: "" } }),
    prior("far", { reach: { default: 1, about: "" } }),
  );
  const under = (given: Profile["prior"], name: string) => withPrior({ ...small, prior: given }, name, plugins).prior;
  assertEquals(under(["local-nn", { neighbours: 5 }], "near"), ["near", { neighbours: 5 }]);
  assertEquals(under(["local-nn", { neighbours: 6 }], "near"), "near", "more than it takes");
  assertEquals(under(["local-nn", { neighbours: 5 }], "far"), "far");
  assertEquals(under(["local-nn", { neighbours: 5 }], "local-nn"), ["local-nn", { neighbours: 5 }]);
  assertEquals(under("local-nn", "near"), "near");
  assertEquals(withPrior({ ...small, prior: ["local-nn", { neighbours: 5 }] }, "far", plugins).layers, small.layers);
  assertThrows(() => under("local-nn", "fra"), Error, 'There is no prior "fra"; nearest: "far"');
});

Deno.test("withSetting: an option of the prior, of a context, or any value of the profile; the profile stays", () => {
  const before = structuredClone(small);
  const set = (setting: string, profile = small) => withSetting(profile, setting);
  assertEquals(set("prior.neighbours=50").prior, ["local-nn", { neighbours: 50 }]);
  assertEquals(set("prior.neighbours=50", changed({ prior: "local-nn" })).prior, ["local-nn", { neighbours: 50 }]);
  assertEquals(set("square.weight=0.3").contexts, [["square", { weight: 0.3 }], ["horizontal", { weight: 0.2 }]]);
  const again = set("horizontal.weight=1e-2", set("horizontal.step=2"));
  assertEquals(again.contexts, ["square", ["horizontal", { weight: 0.01, step: 2 }]]);
  assertEquals(set("layers.1.window=1").layers.map(({ window }) => window), [2, 1]);
  assertEquals(set("zStep=map").zStep, "map");
  assertEquals(set("layers.0.h.2=0.125").layers[0].h, [1, 1, 0.125, 0.5]);
  assertEquals(set("layers.0.offsets.3.0=1").layers[0].offsets[3], [1, 1]);
  assertEquals([set("classwise=true").classwise, set("name=a=b").name, set("about=").about], [true, "a=b", ""]);
  assertEquals(small, before);
  assertEquals(plan(set("prior.neighbours=50"), builtins).prior.values, { neighbours: 50, hubPenalty: 0, bonus: 0 });
});

Deno.test("withSetting: lists, with commas or as in JSON; one number replaces each of a list of numbers", () => {
  const layer = (setting: string) => withSetting(small, setting).layers[0];
  assertEquals(layer("layers.0.rho=1,2,4,8").rho, [1, 2, 4, 8]);
  assertEquals(layer("layers.0.h=[0.5, 0.5, 1e-3, 2]").h, [0.5, 0.5, 0.001, 2]);
  assertEquals(layer("layers.0.rho=50").rho, [50, 50, 50, 50]);
  assertEquals(layer("layers.0.offsets=[[0,0],[1,0],[0,1],[1,1]]").offsets, [[0, 0], [1, 0], [0, 1], [1, 1]]);
  assertEquals(plan(withSetting(small, "layers.0.rho=50"), builtins).layers[0].iterations.map(({ rho }) => rho), [
    50,
    50,
    50,
    50,
  ]);
  // What is no list stays text, and is refused in a sentence.
  assertThrows(() => plan(withSetting(small, "layers.0.rho=[1,"), builtins), Error, 'got "[1,"');
  assertThrows(() => plan(withSetting(small, "layers.0.rho=1,,2"), builtins), Error, 'got "1,,2"');
  const noise = { ...small, from: "noise" as const };
  const wanted = "expected auto, or a list of odd numbers, one for each step, got 9";
  assertThrows(() => plan(withSetting(noise, "noise.windows=9"), builtins), Error, wanted);
});

/** What may be set in a layer of `small`. */
const OWN = ["prior", "contexts", "feather", "patch", "order", "minOriginality", "maxStructure", "projection"];
const LAYER_NAMES = ["prior.*", "square.*", "horizontal.*", ...Object.keys(small.layers[0]), ...OWN].join(", ");
/** `small` with other entries in layer 0. */
const layered = (entries: object) => changed({ layers: [{ ...small.layers[0], ...entries }, small.layers[1]] });

Deno.test("withSetting: an option of one layer's prior or context alone, in whatever order", () => {
  const set = (profile: Profile, ...settings: string[]) => settings.reduce(withSetting, profile);
  const one = set(small, "layers.1.prior.neighbours=5", "layers.1.square.extent=2").layers;
  assertEquals([one[0].prior, one[0].contexts], [undefined, undefined]);
  assertEquals([one[1].prior, one[1].contexts], [["local-nn", { neighbours: 5 }], [
    ["square", { extent: 2 }],
    "horizontal",
  ]]);
  const own = layered({ prior: "gmm", contexts: [["mirror", { extent: 1 }]] });
  const two = set(own, "layers.0.prior.components=3", "layers.0.mirror.weight=0.25").layers[0];
  assertEquals([two.prior, two.contexts], [["gmm", { components: 3 }], [["mirror", { extent: 1, weight: 0.25 }]]]);
  assertEquals(set(small, "layers.1.prior=gmm").layers[1].prior, "gmm");
  const orders = [["square.weight=0.25", "layers.0.square.extent=2"], [
    "layers.0.square.extent=2",
    "square.weight=0.25",
  ]];
  for (const order of orders) {
    const { layers } = plan(set(small, ...order), builtins);
    const values = layers.map(({ contexts: [{ values }] }) => values);
    assertEquals(values, [{ extent: 2, weight: 0.25 }, { extent: 1, weight: 0.25 }]);
  }
  assertThrows(
    () => set(small, "layers.0.mirror.weight=1"),
    Error,
    `Cannot set "layers.0.mirror.weight": there is no "mirror" (valid: ${LAYER_NAMES})`,
  );
  for (const layers of [null, 5, [null], ["prior"]]) {
    assertThrows(() => set(changed({ layers }), "layers.0.prior.neighbours=5"), Error, "there is no ");
  }
});

Deno.test("withPrior, withContexts: they replace those of single layers too, which keep their options", () => {
  const own = layered({ prior: ["local-nn", { neighbours: 5 }], contexts: [["square", { extent: 2 }], "mirror"] });
  assertEquals(withPrior(own, "tangent-plane", builtins).layers.map(({ prior }) => prior), [
    ["tangent-plane", { neighbours: 5 }],
    undefined,
  ]);
  const found = withContexts(own, ["horizontal", "square"]);
  assertEquals(found.contexts, [["horizontal", { weight: 0.2 }], "square"]);
  assertEquals(found.layers.map(({ contexts }) => contexts), [["horizontal", ["square", { extent: 2 }]], undefined]);
});

Deno.test("withSetting: an option of the denoiser, which a profile need not name", () => {
  const set = (noise: Profile["noise"]) => withSetting({ ...small, noise }, "noise.denoiser.mirror=0.25").noise;
  assertEquals(set({ steps: 5, denoiser: "local-score" }), { steps: 5, denoiser: ["local-score", { mirror: 0.25 }] });
  assertEquals(set({ denoiser: ["local-score", { mirror: 1, temperature: 2 }] }), {
    denoiser: ["local-score", { mirror: 0.25, temperature: 2 }],
  });
  const { noise } = plan({ ...withSetting(small, "noise.denoiser.temperature=0.5"), from: "noise" }, builtins);
  assertEquals([noise!.plugin.name, noise!.values.temperature], ["local-score", 0.5]);
});

Deno.test("withSetting: a wrong setting is one sentence", () => {
  const message = (setting: string, profile: unknown = small) =>
    assertThrows(() => withSetting(profile as Profile, setting), Error).message;
  for (const setting of ["neighbours", "=5", ""]) {
    assertEquals(message(setting), `Cannot set "${setting}": expected name=value, such as prior.neighbours=50`);
  }
  const nested = (depth: number) => `noise.likelyIn=${"[".repeat(depth)}${"]".repeat(depth)}`;
  assertEquals(message(nested(20_000)), 'Cannot set "noise.likelyIn": expected lists at most 8 deep, got 20000');
  assert(message("=".repeat(60_000)).length < 200);
  const names = [
    "prior.*",
    "square.*",
    "horizontal.*",
    "prior.neighbours",
    "horizontal.weight",
    ...Object.keys(small),
    "zStep",
    "channels",
    "aligned",
    "relativeH",
    "morph",
    "morphOf",
    "seedNoise",
    "seedModel",
    "from",
    "noise",
    "quiltLayer",
    "regions",
    "few",
    "tile",
    "pixelArt",
    "restoredAs",
  ].join(
    ", ",
  );
  assertEquals(
    message("squar.weight=1"),
    `Cannot set "squar.weight": there is no "squar"; nearest: "square.*" (valid: ${names})`,
  );
  assertMatch(message("neighbours=5"), /there is no "neighbours"; nearest: "prior.neighbours"/);
  assertEquals(
    message("layers.0.windw=1"),
    `Cannot set "layers.0.windw": there is no "windw"; nearest: "window" (valid: ${LAYER_NAMES})`,
  );
  assertEquals(
    message("layers.2.window=1"),
    'Cannot set "layers.2.window": there is no "2" (valid: 0, 1)',
  );
  // What lies deeper is named, as the paper's symbols are asked for.
  for (const name of ["lambda", "rho", "h", "window", "iterations", "offsets", "layers.lambda"]) {
    assertEquals(
      message(`${name}=1`),
      `Cannot set "${name}": expected "layers.0.${name.replace("layers.", "")}"`,
    );
  }
  assertEquals(message("steps=8"), 'Cannot set "steps": expected "noise.steps"');
  assertEquals(
    message("maxStructure=0.9"),
    'Cannot set "maxStructure": expected "layers.0.maxStructure" or "noise.maxStructure"',
  );
  assertEquals(message("size.big=1"), 'Cannot set "size.big": there is no "big" (there are none)');
  // A list has a length, but it is not there to be set; nor are the names that every object has.
  for (const name of ["layers.length=1", "layers.length=-1", "toString=1", "__proto__.x=1", "constructor.name=1"]) {
    assertMatch(
      message(name),
      /^Cannot set "[\w.]+": there is no "(length|toString|__proto__|constructor)".* \(valid: /,
    );
  }
  for (const profile of [null, 5, "digits", []]) {
    assertEquals(message("size=8", profile), `Cannot set "size=8" on ${JSON.stringify(profile)}: expected a profile`);
  }
});
