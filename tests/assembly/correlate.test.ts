/** Search by correlation: kernel and twin byte for byte, and both against the definition in float64. */
import { assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import { type Correlation, correlationScratch, type Kernels } from "../../core/kernels.ts";
import { stream } from "../../core/random.ts";
import { assertSame, BATCHES, check, put, testBoth } from "../kernels_under_test.ts";
import fc from "fast-check";

/** LR images of 6 x 7 pixels in two channels. */
const PIXELS = 6 * 7 * 2;

interface Input {
  readonly seed?: number;
  readonly count: number;
  readonly segments?: number;
  readonly planes?: number;
  readonly batch?: number;
  /** Grey levels of the images: the fewer, the more ties; 1: flat images. */
  readonly levels?: number;
  /** The value of the bytes behind a plane's end: they are read and must not matter. */
  readonly behind?: number;
  readonly most?: number;
}

/** Random LR images, queries and weights. The last plane has weight 0. */
function correlation(kernels: Kernels, scratch: number, input: Input) {
  const { seed = 1, count, segments = 1, planes = 12, batch = 1, levels = 256, behind = 255, most = 64 } = input;
  const random = stream(seed), below = (end: number) => Math.floor(random.next() * end);
  const rows = Uint8Array.from({ length: count * PIXELS }, () => below(levels) * (levels > 2 ? 1 : 255));
  const stride = Math.ceil(count / 16) * 16, all = new Uint8Array(PIXELS * stride).fill(behind);
  rows.forEach((byte, i) => all[i % PIXELS * stride + Math.floor(i / PIXELS)] = byte);
  const numbers = Uint32Array.from({ length: segments * planes }, () => below(PIXELS));
  const weights = Int16Array.from({ length: planes }, (_, p) => p === planes - 1 ? 0 : 1 + below(most));
  // Some values lie outside [0, 1].
  const images = Float32Array.from({ length: batch * PIXELS }, () => 1.2 * random.next() - 0.1);
  if (levels === 1) images.fill(0.5);
  const given: Correlation = {
    lr: put(kernels, all),
    stride,
    rows: put(kernels, rows),
    pixels: PIXELS,
    numbers: put(kernels, numbers),
    pixelWeights: put(kernels, new Uint8Array(weights.buffer)),
    planes,
    count,
    segments,
    batch,
    queries: kernels.allocate(batch * planes * 2),
    contrasts: kernels.allocate(batch * 8),
    scratch,
  };
  return { given, images: put(kernels, images), values: { rows, numbers, weights, images } };
}

/** Runs both kernels: what each query got, nearest first. */
function nearest(kernels: Kernels, scratch: number, input: Input, k: number) {
  const { given, images, values } = correlation(kernels, scratch, input), out = kernels.allocate(given.batch * k * 8);
  kernels.toDeviations(given, images, given.segments - 1);
  const found = kernels.correlate(given, k, out);
  const keys = Array.from({ length: given.batch }, (_, b) => {
    const words = kernels.u32(out + b * k * 8, 2 * found), distances = kernels.f32(out + b * k * 8, 2 * found);
    return Array.from({ length: found }, (_, n) => ({ index: words[2 * n], distance: distances[2 * n + 1] }));
  });
  return { given, values, found, keys };
}

/** d of every example to image `b`, as the definition has it, in squared grey levels. */
function definition({ given, values }: ReturnType<typeof correlation>, b: number): number[] {
  const { planes, count, segments } = given, { weights, numbers, rows, images } = values;
  const home = (segments - 1) * planes, total = weights.reduce((sum, weight) => sum + weight, 0);
  const normal = (level: (p: number) => number) => {
    const mean = weights.reduce((sum, w, p) => sum + w * level(p), 0) / total;
    const spread = Math.sqrt(weights.reduce((sum, w, p) => sum + w * (level(p) - mean) ** 2, 0) / total) + 5.1;
    return { spread, values: Array.from(weights, (_, p) => (level(p) - mean) / spread) };
  };
  const query = normal((p) => 255 * Math.min(Math.max(images[b * PIXELS + numbers[home + p]], 0), 1));
  return Array.from({ length: segments * count }, (_, index) => {
    const own = numbers.subarray(Math.floor(index / count) * planes);
    const example = normal((p) => rows[index % count * PIXELS + own[p]]);
    const sum = weights.reduce((sum, w, p) => sum + w * (query.values[p] - example.values[p]) ** 2, 0);
    return query.spread ** 2 * sum;
  });
}

Deno.test("correlate: the same bytes from kernel and twin, around vectors, blocks and tiles", () => {
  for (const count of [0, 1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 200]) {
    for (const k of [1, 3, 20]) assertSame((kernels, scratch) => nearest(kernels, scratch, { count, batch: 5 }, k));
  }
  for (const batch of BATCHES) {
    const input = { seed: 2, count: 130, segments: 3, batch };
    assertSame((kernels, scratch) => nearest(kernels, scratch, input, 7));
  }
});

Deno.test("correlate: the same bytes where many examples are equal, flat, black and white, or of the largest weights", () => {
  for (const levels of [1, 2, 3]) {
    const input = { count: 140, segments: 2, planes: 2, batch: 4, levels };
    assertSame((kernels, scratch) => nearest(kernels, scratch, input, 5));
  }
  // The sum of the weights is near its largest value, and so are the sums of bytes.
  const input = { count: 20, planes: 516, batch: 4, levels: 2, most: 1 };
  assertSame((kernels, scratch) => {
    const { given, images } = correlation(kernels, scratch, input), out = kernels.allocate(given.batch * 3 * 8);
    kernels.i16(given.pixelWeights, 515).fill(64);
    kernels.toDeviations(given, images, 0);
    return kernels.correlate(given, 3, out);
  });
});

Deno.test("correlate: the same bytes for any input", () => {
  const inputs = fc.record({
    seed: fc.nat(1000),
    count: fc.integer({ min: 1, max: 150 }),
    segments: fc.integer({ min: 1, max: 3 }),
    planes: fc.integer({ min: 1, max: 10 }).map((half) => 2 * half),
    batch: fc.integer({ min: 0, max: 6 }),
    levels: fc.constantFrom(1, 2, 4, 256),
  });
  check(fc.tuple(inputs, fc.integer({ min: 1, max: 30 })), 60, ([input, k]) => {
    assertSame((kernels, scratch) => nearest(kernels, scratch, input, k));
  });
});

testBoth("correlate: the nearest by the definition in float64", (kernels, scratch) => {
  for (const input of [{ count: 60, batch: 2 }, { count: 25, segments: 3, batch: 3, planes: 30, most: 19 }]) {
    const height = kernels.mark(), made = correlation(kernels, scratch, input);
    const { keys, given } = nearest(kernels, scratch, input, input.count * (input.segments ?? 1));
    assertLess(correlationScratch(given.planes, given.batch, 75, 0), 1 << 19);
    keys.forEach((own, b) => {
      const wanted = definition(made, b);
      assertEquals(own.map(({ index }) => index).sort((x, y) => x - y), wanted.map((_, index) => index));
      const largest = Math.max(...wanted);
      // Queries are rounded to a part of a grey level, 1 over the weight.
      for (const { index, distance } of own) assertAlmostEquals(distance / largest, wanted[index] / largest, 2e-3);
      assertEquals(own.map(({ distance }) => distance), own.map(({ distance }) => distance).sort((x, y) => x - y));
    });
    kernels.release(height);
  }
});

testBoth(
  "correlate: another brightness and another contrast change no order; equal ones come by their index",
  (kernels, scratch) => {
    const { given, images } = correlation(kernels, scratch, { count: 30, planes: 40 });
    const out = kernels.allocate(30 * 8), light = kernels.f32(images, PIXELS);
    const order = () => {
      kernels.toDeviations(given, images, 0);
      kernels.correlate(given, 30, out);
      return Array.from({ length: 30 }, (_, n) => kernels.u32(out + 8 * n, 1)[0]);
    };
    light.forEach((value, p) => light[p] = 0.2 + 0.2 * Math.min(Math.max(value, 0), 1));
    const before = order();
    light.forEach((value, p) => light[p] = value + 0.25);
    assertEquals(order().slice(0, 5), before.slice(0, 5));
    kernels.u8(given.rows, 30 * PIXELS).fill(7);
    kernels.u8(given.lr, PIXELS * given.stride).fill(7);
    assertEquals(order(), Array.from({ length: 30 }, (_, n) => n));
  },
);

testBoth("toDeviations: sums to 0; contrast and energy are the definition's", (kernels, scratch) => {
  const { given, images, values } = correlation(kernels, scratch, { count: 1, planes: 22, batch: 4 });
  kernels.toDeviations(given, images, 0);
  const { weights, numbers } = values, total = weights.reduce((sum, weight) => sum + weight, 0);
  for (let b = 0; b < 4; b++) {
    const query = kernels.i16(given.queries + b * 44, 22), [contrast, energy] = kernels.f32(given.contrasts + 8 * b, 2);
    assertEquals(query.reduce((sum, value) => sum + value, 0), 0);
    const levels = Array.from(numbers, (p) => 255 * Math.min(Math.max(values.images[b * PIXELS + p], 0), 1));
    const mean = levels.reduce((sum, level, p) => sum + weights[p] * level, 0) / total;
    const squares = levels.reduce((sum, level, p) => sum + weights[p] * (level - mean) ** 2, 0);
    query.forEach((value, p) => assertAlmostEquals(value, weights[p] * (levels[p] - mean), 1));
    assertAlmostEquals(contrast, Math.sqrt(squares / total) + 5.1, 1e-4);
    assertAlmostEquals(energy / squares, 1, 1e-6);
  }
});
