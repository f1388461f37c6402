/** What metrics do with their input: refuse it, cut it to as many images, and list the patches that they compare. */
import { positions } from "../../core/locations.ts";
import { sameShape, shapeText, type Size } from "../../core/shape.ts";
import type { MetricInput } from "../../core/types.ts";

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
interface ComparedPatches {
  /** First rows of the locations. */
  readonly rows: readonly number[];
  /** First columns of the locations. */
  readonly columns: readonly number[];
  /** Writes the numbers, in an image, of the values of the patch at (y, x): channel by channel, row by row. */
  numbersAt(y: number, x: number, out: Uint32Array): void;
}

/** The plain grid of section "Log-Likelihood": the last rows and columns may stay uncovered. */
export function patchesOf({ height, width }: Size, patch: number, overlap: number): ComparedPatches {
  const along = (side: number) => [...positions(side, patch, overlap, 0, false)], inChannel = patch * patch;
  return {
    rows: along(height),
    columns: along(width),
    numbersAt(y, x, out) {
      for (let p = 0; p < out.length; p++) {
        const row = Math.floor(p / patch) % patch, channel = Math.floor(p / inChannel);
        out[p] = (channel * height + y + row) * width + x + p % patch;
      }
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
