import { assertAlmostEquals, assertEquals } from "@std/assert";
import { seedAgreement, type ShapedPicture } from "../../../../hosts/web/state/seed_agreement.ts";
import { MAGENTA } from "../../../../datasets/formats/colour.ts";

const levels = (seed: ShapedPicture, made: ShapedPicture) => seedAgreement(seed, made).levels;

const small = { height: 1, width: 2, channels: 1 }, large = { height: 2, width: 4, channels: 1 };
const made = { shape: large, pixels: Uint8Array.of(10, 30, 200, 100, 20, 20, 150, 150) };

Deno.test("seedAgreement: 1 where the reduced picture is the seed image at another contrast, -1 where it is its negative", () => {
  assertAlmostEquals(levels({ shape: small, pixels: Uint8Array.of(5, 9) }, made), 1, 1e-12);
  assertAlmostEquals(levels({ shape: small, pixels: Uint8Array.of(200, 0) }, made), -1, 1e-12);
  const colours = { height: 1, width: 1, channels: 3 }, pixels = Uint8Array.of(1, 2, 3);
  assertAlmostEquals(levels({ shape: colours, pixels }, { shape: colours, pixels }), 1, 1e-12);
});

Deno.test("seedAgreement: a seed image of one level asks for nothing, and a flat picture follows none", () => {
  assertEquals(levels({ shape: small, pixels: Uint8Array.of(7, 7) }, made), 1);
  assertEquals(
    levels({ shape: small, pixels: Uint8Array.of(7, 8) }, { shape: large, pixels: new Uint8Array(8) }),
    0,
  );
});

Deno.test("seedAgreement: colours of the same hue agree, opposite ones do not, and transparent pixels have none", () => {
  const one = { height: 1, width: 1, channels: 3 },
    colours = (seed: readonly number[], made: readonly number[]) => {
      return seedAgreement({ shape: one, pixels: Uint8Array.from(seed) }, { shape: one, pixels: Uint8Array.from(made) })
        .colours;
    };
  assertAlmostEquals(colours([200, 100, 100], [90, 60, 60]), 1, 1e-12);
  assertAlmostEquals(colours([200, 100, 100], [100, 150, 150]), -1, 1e-12);
  assertEquals(colours([120, 118, 121], [0, 0, 250]), 1, "squares without colour ask for none");
  assertEquals(colours([200, 100, 100], [90, 90, 90]), 0);
  // Half of the square is transparent: its magenta is no colour of the picture.
  const half = Uint8Array.from([(40 + 255) / 2, 80, (40 + 255) / 2]), pixels = Uint8Array.of(40, 255, 160, 0, 40, 255);
  const made = { shape: { height: 1, width: 2, channels: 3 }, pixels };
  assertAlmostEquals(seedAgreement({ shape: one, pixels: half }, made, MAGENTA).colours, 1, 1e-4);
});
