import { assert, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { structureLength } from "../../../pipelines/quilting/structure_length.ts";

/** One grey exemplar of 48x48. */
function exemplar(value: (y: number, x: number) => number) {
  const values = Float32Array.from({ length: 48 * 48 }, (_, p) => value(Math.floor(p / 48), p % 48));
  return { count: 1, channels: 1, height: 48, width: 48, values };
}

Deno.test("structureLength: the period of a pattern, of the direction where it is longer; short for noise", () => {
  for (const [across, down] of [[6, 8], [15, 5], [20, 20]]) {
    const found = structureLength(
      exemplar((y, x) => Math.sin(2 * Math.PI * x / across) + Math.cos(2 * Math.PI * y / down)),
    );
    assert(Math.abs(found - Math.max(across, down)) <= 1, `${found} of ${across}, ${down}`);
  }
  const random = stream(1, 2), noise = structureLength(exemplar(() => random.next()));
  assert(noise <= 6, `${noise}`);
});

Deno.test("structureLength: half the exemplar where it never repeats; nothing for one colour", () => {
  assertEquals(structureLength(exemplar((y, x) => y + x)), 24);
  assert(structureLength(exemplar(() => 0.5)) <= 4);
});
