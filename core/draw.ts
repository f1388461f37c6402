/** One draw of the z-step: the random numbers that a prior gets, and the checks of what it leaves. */
import type { Address } from "./kernel_functions.ts";
import type { FittedLayer, Model } from "./model.ts";
import { during, nameOf } from "./plugin_error.ts";
import { philox, seedKey, toUniform } from "./random.ts";
import type { Drawn, Keyed, Location, Measurements, Step } from "./types.ts";

/**
 * Has a layer's prior draw one patch for each image of the batch, z_i ~ T(z | i, X, u) of equation (patch posterior), and checks
 * that it did.
 *
 * @throws what the prior throws; and Error where it leaves a patch unfilled or not a number, or allocates kernel memory.
 */
export function drawPatches(
  { prior, plugin, layer }: FittedLayer,
  at: Location,
  now: Measurements,
  step: Step,
  random: Keyed,
  out: Drawn,
): void {
  const phase = () => `draw at (${at.x}, ${at.y}), layer ${layer}`;
  out.patches.fill(NaN);
  out.sources.fill(-1);
  during(plugin, phase, () => prior.draw(at, now, step, random, out));
  // Memory that grew has left the views behind, empty.
  if (out.patches.length === 0 && now.batch > 0) {
    throw new Error(`${nameOf(plugin)} grew kernel memory in ${phase()}: allocate in fit`);
  }
  if (out.patches.includes(NaN)) {
    throw new Error(`${nameOf(plugin)} left a patch unfilled or not a number in ${phase()}`);
  }
}

/**
 * The random numbers of one location in one iteration: a function of the seed, the image's number and attempt, layer, iteration,
 * location and the draw's number alone, so that results do not depend on batches and threads.
 *
 * @param numbers Those of the images, and `numbersAt`, the same as u32 in kernel memory.
 * @param attempts As in `Batch`: an attempt has the top byte of the counter's word for the layer.
 */
export function keyed(
  { kernels }: Model,
  seed: number,
  numbers: ArrayLike<number>,
  numbersAt: Address,
  layer: number,
  iteration: number,
  { y, x }: Location,
  attempts?: readonly number[],
): Keyed {
  const [low, high] = seedKey(seed), batch = numbers.length;
  const location = y * 0x10000 + x, attemptOf = (b: number) => attempts?.[b] ?? 0;
  const stageOf = (b: number) => attemptOf(b) * 0x1000000 + layer * 0x10000 + iteration;
  return {
    uniforms(out, draw = 0) {
      if (out.buffer === kernels.memory.buffer) {
        // The images of one attempt that follow each other together.
        for (let first = 0, end = 0; first < batch; first = end) {
          while (end < batch && attemptOf(end) === attemptOf(first)) end++;
          const from = numbersAt + first * 4, to = out.byteOffset + first * 8;
          kernels.uniforms(low, high, from, end - first, stageOf(first), location, draw, to);
        }
        return;
      }
      const words = new Uint32Array(4);
      for (let b = 0; b < batch; b++) {
        philox([numbers[b], stageOf(b), location, draw], [low, high], words);
        out[b] = toUniform(words[0], words[1]);
      }
    },
  };
}
