import { assertEquals, assertMatch } from "@std/assert";
import { copyOf, newness } from "../../../../hosts/web/views/copies.ts";
import { MIXED } from "../../../../hosts/web/state/mixed_faces.ts";
import { OWN_PICTURES } from "../../../../hosts/web/state/own_data.ts";
import { digitsPaper, texture } from "../../../../datasets/profiles/mod.ts";

Deno.test("copies: how new a picture is, in words without a number", () => {
  const pack = { origin: "pictures", profile: digitsPaper },
    said = (distance: number) => {
      const nearest = { image: 0, distance, trainingDistance: 4, pixels: new Uint8Array() };
      return [copyOf({ nearest }, pack)?.short, newness(nearest, pack)] as const;
    };
  assertEquals([0, 1, 3, 4, 6].map((distance) => said(distance)[0]), [
    "a copy",
    "nearly a copy",
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(
    said(4)[1],
    "New: it differs from the most similar example, shown here, as much as examples differ from one another.",
  );
  assertMatch(said(3)[1], /^Partly new: it differs less/);
  assertMatch(said(6)[1], /^New: it differs more/);
  for (const distance of [3, 4, 6]) assertEquals(/\d/.test(said(distance)[1]), false);
});

Deno.test("copies: a copy of a mixture of faces is a new face", () => {
  const nearest = { image: 0, distance: 0, trainingDistance: 4, pixels: new Uint8Array() };
  const origin = `10 faces of your own, ${MIXED}`,
    pack = { origin, profile: { ...digitsPaper, dataset: OWN_PICTURES } };
  assertEquals(copyOf({ nearest }, pack), undefined);
  assertMatch(newness(nearest, pack), /^A new face, made of four of yours or more/);
  const named = { origin: `your picture ${MIXED}.png`, profile: texture };
  assertEquals(copyOf({ nearest }, named)?.short, "a copy", "a texture of a file of that name is no mixture");
});
