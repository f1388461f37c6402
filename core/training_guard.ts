/** Third-party plugins share the memory of the training images, and must leave them as they are. */
import type { Address } from "./kernel_arguments.ts";
import type { Kernels } from "./kernels.ts";
import { pluginError } from "./plugin_error.ts";

/** A stretch of kernel memory: where it begins, and its bytes. */
export type Stretch = readonly [at: Address, bytes: number];

/**
 * Notes what training images are, unless the plugin is a built-in one.
 *
 * @returns a check that throws an error that names the plugin, if they are no longer so
 */
export function guardTraining(
  kernels: Kernels,
  plugin: Parameters<typeof pluginError>[0],
  stretches: readonly Stretch[],
): () => void {
  if (plugin.from === undefined) return () => {};
  const before = sumOf(kernels, stretches);
  return () => {
    if (sumOf(kernels, stretches) === before) return;
    throw pluginError(plugin, `changed the training images, which all images are made from`);
  };
}

/** A sum that a changed value changes. */
function sumOf(kernels: Kernels, stretches: readonly Stretch[]): number {
  let sum = 0;
  for (const [at, bytes] of stretches) {
    const words = kernels.u32(at, bytes >> 2), rest = kernels.u8(at + 4 * words.length, bytes & 3);
    for (let i = 0; i < words.length; i++) sum = Math.imul(sum, 31) + words[i] | 0;
    for (let i = 0; i < rest.length; i++) sum = Math.imul(sum, 31) + rest[i] | 0;
  }
  return sum;
}
