import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { colourFacesRelit } from "../../../datasets/profiles/colour_faces_relit.ts";
import { builtins } from "../../../plugins/mod.ts";

const planned = plan(colourFacesRelit, builtins);

Deno.test("colour-faces-relit: seed images of 8x8 in colour, on the colour data set", () => {
  assertEquals(planned.sizes.map(({ width }) => width), [64, 32, 16, 8]);
  assertEquals([planned.channels, colourFacesRelit.dataset, colourFacesRelit.classwise], [3, "faces-colour", false]);
});

Deno.test("colour-faces-relit: one example decides on the smallest face, whatever the size; no image is nearly a training image", () => {
  const large = plan(resizedProfile(colourFacesRelit, { height: 128, width: 128 }), builtins);
  for (const { layers, sizes } of [planned, large]) {
    const { patch, contexts } = layers.at(-1)!;
    assertEquals([sizes.at(-1)!.width, patch, contexts.length], [8, 16, 0]);
    assertEquals(layers[0].minOriginality, 0.8);
  }
});
