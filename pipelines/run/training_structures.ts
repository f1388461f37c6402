/** Keeps the structure of training images: servers make images of the same ones again and again. */
import type { Kernels } from "../../core/kernels.ts";
import { rowsOf } from "../../core/nearest.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import { structureSteps } from "../../core/structure.ts";
import type { Images, Rows } from "../../core/types.ts";

/** The structures that were computed. They are kept as long as the training images. */
const structuresByImages = new WeakMap<Rows, Images>();

/** Does the same as `structureSteps`, for training images that stay as they are, once. */
export function* trainingStructures(kernels: Kernels, training: Rows): Steps<Rows> {
  const kept = structuresByImages.get(training);
  if (kept) return rowsOf(kernels, kept);
  const structures = yield* structureSteps(kernels, training), { at, ...rows } = structures;
  structuresByImages.set(training, { ...rows, pixels: kernels.u8(at, rows.count * lengthOf(rows)).slice() });
  return structures;
}
