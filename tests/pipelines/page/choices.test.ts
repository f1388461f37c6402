import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { type Choices, DEFAULTS, readChoices, writeChoices } from "../../../pipelines/page/choices.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).filter((text) => text !== "none");
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const choices: fc.Arbitrary<Choices> = fc.record({
  pack: fc.oneof(name, fc.constant("0123abcd-1191480")),
  class: maybe(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constant("all" as const))),
  seed: fc.maxSafeNat(),
  seedImage: fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.uint8Array({ minLength: 1, maxLength: 300 })),
  prior: maybe(name),
  contexts: maybe(fc.array(name, { maxLength: 4 })),
  zStep: maybe(fc.constantFrom("sample" as const, "map" as const, "mean" as const)),
  set: fc.array(
    fc.tuple(fc.stringMatching(/^[\w.-]{1,30}$/), fc.string({ minLength: 1, maxLength: 20 })).map((pair) =>
      pair.join("=")
    ),
  ),
  view: fc.constantFrom("samples" as const, "priors" as const, "contexts" as const),
  tile: fc.integer({ min: 0, max: 99 }),
  frame: maybe(fc.record({ layer: fc.integer({ min: 0, max: 12 }), iteration: fc.integer({ min: -1, max: 99 }) })),
  pixel: maybe(fc.record({ y: fc.integer({ min: 0, max: 4095 }), x: fc.integer({ min: 0, max: 4095 }) })),
});

Deno.test("choices: written into an address, they are read again as they were", () => {
  fc.assert(fc.property(choices, (choices) => {
    const text = writeChoices(choices);
    assertEquals(readChoices(text), { choices, problems: [] });
    // The same after a browser has parsed the address.
    assertEquals(readChoices(new URL(`http://a/#${text}`).hash.slice(1)).choices, choices);
  }));
});

Deno.test("choices: any text is read without an error, and what was read can be written and read again", () => {
  const damaged = fc.tuple(choices, fc.nat(), fc.string({ maxLength: 5 })).map(([choices, at, put]) => {
    const text = writeChoices(choices), place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + 1);
  });
  fc.assert(fc.property(fc.oneof(fc.string({ maxLength: 200 }), damaged), (text) => {
    const { choices, problems } = readChoices(text);
    assertEquals(readChoices(writeChoices(choices)), { choices, problems: [] });
    for (const problem of problems) assertMatch(problem, /^[A-Z][^\n]*\.$/);
  }));
});

Deno.test("choices: each part that cannot be read is named, and the rest is kept", () => {
  const { choices, problems } = readChoices(
    "pack=a%20b&class=300&seed=1.5&from=x&drawn=!&prior=&context=none&context=square&zStep=max&set=h&view=x&tile=100&frame=1&pixel=-1.2&who=me",
  );
  assertEquals(choices, {
    ...DEFAULTS,
    class: undefined,
    prior: undefined,
    contexts: undefined,
    zStep: undefined,
    frame: undefined,
    pixel: undefined,
  });
  for (
    const key of [
      "pack",
      "class",
      "seed",
      "from",
      "drawn",
      "prior",
      "context",
      "zStep",
      "set",
      "view",
      "tile",
      "frame",
      "pixel",
      "who",
    ]
  ) {
    assertEquals(problems.filter((problem) => new RegExp(`\\b${key}\\b`).test(problem)).length >= 1, true, key);
  }
  assertEquals(problems.length, 14);
  assertEquals(readChoices("seed=1&seed=2").problems.length, 1);
  const long = readChoices("pack=faces&set=" + "a".repeat(20_000));
  assertEquals(long.choices, DEFAULTS);
  assert(long.problems[0].includes("too long"));
});

Deno.test("choices: the address is short and readable", () => {
  const drawn = Uint8Array.of(0, 127, 255);
  const text = writeChoices({
    ...DEFAULTS,
    class: 3,
    seed: 7,
    seedImage: drawn,
    contexts: [],
    set: ["prior.neighbours=20"],
  });
  assertEquals(text, "pack=digits&class=3&seed=7&drawn=AH__&context=none&set=prior.neighbours%3D20");
});
