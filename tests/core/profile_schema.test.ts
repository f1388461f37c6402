/** The schema against a validator that knows nothing of Patchloom, and against `plan`, on profiles that are broken one by one. */
import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv";
import { definePlugin } from "../../core/plugin.ts";
import { plan } from "../../core/plan.ts";
import { LAYER, PROFILE, type Profile } from "../../core/profile.ts";
import { profileSchema } from "../../core/profile_schema.ts";
import { digits, faces, facesPaper, profiles } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";

const wobble = definePlugin({
  api: 1,
  kind: "prior",
  name: "wobble",
  about: "shaky",
  options: {
    far: { default: 0.5, min: 0, about: "how far" },
    mode: { default: "a", choices: ["a", "b"], about: "which way" },
    loud: { default: false, about: "more" },
  },
  create: () => ({ fit: () => ({ draw() {} }) }),
});
const plugins = builtins.with(wobble), schema = profileSchema(plugins);
const validate = new Ajv2020({ allErrors: true, strictTuples: false }).compile(schema);

/** Whether `plan` takes a profile. */
function isPlanned(profile: unknown): boolean {
  try {
    plan(profile as Profile, plugins);
    return true;
  } catch {
    return false;
  }
}

/** A copy with one value replaced; undefined removes it. */
function replaced(profile: unknown, path: readonly (string | number)[], value: unknown): unknown {
  if (path.length === 0) return value;
  // deno-lint-ignore no-explicit-any
  const copy = structuredClone(profile) as any, inside = path.slice(0, -1).reduce((object, key) => object[key], copy);
  if (value === undefined) delete inside[path.at(-1)!];
  else inside[path.at(-1)!] = value;
  return copy;
}

Deno.test("profileSchema: the profiles that come along are valid, with $schema too", () => {
  for (const profile of Object.values(profiles)) {
    assert(validate(profile), JSON.stringify(validate.errors));
    assert(validate({ $schema: "./profile.schema.json", ...profile }));
  }
  assertEquals(JSON.parse(JSON.stringify(schema)).title, "A profile of Patchloom", "plain data");
});

Deno.test("profileSchema: it and `plan` agree on single values, right and wrong", () => {
  const values: unknown[] = [undefined, null, 0, 1, 2, 3, -1, 0.5, 1e9, "", "local-nn", "sample", true, [], {}, [1], [
    2,
    2,
  ]];
  const paths: (string | number)[][] = [
    ...[
      "name",
      "about",
      "dataset",
      "classwise",
      "channels",
      "zStep",
      "seedNoise",
      "seedModel",
      "restoredAs",
      "prior",
      "contexts",
      "layers",
    ].map((
      key,
    ) => [key]),
    ...[
      "overlap",
      "window",
      "h",
      "lambda",
      "rho",
      "offsets",
      "feather",
      "patch",
      "order",
      "minOriginality",
      "maxStructure",
      "projection",
    ].map((
      key,
    ) => ["layers", 0, key]),
    ...["h", "lambda", "rho"].map((key) => ["layers", 1, key, 0]),
    ["layers", 0],
    ["regions"],
    ["layers", 0, "offsets", 0],
    ["layers", 0, "unknown"],
    ["unknown"],
    [],
  ];
  const tried: [path: (string | number)[], value: unknown][] = paths.flatMap((path) => {
    // A list without one of its values is another length.
    const some = typeof path.at(-1) === "number" ? values.filter((value) => value !== undefined) : values;
    return some.map((value): [(string | number)[], unknown] => [path, value]);
  });
  const priors: unknown[] = [
    "wobble",
    "wobbel",
    ["wobble"],
    ["wobble", {}],
    ["wobble", {}, {}],
    ["wobble", []],
    ["wobble", { far: 0 }],
    ["wobble", { far: -1 }],
    ["wobble", { far: "0" }],
    ["wobble", { mode: "b" }],
    ["wobble", { mode: "c" }],
    ["wobble", { loud: 1 }],
    ["wobble", { far: 1, mode: "a", loud: true }],
    ["wobble", { fra: 1 }],
    ["wobble", { neighbours: 5 }],
    ["local-nn", { neighbours: 5 }],
    ["local-nn", { neighbours: 5.5 }],
    ["local-nn", { neighbours: 0 }],
    ["square", {}],
    "square",
  ];
  tried.push(...[["prior"], ["layers", 1, "prior"]].flatMap((path) => {
    return priors.map((prior): [(string | number)[], unknown] => [path, prior]);
  }));
  for (const context of ["square", "local-nn", ["square", { extent: 2 }], ["square", { extent: 0 }], ["mirror"], 5]) {
    tried.push([["contexts"], [context]], [["contexts"], ["horizontal", context]]);
    tried.push([["layers", 0, "contexts"], [context]], [["layers", 1, "contexts"], ["horizontal", context]]);
  }
  for (const size of [32, 64, "32", 32.5, 0, 5000, [32, 64], [32], [32, 32, 32], [32, "32"]]) {
    tried.push([["size"], size]);
  }
  for (const patch of [2, 4, 3, 0, "8", 8.5]) tried.push([["patch"], patch], [["layers", 1, "patch"], patch]);
  for (const order of ["rows", "sweep", "columns"]) tried.push([["layers", 0, "order"], order]);

  for (const text of ["a\u0007b", "a\u2028b", "a\u2029b", "a\u202eb", "a\ud800b", "a\u00adb", "\u{1f642}"]) {
    tried.push([["about"], text]);
  }

  // What one value alone cannot tell, because it depends on others: lists as long as the iterations, a size that halves at
  // every layer, a patch above the overlap, offsets below the rest of it.
  const depends = ([first, , key]: (string | number)[]) => {
    return ["size", "patch"].includes(String(first)) ||
      ["h", "lambda", "rho", "offsets", "overlap", "patch"].includes(String(key));
  };
  let right = 0, wrong = 0;
  for (const profile of [digits, faces, facesPaper]) {
    for (const [path, value] of tried) {
      const changed = replaced(profile, path, value), planned = isPlanned(changed), valid = validate(changed);
      const what = `${path.join(".")} = ${JSON.stringify(value)}: ${JSON.stringify(validate.errors)}`;
      // What is not valid is never planned; what is valid is, but for what depends on other values.
      if (valid !== planned) assert(valid && depends(path), `planned: ${planned}, valid: ${valid}, ${what}`);
      if (planned) right++;
      else wrong++;
    }
  }
  assert(right > 100 && wrong > 400, `${right} right, ${wrong} wrong`);
});

Deno.test("profileSchema: every option of every plugin is in it, with what it does and its default", () => {
  const text = JSON.stringify(schema), tables = JSON.stringify([PROFILE, LAYER]);
  for (const { kind, options } of plugins.plugins) {
    for (const [name, { default: own, about }] of Object.entries(options as typeof wobble.options)) {
      if (!tables.includes(`"kind":"${kind}"`)) continue; // no profile names a metric
      assert(text.includes(JSON.stringify(name)) && text.includes(JSON.stringify(about)), name);
      assert(text.includes(`"default":${JSON.stringify(own)}`), `${name}: ${own}`);
    }
  }
});
