/** The draw by estimates against the draw by exact weights, which is its twin. */
import { assertEquals } from "@std/assert";
import { type CandidateLists, type Kernels, sampleScratch } from "../../core/kernels.ts";
import { bytes, floats, put, twin, wasm } from "../kernels_under_test.ts";

interface Question {
  readonly found: number;
  readonly patch?: number;
  readonly channels?: number;
  readonly perHigh?: number;
  readonly penalized?: boolean;
  /** The least and the largest measurement. */
  readonly range?: readonly [number, number];
  readonly batch?: number;
}

const PER_LOW = 2e-8;

/** Candidates among 40 HR images of 14 x 12 pixels, 2 segments, their measurements and uniform numbers. */
function asked(kernels: Kernels, question: Question, numbers?: (b: number) => number) {
  const { found, patch = 6, channels = 1, penalized = true, range = [-0.2, 1.2], batch = 3 } = question;
  const count = 40, width = 12, plane = 14 * width, stride = channels * plane, values = batch * channels * patch ** 2;
  const random = floats(found + patch, 2 * batch * found);
  const keys = Uint32Array.from(random, (u, i) => i % 2 === 0 ? Math.floor(u * 2 * count) : Math.floor(u * 1e8));
  const lists: CandidateLists = {
    weights: kernels.allocate(batch * found * 8),
    capacity: found,
    found,
    batch,
    keys: put(kernels, keys),
    rows: put(kernels, bytes(patch, count * stride)),
    count,
    stride,
    channels,
    plane,
    width,
    corners: put(kernels, Uint32Array.of(width + 2, 0)),
    patch,
    penalties: penalized ? put(kernels, Float64Array.from(floats(5, count, -3, 3))) : 0,
  };
  const measured = put(kernels, floats(found, values, ...range));
  const uniform = put(kernels, Float64Array.from({ length: batch }, (_, b) => numbers?.(b) ?? random[b]));
  return { lists, measured, uniform, scratch: kernels.allocate(sampleScratch(channels, patch, found)) };
}

function drawn(kernels: Kernels, question: Question, numbers?: (b: number) => number): number[] {
  const { batch = 3, perHigh = 1e-5 } = question, height = kernels.mark();
  const { lists, measured, uniform, scratch } = asked(kernels, question, numbers), out = kernels.allocate(4 * batch);
  kernels.sample(lists, measured, PER_LOW, perHigh, uniform, scratch, out);
  const result = [...kernels.i32(out, batch)];
  kernels.release(height);
  return result;
}

/** What the exact weights draw. */
function exactly(question: Question, numbers?: (b: number) => number): number[] {
  const { batch = 3, perHigh = 1e-5 } = question, height = wasm.mark();
  const { lists, measured, uniform } = asked(wasm, question, numbers), out = wasm.allocate(4 * batch);
  wasm.logPosterior(lists, measured, PER_LOW, perHigh);
  wasm.categorical(lists, uniform, out);
  const result = [...wasm.i32(out, batch)];
  wasm.release(height);
  return result;
}

function assertSameDraws(question: Question, numbers?: (b: number) => number): void {
  assertEquals(drawn(wasm, question, numbers), exactly(question, numbers), JSON.stringify(question));
}

Deno.test("sample: draws what the exact weights draw, for any number of candidates, patch and channels", () => {
  for (const found of [1, 15, 16, 17, 31, 32, 33, 100]) {
    for (const [patch, channels] of [[2, 1], [4, 3], [6, 1], [6, 3], [8, 1], [10, 1]]) {
      for (const penalized of [false, true]) {
        const question = { found, patch, channels, penalized };
        assertEquals(drawn(wasm, question), drawn(twin, question), JSON.stringify(question));
      }
    }
  }
});

Deno.test("sample: draws what the exact weights draw, for any weight of the HR distance", () => {
  for (const perHigh of [0, 7.5e-9, 2.4e-7, 7.7e-6, 2.5e-4, 0.1]) {
    for (const range of [[-0.2, 1.2], [0.4, 0.6], [0, 0], [-3, 5], [-1e9, 1e9]] as const) {
      assertSameDraws({ found: 200, perHigh, range });
    }
  }
});

/** The cumulative weights of the first image's candidates as parts of their sum. */
function cumulative(question: Question): number[] {
  const height = wasm.mark(), { lists, measured } = asked(wasm, question);
  wasm.logPosterior(lists, measured, PER_LOW, question.perHigh ?? 1e-5);
  const logs = [...wasm.f64(lists.weights, question.found)], best = Math.max(...logs);
  wasm.release(height);
  let sum = 0;
  const sums = logs.map((log) => sum += Math.exp(log - best));
  return sums.map((part) => part / sum);
}

Deno.test("sample: draws what the exact weights draw where a number falls between two candidates", () => {
  for (const perHigh of [7.5e-9, 7.7e-6, 2.5e-4]) {
    const question = { found: 60, perHigh, batch: 1 }, parts = cumulative(question);
    for (const part of [0, ...parts.filter((_, c) => c % 5 === 0), 1]) {
      for (const off of [-1e-5, -1e-7, -1e-9, -1e-12, 0, 1e-12, 1e-9, 1e-7, 1e-5]) {
        assertSameDraws(question, () => Math.min(Math.max(part + off, 0), 1 - 2 ** -53));
      }
    }
  }
});

Deno.test("sample: 4000 draws are those of the exact weights", () => {
  for (const perHigh of [7.5e-9, 2.4e-7, 7.7e-6, 2.5e-4]) {
    const question = { found: 500, perHigh, batch: 100 };
    for (let seed = 0; seed < 10; seed++) {
      const numbers = floats(seed, 100);
      assertSameDraws(question, (b) => numbers[b]);
    }
  }
});
