/** The rows of the page's tables of layers follow the table of a profile's entries. */
import { assertEquals } from "@std/assert";
import { LAYER } from "../../../../core/profile.ts";
import { numberEntries } from "../../../../hosts/web/views/layer_tables.ts";

Deno.test("layer tables: every number of a layer that has a default has a row, in its range", () => {
  const names = (aligned: boolean) => numberEntries(aligned).map(({ name }) => name);
  assertEquals(names(true), ["window", "feather", "minOriginality", "maxStructure", "projection"]);
  assertEquals(names(false), ["window", "feather"], "the others count for aligned images only");
  const { maxStructure, minOriginality, window } = Object.fromEntries(
    numberEntries(true).map(({ name, ...entry }) => [name, entry]),
  );
  assertEquals(maxStructure, { about: LAYER.maxStructure.about, min: 0, max: 1, integer: false });
  assertEquals([minOriginality.max, window.max, window.integer], [10, 8, true]);
});
