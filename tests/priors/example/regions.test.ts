/** Regions hold the patches that whole images hold, at every place of a window. */
import { assert, assertEquals } from "@std/assert";
import type { LayerData } from "../../../core/types.ts";
import type { ExampleLayout } from "../../../priors/example/addresses.ts";
import { patchRegions } from "../../../priors/example/regions.ts";
import { bytes, put, wasm } from "../../kernels_under_test.ts";

const COUNT = 5, PATCH = 4, HEIGHT = 24, WIDTH = 30, CHANNELS = 2, PLANE = HEIGHT * WIDTH, LENGTH = CHANNELS * PLANE;

Deno.test("patchRegions: the patches of each location, copied where many candidates are read, left where few are", () => {
  const mark = wasm.mark(), pixels = bytes(1, COUNT * LENGTH), out = wasm.allocate(9 * 4);
  const hr = { at: put(wasm, pixels), count: COUNT, height: HEIGHT, width: WIDTH, channels: CHANNELS };
  const layer = { kernels: wasm, hr, patch: PATCH, channels: CHANNELS } as unknown as LayerData;
  const patchesOf = patchRegions(layer, { mostRows: 3, mostColumns: 3 }, false, 100);
  for (const { y, x, rows, columns } of [{ y: 6, x: 8, rows: 3, columns: 3 }, { y: 0, x: 25, rows: 2, columns: 1 }]) {
    const positionOf = (segment: number, image: number) => {
      return { image, y: y + 2 * Math.floor(segment / columns), x: x + 2 * (segment % columns) };
    };
    const segments = rows * columns, layout = { segments, count: COUNT, hrStride: LENGTH, positionOf } as ExampleLayout;
    wasm.u32(out, segments).set(
      Array.from({ length: segments }, (_, s) => positionOf(s, 0).y * WIDTH + positionOf(s, 0).x),
    );
    for (const candidates of [1, 100]) {
      const of = patchesOf({ ...layout, corners: out }, candidates), corners = wasm.u32(of.corners, segments);
      assertEquals(of.rows === hr.at, candidates === 1);
      for (let segment = 0; segment < segments; segment++) {
        for (let i = 0; i < COUNT * CHANNELS * PATCH * PATCH; i++) {
          const [column, row] = [i % PATCH, Math.floor(i / PATCH) % PATCH];
          const channel = Math.floor(i / PATCH ** 2) % CHANNELS, image = Math.floor(i / PATCH ** 2 / CHANNELS);
          const at = of.rows + image * of.stride + channel * of.plane + corners[segment] + row * of.width + column;
          const place = positionOf(segment, image), first = (place.y + row) * WIDTH + place.x + column;
          assertEquals(wasm.u8(at, 1)[0], pixels[image * LENGTH + channel * PLANE + first]);
        }
      }
    }
  }
  wasm.release(mark);
});

Deno.test("patchRegions: regions of more than half an image are not copied, nor the examples of rows or of few candidates", () => {
  const mark = wasm.mark(), hr = { at: 64, count: COUNT, height: HEIGHT, width: WIDTH };
  const layer = { kernels: wasm, hr, patch: 16, channels: 1 } as unknown as LayerData;
  const layout = { segments: 1, count: COUNT, hrStride: PLANE } as ExampleLayout, whole = { rows: 64, width: WIDTH };
  for (const [most, alongRows, candidates] of [[6, false, 1000], [1, true, 1000], [1, false, 9]] as const) {
    const before = wasm.mark(), window = { mostRows: most, mostColumns: most };
    const patchesOf = patchRegions(layer, window, alongRows, candidates);
    assert(wasm.mark() === before, "Nothing is allocated");
    const { rows, width } = patchesOf({ ...layout, corners: 32 }, candidates);
    assertEquals({ rows, width }, whole);
  }
  wasm.release(mark);
});
