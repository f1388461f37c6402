/** Reads the committed kernels. */
import { sha256 } from "./hashes.ts";

/** A compiled module, and the SHA-256 of its file in hexadecimal. */
export interface KernelModule {
  readonly module: WebAssembly.Module;
  readonly sha256: string;
}

/** Reads and compiles the kernels: those for a memory that threads share, or those for a memory of one thread. */
export async function readModule(shared: boolean): Promise<KernelModule> {
  const bytes = await readKernels(shared ? "kernels.shared.wasm" : "kernels.wasm");
  return { module: await WebAssembly.compile(bytes), sha256: await sha256(bytes) };
}

/**
 * The SHA-256 of the kernels for one thread. It stands for those of any runner where interrupted work is resumed: with another number
 * of threads the runner may have the kernels for a memory that threads share, which compute the same.
 */
export async function kernelsSha256(): Promise<string> {
  return await sha256(await readKernels("kernels.wasm"));
}

/** The SHA-256 by which the kernels of two runs are compared: those of this program compute the same, on one thread and on several. */
export async function comparedKernels(sum: string): Promise<string> {
  const one = await kernelsSha256(), isShared = sum === await sha256(await readKernels("kernels.shared.wasm"));
  return isShared ? one : sum;
}

async function readKernels(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(`../../../assembly/${name}`, import.meta.url));
}
