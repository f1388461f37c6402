/** The memory of the kernels, and every kernel against its twin: the same bytes, at the lengths where kernels break. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { type CandidateLists, kernelMemory, type Kernels, loadKernels } from "../../core/kernels.ts";
import { referenceKernels } from "../../core/reference.ts";
import {
  ask,
  assertSame,
  BATCHES,
  bytes,
  check,
  compiled,
  floats,
  LENGTHS,
  put,
  putPlanes,
  question,
  wasm,
} from "../kernels_under_test.ts";

const PATCHES = [2, 4, 6, 8, 10, 16];
/** Layers that hold a 16 pixel patch, with a width that is not its multiple. */
const SIZE = 18, HEIGHT = 21, PLANE = HEIGHT * SIZE;

Deno.test("allocate: addresses are multiples of 16, apart, and 64 bytes behind the end can be read", () => {
  const kernels = loadKernels(compiled("kernels.wasm"));
  let end = 0;
  for (const length of LENGTHS) {
    const at = kernels.allocate(length);
    assertEquals(at % 16, 0);
    assert(at >= end, `${at} lies within what was allocated before, up to ${end}`);
    end = at + length + 64;
  }
  // To the very end of the memory: the bytes behind it need another page.
  const length = kernels.memory.buffer.byteLength - kernels.mark(), at = kernels.allocate(length);
  assertEquals(kernels.u8(at + length, 64).length, 64);
});

Deno.test("allocate: bytes are zero, also where something was before", () => {
  const kernels = referenceKernels(), height = kernels.mark();
  for (const length of [65, 64, 1000]) {
    const at = kernels.allocate(length);
    assertEquals(at, height);
    assertEquals(kernels.u8(at, length), new Uint8Array(length));
    kernels.u8(at, length + 64).fill(255);
    kernels.release(height);
  }
});

Deno.test("allocate: bytes that are not cleared hold what was there before", () => {
  const kernels = referenceKernels(), mark = kernels.mark(), before = put(kernels, bytes(3, 100));
  const expected = kernels.u8(before, 100).slice();
  kernels.release(mark);
  assertEquals(kernels.u8(kernels.allocate(100, { cleared: false }), 100), expected);
});

Deno.test("allocate: memory grows and keeps its contents", () => {
  const kernels = loadKernels(compiled("kernels.wasm")), before = kernels.memory.buffer.byteLength;
  const first = put(kernels, bytes(1, 100)), second = kernels.allocate(3 * before);
  assert(kernels.memory.buffer.byteLength >= second + 3 * before + 64);
  assertEquals(kernels.u8(first, 100), bytes(1, 100));
  assertEquals(kernels.u8(second, 3 * before).every((byte) => byte === 0), true);
});

Deno.test("allocate: beyond 4 GiB is an error in one sentence that takes nothing", () => {
  const kernels = referenceKernels(), size = kernels.memory.buffer.byteLength, bottom = kernels.mark();
  kernels.allocate(100);
  const height = kernels.mark();
  for (const length of [2 ** 32, 2 ** 32 - height - 63, Infinity, -1, NaN]) {
    assertThrows(
      () => kernels.allocate(length),
      RangeError,
      `Cannot allocate ${length} bytes of kernel memory: ${2 ** 32 - height} of ${2 ** 32 - bottom} are free`,
    );
  }
  assertEquals([kernels.mark(), kernels.memory.buffer.byteLength], [height, size]);
});

Deno.test("mark and release: a stack", () => {
  const kernels = referenceKernels(), bottom = kernels.mark(), first = kernels.allocate(10);
  const height = kernels.mark(), second = kernels.allocate(1000);
  assert(height > first && second >= height);
  kernels.release(height);
  assertEquals(kernels.allocate(1), second);
  kernels.release(bottom);
  assertEquals([kernels.mark(), kernels.allocate(1)], [bottom, first]);
});

Deno.test("loadKernels: allocates behind the module's data, or in the range it is given and not beyond", () => {
  const memory = kernelMemory(), module = compiled("kernels.wasm");
  assert(loadKernels(module, memory).mark() > 0);
  const kernels = loadKernels(module, memory, { from: 4096, to: 8192 });
  assertEquals(kernels.allocate(1000), 4096 + 176); // behind the room for the arguments of a call
  const height = kernels.mark(), rest = 8192 - height - 64;
  assertThrows(() => kernels.allocate(rest + 1), RangeError, `${8192 - height} of 4096 are free`);
  assertEquals(kernels.allocate(rest), height);
});

Deno.test("reserve: views stay attached while allocations stay below", () => {
  const kernels = loadKernels(compiled("kernels.wasm")), end = 3 * kernels.memory.buffer.byteLength;
  kernels.reserve(end);
  const view = kernels.u8(kernels.allocate(10), 10);
  kernels.allocate(end - kernels.mark() - 64);
  assertEquals(view.length, 10);
  kernels.allocate(1);
  assertEquals(view.length, 0);
});

Deno.test("views: the address of a view is its byteOffset", () => {
  const { u8, i16, i32, u32, f32, f64, allocate } = wasm, height = wasm.mark(), at = allocate(64);
  for (const view of [u8(at, 2), i16(at, 2), i32(at, 2), u32(at, 2), f32(at, 2), f64(at, 2)]) {
    assertEquals([view.byteOffset, view.length], [at, 2]);
  }
  wasm.release(height);
});

/** Registers a test that a job, on each of the inputs, does the same on the kernels and the twin. */
function same<T>(title: string, inputs: Iterable<T>, job: (kernels: Kernels, input: T, scratch: number) => unknown) {
  Deno.test(`same bytes: ${title}`, () => {
    for (const input of inputs) assertSame((kernels, scratch) => job(kernels, input, scratch));
  });
}

/** All pairs. */
function pairs<A, B>(a: readonly A[], b: readonly B[]): [A, B][] {
  return a.flatMap((x) => b.map((y): [A, B] => [x, y]));
}

same("expInPlace, logInPlace at every length", LENGTHS, (kernels, length) => {
  const numbers = Float64Array.from(floats(length, length, 0, 30));
  kernels.expInPlace(put(kernels, numbers.map((x) => x - 20)), length);
  kernels.logInPlace(put(kernels, numbers), length);
});

Deno.test("same bytes: expInPlace, logInPlace of any double", () => {
  check(fc.float64Array({ noNaN: true, minLength: 1, maxLength: 40 }), 200, (numbers) => {
    assertSame((kernels) => {
      const small = numbers.map((x) => x % 1000), positive = numbers.map(Math.abs);
      kernels.expInPlace(put(kernels, small.map((x) => Number.isNaN(x) ? 0 : x)), numbers.length);
      kernels.expInPlace(put(kernels, numbers), numbers.length);
      kernels.logInPlace(put(kernels, positive), numbers.length);
    });
  });
});

Deno.test("same bytes: uniforms at every batch, of any words", () => {
  const word = fc.integer({ min: 0, max: 0xffffffff });
  for (const batch of BATCHES) {
    const inputs = fc.tuple(fc.uint32Array({ minLength: batch, maxLength: batch }), word, word, word, word, word);
    check(inputs, 10, ([images, low, high, stage, location, draw]) => {
      assertSame((kernels) => {
        kernels.uniforms(low, high, put(kernels, images), batch, stage, location, draw, kernels.allocate(8 * batch));
      });
    });
  }
});

/** Heights and widths. */
const SIZES = [[2, 2], [4, 4], [6, 6], [8, 8], [10, 10], [16, 16], [32, 32], [2, 8], [10, 4], [6, 16]];

same("down, downTransposed, up", pairs(SIZES, [0, 1, 3]), (kernels, [[height, width], count]) => {
  const large = count * height * width, small = large / 4;
  kernels.down(put(kernels, floats(width, large)), kernels.allocate(4 * small), height, width, count);
  kernels.downTransposed(put(kernels, floats(width, small, -1)), kernels.allocate(4 * large), height, width, count);
  kernels.up(put(kernels, floats(width, small)), kernels.allocate(4 * large), height, width, count);
});

same("toUnit, toBytes, clamp", LENGTHS, (kernels, length) => {
  kernels.toUnit(put(kernels, bytes(length, length)), kernels.allocate(4 * length), length);
  const wide = put(kernels, floats(length, length, -1, 2));
  kernels.toBytes(wide, kernels.allocate(length), length);
  kernels.clamp(wide, length);
});

Deno.test("same bytes: toBytes, clamp of any float and of those around the halves between two bytes", () => {
  const halves = Float32Array.from({ length: 7 * 256 }, (_, i) => (Math.floor(i / 7) + 0.5) / 255);
  // Where one rounding more or less shows: up to three floats to either side.
  new Int32Array(halves.buffer).forEach((word, i, words) => words[i] = word + i % 7 - 3);
  const job = (numbers: Float32Array) =>
    assertSame((kernels) => {
      const values = put(kernels, numbers);
      kernels.toBytes(values, kernels.allocate(numbers.length), numbers.length);
      kernels.clamp(values, numbers.length);
    });
  job(halves);
  check(fc.float32Array({ noNaN: true, maxLength: 40 }), 200, job);
});

same("toPlanes", pairs(LENGTHS, [1, 3, 4, 25]), (kernels, [count, pixels]) => {
  const stride = Math.ceil(count / 8) * 8, planes = kernels.allocate(pixels * stride);
  kernels.u8(planes, pixels * stride).fill(77);
  kernels.toPlanes(put(kernels, bytes(count, count * pixels)), count, pixels, planes, stride);
});

same("toQueries of pixels inside and outside [0, 1]", pairs(BATCHES, [2, 4, 6, 24]), (kernels, [batch, planes]) => {
  const pixels = 30, images = put(kernels, floats(batch, batch * pixels, -0.5, 1.5));
  const at = put(kernels, Uint32Array.from({ length: planes }, (_, p) => p * 7 % pixels));
  const scale = put(kernels, Int16Array.from({ length: planes }, (_, p) => p === 0 ? 128 : 128 % (p + 1)));
  kernels.toQueries(images, pixels, batch, at, scale, planes, kernels.allocate(batch * planes * 2));
});

/** k = 1, some, all and more than there are. */
const NEIGHBOURS = [() => 1, () => 5, (all: number) => all || 1, (all: number) => all + 7];

same("search at every count and batch", pairs(pairs(LENGTHS, BATCHES), NEIGHBOURS), (kernels, input, scratch) => {
  const [[count, batch], neighbours] = input;
  const planes = [2, 4, 6, 24][(count + batch) % 4], segments = 1 + (count + batch) % 3;
  const k = neighbours(segments * count);
  return ask(kernels, scratch, question(count, { segments, planes, count, batch, k }));
});

Deno.test("same bytes: search with few grey levels (ties), any shape", () => {
  const shape = fc.record({
    segments: fc.integer({ min: 1, max: 4 }),
    planes: fc.integer({ min: 1, max: 5 }).map((half) => 2 * half),
    count: fc.integer({ min: 0, max: 150 }),
    batch: fc.integer({ min: 0, max: 9 }),
    k: fc.integer({ min: 1, max: 40 }),
    levels: fc.constantFrom(1, 2, 3, 256),
    most: fc.integer({ min: 1, max: 50 }),
  });
  check(fc.tuple(shape, fc.nat(1000)), 150, ([shape, seed]) => {
    assertSame((kernels, scratch) => ask(kernels, scratch, question(seed, shape)));
  });
});

same(
  "addDistances and leaveOut at every count and batch",
  pairs(LENGTHS, BATCHES),
  (kernels, [count, batch], scratch) => {
    const segments = 1 + (count + batch) % 3, planes = [2, 4, 6, 24][(count + batch) % 4];
    const { examples, scale, queries } = question(count, { segments, planes, count, batch, k: 1 });
    const length = batch * segments * count, table = putPlanes(kernels, examples);
    const scales = put(kernels, Int16Array.from(scale)), wanted = put(kernels, Int16Array.from(queries.flat()));
    const [first, second, rest] = [0, 1, 2].map(() => kernels.allocate(length * 4));
    const comparison = { table, scale: scales, queries: wanted, planes, count, segments, batch, scratch };
    kernels.addDistances(comparison, first);
    kernels.addDistances({ ...comparison, known: first }, second);
    kernels.leaveOut(second, count % 2 === 0 ? 0 : first, first, length, rest);
  },
);

/** Candidates among 9 HR images of HEIGHT x SIZE in some channels, as `search` would have left them: 3 segments. */
function candidates(
  kernels: Kernels,
  patch: number,
  batch: number,
  channels: number,
  found = CAPACITY,
): CandidateLists {
  const count = 9, random = floats(patch + batch, 2 * batch * CAPACITY), keys = new Uint32Array(random.length);
  for (let n = 0; n < random.length; n += 2) keys.set([random[n] * 3 * count, random[n + 1] * 2 ** 31], n);
  const last = SIZE - patch;
  return {
    weights: put(kernels, Float64Array.from(floats(patch, batch * CAPACITY, -3, 3))),
    capacity: CAPACITY,
    found,
    batch,
    keys: put(kernels, keys),
    rows: put(kernels, bytes(patch, count * channels * PLANE)),
    count,
    stride: channels * PLANE,
    channels,
    plane: PLANE,
    width: SIZE,
    corners: put(kernels, Uint32Array.of(0, last * SIZE + last, Math.min(1, last) * SIZE + last)),
    patch,
  };
}

/** The room of an image's list of candidates. */
const CAPACITY = 6;

/** Values of the patches of a batch. */
function valuesOf({ batch, channels, patch }: CandidateLists): number {
  return batch * channels * patch * patch;
}

same("logPosterior", pairs(pairs(PATCHES, BATCHES), [0, 1, 5, 6]), (kernels, [[patch, batch], found]) => {
  const lists = candidates(kernels, patch, batch, 1 + (batch + found) % 3, found);
  kernels.logPosterior(lists, put(kernels, floats(batch, valuesOf(lists), -0.3, 1.3)), 1e-7, 1 / 300);
});

same("takePatches", pairs(PATCHES, BATCHES), (kernels, [patch, batch]) => {
  const lists = candidates(kernels, patch, batch, 1 + batch % 3);
  const drawn = put(kernels, Uint32Array.from({ length: batch }, (_, b) => b * 5 % CAPACITY));
  kernels.takePatches(lists, drawn, kernels.allocate(valuesOf(lists) * 4), kernels.allocate(batch * 8));
});

same("categorical", pairs(BATCHES, [1, 2, 9]), (kernels, [batch, found]) => {
  for (const spread of [0, 1, 50, 2000]) {
    const weights = put(kernels, Float64Array.from(floats(spread, batch * 9, -spread, spread)));
    const uniform = put(kernels, Float64Array.from(floats(batch, batch)));
    kernels.categorical({ weights, capacity: 9, found, batch }, uniform, kernels.allocate(4 * batch));
  }
});

same("likeliest", pairs(BATCHES, [1, 2, 9]), (kernels, [batch, found]) => {
  // Halves have ties.
  const weights = put(kernels, Float64Array.from(floats(found, batch * 9, -4, 0), (w) => Math.round(2 * w) / 2));
  kernels.likeliest({ weights, capacity: 9, found, batch }, kernels.allocate(4 * batch));
});

same("meanPatches", pairs(pairs(PATCHES, BATCHES), [1, 5, 6]), (kernels, [[patch, batch], found]) => {
  const lists = candidates(kernels, patch, batch, 1 + (batch + found) % 3, found);
  kernels.meanPatches(lists, kernels.allocate(valuesOf(lists) * 4));
});

same("measurements, merge, updateDual", pairs(PATCHES, BATCHES), (kernels, [patch, batch]) => {
  const images = put(kernels, floats(1, batch * PLANE)), patches = put(kernels, floats(2, batch * patch * patch));
  const dual = put(kernels, floats(3, batch * patch * patch, -1)),
    weights = put(kernels, floats(4, patch * patch, 0, 3));
  for (const corner of [0, (SIZE - patch) * (SIZE + 1)]) {
    kernels.measurements(images, HEIGHT, SIZE, batch, corner, patch, dual, kernels.allocate(4 * batch * patch * patch));
    kernels.updateDual(images, HEIGHT, SIZE, batch, corner, patch, patches, dual);
    kernels.merge(images, HEIGHT, SIZE, batch, corner, patch, patches, dual, weights);
  }
});

same("solve", pairs(pairs(SIZES, [0, 1, 3]), [0, 0.3, 1000]), (kernels, [[[height, width], batch], ratio], scratch) => {
  const pixels = height * width,
    diagonal = floats(4, batch * pixels).map((own, i) => i * 7 % 5 + (i % 3 ? 0 : 9 * own));
  const sums = floats(1, batch * pixels, -1, 4).map((sum, i) => diagonal[i] * sum);
  const images = put(kernels, floats(2, batch * pixels)), low = put(kernels, floats(3, batch * pixels / 4));
  const [right, own] = [put(kernels, sums), put(kernels, diagonal)];
  const system = { images, sums: right, diagonal: own, lr: low, height, width, batch, scratch };
  return kernels.solve(system, ratio, 1e-4, 25);
});

same("distances", pairs(pairs(BATCHES, [0, 1, 5]), [...LENGTHS, 16385]), (kernels, [[batch, count], length]) => {
  const queries = put(kernels, bytes(1, batch * length)), rows = put(kernels, bytes(2, count * length));
  kernels.distances(queries, batch, rows, count, length, kernels.allocate(8 * batch * count));
});

same("parzen", pairs(pairs(BATCHES, LENGTHS), [1e-5, 1 / 3000, 1]), (kernels, [[batch, count], per], scratch) => {
  const segments = 1 + count % 3, planes = [2, 4, 24][batch % 3], pixels = 30;
  const { examples } = question(count, { segments, planes, count, batch, k: 1 });
  const at = put(kernels, Uint32Array.from({ length: planes }, (_, p) => p * 7 % pixels));
  const table = putPlanes(kernels, examples), images = put(kernels, bytes(batch, batch * pixels));
  const out = kernels.allocate(8 * batch);
  kernels.parzen({ table, numbers: at, planes, count, segments, images, pixels, batch, scratch }, per, out);
});
