import { assertEquals, assertStringIncludes } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { copiesHint } from "../../../pipelines/synthesis/copies_hint.ts";
import { builtins } from "../../../plugins/mod.ts";
import { small } from "../../small_world.ts";

const planned = plan(small, builtins);
const images = (...originalities: number[]) =>
  originalities.map((distance) => ({ nearest: { image: 0, distance, trainingDistance: 1, other: 1 } }));

Deno.test("copiesHint: nothing to say of images that are as new as training images, or of exemplars", () => {
  assertEquals(copiesHint(planned, images(0.61, 1, 2), 500), undefined);
  assertEquals(copiesHint(planned, [{}, {}], 500), undefined);
});

Deno.test("copiesHint: how many, how near, the likely cause, and what to try", () => {
  const few = copiesHint(planned, images(0.41, 1, 0.5), 20)!;
  assertStringIncludes(
    few,
    "Warning: 2 of 3 images are much nearer to a training image than training images are to each",
  );
  assertStringIncludes(few, "(least originality 0.41): there are 20 training images");
  assertStringIncludes(few, "--min-originality 0.8");
  const many = copiesHint(planned, images(0, 1), 500)!;
  assertStringIncludes(many, "Warning: 1 of 2 images is much nearer");
  assertStringIncludes(many, "least originality 0.00): the patches of an image come from few training images");
  const [fine, coarse] = small.layers, whole = plan({ ...small, layers: [fine, { ...coarse, patch: 8 }] }, builtins);
  const patched = copiesHint(whole, images(0.1), 500)!;
  assertStringIncludes(patched, "a patch of layer 1 is the whole image there; try --set layers.1.patch=4");
});
