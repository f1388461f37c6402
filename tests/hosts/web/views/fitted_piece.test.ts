import { assertEquals, assertMatch } from "@std/assert";
import { fittingNote } from "../../../../hosts/web/views/fitted_piece.ts";

Deno.test("fittingNote: a word where the picked piece is darker or brighter than in its example", () => {
  const example = Uint8Array.of(0, 0, 0, 0, 100, 120, 0, 140, 160), shape = { height: 3, width: 3, channels: 1 };
  const trace = { shape, training: shape, patch: 2, examples: new Map([[7, example]]) };
  const noteOf = (drawn: readonly number[], image = 7) => {
    return fittingNote(trace, { source: { image, y: 1, x: 1 }, drawn: Uint8Array.from(drawn) });
  };
  assertEquals(noteOf([100, 120, 140, 160]), undefined, "a copy");
  assertEquals(noteOf([102, 118, 141, 161]), undefined, "no one sees the difference");
  assertMatch(noteOf([10, 30, 50, 70])!, /brightness is fitted to the picture\.$/);
  assertMatch(noteOf([180, 200, 220, 240])!, /brightness is fitted/);
  assertEquals(noteOf([10, 30, 50, 70], 8), undefined, "an example that is not known");
  assertEquals(fittingNote(trace, { drawn: example.subarray(0, 4) }), undefined, "no copy");
});
