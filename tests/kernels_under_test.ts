/** The kernels and their twin side by side, with what their tests share: a memory each, inputs, comparison. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Matrix } from "ml-matrix";
import { type Address, kernelMemory, type Kernels, loadKernels, searchScratch, withMemory } from "../core/kernels.ts";
import { stream } from "../core/random.ts";
import { referenceKernels } from "../core/reference.ts";

/** A committed module, compiled. */
export function compiled(name: "kernels.wasm" | "kernels.shared.wasm"): WebAssembly.Module {
  return new WebAssembly.Module(Deno.readFileSync(new URL(`../assembly/${name}`, import.meta.url)));
}

export const wasm = loadKernels(compiled("kernels.wasm"));
const twinMemory = kernelMemory();
/** Its allocations start where the module's do, so that tables of addresses are the same bytes too. */
export const twin = withMemory(referenceKernels(twinMemory), twinMemory, { from: wasm.mark(), to: 2 ** 32 });

/** What a test does with the kernels or the twin. `scratch` has SCRATCH bytes, which are not compared. */
export type Job = (kernels: Kernels, scratch: Address) => unknown;

const SCRATCH = 9 << 16;
/** The most bytes that a job may allocate beside the scratch. */
const REGION = 1 << 20;

/**
 * Runs a job in memory full of 255 (bytes that change any sum, floats that are NaN), so that no kernel relies on zeros behind an
 * array. Returns the job's result and the whole region after it. `level` is the least address that the job gets.
 */
function run(kernels: Kernels, job: Job, level = kernels.mark()): { result: unknown; region: Int32Array } {
  const height = kernels.mark();
  try {
    kernels.allocate(level - height);
    const scratch = kernels.allocate(SCRATCH), from = kernels.mark();
    kernels.allocate(REGION);
    kernels.u8(from, REGION).fill(255);
    kernels.release(from);
    const result = job(kernels, scratch);
    assert(kernels.mark() <= from + REGION, "A job must stay within the region that is compared");
    return { result, region: kernels.i32(from, REGION / 4) };
  } finally {
    kernels.release(height);
  }
}

/** Asserts that a job gives the same result and leaves the same bytes in all memory it could touch but the scratch. */
export function assertSame(job: Job): void {
  // Other tests may have left allocations in one of the memories. Tables of addresses are the same bytes only from the same address on.
  const level = Math.max(wasm.mark(), twin.mark()), a = run(wasm, job, level), b = run(twin, job, level);
  assertEquals(a.result, b.result);
  for (let i = 0; i < a.region.length; i++) {
    if (a.region[i] !== b.region[i]) {
      throw new Error(
        `Byte ${4 * i} (or the next three): ${hex(a.region[i])} from wasm, ${hex(b.region[i])} from the twin`,
      );
    }
  }
}

function hex(word: number): string {
  return `0x${(word >>> 0).toString(16).padStart(8, "0")}`;
}

/** Registers a test of the kernels and the same test of the twin. */
export function testBoth(title: string, job: Job): void {
  for (const [name, kernels] of [["wasm", wasm], ["twin", twin]] as const) {
    Deno.test(`${title} (${name})`, () => void run(kernels, job));
  }
}

/** Checks a property from a fixed seed, so that the test is reproducible. */
export function check<T>(inputs: fc.Arbitrary<T>, runs: number, property: (input: T) => void): void {
  fc.assert(fc.property(inputs, property), { numRuns: runs, seed: 2016 });
}

/** Lengths where kernels break: 0, 1, and one less than a vector, a vector, one more. */
export const LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65];
/** Batches where kernels break: around a tile of four queries. */
export const BATCHES = [0, 1, 3, 4, 5, 8, 9];

/** Copies numbers into new kernel memory. */
export function put(kernels: Kernels, values: Uint8Array | Int16Array | Uint32Array | Float32Array | Float64Array) {
  const at = kernels.allocate(values.byteLength);
  kernels.u8(at, values.byteLength).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return at;
}

/** `length` numbers in [low, high), the same for the same seed. */
export function floats(seed: number, length: number, low = 0, high = 1): Float32Array {
  const random = stream(seed);
  return Float32Array.from({ length }, () => low + random.next() * (high - low));
}

/** `length` bytes, the same for the same seed. */
export function bytes(seed: number, length: number): Uint8Array {
  const random = stream(seed);
  return Uint8Array.from({ length }, () => random.next() * 256);
}

/** `length` numbers from `low` to `high`, both included. */
export function range(low: number, high: number, length = 20000): number[] {
  return Array.from({ length }, (_, i) => low + (high - low) * i / (length - 1));
}

/** Asserts that numbers are what they should be within a tolerance. */
export function assertClose(actual: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number, what = "number") {
  assertEquals(actual.length, wanted.length);
  for (let i = 0; i < wanted.length; i++) assertAlmostEquals(actual[i], wanted[i], tolerance, `${what} ${i}`);
}

/** Pearson's statistic of counts against expected counts. */
export function chiSquare(counts: ArrayLike<number>, wanted: readonly number[]): number {
  return wanted.reduce((sum, want, i) => sum + (counts[i] - want) ** 2 / want, 0);
}

/** Runs a kernel from images of side `from` to images of side `to`. */
export function resample(
  kernels: Kernels,
  name: "down" | "downTransposed" | "up",
  images: Float32Array,
  from: number,
  to: number,
) {
  const count = images.length / (from * from), out = kernels.allocate(4 * count * to * to);
  kernels[name](put(kernels, images), out, Math.max(from, to), Math.max(from, to), count);
  return kernels.f32(out, count * to * to).slice();
}

/** The matrix of a kernel, from its images of the unit vectors, which are its columns. */
export function matrixOf(kernels: Kernels, name: "down" | "downTransposed", from: number, to: number): Matrix {
  const height = kernels.mark(), columns = resample(kernels, name, identity(from * from), from, to);
  kernels.release(height);
  return Matrix.from1DArray(from * from, to * to, columns).transpose();
}

function identity(length: number): Float32Array {
  return Float32Array.from({ length: length * length }, (_, i) => i % (length + 1) === 0 ? 1 : 0);
}

/** The input of `search`: `examples[segment][plane]` has a byte for each example, `queries[b]` a number for each plane. */
export interface Question {
  examples: readonly (readonly Uint8Array[])[];
  scale: readonly number[];
  queries: readonly (readonly number[])[];
  k: number;
  /** The value of the bytes behind a plane's end and of those of a run that do not count: they are read and must not matter. */
  behind?: number;
  /** Whether examples are also given as runs. */
  runs?: boolean;
  /** What examples are projected on first. */
  axes?: readonly (readonly number[])[];
  /** For each query the indices of some examples that may be near, all different. */
  hints?: readonly (readonly number[])[];
  /** For each query the part of every example's distance that is known. */
  known?: readonly (readonly number[])[];
}

/** Random examples and queries of `levels` grey levels: the fewer, the more ties. */
export function question(
  seed: number,
  shape: { segments: number; planes: number; count: number; batch: number; k: number; levels?: number; most?: number },
): Question {
  const { segments, planes, count, batch, k, levels = 256, most = 20 } = shape, random = stream(seed);
  const byte = () => Math.floor(random.next() * levels);
  const many = <T>(length: number, make: () => T) => Array.from({ length }, make);
  const scale = many(planes, () => Math.floor(random.next() * (most + 1)));
  return {
    examples: many(segments, () => many(planes, () => Uint8Array.from(many(count, byte)))),
    scale,
    queries: many(batch, () => scale.map((factor) => Math.floor(random.next() * factor * (levels - 1)))),
    k,
  };
}

/** Copies planes into kernel memory and returns the address of the table of their addresses. */
export function putPlanes(kernels: Kernels, examples: Question["examples"], behind = 255): Address {
  return put(kernels, Uint32Array.from(examples.flat().map((plane) => putPlane(kernels, plane, behind))));
}

function putPlane(kernels: Kernels, plane: Uint8Array, behind: number): Address {
  const padded = new Uint8Array(Math.ceil(plane.length / 16) * 16).fill(behind);
  padded.set(plane);
  return put(kernels, padded);
}

/** The planes of each run, up to eight: in another order than that of the planes, with gaps. */
function planesOfRuns(planes: number): (number | undefined)[][] {
  const inRun = (run: number) => Array.from({ length: 8 }, (_, lane) => run * 7 + lane - 1);
  const runs = Array.from({ length: Math.ceil(planes / 7) }, (_, run) => inRun(run)).reverse();
  return runs.map((run) => run.map((p, lane) => lane > 0 && p >= 0 && p < planes ? p : undefined));
}

/** Copies a segment's examples into kernel memory as runs; returns the addresses of the first example's. */
function putRuns(kernels: Kernels, planes: readonly Uint8Array[], stride: number, behind: number): Address[] {
  const count = planes[0].length,
    runs = planesOfRuns(planes.length),
    bytes = new Uint8Array(count * stride).fill(behind);
  for (let j = 0; j < count; j++) {
    runs.flat().forEach((p, i) => p === undefined || (bytes[j * stride + i] = planes[p][j]));
  }
  const at = put(kernels, bytes);
  return runs.map((_, r) => at + 8 * r);
}

/** Runs `search`. Returns what each query got, nearest first. */
export function ask(kernels: Kernels, scratch: Address, question: Question) {
  const { examples, scale, queries, k, behind = 255 } = question, count = examples[0][0].length, batch = queries.length;
  const runs = question.runs ? planesOfRuns(scale.length) : [], stride = runs.length * 8 + 3;
  const addresses = examples.flatMap((planes) => {
    const inRuns = runs.length > 0 ? putRuns(kernels, planes, stride, behind) : [];
    return [...planes.map((plane) => putPlane(kernels, plane, behind)), ...inRuns];
  });
  const inOrder = (
    values: readonly number[],
  ) => [...values, ...runs.flat().map((p) => p === undefined ? 0 : values[p])];
  const table = put(kernels, Uint32Array.from(addresses)), scales = put(kernels, Int16Array.from(inOrder(scale)));
  const wanted = put(kernels, Int16Array.from(queries.flatMap(inOrder))), out = kernels.allocate(batch * k * 8);
  const known = question.known ? put(kernels, Uint32Array.from(question.known.flat())) : 0;
  const keys = question.hints?.flatMap((indices) => Array.from({ length: k }, (_, n) => [indices[n] ?? 2 ** 31, 0]));
  const axes = question.axes ? put(kernels, Int16Array.from(question.axes.flat())) : 0;
  const features = question.axes?.length ?? 0;
  const hints = keys ? put(kernels, Uint32Array.from(keys.flat())) : 0;
  assert(searchScratch(scale.length, batch, k) <= SCRATCH, "The scratch is too small for this question");
  const shape = { planes: scale.length, runs: runs.length, stride, count, segments: examples.length, batch };
  const found = kernels.search(
    { table, scale: scales, queries: wanted, ...shape, known, axes, features, scratch },
    k,
    hints,
    out,
  );
  const words = kernels.u32(out, batch * k * 2);
  return queries.map((_, b) =>
    Array.from({ length: found }, (_, n) => ({ index: words[2 * (b * k + n)], distance: words[2 * (b * k + n) + 1] }))
  );
}
