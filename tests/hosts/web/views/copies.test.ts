import { assertEquals } from "@std/assert";
import { copyOf, howFar } from "../../../../hosts/web/views/copies.ts";
import { effectiveOf } from "../../../../hosts/web/views/percent.ts";

Deno.test("copies: a distance is said by that between examples", () => {
  const said = (distance: number) => {
    const nearest = { image: 0, distance, trainingDistance: 4, pixels: new Uint8Array() };
    return [copyOf({ nearest })?.short, howFar(nearest)];
  };
  const nearer = "nearer than examples are to one another";
  assertEquals([0, 1, 3].map(said), [["a copy", nearer], ["nearly a copy", nearer], [undefined, nearer]]);
  assertEquals(said(4), [undefined, "about as far as examples are from one another"]);
  assertEquals(said(6), [undefined, "farther than examples are from one another"]);
});

Deno.test("effectiveOf: decimals of small numbers only", () => {
  assertEquals([1.62, 9.94, 9.96, 117].map(effectiveOf), ["1.6", "9.9", "10", "117"]);
});
