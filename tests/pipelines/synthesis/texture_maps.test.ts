import { assertEquals, assertThrows } from "@std/assert";
import { crop } from "../../../core/pyramid.ts";
import { checkMaps, croppedSources, mapOf, type TextureMap } from "../../../pipelines/synthesis/texture_maps.ts";

const HEIGHT: TextureMap = {
  name: "height",
  width: 3,
  height: 2,
  channels: 1,
  depth: 16,
  data: Uint16Array.of(0, 1, 255, 256, 40000, 65535),
};

Deno.test("mapOf: each pixel is the companion's at the image's source, in all channels and bits", () => {
  const sources = Int32Array.of(5, 5, 3, 0, 4, 1, 2, 2);
  const { data, ...shape } = mapOf(HEIGHT, sources, { height: 2, width: 4 });
  assertEquals([[...data], shape], [[65535, 65535, 256, 0, 40000, 1, 255, 255], {
    width: 4,
    height: 2,
    channels: 1,
    depth: 16,
  }]);
  const normals = {
    ...HEIGHT,
    name: "normal",
    channels: 3,
    depth: 8 as const,
    data: Uint8Array.from({ length: 18 }, (_, i) => i),
  };
  assertEquals([...mapOf(normals, sources.subarray(0, 2), { height: 1, width: 2 }).data], [15, 16, 17, 15, 16, 17]);
});

Deno.test("croppedSources: cut out as the pixels of the image are", () => {
  const whole = { height: 8, width: 12 },
    size = { height: 5, width: 9 },
    sources = Int32Array.from({ length: 96 }, (_, p) => p);
  const { pixels } = crop({ count: 1, ...whole, pixels: Uint8Array.from(sources) }, size);
  assertEquals([...croppedSources(sources, whole, size)], [...pixels]);
});

Deno.test("checkMaps: a map has the size of the only exemplar", () => {
  checkMaps([HEIGHT], { count: 1, height: 2, width: 3 });
  checkMaps([], { count: 7, height: 2, width: 3 });
  assertThrows(
    () => checkMaps([HEIGHT], { count: 1, height: 3, width: 2 }),
    Error,
    "Cannot use the map height: expected 2x3 pixels, as the exemplar's, got 3x2",
  );
  assertThrows(() => checkMaps([HEIGHT], { count: 2, height: 2, width: 3 }), Error, "expected one exemplar");
});
