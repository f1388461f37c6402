import { assertEquals, assertThrows } from "@std/assert";
import { packOf } from "../../../../hosts/deno/queue/write_by_engine.ts";

Deno.test("packOf: a pack is known by its ending, in letters of any case; other data is refused", () => {
  for (const path of ["a.loom", "b/A.LOOM"]) assertEquals(packOf(path), path);
  for (const path of ["a.json", "loom", undefined]) assertThrows(() => packOf(path), Error, "without a pack");
});
