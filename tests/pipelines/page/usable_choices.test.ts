import { assertEquals, assertMatch } from "@std/assert";
import type { Choices } from "../../../pipelines/page/choices.ts";
import { usableChoices } from "../../../pipelines/page/usable_choices.ts";
import { builtins } from "../../../plugins/mod.ts";
import { choices, openedPack } from "../../hosts/web/state/opened_pack.ts";

Deno.test("usableChoices: choices that fit stay as they are", () => {
  for (
    const good of [choices, {
      ...choices,
      class: "all" as const,
      seedImage: new Uint8Array(16),
      frame: { layer: 2, iteration: -1 },
      pixel: { y: 3, x: 3 },
    }]
  ) {
    const { choices: kept, problems } = usableChoices(good, openedPack(), builtins);
    assertEquals([kept, problems], [good, []]);
  }
});

Deno.test("usableChoices: each choice that does not fit is left out with a sentence", () => {
  const without = (bad: Partial<Choices>, of = openedPack()) => {
    const { choices: kept, problems } = usableChoices({ ...choices, ...bad }, of, builtins);
    for (const problem of problems) assertMatch(problem, /^[A-Z][^\n]*\.$/);
    const changed = (Object.keys({ ...choices, ...bad }) as (keyof Choices)[]).filter((key) =>
      kept[key] !== ({ ...choices, ...bad })[key]
    );
    return [
      changed.filter((key) => key !== "set" || kept.set.length !== (bad.set ?? []).length).join(" "),
      problems.length,
    ];
  };
  assertEquals(without({ class: 4 }), ["class", 1]);
  assertEquals(without({ class: 5 }, openedPack({ labelled: false })), ["class", 1]);
  assertEquals(without({ seedImage: new Uint8Array(64) }), ["seedImage", 1]);
  assertEquals(without({ prior: "no-such" }), ["prior", 1]);
  assertEquals(without({ set: ["prior.neighbours=0"] }), ["set", 1]);
  assertEquals(without({ set: ["size=32"] }), ["set", 1]);
  assertEquals(without({ frame: { layer: 9, iteration: 0 } }), ["frame pixel", 1]);
  assertEquals(without({ frame: { layer: 0, iteration: 99 } }), ["frame pixel", 1]);
  assertEquals(without({ pixel: { y: 8, x: 0 } }), ["pixel", 1]);
  assertEquals(without({ tile: 50 }), ["tile", 0]);
});
