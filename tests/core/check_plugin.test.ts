import { assert, assertEquals, assertThrows } from "@std/assert";
import { createFrom } from "../../core/create_plugin.ts";
import { optionValues } from "../../core/options.ts";
import type { AnyPlugin } from "../../core/plugin.ts";
import { checkPlugin, isLikePlugin, KINDS } from "../../core/check_plugin.ts";

const option = { default: 1, about: "how far" };
const right = { api: 1, kind: "context", name: "ring-2", about: "a ring", options: {}, create: () => ({}) };
const with_ = (more: object) => ({ ...right, options: { far: { ...option, ...more } } });

Deno.test("checkPlugin: what is right passes", () => {
  for (const plugin of [right, with_({}), with_({ min: 1, max: 2, integer: true }), { ...right, more: "of its own" }]) {
    checkPlugin(plugin, "Cannot");
  }
  checkPlugin(with_({ default: "a", choices: ["a", "b"] }), "Cannot");
  checkPlugin(with_({ default: true }), "Cannot");
  checkPlugin(with_({ off: 0 }), "Cannot");
  for (const layers of [undefined, [], [1], [0, 2]]) {
    checkPlugin({ ...with_({}), tune: [{ option: "far", low: 0, high: 1, layers }] }, "Cannot");
  }
});

Deno.test("checkPlugin: each fault has its sentence", () => {
  const faults: [plugin: unknown, sentence: string][] = [
    [undefined, "expected a plugin, an object with api, kind, name, about, options and create, got undefined"],
    [{}, "options and create, got an object with no entries"],
    [{ a: 1, b: 2, c: 3, d: 4 }, "options and create, got an object with a, b, c"],
    [{ ...right, api: 2 }, "expected api 1, got 2"],
    [{ ...right, api: undefined }, "expected api 1, got undefined"],
    [{ ...right, kind: "filter" }, 'expected kind "prior" or "context" or "metric" or "denoiser", got "filter"'],
    [{ ...right, name: "Ring" }, 'such as "local-nn", but not "all" or "none", got "Ring"'],
    [{ ...right, name: "a.b" }, 'such as "local-nn", but not "all" or "none", got "a.b"'],
    [{ ...right, name: "all" }, 'but not "all" or "none", got "all"'],
    [{ ...right, name: "none" }, 'but not "all" or "none", got "none"'],
    [{ ...right, name: 7 }, 'such as "local-nn", but not "all" or "none", got 7'],
    [{ ...right, about: undefined }, "expected `about` to be a text of one line, got undefined"],
    [{ ...right, create: "x" }, 'expected `create` to be a function, got "x"'],
    [{ ...right, options: undefined }, "expected `options` to be a table, {} where there are none, got undefined"],
    [{ ...right, options: [] }, "expected `options` to be a table"],
    [{ ...right, options: { far: 5 } }, 'expected option "far" to be an object with default and about, got 5'],
    [{ ...right, options: { "a.b": option } }, 'expected names of options without spaces, dots and signs, got "a.b"'],
    [with_({ default: [1] }), 'option "far" to have a default that is a number, true, false or a text, got [1]'],
    [with_({ about: undefined }), 'option "far" to say in `about` what it does, in one line, got undefined'],
    [with_({ min: "0" }), 'option "far" to have a number as min, got "0"'],
    [with_({ integer: 1 }), 'option "far" to have true or false as integer, got 1'],
    [with_({ choices: "a" }), 'option "far" to have a list of texts as choices, got "a"'],
    [
      with_({ minimum: 0 }),
      'to have no entries but default, about, min, max, integer, choices, words, off, got "minimum"',
    ],
    [with_({ min: 2 }), 'its option "far" does not take its own default: expected a number >= 2, got 1'],
    [with_({ max: 2, off: 3 }), 'its option "far" does not take its own `off`: expected a number <= 2, got 3'],
    [{ ...with_({}), tune: [{ option: "fra", low: 0, high: 1 }] }, "with options of the plugin, got [{"],
    [{ ...with_({}), tune: [{ option: "far", low: 1, high: 1 }] }, "expected `tune` to be a list of { option, low,"],
    [{ ...with_({}), tune: [{ option: "far", low: 0, high: 1, layers: [-1] }] }, "high, layers }, with options"],
    [{ ...with_({}), tune: "far=0..1" }, 'of the plugin, got "far=0..1"'],
    [with_({ default: NaN }), 'its option "far" does not take its own default: expected a number, got NaN'],
  ];
  for (const [plugin, sentence] of faults) {
    const error = assertThrows(() => checkPlugin(plugin, "Cannot use it"), Error, sentence);
    assert(error.message.startsWith("Cannot use it: ") && !error.message.includes("\n"), error.message);
  }
});

Deno.test("checkPlugin, optionValues: no number of a setting is NaN or endless, whatever kind the plugin is", () => {
  for (const kind of KINDS) {
    const far = { default: 0, about: "how far", words: { auto: 0 } }, plugin = { ...right, kind, options: { far } };
    checkPlugin(plugin, "Cannot use it");
    for (const number of [NaN, Infinity, -Infinity]) {
      const setting = () => optionValues(plugin as unknown as AnyPlugin, { far: number });
      assertThrows(setting, Error, `expected a number or "auto", got ${number}`);
      const wrong: [entries: object, expected: string][] = [
        [{ words: { auto: 0, most: number } }, "to have a table of finite numbers as words"],
        [{ off: number }, "does not take its own `off`: expected a number"],
        [{ default: number }, "does not take its own default: expected a number"],
        ...Number.isNaN(number) ? [[{ min: NaN }, "a number as min"], [{ max: NaN }, "a number as max"]] as const : [],
      ] as [object, string][];
      for (const [entries, expected] of wrong) {
        const other = { ...plugin, options: { far: { ...far, ...entries } } };
        assertThrows(() => checkPlugin(other, "Cannot use it"), Error, expected);
      }
    }
  }
});

Deno.test("createFrom: the numbers by which hosts make room are counts", () => {
  const metric = (trainingNeighbours: unknown) => {
    const create = () => ({ separable: true, trainingNeighbours, measure() {} });
    return createFrom({ ...right, kind: "metric", create } as unknown as Extract<AnyPlugin, { kind: "metric" }>, {});
  };
  for (const number of [undefined, 0, 5]) assertEquals(metric(number).trainingNeighbours, number);
  for (const number of [NaN, Infinity, -Infinity, -1, 0.5, "5"]) {
    assertThrows(() => metric(number), Error, "expected trainingNeighbours to be an integer >= 0, got ");
  }
});

Deno.test("isLikePlugin: what means to be one, right or wrong", () => {
  for (const value of [right, { ...right, api: 7 }, { kind: "x", create: 1 }]) assert(isLikePlugin(value));
  for (const value of [undefined, null, 5, "prior", () => right, {}, { create() {} }, [right]]) {
    assertEquals(isLikePlugin(value), false);
  }
});
