/** Reads training images at the size of a layer, to be shown. */
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { trainingPyramid } from "../../core/pyramid.ts";
import { lengthOf } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import type { trainingImages } from "../run/training_pyramids.ts";

/** Training images at the size of a layer, by number. */
export function examplesOf(
  scratch: Kernels,
  { images, sizes }: ReturnType<typeof trainingImages>,
  layer: number,
  numbers: readonly number[],
): Map<number, Uint8Array> {
  return borrowing(scratch, () => {
    const rows = finish(trainingPyramid(scratch, images, sizes, numbers)).hr[layer], length = lengthOf(rows);
    return new Map(numbers.map((image, i) => [image, scratch.u8(rows.at + i * length, length).slice()]));
  });
}
