import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import {
  colourFaces,
  colourFacesRelit,
  digits,
  digitsPaper,
  faces,
  facesPaper,
  facesRelit,
  objects,
  profiles,
  sprites,
  texture,
} from "../../../datasets/profiles/mod.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("profiles: each under its own name, ready to plan, plain data", () => {
  assertEquals(profiles, {
    ...{ digits, faces, "colour-faces": colourFaces, objects, texture, sprites },
    ...{ "faces-relit": facesRelit, "colour-faces-relit": colourFacesRelit },
    ...{ "digits-paper": digitsPaper, "faces-paper": facesPaper },
  });
  for (const [name, profile] of Object.entries(profiles)) {
    assertEquals(profile.name, name);
    assertEquals(JSON.parse(JSON.stringify(profile)), profile);
    const { layers, quiltLayer } = plan(profile, builtins);
    assert(layers.length > 0 || quiltLayer === 0, "without layers, what is quilted is finished");
  }
});
