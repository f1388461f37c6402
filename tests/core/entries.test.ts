/** Tables of entries: shapes that no profile has yet, and that tables agree with themselves. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Ajv2020 } from "ajv";
import { filled, keysOf, type Table, type Written } from "../../core/entries.ts";
import { LAYER, PROFILE } from "../../core/profile.ts";
import { tableSchema } from "../../core/profile_schema.ts";
import { builtins } from "../../plugins/mod.ts";

const ODD = { type: "integer", min: 1, max: 9, parity: "odd" } as const;
const EYE = {
  colour: { type: "text", about: "" },
  lens: { type: "plugin", kind: "prior", optional: true, about: "" },
  lashes: { type: "integer", min: 0, max: 9, default: 3, about: "" },
} as const satisfies Table;
const FACE = {
  eye: { type: "object", entries: EYE, optional: true, about: "" },
  sides: {
    type: "either",
    of: [{ type: "choice", choices: ["auto"], expected: '"auto" or a list of odd integers' }, {
      type: "list",
      of: ODD,
    }],
    about: "",
  },
  share: { type: "number", min: 0, max: 1, default: 0.5, about: "" },
} as const satisfies Table;

const fill = (face: object) => filled(FACE, face, { plugins: builtins, at: "face" });
const sentence = (face: object) => assertThrows(() => fill(face), Error).message;
const cannot = (name: string, wanted: string, found: string) =>
  `Cannot use face.${name} of the profile: expected ${wanted}, got ${found}`;

Deno.test("filled: an object within an object, with its defaults and its plugin", () => {
  assertEquals(fill({ sides: "auto" }), { share: 0.5, sides: "auto" });
  const { eye } = fill({ sides: "auto", eye: { colour: "green", lens: ["local-nn", { neighbours: 7 }] } });
  assertEquals([eye?.colour, eye?.lashes, eye?.lens?.plugin.name, eye?.lens?.values.neighbours], [
    "green",
    3,
    "local-nn",
    7,
  ]);
  assertEquals(sentence({ sides: "auto", eye: 5 }), cannot("eye", "an object", "5"));
  assertEquals(sentence({ sides: "auto", eye: {} }), 'face.eye lacks the entry "colour"');
  const misspelled = { colour: "green", lahses: 5 };
  assertEquals(
    sentence({ sides: "auto", eye: misspelled }),
    'face.eye has an unknown entry "lahses"; nearest: "lashes" (valid: colour, lens, lashes)',
  );
  assertEquals(
    sentence({ sides: "auto", eye: { colour: "green", lashes: 10 } }),
    cannot("eye.lashes", "an integer from 0 to 9", "10"),
  );
});

Deno.test("filled: a word or a list of odd integers", () => {
  const sides = [3, 5];
  assertEquals(fill({ sides }).sides, [3, 5]);
  assert(fill({ sides }).sides !== sides, "a copy, which a plan freezes");
  assertEquals(sentence({ sides: "automatic" }), cannot("sides", '"auto" or a list of odd integers', '"automatic"'));
  assertEquals(sentence({ sides: [3, 4] }), cannot("sides.1", "an odd number", "4"));
  assertEquals(sentence({ sides: [3, 11] }), cannot("sides.1", "an integer from 1 to 9", "11"));
  assertEquals(sentence({ sides: new Array(1) }), cannot("sides.0", "an integer from 1 to 9", "undefined"));
});

Deno.test("filled: a lower maximum by what stands beside an entry", () => {
  const max = (key: string, { eye }: Readonly<Record<string, unknown>>) => key === "sides" && eye ? 5 : undefined;
  const limited = (face: object) => filled(FACE, face, { plugins: builtins, at: "", max });
  assertEquals(limited({ sides: [7] }).sides, [7]);
  const { message } = assertThrows(() => limited({ sides: [7], eye: { colour: "" } }), Error);
  assertEquals(message, "Cannot use sides.0 of the profile: expected an integer from 1 to 5, got 7");
});

Deno.test("Written, Filled: the types of a table", () => {
  const right: Written<typeof FACE>[] = [{ sides: "auto" }, { sides: [1, 3], eye: { colour: "" }, share: 1 }];
  const wrong: Written<typeof FACE>[] = [
    // @ts-expect-error an entry is missing
    {},
    // @ts-expect-error another word
    { sides: "automatic" },
    // @ts-expect-error an entry of the inner object is missing
    { sides: "auto", eye: {} },
    // @ts-expect-error a text is no number
    { sides: "auto", share: "1" },
    // @ts-expect-error an entry that is not there
    { sides: "auto", mouth: 1 },
  ];
  const { share }: { share: number } = fill({ sides: "auto" });
  assertEquals([right.length, wrong.length, share], [2, 5, 0.5]);
});

Deno.test("tableSchema: it takes what `filled` takes", () => {
  const validate = new Ajv2020({ strictTuples: false }).compile(tableSchema(FACE, builtins));
  const eyes = [undefined, { colour: "" }, { colour: 1 }, {}, { colour: "", lens: "gmm" }, { colour: "", lens: "gm" }];
  const all = ["auto", "automatic", [], [3], [4], [11], 3].flatMap((sides) => eyes.map((eye) => ({ sides, eye })));
  let taken = 0;
  for (const face of all.map((one) => JSON.parse(JSON.stringify(one)) as object)) {
    const isValid: boolean = validate(face);
    if (isValid) fill(face);
    else sentence(face);
    taken += Number(isValid);
  }
  assertEquals([all.length, taken], [42, 9]);
});

Deno.test("tables of profiles: each default and each range of `tune` is what its entry takes; one line describes it", () => {
  for (const table of [LAYER, PROFILE] as Table[]) {
    for (const [key, entry] of Object.entries(table)) {
      assert(/^\P{Cc}{5,200}$/u.test(entry.about), key);
      const { low, high } = entry.tune ?? {};
      for (const value of [entry.default, low, high].filter((one) => one !== undefined)) {
        filled({ [key]: entry }, { [key]: value }, { plugins: builtins, at: "" });
      }
    }
  }
  assertEquals(keysOf(LAYER).needed.length + keysOf(LAYER).optional.length, Object.keys(LAYER).length);
});
