/** Keeps the structure of training images: servers make images of the same ones again and again. */
import type { Kernels } from "../../core/kernels.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import { structureSteps } from "../../core/structure.ts";
import type { Rows } from "../../core/types.ts";

/** The structures that were computed, as rows without a place and their bytes. They are kept as long as the training images. */
const structuresByImages = new WeakMap<Rows, readonly [Omit<Rows, "at">, Uint8Array]>();

/** Does the same as `structureSteps`, for training images that stay as they are, once. */
export function* trainingStructures(kernels: Kernels, training: Rows): Steps<Rows> {
  const kept = structuresByImages.get(training);
  if (kept) {
    const [rows, bytes] = kept, at = kernels.allocate(bytes.length);
    kernels.u8(at, bytes.length).set(bytes);
    return { ...rows, at };
  }
  const structures = yield* structureSteps(kernels, training), { at, ...rows } = structures;
  structuresByImages.set(training, [rows, kernels.u8(at, rows.count * lengthOf(rows)).slice()]);
  return structures;
}
