/**
 * The kernels and the memory they work in: `loadKernels` puts the WebAssembly over a memory, `referenceKernels` the twin.
 */
import type { Address, CandidateLists, Comparison, KernelFunctions, WeightLists } from "./kernel_functions.ts";

export type { Address, CandidateLists, Comparison, KernelFunctions, WeightLists } from "./kernel_functions.ts";
export { searchScratch } from "./kernel_functions.ts";

/** The kernels over one memory. */
export interface Kernels extends KernelFunctions, KernelMemory {}

/** Kernel memory with a stack of allocations: `mark`, allocate, `release`. */
export interface KernelMemory {
  readonly memory: WebAssembly.Memory;
  /** Reserves zeroed bytes, aligned to 16, with 64 readable bytes behind them. Throws where the memory is at its limit. */
  allocate(bytes: number): Address;
  /** Grows the memory to at least `end` bytes, so that views taken afterwards stay valid for longer. */
  reserve(end: number): void;
  /** The present height of the stack of allocations. */
  mark(): number;
  /** Frees everything allocated since `mark` returned `height`. */
  release(height: number): void;
  /** Views of kernel memory. A later allocation may detach them: take them anew, they cost little. */
  u8(at: Address, length: number): Uint8Array;
  i16(at: Address, length: number): Int16Array;
  i32(at: Address, length: number): Int32Array;
  u32(at: Address, length: number): Uint32Array;
  f32(at: Address, length: number): Float32Array;
  f64(at: Address, length: number): Float64Array;
}

/** Pages of 64 KiB: WebAssembly's 4 GiB. */
const MOST_PAGES = 65536, MOST_BYTES = MOST_PAGES * 65536;
/** The custom section of a kernel module with the hash of all before it: a compiled module does not show its bytes. */
export const HASH_SECTION = "sha256";
/** Kernels load up to this many bytes beyond an array's end, and ignore them. */
const SLACK = 64;

/** A memory for `loadKernels` or the twin; a shared one (for the shared module) can be posted to workers. */
export function kernelMemory(options: { shared?: boolean } = {}): WebAssembly.Memory {
  return new WebAssembly.Memory(
    options.shared ? { initial: 16, maximum: MOST_PAGES, shared: true } : { initial: 16, maximum: MOST_PAGES },
  );
}

/** The addresses between which one instance allocates, where several share a memory. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Puts a compiled `kernels.wasm` over a memory. The host compiles the module: some hosts refuse to compile bytes.
 * By default it allocates from the module's own data up to the end of the 4 GiB.
 */
export function loadKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory = kernelMemory(),
  stretch: Partial<Stretch> = {},
): Kernels {
  const exported = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exported;
  const kernels = withMemory(exported, memory, { from: exported.heapBase(), to: MOST_BYTES, ...stretch });
  // A call's descriptor is written over that of the call before.
  const block = kernels.allocate(4 * DESCRIPTOR), words = () => kernels.u32(block, DESCRIPTOR);
  const comparison = (c: Comparison): Address => {
    words().set([c.table, c.scale, c.queries, c.planes, c.runs ?? 0, c.stride ?? 0, c.count, c.segments, c.batch]);
    words().set([c.known ?? 0, c.scratch], 9);
    return block;
  };
  const weights = (w: WeightLists): Address => {
    words().set([w.weights, w.capacity, w.found, w.batch]);
    return block;
  };
  const candidates = (c: CandidateLists): Address => {
    weights(c);
    words().set([c.keys, c.rows, c.count, c.stride, c.channels, c.plane, c.width, c.corners, c.patch], 4);
    return block;
  };
  return {
    ...kernels,
    search: (c, ...rest) => exported.search(comparison(c), ...rest),
    addDistances: (c, ...rest) => exported.addDistances(comparison(c), ...rest),
    logPosterior: (lists, ...rest) => exported.logPosterior(candidates(lists), ...rest),
    categorical: (lists, ...rest) => exported.categorical(weights(lists), ...rest),
    likeliest: (lists, ...rest) => exported.likeliest(weights(lists), ...rest),
    meanPatches: (lists, ...rest) => exported.meanPatches(candidates(lists), ...rest),
    takePatches: (lists, ...rest) => exported.takePatches(candidates(lists), ...rest),
  };
}

/** Words of the largest descriptor. */
const DESCRIPTOR = 13;

/** What the module exports: its kernels take the address of a descriptor, `assembly/descriptors.ts`, where ours take an object. */
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

/** The SHA-256 of a kernel module's code in hexadecimal, which its build left in it; "" where another build made it. */
export function kernelHash(module: WebAssembly.Module): string {
  const [section] = WebAssembly.Module.customSections(module, HASH_SECTION);
  return Array.from(new Uint8Array(section ?? []), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Puts any implementation of the kernels over a stretch of a memory. */
export function withMemory<Functions>(
  functions: Functions,
  memory: WebAssembly.Memory,
  { from, to }: Stretch,
): Functions & KernelMemory {
  let top = align(from);
  const reserve = (end: number) => {
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  };
  return {
    ...functions,
    memory,
    allocate(bytes) {
      const at = top, end = at + bytes + SLACK;
      if (!(bytes >= 0) || end > to) {
        throw new RangeError(`Cannot allocate ${bytes} bytes of kernel memory: ${to - at} of ${to - from} are free`);
      }
      reserve(end);
      top = align(end);
      new Uint8Array(memory.buffer, at, bytes).fill(0);
      return at;
    },
    reserve,
    mark: () => top,
    release(height) {
      top = height;
    },
    u8: (at, length) => new Uint8Array(memory.buffer, at, length),
    i16: (at, length) => new Int16Array(memory.buffer, at, length),
    i32: (at, length) => new Int32Array(memory.buffer, at, length),
    u32: (at, length) => new Uint32Array(memory.buffer, at, length),
    f32: (at, length) => new Float32Array(memory.buffer, at, length),
    f64: (at, length) => new Float64Array(memory.buffer, at, length),
  };
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16;
}

/** Runs a job and gives back the kernel memory that it takes, also where it fails. */
export function borrowing<T>(kernels: Kernels, job: () => T): T {
  const mark = kernels.mark();
  try {
    return job();
  } finally {
    kernels.release(mark);
  }
}
