import { assertEquals } from "@std/assert";
import { packTitle } from "../../../../hosts/web/state/pack_title.ts";

Deno.test("packTitle: packs of pictures are told apart by their folders or first file", () => {
  const files = (count: number, folder?: string) =>
    Array.from({ length: count }, (_, i) => ({ name: `${i}.png`, folder }));
  assertEquals(packTitle(files(12)), "0.png and 11 others");
  assertEquals(packTitle(files(2)), "0.png and 1 other");
  assertEquals(packTitle(files(5, "flowers")), "flowers: 5 pictures");
  assertEquals(packTitle([...files(3, "boats"), ...files(4, "cars")]), "boats, cars: 7 pictures");
  assertEquals(packTitle([...files(1, "a"), ...files(1, "b"), ...files(1, "c")]), "a, b, \u2026: 3 pictures");
});
