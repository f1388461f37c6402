/**
 * The kernels and the memory they work in. A kernel takes addresses and plain numbers; `assembly/` implements them in
 * WebAssembly, `reference.ts` in plain TypeScript over the same memory, bit for bit. What each does is told beside its
 * AssemblyScript source.
 */

/** An address in kernel memory, in bytes. The `byteOffset` of a view is the address of its first element. */
export type Address = number;

/** Every kernel, as `assembly/index.ts` exports it. Argument names are the sources'. */
export interface KernelFunctions {
  /** e^x of `length` f64, in place. */
  expInPlace(values: Address, length: number): void;
  /** The natural logarithm of `length` f64, in place. */
  logInPlace(values: Address, length: number): void;
  /** One uniform number in [0, 1) for each image of a batch. */
  uniforms(
    seedLow: number,
    seedHigh: number,
    images: Address,
    batch: number,
    stage: number,
    location: number,
    draw: number,
    out: Address,
  ): void;
  /** H, from `height` x `width` to half of both. */
  down(source: Address, target: Address, height: number, width: number, count: number): void;
  /** The transpose of H, from half of `height` x `width` to the whole. */
  downTransposed(source: Address, target: Address, height: number, width: number, count: number): void;
  /** Bilinear interpolation, from half of `height` x `width` to the whole. */
  up(source: Address, target: Address, height: number, width: number, count: number): void;
  /** Bytes to f32 in [0, 1]. */
  toUnit(source: Address, target: Address, length: number): void;
  /** f32 in [0, 1] to bytes, rounded half up. */
  toBytes(source: Address, target: Address, length: number): void;
  /** Clamps f32 to [0, 1], in place. */
  clamp(values: Address, length: number): void;
  /** Image-major rows to pixel-major planes. */
  toPlanes(rows: Address, count: number, pixels: number, planes: Address, stride: number): void;
  /** Rounds LR queries to the integers that `search` compares. */
  toQueries(
    images: Address,
    pixels: number,
    batch: number,
    at: Address,
    scale: Address,
    planes: number,
    out: Address,
  ): void;
  /** The `k` nearest examples of each query over a list of weighted planes, exactly. */
  search(
    table: Address,
    scale: Address,
    queries: Address,
    planes: number,
    runs: number,
    step: number,
    count: number,
    segments: number,
    batch: number,
    k: number,
    known: Address,
    hints: Address,
    scratch: Address,
    out: Address,
  ): number;
  /** The distances of each query and every example over a list of weighted planes, added to others. */
  addDistances(
    table: Address,
    scale: Address,
    queries: Address,
    planes: number,
    count: number,
    segments: number,
    batch: number,
    before: Address,
    scratch: Address,
    out: Address,
  ): void;
  /** Distances over all parts but a stretch of them. */
  leaveOut(all: Address, from: Address, to: Address, length: number, out: Address): void;
  /** log T of equation (posterior example based) for each candidate. */
  logPosterior(
    keys: Address,
    k: number,
    found: number,
    batch: number,
    rows: Address,
    count: number,
    step: number,
    channels: number,
    plane: number,
    width: number,
    corners: Address,
    measured: Address,
    patch: number,
    perLow: number,
    perHigh: number,
    out: Address,
  ): void;
  /** Draws one candidate for each image with probability proportional to exp(logWeight). */
  categorical(logWeights: Address, k: number, found: number, batch: number, uniform: Address, out: Address): void;
  /** The candidate of each image with the largest log weight. */
  likeliest(logWeights: Address, k: number, found: number, batch: number, out: Address): void;
  /** The mean of all candidates' HR patches, weighted by exp(logWeight). */
  meanPatches(
    logWeights: Address,
    keys: Address,
    k: number,
    found: number,
    batch: number,
    rows: Address,
    count: number,
    step: number,
    channels: number,
    plane: number,
    width: number,
    corners: Address,
    patch: number,
    patches: Address,
  ): void;
  /** Copies the drawn candidates' HR patches and places. */
  takePatches(
    keys: Address,
    k: number,
    drawn: Address,
    batch: number,
    rows: Address,
    count: number,
    step: number,
    channels: number,
    plane: number,
    width: number,
    corners: Address,
    patch: number,
    patches: Address,
    sources: Address,
  ): void;
  /** out = R X + u at one location. */
  measure(
    images: Address,
    height: number,
    width: number,
    batch: number,
    corner: number,
    patch: number,
    dual: Address,
    out: Address,
  ): void;
  /** sums += R^T (z - u) at one location. */
  merge(
    patches: Address,
    dual: Address,
    batch: number,
    patch: number,
    sums: Address,
    height: number,
    width: number,
    corner: number,
  ): void;
  /** u += R X - z at one location. */
  updateDual(
    images: Address,
    height: number,
    width: number,
    batch: number,
    corner: number,
    patch: number,
    patches: Address,
    dual: Address,
  ): void;
  /** The X-step by conjugate gradients; returns the largest relative residual. */
  solve(
    images: Address,
    sums: Address,
    diagonal: Address,
    low: Address,
    height: number,
    width: number,
    batch: number,
    ratio: number,
    tolerance: number,
    most: number,
    scratch: Address,
  ): number;
  /** Squared distances of query images to images. */
  distances(queries: Address, batch: number, rows: Address, count: number, length: number, out: Address): void;
  /** log of the sum of Gaussians over all examples, for each image of a batch. */
  parzen(
    table: Address,
    at: Address,
    planes: number,
    count: number,
    segments: number,
    images: Address,
    pixels: number,
    batch: number,
    perDistance: number,
    scratch: Address,
    out: Address,
  ): void;
}

/** Bytes of scratch that `search` and `addDistances` need; `batch` queries of `planes` values each. */
export function searchScratch(planes: number, batch: number, k: number): number {
  const padded = Math.ceil(batch / 4) * 4;
  // States, features (of a group of planes or of each), lists, examples that wait, eight distances, a block of packed examples.
  return padded * 40 + (padded + 1) * 2 * (planes + 2) + 16 + padded * 8 * (2 * k + 64 + 96 + 4 * k) + 32 +
    Math.max(16384, 128 + 32 * planes);
}

/** The kernels over one memory, with a stack of allocations: `mark`, allocate, `release`. */
export interface Kernels extends KernelFunctions {
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
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const functions = instance.exports as unknown as KernelFunctions & { heapBase(): number };
  return withMemory(functions, memory, { from: functions.heapBase(), to: MOST_BYTES, ...stretch });
}

/** The SHA-256 of a kernel module's code in hexadecimal, which its build left in it; "" where another build made it. */
export function kernelHash(module: WebAssembly.Module): string {
  const [section] = WebAssembly.Module.customSections(module, HASH_SECTION);
  return Array.from(new Uint8Array(section ?? []), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Puts any implementation of the kernels over a stretch of a memory. */
export function withMemory(functions: KernelFunctions, memory: WebAssembly.Memory, { from, to }: Stretch): Kernels {
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
