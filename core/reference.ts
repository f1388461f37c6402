/**
 * The twin: every kernel in plain TypeScript, over the same memory and with the same results byte for byte. It is the reading
 * copy of `assembly/`, file by file, the definition that the WebAssembly is tested against, and a way to run without it.
 */
import type { KernelFunctions } from "./kernel_functions.ts";
import { kernelMemory, type Kernels, MAX_BYTES, withMemory } from "./kernels.ts";
import { correlationKernels } from "./reference/correlate.ts";
import { detailKernel } from "./reference/detail.ts";
import { distanceKernels } from "./reference/distances.ts";
import { knownKernels } from "./reference/known.ts";
import { localScoreKernels } from "./reference/local_score.ts";
import { maskedKernel } from "./reference/masked.ts";
import { mathKernels } from "./reference/math.ts";
import { patchKernels } from "./reference/patches.ts";
import { planeKernels } from "./reference/planes.ts";
import { posteriorKernels } from "./reference/posterior.ts";
import { randomKernels } from "./reference/random.ts";
import { resampleKernels } from "./reference/resample.ts";
import { searchKernels } from "./reference/search.ts";
import { solveKernel } from "./reference/solve.ts";
import { viewsOf } from "./views.ts";

/**
 * The kernels in plain TypeScript: slow, and the same bytes. Its allocations start at address 16, since 0 stands for "none".
 *
 * @param memory a fresh one if left out
 */
export function referenceKernels(memory: WebAssembly.Memory = kernelMemory()): Kernels {
  const views = viewsOf(memory);
  const functions: KernelFunctions = {
    ...mathKernels(views),
    ...randomKernels(views),
    ...resampleKernels(views),
    ...planeKernels(views),
    ...searchKernels(views),
    ...knownKernels(views),
    ...posteriorKernels(views),
    ...patchKernels(views),
    ...solveKernel(views),
    ...distanceKernels(views),
    ...correlationKernels(views),
    ...detailKernel(views),
    ...localScoreKernels(views),
    ...maskedKernel(views),
  };
  return withMemory(functions, memory, { from: 16, to: MAX_BYTES });
}
