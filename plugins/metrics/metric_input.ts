/** What metrics do with their input: refuse it, cut it to as many images, and list the patches that they compare, and with which. */
import type { Address } from "../../core/kernels.ts";
import { positions } from "../../core/locations.ts";
import { lengthOf, sameShape, shapeText, type Size } from "../../core/shape.ts";
import type { MetricInput } from "../../core/metric.ts";

/** Throws one sentence if a metric has no images to measure, or images of different shapes. */
export function requireImages(metric: string, { generated, training, heldOut }: MetricInput): void {
  const fail = (wanted: string, found: string) => {
    throw new Error(`Cannot measure ${metric}: expected ${wanted}, got ${found}`);
  };
  if (!(generated.count > 0)) fail("at least one generated image", "none");
  if (!(training.count > 0)) fail("at least one training image", "none");
  for (const [what, rows] of [["generated", generated], ["held-out", heldOut ?? training]] as const) {
    if (sameShape(rows, training)) continue;
    fail(`${what} images of the training images' shape, ${shapeText(training)}`, shapeText(rows));
  }
}

/** The grid of locations on which patches are compared, and where the values of a patch are in an image. */
interface PatchGrid {
  /** First rows of the locations. */
  readonly rows: readonly number[];
  /** First columns of the locations. */
  readonly columns: readonly number[];
  /** Writes the numbers, in an image, of the values of the patch at (y, x): channel by channel, row by row. */
  numbersAt(y: number, x: number, out: Uint32Array): void;
}

/** The plain grid of section "Log-Likelihood": the last rows and columns may stay uncovered. */
export function patchesOf({ height, width }: Size, patch: number, overlap: number): PatchGrid {
  const along = (side: number) => [...positions(side, patch, overlap, 0, false)];
  const inChannel = patch * patch;
  return {
    rows: along(height),
    columns: along(width),
    numbersAt(y, x, out) {
      for (let p = 0; p < out.length; p++) {
        const row = Math.floor(p / patch) % patch;
        const channel = Math.floor(p / inChannel);
        out[p] = (channel * height + y + row) * width + x + p % patch;
      }
    },
  };
}

/** The training patches that a patch is compared with: those of its location and neighbour window, plane by plane. */
interface WindowTable {
  /** Largest offset of a neighbouring position along an axis: 0 for the location itself. */
  readonly reach: number;
  /** Address of the table: for each segment, which is one neighbouring position, the u32 addresses of its planes. */
  readonly table: Address;
  /** Writes the table of location (y, x); `numbers` is what `numbersAt` wrote for it. Returns the number of segments. */
  segmentsAt(y: number, x: number, numbers: Uint32Array): number;
}

/**
 * Copies the training images to planes, one for each value of an image, for the kernels `parzen` and `search`. Allocates kernel
 * memory, which the caller frees.
 *
 * @param planes Planes of a segment, at least the values of a patch; the first plane of the images stands in for what is more.
 */
export function windowTable({ training, patch, window, kernels }: MetricInput, planes: number): WindowTable {
  const { count, height, width } = training;
  const length = lengthOf(training);
  const reach = Math.max(window - 1, 0);
  const stride = Math.ceil(count / 16) * 16;
  const first = kernels.allocate(stride * length);
  kernels.toPlanes(training.at, count, length, first, stride);
  const table = kernels.allocate((2 * reach + 1) ** 2 * planes * 4);
  const isInside = (at: number, side: number) => at >= 0 && at + patch <= side;
  return {
    reach,
    table,
    segmentsAt(y, x, numbers) {
      let segments = 0;
      for (let dy = -reach; dy <= reach; dy++) {
        for (let dx = -reach; dx <= reach; dx++) {
          if (!isInside(y + dy, height) || !isInside(x + dx, width)) continue;
          const addresses = kernels.u32(table + segments++ * planes * 4, planes).fill(first);
          for (let p = 0; p < numbers.length; p++) addresses[p] = first + (numbers[p] + dy * width + dx) * stride;
        }
      }
      return segments;
    },
  };
}

/** Cuts the larger set to the size of the smaller one (its first images), with a warning if that drops any. */
export function equallyMany({ generated, training }: MetricInput) {
  const count = Math.min(generated.count, training.count);
  const warnings = generated.count === training.count
    ? []
    : [`compares the first ${count} of ${training.count} training and ${generated.count} generated images`];
  return { count, generated: { ...generated, count }, training: { ...training, count }, warnings };
}
