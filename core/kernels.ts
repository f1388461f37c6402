/**
 * The kernels and the memory they work in. `loadKernels` puts the WebAssembly over a memory; `referenceKernels`, in
 * `reference.ts`, the twin.
 */
import { countingWork, PER_ALLOCATED, type WorkCounter } from "./kernel_work.ts";
import { type Views, viewsOf } from "./views.ts";
import type { KernelFunctions } from "./kernel_functions.ts";
import type {
  Address,
  CandidateLists,
  Comparison,
  Correlation,
  DetailCandidates,
  LocalScore,
  MergeSystem,
  ParzenWindow,
  WeightLists,
} from "./kernel_arguments.ts";

export type { WorkCounter } from "./kernel_work.ts";
export type { Views } from "./views.ts";
export type { KernelFunctions } from "./kernel_functions.ts";
export type * from "./kernel_arguments.ts";
export { correlationScratch, localScoreScratch, sampleScratch, searchScratch } from "./kernel_limits.ts";

/** The kernels over one memory. */
export interface Kernels extends KernelFunctions, KernelMemory {}

/** Kernel memory with a stack of allocations: `mark`, `allocate`, `release`; and the counter of the work that is done in it. */
export interface KernelMemory extends Views, WorkCounter {
  /** The memory itself. */
  readonly memory: WebAssembly.Memory;
  /**
   * Allocates bytes at a multiple of 16, with 64 readable bytes behind them. They are 0, unless `cleared` is false: such bytes hold
   * anything, and are for what is written before it is read.
   * @throws {RangeError} if the range has no room for them
   */
  allocate(bytes: number, how?: { readonly cleared: boolean }): Address;
  /** Grows the memory to at least `end` bytes, so that views taken afterwards stay valid for longer. */
  reserve(end: number): void;
  /** Returns the present height of the stack of allocations. */
  mark(): number;
  /** Frees everything allocated since `mark` returned `height`. */
  release(height: number): void;
}

/** The most pages of 64 KiB that a memory may have. */
const MAX_PAGES = 65536;
/** The most bytes that a memory may have: WebAssembly's 4 GiB. */
export const MAX_BYTES = MAX_PAGES * 65536;
/** The custom section of a kernel module that holds the hash of the code before it: a compiled module does not show its bytes. */
export const HASH_SECTION = "sha256";
/** Kernels load up to this many bytes beyond an array's end, and ignore them. */
const SLACK = 64;

/**
 * A memory of 1 MiB, which grows, for `loadKernels` or the twin. A shared one, for the shared module, can be posted to workers.
 */
export function kernelMemory(options: { shared?: boolean } = {}): WebAssembly.Memory {
  return new WebAssembly.Memory(
    options.shared ? { initial: 16, maximum: MAX_PAGES, shared: true } : { initial: 16, maximum: MAX_PAGES },
  );
}

/** The addresses between which one instance allocates. Several instances on one memory need ranges that do not overlap. */
export interface MemoryRange {
  /** The first byte. */
  readonly from: Address;
  /** The first byte behind it. */
  readonly to: Address;
}

/**
 * Puts a compiled `kernels.wasm` over a memory. The host compiles the module: some hosts refuse to compile bytes.
 *
 * @example
 * ```ts
 * import { loadKernels } from "@patchloom/patchloom";
 *
 * const kernels = loadKernels(await WebAssembly.compile(await Deno.readFile("assembly/kernels.wasm")));
 * console.log(kernels.allocate(100) % 16); // 0: allocations are aligned
 * ```
 *
 * @param module `kernels.wasm`, or `kernels.shared.wasm` for a shared memory
 * @param memory a fresh one if left out
 * @param range where it allocates: from the module's own data to the end of the 4 GiB if left out
 * @throws {RangeError} if the range is smaller than what a call needs
 * @throws {WebAssembly.LinkError} if the module and the memory do not fit together
 */
export function loadKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory = kernelMemory(),
  range: Partial<MemoryRange> = {},
): Kernels {
  const exported = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exported;
  const functions: KernelFunctions = {
    ...exported,
    search: (c, ...rest) => exported.search(written.comparison(c), ...rest),
    addDistances: (c, ...rest) => exported.addDistances(written.comparison(c), ...rest),
    logPosterior: (lists, ...rest) => exported.logPosterior(written.candidates(lists), ...rest),
    categorical: (lists, ...rest) => exported.categorical(written.weights(lists), ...rest),
    sample: (lists, ...rest) => exported.sample(written.candidates(lists), ...rest),
    likeliest: (lists, ...rest) => exported.likeliest(written.weights(lists), ...rest),
    meanPatches: (lists, ...rest) => exported.meanPatches(written.candidates(lists), ...rest),
    takePatches: (lists, ...rest) => exported.takePatches(written.candidates(lists), ...rest),
    solve: (s, ...rest) => exported.solve(written.system(s), ...rest),
    parzen: (window, ...rest) => exported.parzen(written.parzenWindow(window), ...rest),
    toDeviations: (c, ...rest) => exported.toDeviations(written.correlation(c), ...rest),
    correlate: (c, ...rest) => exported.correlate(written.correlation(c), ...rest),
    transferDetail: (c, ...rest) => exported.transferDetail(written.details(c), ...rest),
    localScore: (given, ...rest) => exported.localScore(written.score(given), ...rest),
    localScoreWeights: (given, ...rest) => exported.localScoreWeights(written.score(given), ...rest),
    nearestWindows: (given, ...rest) => exported.nearestWindows(written.score(given), ...rest),
  };
  const kernels = withMemory(functions, memory, { from: exported.heapBase(), to: MAX_BYTES, ...range });
  const written = descriptors(kernels);
  return kernels;
}

/**
 * Writes an argument that is an object where the module reads it: a u32 for each field, in the order of
 * `assembly/descriptors.ts`, over the object of the call before. Each function returns the address.
 */
function descriptors({ allocate, u32 }: KernelMemory) {
  const at = allocate(4 * MAX_FIELDS);
  const put = (...fields: number[]): Address => {
    u32(at, fields.length).set(fields);
    return at;
  };
  const correlated = (c: Correlation) => [
    ...[c.lr, c.stride, c.rows, c.pixels, c.numbers, c.pixelWeights, c.planes],
    ...[c.count, c.segments, c.batch, c.queries, c.contrasts, c.scratch],
  ];
  return {
    correlation: (c: Correlation) => put(...correlated(c)),
    details: (c: DetailCandidates) =>
      put(
        ...correlated(c),
        ...[c.indices, c.capacity, c.images, c.measurements, c.y, c.x, c.corners],
        ...[c.hr, c.height, c.width, c.channels, c.patch, c.weights, c.patches],
      ),
    comparison: (c: Comparison) =>
      put(
        ...[c.table, c.scale, c.queries, c.planes, c.runs ?? 0, c.stride ?? 0],
        ...[c.count, c.segments, c.batch, c.known ?? 0, c.axes ?? 0, c.features ?? 0, c.scratch],
      ),
    system: (s: MergeSystem) => put(s.images, s.sums, s.diagonal, s.lr, s.height, s.width, s.batch, s.scratch),
    parzenWindow: (w: ParzenWindow) =>
      put(
        ...[w.table, w.numbers, w.planes, w.count, w.segments],
        ...[w.images, w.pixels, w.batch, w.scratch],
      ),
    weights: (l: WeightLists) => put(l.weights, l.capacity, l.found, l.batch),
    candidates: (l: CandidateLists) =>
      put(
        ...[l.weights, l.capacity, l.found, l.batch],
        ...[l.keys, l.rows, l.count, l.stride, l.channels, l.plane, l.width, l.corners, l.patch, l.penalties ?? 0],
      ),
    score: (s: LocalScore) =>
      put(
        ...[s.rows, s.numbers ?? 0, s.count, s.channels, s.answered ?? s.channels, s.height, s.width, s.window],
        ...[
          s.shift ?? 0,
          s.images,
          s.batch,
          s.response ?? 0,
          s.uniform ?? 0,
          s.drawn ?? 0,
          s.used ?? 0,
          s.out,
          s.scratch,
        ],
      ),
  };
}

/** Fields of the largest of them. */
const MAX_FIELDS = 27;

/** What the module exports: kernels that take an address for each argument that is an object here. */
type Exported =
  & {
    [Name in keyof KernelFunctions]: (
      ...given: Addressed<Parameters<KernelFunctions[Name]>>
    ) => ReturnType<KernelFunctions[Name]>;
  }
  & { heapBase(): Address };
type Addressed<Given extends unknown[]> = {
  [Index in keyof Given]: Given[Index] extends object ? Address : Given[Index];
};

/** The SHA-256 of a kernel module's code in hexadecimal, as its build wrote it into the module; "" if another build made it. */
export function kernelHash(module: WebAssembly.Module): string {
  const [section] = WebAssembly.Module.customSections(module, HASH_SECTION);
  return Array.from(new Uint8Array(section ?? []), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How kernel memory is allocated by default. */
const CLEARED = { cleared: true };

/** The error of work that needs more kernel memory than there is. */
export class KernelMemoryError extends RangeError {}

/** Adds a range of a memory, its stack of allocations, and a counter of work to an implementation of the kernels. */
export function withMemory<Functions extends object>(
  functions: Functions,
  memory: WebAssembly.Memory,
  { from, to }: MemoryRange,
): Functions & KernelMemory {
  let top = align(from);
  let done = 0;
  const counter: WorkCounter = { workDone: () => done, addWork: (work) => void (done += work) };
  const reserve = (end: number) => {
    const missing = end - memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      memory.grow(Math.ceil(missing / 65536));
    } catch (cause) {
      throw new KernelMemoryError(`Cannot allocate ${missing} more bytes of kernel memory: the host has none`, {
        cause,
      });
    }
  };
  return {
    ...countingWork(functions, counter),
    ...counter,
    memory,
    allocate(bytes, { cleared } = CLEARED) {
      const at = top;
      const end = at + bytes + SLACK;
      if (!(bytes >= 0) || end > to) {
        throw new KernelMemoryError(
          `Cannot allocate ${bytes} bytes of kernel memory: ${Math.max(to - at, 0)} of ${
            Math.max(to - from, 0)
          } are free`,
        );
      }
      reserve(end);
      top = align(end);
      if (cleared) new Uint8Array(memory.buffer, at, bytes).fill(0);
      done += PER_ALLOCATED * bytes;
      return at;
    },
    reserve,
    mark: () => top,
    release(height) {
      top = height;
    },
    ...viewsOf(memory),
  };
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16;
}

/** Runs a job and frees the kernel memory that it allocates, also if it fails. Returns what the job returns. */
export function borrowing<T>(kernels: Kernels, job: () => T): T {
  const mark = kernels.mark();
  try {
    return job();
  } finally {
    kernels.release(mark);
  }
}

/** Does the same as `borrowing` for work that can pause. */
export function* borrowingSteps<Event, T>(
  kernels: Kernels,
  work: () => Generator<Event, T>,
): Generator<Event, T> {
  const mark = kernels.mark();
  try {
    return yield* work();
  } finally {
    kernels.release(mark);
  }
}
