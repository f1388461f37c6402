/** One draw of the z-step: the random numbers that a prior gets, and the checks of what it leaves. */
import type { Batch, Draw } from "./batch.ts";
import type { Kernels } from "./kernels.ts";
import { checkDraw, phaseOf } from "./check_draw.ts";
import { during, pluginError } from "./plugin_error.ts";
import type { Plugin } from "./plugin.ts";
import { philox, seedKey, toUniform } from "./random.ts";
import type { Location, RandomNumbers, Rows } from "./types.ts";

/** The work of a draw for an image of a batch, beside what the prior and the kernels do: some microseconds. */
export const PER_DRAW = 25_000;

/**
 * Has a prior draw one patch for each image of the batch, z_i ~ T(z | i, X, u) of equation (patch posterior), and checks that it
 * did.
 *
 * @param plugin The plugin that made the prior.
 * @param training The training images of the layer.
 * @param patch n: side of a patch.
 * @throws what the prior throws; and Error where it leaves a patch unfilled, draws a number outside of [0, 1], names a patch that is
 * not there as its source, or allocates kernel memory.
 */
export function drawPatches(
  plugin: Plugin<"prior">,
  draw: Draw,
  random: RandomNumbers,
  training: Rows,
  patch: number,
): void {
  const { location, measurements, step, prior, out } = draw;
  const phase = () => phaseOf(draw);
  out.patches.fill(NaN);
  out.sources.fill(-1);
  during(plugin, phase, () => prior.draw(location, measurements, step, random, out));
  // Memory that grew has left the views behind, empty.
  if (out.patches.length === 0 && measurements.batch > 0) {
    throw pluginError(plugin, `grew kernel memory in ${phase()}: allocate in fit`);
  }
  checkDraw(plugin, draw, training, patch);
}

/** The random numbers of a batch. */
export interface RandomSource {
  /** Those of one location in one iteration of a layer. */
  of(layer: number, iteration: number, location: Location): RandomNumbers;
}

/**
 * Opens the random numbers of a batch: functions of the seed, the image's number and attempt, layer, iteration, location and the
 * draw's number alone, so that results do not depend on batches and threads. An attempt has the top byte of the counter's word for
 * the layer. The numbers of the images are put into kernel memory.
 */
export function randomSource(kernels: Kernels, { seed, images, attempts }: Batch): RandomSource {
  const [low, high] = seedKey(seed);
  const batch = images.length;
  const numbers = kernels.allocate(batch * 4);
  kernels.u32(numbers, batch).set(images);
  const attemptOf = (b: number) => attempts?.[b] ?? 0;
  const fill = (out: Float64Array, stageOf: (b: number) => number, location: number, draw: number) => {
    const words = new Uint32Array(4);
    for (let b = 0; b < batch; b++) {
      philox([images[b], stageOf(b), location, draw], [low, high], words);
      out[b] = toUniform(words[0], words[1]);
    }
  };
  const fillInKernelMemory = (to: number, stageOf: (b: number) => number, location: number, draw: number) => {
    // The images of one attempt that follow each other together.
    for (let first = 0, end = 0; first < batch; first = end) {
      while (end < batch && attemptOf(end) === attemptOf(first)) end++;
      kernels.uniforms(low, high, numbers + first * 4, end - first, stageOf(first), location, draw, to + first * 8);
    }
  };
  return {
    of(layer, iteration, { y, x }) {
      const location = y * 0x10000 + x;
      const stageOf = (b: number) => attemptOf(b) * 0x1000000 + layer * 0x10000 + iteration;
      return {
        uniforms(out, draw = 0) {
          if (out.buffer === kernels.memory.buffer) fillInKernelMemory(out.byteOffset, stageOf, location, draw);
          else fill(out, stageOf, location, draw);
        },
      };
    },
  };
}
