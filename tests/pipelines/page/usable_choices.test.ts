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

Deno.test("usableChoices from noise: steps are frames, contexts are no view, and textures do not come from noise", () => {
  const usable = (changed: Partial<Choices>, pack = openedPack()) => {
    const { choices: kept, problems } = usableChoices({ ...choices, seedImage: "noise", ...changed }, pack, builtins);
    return [kept.frame, kept.view, kept.seedImage, problems.length];
  };
  // 16x16 come from noise at once: no layer follows, and there are 20 steps.
  assertEquals(usable({ frame: { layer: 0, iteration: 19 } }), [{ layer: 0, iteration: 19 }, "samples", "noise", 0]);
  assertEquals(usable({ frame: { layer: 0, iteration: 20 } }), [undefined, "samples", "noise", 1]);
  assertEquals(usable({ frame: { layer: 0, iteration: -1 } }), [undefined, "samples", "noise", 1]);
  assertEquals(usable({ frame: undefined, view: "contexts" }), [undefined, "samples", "noise", 0]);
  // A denoiser is the selected one of the methods: its frames are steps, too. Others have layers.
  const methods = { seedImage: 0, view: "priors" } as const;
  const frame = { layer: 0, iteration: 12 };
  assertEquals(usable({ ...methods, tile: 5, frame }), [frame, "priors", 0, 0]);
  assertEquals(usable({ ...methods, tile: 0, frame }), [undefined, "priors", 0, 1]);
  const pack = openedPack({ labelled: false, classwise: false }), { profile } = pack;
  const texture = { ...pack, profile: { ...profile, aligned: false, contexts: [] } };
  assertEquals(usable({ class: undefined, frame: undefined }, texture), [undefined, "samples", 0, 1]);
});
