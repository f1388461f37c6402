/** The log-likelihood of single images that are being made, as `assess` measures it. */
import { createFrom } from "../../core/create_plugin.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { optionValues } from "../../core/options.ts";
import type { Plan } from "../../core/plan.ts";
import type { Rows } from "../../core/types.ts";
import { likelihood } from "../../plugins/metrics/likelihood.ts";

/**
 * Returns the log-likelihood of each image in nats: section "Log-Likelihood", with the patches of the finest layer.
 *
 * @param training the training images of the images' class
 * @param images bytes of the training images' size
 * @throws {Error} unless images are square and grey
 */
export function logLikelihoods(
  kernels: Kernels,
  plan: Plan,
  training: Rows,
  images: readonly Uint8Array[],
): Float64Array {
  return borrowing(kernels, () => {
    const length = images[0].length, at = kernels.allocate(images.length * length);
    images.forEach((pixels, i) => kernels.u8(at + i * length, length).set(pixels));
    const generated = { ...training, count: images.length, at };
    const metric = createFrom(likelihood, optionValues(likelihood, {}));
    return metric.measure({ generated, training, ...plan.compared, kernels }).values;
  });
}
