import { assertAlmostEquals, assertEquals } from "@std/assert";
import { seedAgreement } from "../../../../hosts/web/state/seed_agreement.ts";

const small = { height: 1, width: 2, channels: 1 }, large = { height: 2, width: 4, channels: 1 };
const made = { shape: large, pixels: Uint8Array.of(10, 30, 200, 100, 20, 20, 150, 150) };

Deno.test("seedAgreement: 1 where the reduced picture is the seed image at another contrast, -1 where it is its negative", () => {
  assertAlmostEquals(seedAgreement({ shape: small, pixels: Uint8Array.of(5, 9) }, made), 1, 1e-12);
  assertAlmostEquals(seedAgreement({ shape: small, pixels: Uint8Array.of(200, 0) }, made), -1, 1e-12);
  const colours = { height: 1, width: 1, channels: 3 }, pixels = Uint8Array.of(1, 2, 3);
  assertAlmostEquals(seedAgreement({ shape: colours, pixels }, { shape: colours, pixels }), 1, 1e-12);
});

Deno.test("seedAgreement: a seed image of one level asks for nothing, and a flat picture follows none", () => {
  assertEquals(seedAgreement({ shape: small, pixels: Uint8Array.of(7, 7) }, made), 1);
  assertEquals(
    seedAgreement({ shape: small, pixels: Uint8Array.of(7, 8) }, { shape: large, pixels: new Uint8Array(8) }),
    0,
  );
});
