/**
 * The projection that may end a layer: iterations whose z-step takes the nearest patch of the training images at the same place,
 * z_i = argmin |R_i X + u_i - D_HR(j)|, over all of them and whatever the LR image. It is not in the paper, whose patches are
 * drawn by their LR patches: where draws that overlap disagree, their average is a patch that no training image has. These
 * iterations of the same ADMM find patches that agree.
 */
import { MAX_BYTES_COMPARED, MAX_DISTANCE, MAX_SCALE, searchScratch } from "./kernel_limits.ts";
import { searchWork } from "./kernel_work.ts";
import { lengthOf } from "./shape.ts";
import type { FittedPrior, LayerData, Prior } from "./types.ts";

/** The parameters of the iterations that project: X is the average of the patches alone. The z-step needs no rho and no h. */
export const PROJECTING = { rho: 1, lambda: 0, h: 1, offset: [0, 0] } as const;

/**
 * The z-step of a projection, as a prior that has no choice. Its fit takes kernel memory for the training images of the layer,
 * pixel by pixel, once more.
 */
export const projector = {
  fit,
  cost: ({ hr, channels, patch }) => ({ fit: 0, draw: () => searchWork(channels * patch ** 2, hr.count, 1) }),
} satisfies Prior;

/** @throws RangeError where a patch has more values than the search can compare: all distances would be 0. */
function fit({ kernels, hr, patch, batch }: LayerData): FittedPrior {
  const { count, channels, height, width } = hr, length = lengthOf(hr), inPatch = channels * patch * patch;
  if (inPatch > MAX_BYTES_COMPARED) {
    const most = `patches of at most ${MAX_BYTES_COMPARED} values`;
    throw new RangeError(`Cannot project: expected ${most}, got ${inPatch}: set projection to 0, or a smaller patch`);
  }
  const stride = Math.ceil(count / 16) * 16, planes = kernels.allocate(stride * length);
  kernels.toPlanes(hr.at, count, length, planes, stride);
  const table = kernels.allocate(inPatch * 4), corner = kernels.allocate(4);
  const numbers = kernels.allocate(inPatch * 4), scale = kernels.allocate(inPatch * 2);
  kernels.u32(numbers, inPatch).forEach((_, p, all) => all[p] = p);
  kernels.i16(scale, inPatch).fill(Math.min(Math.floor(Math.sqrt(MAX_DISTANCE / inPatch) / 255), MAX_SCALE));
  const queries = kernels.allocate(batch * inPatch * 2), keys = kernels.allocate(batch * 8);
  const scratch = kernels.allocate(searchScratch(inPatch, batch, 1));
  const weights = kernels.allocate(batch * 8), first = kernels.allocate(batch * 4), taken = kernels.allocate(batch * 8);
  return {
    draw({ y, x }, measurements, _step, _random, out) {
      const addresses = kernels.u32(table, inPatch);
      for (let p = 0; p < inPatch; p++) {
        const row = Math.floor(p / patch), channel = Math.floor(row / patch);
        addresses[p] = planes + ((channel * height + y + row % patch) * width + x + p % patch) * stride;
      }
      kernels.u32(corner, 1)[0] = y * width + x;
      kernels.toQueries(measurements.patches.byteOffset, inPatch, measurements.batch, numbers, scale, inPatch, queries);
      const compared = {
        table,
        scale,
        queries,
        planes: inPatch,
        count,
        segments: 1,
        batch: measurements.batch,
        scratch,
      };
      kernels.search(compared, 1, 0, keys);
      const lists = {
        weights,
        capacity: 1,
        found: 1,
        batch: measurements.batch,
        keys,
        rows: hr.at,
        count,
        stride: length,
      };
      const images = { channels, plane: height * width, width, corners: corner, patch };
      kernels.takePatches({ ...lists, ...images }, first, out.patches.byteOffset, taken);
      const examples = kernels.i32(taken, measurements.batch * 2); // (example, segment) of each image
      for (let b = 0; b < measurements.batch; b++) out.sources.set([examples[2 * b], y, x], 3 * b);
    },
    // Whatever else was farther away changes nothing.
    compared: (image, name) => name(kernels.u32(keys + image * 8, 1)[0]),
  };
}
