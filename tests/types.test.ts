/**
 * Code that must not compile. Every line after an `@ts-expect-error` is a type error; if it were none, the type check of this
 * file would fail, which is a part of `deno task check`.
 */
import { assertEquals } from "@std/assert";
import type { Profile } from "../core/profile.ts";
import { definePlugin, type Values } from "../core/plugin.ts";
import type { PluginChoice } from "../core/registry.ts";
import { type Builtin, builtins } from "../plugins/mod.ts";
import { localNn } from "../priors/local_nn.ts";
import { small } from "./small_world.ts";

type Choices = Pick<Profile<Builtin>, "prior" | "contexts">;

Deno.test("a profile of the plugins that come along: their names and options, and no others", () => {
  const right: Choices[] = [
    { prior: "local-nn", contexts: [] },
    { prior: ["local-nn", {}], contexts: ["square", "horizontal"] },
    { prior: ["local-nn", { neighbours: 5 }], contexts: [["square", { extent: 2 }], ["horizontal", { step: 2 }]] },
  ];
  const wrong: Choices[] = [
    // @ts-expect-error a misspelled prior
    { prior: "local-nm", contexts: [] },
    // @ts-expect-error a misspelled prior with options
    { prior: ["local-nm", { neighbours: 5 }], contexts: [] },
    // @ts-expect-error a misspelled option
    { prior: ["local-nn", { neighbors: 5 }], contexts: [] },
    // @ts-expect-error an option of another type
    { prior: ["local-nn", { neighbours: "5" }], contexts: [] },
    // @ts-expect-error a context is no prior
    { prior: "square", contexts: [] },
    // @ts-expect-error a prior is no context
    { prior: "local-nn", contexts: ["local-nn"] },
    // @ts-expect-error a misspelled context
    { prior: "local-nn", contexts: ["square", "horizontl"] },
    // @ts-expect-error an option of the other context
    { prior: "local-nn", contexts: [["square", { step: 1 }]] },
    // @ts-expect-error a name alone in its pair
    { prior: ["local-nn"], contexts: [] },
  ];
  assertEquals([right.length, wrong.length], [3, 9]);
});

Deno.test("a profile of any plugins: any names, and still nothing but names and options", () => {
  const strict: Profile<Builtin> = {
    ...small,
    noise: undefined,
    few: undefined,
    prior: "local-nn",
    contexts: [["square", { extent: 1 }]],
  };
  const loose: Profile[] = [strict, { ...small, prior: "mine", contexts: [["another", { depth: 2, mode: "far" }]] }];
  const wrong: (Profile | PluginChoice)[] = [
    // @ts-expect-error an entry that is not there
    { ...small, seed: 1 },
    // @ts-expect-error a number is no plugin
    { ...small, prior: 5 },
    // @ts-expect-error a list where a number belongs
    { ...small, layers: [{ ...small.layers[0], window: [2] }] },
  ];
  assertEquals([loose.length, wrong.length], [2, 3]);
});

Deno.test("definePlugin: of a kind that there is, of api 1, creating what its kind is", () => {
  const context = {
    api: 1,
    kind: "context",
    name: "x",
    about: "",
    options: {},
    create: () => ({ mask: () => [] }),
  } as const;
  definePlugin(context);
  // @ts-expect-error there is no such kind
  definePlugin({ ...context, kind: "filter" });
  // @ts-expect-error another api
  definePlugin({ ...context, api: 2 });
  // @ts-expect-error a context creates no prior
  definePlugin({ ...context, create: () => ({ fit: () => ({ draw() {} }) }) });
  // @ts-expect-error nothing is created
  definePlugin({ api: 1, kind: "context", name: "x", about: "", options: {} });
  // @ts-expect-error an option says what it does
  definePlugin({ ...context, options: { depth: { default: 1 } } });
  // @ts-expect-error an option is no list
  definePlugin({ ...context, options: { depth: { default: [1], about: "" } } });
});

Deno.test("definePlugin: `values` has the options and the types of their defaults", () => {
  const plugin = definePlugin({
    api: 1,
    kind: "context",
    name: "x",
    about: "",
    options: {
      depth: { default: 1, about: "" },
      loud: { default: true, about: "" },
      mode: { default: "a", about: "" },
    },
    create(values) {
      const right: [number, boolean, string] = [values.depth, values.loud, values.mode];
      // @ts-expect-error a number is no text
      const wrong: string = values.depth;
      // @ts-expect-error there is no such option
      assertEquals([values.dept, right.length, wrong], [undefined, 3, 7]);
      // @ts-expect-error values are not to be changed
      values.depth = 3;
      return { mask: () => [] };
    },
  });
  plugin.create({ depth: 7, loud: true, mode: "b" });
  // @ts-expect-error one is missing
  assertEquals(Object.keys({ depth: 7, loud: true } satisfies Values<typeof plugin.options>).length, 2);
});

Deno.test("find: of a kind that there is, with what that kind creates", () => {
  builtins.find("prior", "local-nn").create({ neighbours: 1 }).fit satisfies unknown;
  // @ts-expect-error a prior has no mask
  assertEquals(builtins.find("prior", "local-nn").create({ neighbours: 1 }).mask, undefined);
  // @ts-expect-error there is no such kind
  const wrong = () => builtins.find("filter", "local-nn");
  // @ts-expect-error a fitted prior draws, a prior fits: what is not fitted cannot be used
  assertEquals([typeof wrong, localNn.create({ neighbours: 1 }).draw], ["function", undefined]);
});
