/** Reads the committed kernels. */
import { sha256 } from "../data/data_folder.ts";

/** A compiled module, and the SHA-256 of its file in hexadecimal. */
export interface KernelModule {
  readonly module: WebAssembly.Module;
  readonly sha256: string;
}

/** Reads and compiles the kernels: those for a memory that threads share, or those for a memory of one thread. */
export async function readModule(shared: boolean): Promise<KernelModule> {
  const name = shared ? "kernels.shared.wasm" : "kernels.wasm";
  const bytes = await Deno.readFile(new URL(`../../../assembly/${name}`, import.meta.url));
  return { module: await WebAssembly.compile(bytes), sha256: await sha256(bytes) };
}
