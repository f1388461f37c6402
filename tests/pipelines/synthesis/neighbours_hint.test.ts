import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { withSetting } from "../../../core/profile.ts";
import { neighboursHint } from "../../../pipelines/synthesis/neighbours_hint.ts";
import { builtins } from "../../../plugins/mod.ts";
import { blobs, small } from "../../small_world.ts";

Deno.test("neighboursHint: where the neighbours of a layer exceed a fifth of the images of a class", () => {
  const images = blobs(60), labels = Uint8Array.from({ length: 60 }, (_, i) => i < 18 ? 1 : 0);
  const hint = (setting: string, classes: (number | undefined)[], names?: string[]) => {
    return neighboursHint(
      plan(withSetting(small, setting), builtins),
      { train: { images, labels }, classes: names },
      classes,
    );
  };
  assertEquals(hint("prior.neighbours=12", [undefined]), undefined);
  const tail = "blur the images; --set prior.neighbours=auto takes fewer";
  assertEquals(hint("prior.neighbours=13", [undefined]), `Hint: 13 neighbours of 60 training images ${tail}`);
  assertEquals(
    hint("layers.1.prior.neighbours=4", [0, 1], ["cats", "dogs"]),
    `Hint: 10 neighbours of 18 training images of class dogs ${tail}`,
  );
  assertEquals(hint("prior.neighbours=auto", [0, 1]), undefined);
  const art = { ...plan(withSetting(small, "prior.neighbours=13"), builtins), pixelArt: true };
  assertEquals(neighboursHint(art, { train: { images, labels } }, [undefined]), undefined);
});
