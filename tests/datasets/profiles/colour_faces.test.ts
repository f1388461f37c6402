import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { colourFaces } from "../../../datasets/profiles/colour_faces.ts";
import { builtins } from "../../../plugins/mod.ts";

const planned = plan(colourFaces, builtins);

Deno.test("colour-faces: seed images of 8x8 in colour, on the colour data set", () => {
  assertEquals(planned.sizes.map(({ width }) => width), [64, 32, 16, 8]);
  assertEquals([planned.channels, colourFaces.dataset, colourFaces.classwise], [3, "faces-colour", false]);
});

Deno.test("colour-faces: one example decides on the smallest face, whatever the size; no image is nearly a training image", () => {
  const large = plan(resizedProfile(colourFaces, { height: 128, width: 128 }), builtins);
  for (const { layers, sizes } of [planned, large]) {
    const { patch, contexts } = layers.at(-1)!;
    assertEquals([sizes.at(-1)!.width, patch, contexts.length], [8, 16, 0]);
    assertEquals(layers[0].minOriginality, 0.8);
  }
});
