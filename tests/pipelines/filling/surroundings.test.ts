import { assert, assertEquals } from "@std/assert";
import { surroundingsOf, wholeSources } from "../../../pipelines/filling/surroundings.ts";

Deno.test("surroundingsOf: the part around a small hole of a large picture, whose sources are numbered anew", () => {
  const width = 900, height = 700, area = width * height;
  const values = Float32Array.from({ length: 2 * area }, (_, i) => i % area + (i < area ? 0 : 0.5));
  const missing = new Uint8Array(area);
  for (const p of [400 * width + 850, 410 * width + 860]) missing[p] = 1;
  const part = surroundingsOf({ height, width, channels: 2, values }, missing);
  assert(part.width < width / 2 && part.height < height, `${part.width}x${part.height}`);
  const first = part.top * width + part.left, last = first + (part.height - 1) * width + part.width - 1;
  assertEquals([part.values[0], part.values.at(-1)], [first, last + 0.5]);
  assertEquals(part.left + part.width, width, "up to the edge of the picture");
  assertEquals(part.missing.reduce((sum, one) => sum + one, 0), 2);
  const sources = Int32Array.from(part.missing, (_, p) => part.missing[p] ? 0 : p);
  const whole = wholeSources(part, sources, { height, width });
  whole.forEach((source, p) => source === (missing[p] ? first : p) || assertEquals(source, p));
});

Deno.test("surroundingsOf: of a small picture all of it", () => {
  const missing = Uint8Array.of(0, 1, 0, 0, 0, 0), values = Float32Array.of(1, 2, 3, 4, 5, 6);
  const part = surroundingsOf({ height: 2, width: 3, channels: 1, values }, missing);
  assertEquals([part.height, part.width, part.values, part.missing], [2, 3, values, missing]);
});
