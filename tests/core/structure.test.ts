import { assert, assertEquals } from "@std/assert";
import { MIN_STEP } from "../../core/steps.ts";
import { boxWidths, structureRows, structureSteps, structureWork } from "../../core/structure.ts";
import type { Rows } from "../../core/types.ts";
import { put, twin, wasm } from "../kernels_under_test.ts";

/** Pixels without a pattern, the same every time. */
function noise(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** The structure of one image as bytes. */
function structureOf(kernels: typeof wasm, pixels: Uint8Array, size: Pick<Rows, "height" | "width" | "channels">) {
  const mark = kernels.mark();
  const rows = structureRows(kernels, { ...size, count: 1, at: put(kernels, pixels) } as Rows);
  const bytes = kernels.u8(rows.at, rows.height * rows.width * rows.channels).slice();
  kernels.release(mark);
  return { bytes, height: rows.height, width: rows.width };
}

/** The definition in plain loops, with a true Gaussian. */
function plainStructure(pixels: Uint8Array, height: number, width: number): number[] {
  const deviation = 6 / 128 * Math.max(height, width);
  const reach = Math.ceil(4 * deviation);
  const inside = (at: number, side: number) => {
    const turned = ((at % (2 * side)) + 2 * side) % (2 * side);
    return turned < side ? turned : 2 * side - 1 - turned;
  };
  const blurred = (image: ArrayLike<number>) =>
    Array.from({ length: height * width }, (_, i) => {
      const y = Math.floor(i / width);
      const x = i % width;
      let sum = 0;
      let total = 0;
      for (let dy = -reach; dy <= reach; dy++) {
        for (let dx = -reach; dx <= reach; dx++) {
          const weight = Math.exp(-(dy * dy + dx * dx) / (2 * deviation * deviation));
          sum += weight * image[inside(y + dy, height) * width + inside(x + dx, width)];
          total += weight;
        }
      }
      return sum / total;
    });
  const mean = blurred(pixels);
  const centred = Array.from(pixels, (value, i) => value - mean[i]);
  const variance = blurred(centred.map((value) => value * value));
  return centred.map((value, i) => value / (Math.sqrt(variance[i]) + 4));
}

function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    both += (a[i] - meanA) * (b[i] - meanB);
    ofA += (a[i] - meanA) ** 2;
    ofB += (b[i] - meanB) ** 2;
  }
  return both / Math.sqrt(ofA * ofB);
}

Deno.test("three boxes have the variance of the Gaussian, as nearly as odd widths allow", () => {
  assertEquals(boxWidths(6), [13, 11, 11]);
  for (const deviation of [0.75, 1.5, 3, 6, 12, 24]) {
    const variance = boxWidths(deviation).reduce((sum, width) => sum + (width * width - 1) / 12, 0);
    assert(Math.abs(Math.sqrt(variance) / deviation - 1) < 0.12, `${deviation}: ${Math.sqrt(variance)}`);
  }
});

Deno.test("structure is what a true Gaussian window leaves, reduced by H", () => {
  const size = { height: 64, width: 48, channels: 1 };
  const pixels = noise(64 * 48);
  const { bytes, height, width } = structureOf(wasm, pixels, size);
  assertEquals([height, width], [32, 24]);
  const whole = plainStructure(pixels, 64, 48);
  const mark = wasm.mark();
  const at = put(wasm, Float32Array.from(whole));
  const half = wasm.allocate(32 * 24 * 4);
  wasm.down(at, half, 64, 48, 1);
  const wanted = wasm.f32(half, 32 * 24).slice();
  wasm.release(mark);
  assert(correlation(bytes, wanted) > 0.995, `${correlation(bytes, wanted)}`);
});

Deno.test("structure of images of at most 32 pixels keeps their size", () => {
  for (const [height, width] of [[32, 24], [24, 32], [16, 16]]) {
    const pixels = noise(height * width);
    const { bytes, ...size } = structureOf(wasm, pixels, { height, width, channels: 1 });
    assertEquals(size, { height, width });
    const wanted = plainStructure(pixels, height, width);
    assert(correlation(bytes, wanted) > 0.95, `${correlation(bytes, wanted)}`);
  }
  const { height, width } = structureOf(wasm, noise(33 * 20), { height: 33, width: 20, channels: 1 });
  assertEquals([height, width], [17, 10]);
});

Deno.test("light and contrast leave the structure as it is, other pixels do not", () => {
  const size = { height: 64, width: 64, channels: 1 };
  const pixels = noise(64 * 64);
  const relit = pixels.map((value, i) => 60 + i % 64 + (0.2 + 0.3 * Math.floor(i / 64) / 64) * value);
  const { bytes } = structureOf(wasm, pixels, size);
  assert(correlation(pixels, relit) < 0.8);
  assert(correlation(bytes, structureOf(wasm, relit, size).bytes) > 0.97);
  assert(correlation(bytes, structureOf(wasm, noise(64 * 64, 2), size).bytes) < 0.1);
});

Deno.test("structure: odd sides, one pixel, flat images and channels", () => {
  for (const [height, width] of [[1, 1], [5, 7], [35, 3]]) {
    const { bytes, ...size } = structureOf(wasm, new Uint8Array(height * width).fill(9), {
      height,
      width,
      channels: 1,
    });
    assertEquals(size, height > 32 ? { height: 18, width: 2 } : { height, width });
    assert(bytes.every((value) => value === 128));
  }
  for (const side of [16, 40]) {
    const size = { height: side, width: side };
    const [red, green, blue] = [1, 2, 3].map((seed) => noise(side * side, seed));
    const colour = structureOf(wasm, new Uint8Array([...red, ...green, ...blue]), { ...size, channels: 3 });
    const channels = [red, green, blue].map((one) => structureOf(wasm, one, { ...size, channels: 1 }).bytes);
    assertEquals([...colour.bytes], channels.flatMap((bytes) => [...bytes]));
    assert(new Set(colour.bytes).size > 20);
  }
});

Deno.test("structure: the kernels and their twin give the same bytes", () => {
  const size = { height: 31, width: 40, channels: 1 };
  const pixels = noise(31 * 40);
  assertEquals(structureOf(wasm, pixels, size).bytes, structureOf(twin, pixels, size).bytes);
});

Deno.test("structureSteps: its work is counted, and it pauses after each tenth of a millisecond", () => {
  const size = { height: 40, width: 36, channels: 1 }, count = 30, values = count * 40 * 36, mark = wasm.mark();
  const rows = { ...size, count, at: put(wasm, noise(values)) } as Rows, before = wasm.workDone();
  let pauses = 0, mostAtOnce = 0, last = before;
  for (const _ of structureSteps(wasm, rows)) {
    pauses++;
    mostAtOnce = Math.max(mostAtOnce, wasm.workDone() - last);
    last = wasm.workDone();
  }
  assert(wasm.workDone() - before >= structureWork(values));
  assert(pauses >= count / 3 && mostAtOnce < 2 * MIN_STEP, `${pauses} pauses, ${mostAtOnce}`);
  wasm.release(mark);
});
