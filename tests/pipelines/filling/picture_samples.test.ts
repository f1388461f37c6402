import { assertEquals } from "@std/assert";
import { placesOf, samplesOfBytes, valuesOfSamples } from "../../../pipelines/filling/picture_samples.ts";

Deno.test("valuesOfSamples: planes in [0, 1]; what is transparent counts as black", () => {
  const data = Uint16Array.of(65535, 0, 13107, 65535, /**/ 65535, 65535, 65535, 0);
  const { values, channels } = valuesOfSamples({ width: 2, height: 1, channels: 4, depth: 16, data });
  assertEquals([channels, [...values]], [4, [1, 0, 0, 0, Math.fround(0.2), 0, 1, 0]]);
  const grey = valuesOfSamples({ width: 2, height: 1, channels: 1, depth: 8, data: Uint8Array.of(255, 51) });
  assertEquals([...grey.values], [1, Math.fround(0.2)]);
});

Deno.test("samplesOfBytes: the channels of a pixel side by side; placesOf: row and column", () => {
  const pixels = Uint8Array.of(1, 2, 3, 4, 5, 6);
  assertEquals([...samplesOfBytes({ height: 1, width: 2, channels: 3, pixels }).data], [1, 3, 5, 2, 4, 6]);
  const { channels, data } = samplesOfBytes({ height: 1, width: 2, channels: 3, pixels, alpha: Uint8Array.of(0, 9) });
  assertEquals([channels, ...data], [4, 1, 3, 5, 0, 2, 4, 6, 9]);
  assertEquals([...placesOf(Int32Array.of(0, 7, 4), 5)], [0, 0, 1, 2, 0, 4]);
});
