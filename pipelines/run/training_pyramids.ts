/** Builds the training pyramid of a class: of aligned images, or of exemplars of a texture. */
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { crop, pyramidSizes, type TrainingPyramid, trainingPyramid } from "../../core/pyramid.ts";
import type { Size } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import type { Images } from "../../core/types.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { chosenBy } from "../../datasets/groups.ts";

/** Builds the training pyramid of a class; undefined: of all training images together. */
export function classPyramid(
  kernels: Kernels,
  plan: Plan,
  train: LabelledImages,
  label?: number,
): Steps<TrainingPyramid> {
  const { images, sizes } = trainingImages(plan, train.images);
  return trainingPyramid(kernels, images, sizes, chosenBy(train.labels, label, images.count));
}

/**
 * Returns the training images and the sizes of their pyramid, the largest first. Aligned images have the plan's sizes.
 * Exemplars keep their own size, but are cropped until the pyramid can halve it: a side loses less than 2^L pixels.
 */
export function trainingImages(plan: Plan, images: Images): { images: Images; sizes: readonly Size[] } {
  if (plan.aligned) return { images, sizes: plan.sizes };
  const depth = plan.layers.length, unit = 2 ** depth;
  const [height, width] = [images.height, images.width].map((side) => Math.floor(side / unit) * unit);
  return { images: crop(images, { height, width }), sizes: pyramidSizes({ height, width }, depth) };
}
