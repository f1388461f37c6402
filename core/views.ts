/** How TypeScript reads and writes kernel memory. */
import type { Address } from "./kernel_arguments.ts";

/**
 * Typed views of kernel memory: `length` elements from the address `at` on. A later allocation may grow the memory, which leaves
 * views without elements: take them anew, they cost little.
 */
export interface Views {
  /** Unsigned 8-bit integers. */
  u8(at: Address, length: number): Uint8Array;
  /** Signed 16-bit integers; `at` is even. */
  i16(at: Address, length: number): Int16Array;
  /** Signed 32-bit integers; `at` is a multiple of 4. */
  i32(at: Address, length: number): Int32Array;
  /** Unsigned 32-bit integers; `at` is a multiple of 4. */
  u32(at: Address, length: number): Uint32Array;
  /** 32-bit floats; `at` is a multiple of 4. */
  f32(at: Address, length: number): Float32Array;
  /** 64-bit floats; `at` is a multiple of 8. */
  f64(at: Address, length: number): Float64Array;
}

/** Views of a memory. */
export function viewsOf(memory: WebAssembly.Memory): Views {
  return {
    u8: (at, length) => new Uint8Array(memory.buffer, at, length),
    i16: (at, length) => new Int16Array(memory.buffer, at, length),
    i32: (at, length) => new Int32Array(memory.buffer, at, length),
    u32: (at, length) => new Uint32Array(memory.buffer, at, length),
    f32: (at, length) => new Float32Array(memory.buffer, at, length),
    f64: (at, length) => new Float64Array(memory.buffer, at, length),
  };
}
