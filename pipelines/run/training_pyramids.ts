/** Builds the training pyramid of a class: of aligned images, or of exemplars of a texture. */
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { crop, pyramidSizes, type TrainingPyramid, trainingPyramid } from "../../core/pyramid.ts";
import type { Size } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import type { Images } from "../../core/types.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { originsOfClass } from "../../datasets/training_names.ts";
import type { JobGroup } from "./job.ts";
import { limitsStructure } from "./structures.ts";

/**
 * Builds the training pyramid of a class; undefined: of all training images together. All that learns from a data set gets its
 * pyramid here, so that nothing learns without the morphs that its plan asks for.
 *
 * @throws {Error} if the plan asks for morphs and the data has none: see `morphTraining`
 */
export function classPyramid(
  kernels: Kernels,
  plan: Plan,
  { train, morphs }: Pick<DataSet, "train" | "morphs">,
  label?: number,
): Steps<TrainingPyramid> {
  if (plan.morph > 0 && !morphs) {
    throw new Error(`Cannot learn from images without morphs: expected morph 0, or data of morphTraining`);
  }
  const { images, sizes } = trainingImages(plan, train.images);
  return trainingPyramid(kernels, images, sizes, numbersOfClass(train.labels, label, images.count));
}

/** The training images of a group of a job. */
export type TrainingGroup = Pick<JobGroup, "training" | "real" | "copies" | "origins">;

/** Returns the training images of a group of a job: their pyramid, and what is behind copies and morphs. */
export function* trainingGroup(
  kernels: Kernels,
  plan: Plan,
  data: Pick<DataSet, "train" | "kept" | "real" | "morphs" | "copies">,
  label?: number,
): Steps<TrainingGroup> {
  const origins = data.morphs && originsOfClass(data, label);
  const training = yield* classPyramid(kernels, plan, data, label);
  const isCompared = data.real !== undefined && plan.layers.some(limitsStructure);
  const real = isCompared ? yield* classPyramid(kernels, plan, { ...data, ...data.real }, label) : undefined;
  return { training, ...real && { real }, copies: data.copies, ...origins && { origins } };
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
