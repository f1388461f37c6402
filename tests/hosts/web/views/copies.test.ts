import { assertEquals, assertMatch } from "@std/assert";
import { copyOf, newness } from "../../../../hosts/web/views/copies.ts";
import { effectiveOf } from "../../../../hosts/web/views/percent.ts";

Deno.test("copies: how new a picture is, in words without a number", () => {
  const said = (distance: number) => {
    const nearest = { image: 0, distance, trainingDistance: 4, pixels: new Uint8Array() };
    return [copyOf({ nearest })?.short, newness(nearest)] as const;
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

Deno.test("effectiveOf: decimals of small numbers only", () => {
  assertEquals([1.62, 9.94, 9.96, 117].map(effectiveOf), ["1.6", "9.9", "10", "117"]);
});
