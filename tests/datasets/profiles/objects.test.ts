import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { objects } from "../../../datasets/profiles/objects.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("objects: coherent patches in all layers but the coarsest, copies drawn again, also in larger images", () => {
  for (const [side, bonus] of [[32, [5, 5, 0]], [64, [5, 5, 5, 0]]] as const) {
    const { layers, sizes } = plan(resizedProfile(objects, { height: side, width: side }), builtins);
    assertEquals(sizes.at(-1)!.width, 4);
    assertEquals(layers.map(({ prior }) => prior.values.bonus), [...bonus]);
    assertEquals(layers[0].minOriginality, 0.6);
  }
});
