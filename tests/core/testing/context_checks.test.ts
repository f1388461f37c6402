import { contextChecks } from "@patchloom/patchloom/testing";
import { assertEquals } from "@std/assert";
import type { PluginOf } from "../../../core/testing/check.ts";
import type { ContextPixel } from "../../../core/types.ts";
import { failures, type Fault, plainContext, testFaults } from "./plain_plugins.ts";

const inner = plainContext.create({ reach: 2 }).mask(2, 8);

/** The plain context with pixels more, as long as its reach. */
function adding(more: (reach: number) => unknown[]): PluginOf<"context"> {
  return {
    ...plainContext,
    create: ({ reach }: { reach: number }) => ({
      mask: () => [...plainContext.create({ reach }).mask(2, 8), ...more(reach)] as ContextPixel[],
    }),
  };
}

/** The plain context with a mask of these pixels, whatever the options. */
function giving(mask: () => ContextPixel[]): PluginOf<"context"> {
  return { ...plainContext, options: {}, create: () => ({ mask }) };
}

const PIXELS = "names pixels around the patch, each once", LISTENS = 'listens to option "reach"';
let calls = 0;

const faults: Fault<PluginOf<"context">>[] = [
  ["another api", { ...plainContext, api: 2 as 1 }, { "is a context": /"left": expected api 1, got 2/ }],
  ["another kind", { ...plainContext, kind: "filter" as "context" }, {
    "is a context": /filter "left": expected kind "context", got "filter"/,
  }],
  ...["Left", "left_one", "", "left-", "2left", "left one", "none", "all"].map((name): Fault<PluginOf<"context">> => [
    `the name "${name}"`,
    { ...plainContext, name: name as "left" },
    {
      "has a name": /a name of lower case words joined by hyphens, such as "local-nn", but not "all" or "none", got "/,
    },
  ]),
  ["nothing about it", { ...plainContext, about: " " }, {
    "says in one line": /`about` to be one line of text, got " "/,
  }],
  ["an option that is described on two lines", {
    ...plainContext,
    options: { reach: { ...plainContext.options.reach, about: "a\nb" } },
  }, { "says in one line": /`about` of option "reach" to be one line of text, got "a\\nb"/ }],
  ["a default out of its range", { ...plainContext, options: { reach: { ...plainContext.options.reach, min: 3 } } }, {
    "accepts its own defaults":
      /no error where it accepts its own defaults, got: Cannot set "reach" on context "left": expected an integer >= 3/,
  }],
  ["a pixel of the patch itself", adding(() => [{ dx: 0, dy: 0, weight: 1 }]), {
    [PIXELS]: /no pixel of the patch itself, got \(0, 0\) in the mask of a patch of 1 in 4/,
  }],
  ["a pixel twice", adding(() => [inner[0]]), { [PIXELS]: /each pixel once, got \(-1, 0\) twice/ }],
  ["a pixel in between", adding(() => [{ dx: -0.5, dy: 1, weight: 1 }]), {
    [PIXELS]: /integers as offsets \(dx, dy\), got \(-0.5, 1\)/,
  }],
  ["a pixel nowhere", adding(() => [{ dx: -Infinity, dy: 1, weight: 1 }]), { [PIXELS]: /got \(-Infinity, 1\)/ }],
  ...[0, -1, 1.01, NaN, undefined].map((weight): Fault<PluginOf<"context">> => [
    `a weight of ${weight}`,
    adding(() => [{ dx: 0, dy: -1, weight }]),
    { [PIXELS]: new RegExp(`weights in \\(0, 1\\], got ${weight}`) },
  ]),
  ["a fault that another value of an option brings", adding((reach) => reach > 5 ? [inner[0]] : []), {
    [PIXELS]: /each pixel once, got \(-1, 0\) twice in the mask of a patch of 1 in 4 with reach 9/,
  }],
  ["an option that does nothing", { ...plainContext, create: () => ({ mask: () => [...inner] }) }, {
    [LISTENS]: /option "reach" to change the output, got the same output for 2, 4, 1, 3, 9/,
  }],
  ["an option that cannot be what it may be", {
    ...plainContext,
    create: ({ reach }: { reach: number }) => ({
      mask() {
        if (reach !== 2) throw new Error("too far");
        return [...inner];
      },
    }),
  }, {
    [LISTENS]: /option "reach" to work as 4, got: too far/,
    [PIXELS]: /no error where it names pixels around the patch.*, got: too far/,
  }],
  ["no pixels at all", giving(() => []), { "names any pixel": /a pixel in the mask of any size, got none/ }],
  ["chance", giving(() => [{ dx: -1, dy: 0, weight: 1 - Math.random() }]), {
    "gives the same mask every time": /the same mask every time, got \.\.\./,
    "uses no random numbers": /no random numbers but those it gets, and no clock, got a call of Math.random\(\)/,
  }],
  ["another mask every time", giving(() => [{ dx: -1 - calls++, dy: 0, weight: 1 }]), {
    "gives the same mask every time": /the same mask every time, got \.\.\./,
  }],
];

testFaults(faults, contextChecks);

Deno.test("contextChecks: the plain context passes", async () => {
  assertEquals(await failures(contextChecks(plainContext)), new Map());
});

Deno.test("contextChecks: no table of options", async () => {
  const found = await failures(contextChecks({ ...plainContext, options: undefined }));
  assertEquals(
    found.get("is a context of api 1"),
    'context "left": expected a table of options, {} where there are none, got undefined',
  );
});

Deno.test("contextChecks: what is listed as unchanged does not change, has a reason and is there", async () => {
  const still = { ...plainContext, create: () => ({ mask: () => [...inner] }) };
  const found = async (plugin: PluginOf<"context">, unchanged: Record<string, string>) => {
    return [...await failures(contextChecks(plugin, { unchanged }))].map(([, sentence]) => sentence);
  };
  assertEquals(await found(still, { reach: "it is shown only" }), []);
  assertEquals(await found(still, { reach: "" }), [
    'context "left": expected a reason, in one line, why option "reach" changes nothing, got ""',
  ]);
  assertEquals(await found(plainContext, { reach: "it is shown only" }), [
    'context "left": expected option "reach" to change nothing, as `unchanged` lists it, got another output for 4',
  ]);
  assertEquals(await found(plainContext, { rech: "misspelled" }), [
    'context "left": expected only its options in `unchanged` (reach), got "rech"',
  ]);
});
