import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { objects } from "../../../datasets/profiles/objects.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("objects: one training image decides on the whole image up to 16x16, also of larger images", () => {
  for (const side of [32, 64]) {
    const { layers, sizes } = plan(resizedProfile(objects, { height: side, width: side }), builtins);
    assertEquals(sizes.at(-1)!.width, 4);
    assertEquals(layers.filter(({ patch, width }) => patch === width).map(({ width }) => width), [16, 8]);
    assertEquals(layers[0].minOriginality, 0.6);
  }
});
