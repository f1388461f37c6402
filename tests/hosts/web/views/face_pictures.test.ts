import { assertEquals } from "@std/assert";
import { areFaces } from "../../../../hosts/web/views/face_pictures.ts";

Deno.test("areFaces: two pictures without a face end the search at once, and one of four may be without", () => {
  assertEquals([areFaces(0, 1), areFaces(0, 2), areFaces(1, 2)], [true, false, true]);
  assertEquals([areFaces(8, 10), areFaces(7, 10), areFaces(6, 10), areFaces(75, 100)], [true, true, false, true]);
});
