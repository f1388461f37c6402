import { finish } from "../../core/steps.ts";
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { lrDistance, readImage, readLrPatch, readLrQuery, readPatch } from "../../core/patches.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import type { LayerData } from "../../core/types.ts";
import { bytes, floats, put, wasm } from "../kernels_under_test.ts";
import { NO_SOURCES } from "../small_world.ts";

const PATCH = 4, COUNT = 3;

/** A layer of training images of one size, of which images of another may be made. */
function layerOf(channels: number, training = { height: 12, width: 20 }, size = training): LayerData {
  const pixels = bytes(1, COUNT * channels * training.height * training.width);
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(
    wasm,
    { count: COUNT, ...training, channels, pixels },
    pyramidSizes(training, 1),
  ));
  const data = { layer: 0, ...size, channels, patch: PATCH, window: 0, context: [], locations: [], batch: 2 };
  return { ...data, hr, lr, kernels: wasm };
}

/** The square at (y, x), one value at a time. */
function square(
  value: (channel: number, row: number, column: number) => number,
  channels: number,
  side: number,
  y: number,
  x: number,
): number[] {
  const out: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < side; row++) {
      for (let column = 0; column < side; column++) out.push(value(channel, y + row, x + column));
    }
  }
  return out;
}

for (const channels of [1, 3]) {
  Deno.test(`patches: read as they lie in images of ${channels} channels, at even and odd pixels, up to the edges`, () => {
    const mark = wasm.mark();
    const layer = layerOf(channels, { height: 12, width: 20 }, { height: 16, width: 8 }), { hr, lr } = layer;
    for (let image = 0; image < COUNT; image++) {
      for (const [y, x] of [[0, 0], [3, 5], [8, 16], [5, 0]]) {
        const high = readPatch(layer, image, { y, x }, new Float64Array(channels * PATCH ** 2));
        const ofRows = (channel: number, row: number, column: number) => {
          return wasm.u8(hr.at + ((image * channels + channel) * 12 + row) * 20 + column, 1)[0] / 255;
        };
        assertEquals([...high], square(ofRows, channels, PATCH, y, x));
        const low = readLrPatch(layer, image, { y, x }, new Float64Array(channels * PATCH));
        // Planes hold the same pixels, in another order.
        const ofPlanes = (channel: number, row: number, column: number) => {
          return wasm.u8(lr.at + ((channel * 6 + row) * 10 + column) * lr.stride + image, 1)[0] / 255;
        };
        assertEquals([...low], square(ofPlanes, channels, PATCH / 2, y >> 1, x >> 1));
      }
    }
    const values = floats(2, 2 * channels * 8 * 4, 0, 1), lr32 = wasm.f32(put(wasm, values), values.length);
    const measurements = { batch: 2, patches: new Float32Array(0), lr: lr32, lrKey: {}, sources: NO_SOURCES };
    for (const b of [0, 1]) {
      for (const [y, x] of [[0, 0], [3, 1], [12, 4]]) {
        const query = readLrQuery(layer, measurements, b, { y, x }, new Float32Array(channels * PATCH));
        const ofImage = (channel: number, row: number, column: number) => {
          return values[((b * channels + channel) * 8 + row) * 4 + column];
        };
        assertEquals([...query], square(ofImage, channels, PATCH / 2, y >> 1, x >> 1));
      }
    }
    wasm.release(mark);
  });
}

for (const channels of [1, 3]) {
  Deno.test(`lrDistance: patch and context, pixel by pixel, clipped at the edges, of ${channels} channels`, () => {
    const mark = wasm.mark();
    const context = [[-1, 0, 0.5], [2, 1, 0.25], [0, 3, 1], [-4, -2, 0.125]].map(([dx, dy, weight], i) => {
      return { dx, dy, weight, mirrored: i > 1 };
    });
    const layer = { ...layerOf(channels, { height: 12, width: 20 }, { height: 16, width: 8 }), context };
    const values = floats(2, 2 * channels * 8 * 4, 0, 1), lr32 = wasm.f32(put(wasm, values), values.length);
    const measurements = { batch: 2, patches: new Float32Array(0), lr: lr32, lrKey: {}, sources: NO_SOURCES };
    // NaN outside of an image: no number of the sum.
    const queryAt = (b: number, channel: number, row: number, column: number) => {
      const inside = row >= 0 && row < 8 && column >= 0 && column < 4;
      return inside ? values[((b * channels + channel) * 8 + row) * 4 + column] : NaN;
    };
    const { lr } = layer;
    const exampleAt = (image: number, channel: number, row: number, column: number) => {
      const inside = row >= 0 && row < 6 && column >= 0 && column < 10;
      return inside ? wasm.u8(lr.at + ((channel * 6 + row) * 10 + column) * lr.stride + image, 1)[0] / 255 : NaN;
    };
    const inPatch = [0, 1, 2, 3].map((p) => ({ dx: p & 1, dy: p >> 1, weight: 1, mirrored: false }));
    const places = [[0, 0, 0, 0], [4, 4, 4, 4], [12, 4, 8, 16], [5, 3, 2, 9]];
    let clipped = 0;
    for (const [n, [y, x, exampleY, exampleX]] of places.entries()) {
      const [b, image] = [n % 2, n % COUNT];
      let wanted = 0;
      for (const { dx, dy, weight, mirrored } of [...inPatch, ...context]) {
        for (let channel = 0; channel < channels; channel++) {
          const column = (x >> 1) + dx, exampleColumn = (exampleX >> 1) + dx;
          const query = queryAt(b, channel, (y >> 1) + dy, mirrored ? 3 - column : column);
          const example = exampleAt(image, channel, (exampleY >> 1) + dy, mirrored ? 9 - exampleColumn : exampleColumn);
          const term = weight * (query - example) ** 2;
          if (Number.isNaN(term)) clipped++;
          else wanted += term;
        }
      }
      const distance = lrDistance(layer, measurements, b, { y, x }, image, { y: exampleY, x: exampleX });
      assertAlmostEquals(distance, wanted, 1e-12);
      if (y === exampleY && x === exampleX) assertEquals(lrDistance(layer, measurements, b, { y, x }, image), distance);
      assert(
        lrDistance({ ...layer, context: [] }, measurements, b, { y, x }, image, { y: exampleY, x: exampleX }) <
          distance,
      );
    }
    assert(clipped > 0);
    const read = (b: number, y: number, image: number, exampleY: number) => () => {
      return lrDistance(layer, measurements, b, { y, x: 0 }, image, { y: exampleY, x: 0 });
    };
    for (
      const [call, sentence] of [
        [read(2, 0, 0, 0), "Cannot read an LR patch: expected an image from 0 to 1, got 2"],
        [read(0, 14, 0, 0), "Cannot read an LR patch: expected a square of 2 inside 4x8 pixels, got one at (0, 7)"],
        [read(0, 0, 3, 0), "Cannot read an LR patch: expected an image from 0 to 2, got 3"],
        [read(0, 0, 0, 10), "Cannot read an LR patch: expected a square of 2 inside 10x6 pixels, got one at (0, 5)"],
      ] as const
    ) assertEquals(assertThrows(call, RangeError).message, sentence);
    wasm.release(mark);
  });
}

Deno.test("patches: what is written is what is returned, and no more of it than a patch", () => {
  const mark = wasm.mark(), layer = layerOf(1), out = new Float32Array(20).fill(7);
  assert(readPatch(layer, 1, { y: 0, x: 0 }, out) === out);
  assertEquals([...out.subarray(16)], [7, 7, 7, 7]);
  wasm.release(mark);
});

Deno.test("readImage: the bytes of an image of the set", () => {
  const mark = wasm.mark(), layer = layerOf(3), length = 3 * 12 * 20;
  for (let image = 0; image < COUNT; image++) {
    const wanted = bytes(1, COUNT * length).slice(image * length, (image + 1) * length);
    assertEquals(readImage(wasm, layer.hr, image), wanted);
  }
  const read = () => readImage(wasm, layer.hr, COUNT);
  const { message } = assertThrows(read, RangeError);
  assertEquals(message, "Cannot read an image: expected a number from 0 to 2, got 3");
  wasm.release(mark);
});

Deno.test("patches: one that is not there, or has no room, is one sentence", () => {
  const mark = wasm.mark(), layer = layerOf(1), inside = "inside 20x12 pixels";
  const measurements = {
    batch: 2,
    patches: new Float32Array(0),
    lr: new Float32Array(120),
    lrKey: {},
    sources: NO_SOURCES,
  };
  const high = (image: number, y: number, x: number, room = 16) => () =>
    readPatch(layer, image, { y, x }, new Float64Array(room));
  const low = (image: number, y: number, x: number, room = 4) => () =>
    readLrPatch(layer, image, { y, x }, new Float64Array(room));
  const query = (b: number, y: number, x: number, room = 4) => () =>
    readLrQuery(layer, measurements, b, { y, x }, new Float64Array(room));
  for (
    const [read, sentence] of [
      [high(3, 0, 0), "Cannot read an HR patch: expected an image from 0 to 2, got 3"],
      [high(-1, 0, 0), "Cannot read an HR patch: expected an image from 0 to 2, got -1"],
      [high(0.5, 0, 0), "Cannot read an HR patch: expected an image from 0 to 2, got 0.5"],
      [high(0, 9, 0), `Cannot read an HR patch: expected a square of 4 ${inside}, got one at (0, 9)`],
      [high(0, 0, 17), `Cannot read an HR patch: expected a square of 4 ${inside}, got one at (17, 0)`],
      [high(0, -1, 0), `Cannot read an HR patch: expected a square of 4 ${inside}, got one at (0, -1)`],
      [high(0, NaN, 0), `Cannot read an HR patch: expected a square of 4 ${inside}, got one at (0, NaN)`],
      [high(0, 0, 0, 15), "Cannot read an HR patch: expected room for 16 values, got 15"],
      [low(3, 0, 0), "Cannot read an LR patch: expected an image from 0 to 2, got 3"],
      [low(0, 10, 0), "Cannot read an LR patch: expected a square of 2 inside 10x6 pixels, got one at (0, 5)"],
      [low(0, 0, 0, 3), "Cannot read an LR patch: expected room for 4 values, got 3"],
      [query(2, 0, 0), "Cannot read an LR patch: expected an image from 0 to 1, got 2"],
      [query(0, 0, 18), "Cannot read an LR patch: expected a square of 2 inside 10x6 pixels, got one at (9, 0)"],
      [query(0, 0, 0, 0), "Cannot read an LR patch: expected room for 4 values, got 0"],
    ] as const
  ) assertEquals(assertThrows(read, RangeError).message, sentence);
  wasm.release(mark);
});
