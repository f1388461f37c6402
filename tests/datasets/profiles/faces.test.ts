import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { colourFaces, colourFacesRelit, faces, facesRelit } from "../../../datasets/profiles/mod.ts";
import { builtins } from "../../../plugins/mod.ts";

for (const [profile, relit] of [[faces, facesRelit], [colourFaces, colourFacesRelit]]) {
  const { sizes, layers, noise, ...planned } = plan(profile, builtins), seeded = plan(relit, builtins);

  Deno.test(`${profile.name}: from noise at 32x32, in the size, the channels and the patches of ${relit.name}`, () => {
    assertEquals(noise?.plugin.name, "local-score");
    assertEquals(sizes.at(-1), { height: 32, width: 32 });
    assertEquals([sizes[0], planned.channels], [seeded.sizes[0], seeded.channels]);
    assertEquals([planned.compared, profile.dataset], [seeded.compared, relit.dataset]);
  });

  Deno.test(`${profile.name}: no training image gives more than 15 % of an image in a layer`, () => {
    assertEquals(layers.map(({ prior }) => prior.values.maxShare), layers.map(() => 0.15));
  });

  Deno.test(`${profile.name}: given seed images begin where those of ${relit.name} do, with its coarser layers`, () => {
    const given = plan({ ...profile, from: "test" }, builtins);
    assertEquals(given.noise, undefined);
    assertEquals(given.sizes, seeded.sizes);
    assertEquals(given.layers.slice(layers.length), seeded.layers.slice(layers.length));
  });
}
