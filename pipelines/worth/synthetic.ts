/** Synthesizes labelled images from a training set inside a task, with seed images drawn from the profile's model of that set. */
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { type ClassGroup, knownClasses } from "../../datasets/groups.ts";
import { classPyramid } from "../synthesis/class_pyramid.ts";
import { seedMaker } from "../synthesis/seed_images.ts";
import { BATCH } from "../synthesis/synthesis_tasks.ts";
import { synthesizeGroupInSteps } from "../synthesis/synthesize_group.ts";
import type { SynthesizedImage } from "../synthesis/synthesized_image.ts";

/** What to synthesize. */
export interface SyntheticRequest {
  readonly kernels: Kernels;
  readonly plan: Plan;
  /** The training images, with labels. */
  readonly train: LabelledImages;
  /** The random seed. */
  readonly seed: number;
  /** Number of the first image of a class; numbers key the random choices. */
  readonly first: number;
  /** Images of each class. */
  readonly count: number;
}

/** Labelled images of the plan's size. */
export interface SyntheticImages {
  readonly images: Images;
  readonly labels: Uint8Array;
}

/** Synthesizes `count` images of each class, class by class. Yields after each step; gives back the kernel memory that it takes. */
export function* syntheticImages(request: SyntheticRequest): Generator<void, SyntheticImages> {
  const { plan, train, first, count } = request,
    classes = knownClasses(train.labels!),
    [size] = plan.sizes;
  const length = lengthOf({ ...size, channels: plan.channels }),
    pixels = new Uint8Array(classes.length * count * length);
  for (const [turn, label] of classes.entries()) {
    const numbers = Array.from({ length: count }, (_, i) => (first + i) * classes.length + turn);
    const made = yield* ofClass(request, { label, images: numbers }, classes.length);
    made.forEach((image, i) => pixels.set(image.pixels, (turn * count + i) * length));
  }
  const labels = Uint8Array.from({ length: classes.length * count }, (_, i) => classes[Math.floor(i / count)]);
  return { images: { count: labels.length, ...size, channels: plan.channels, pixels }, labels };
}

/** Synthesizes the images of one class. */
function* ofClass(
  { kernels, plan, train, seed }: SyntheticRequest,
  group: ClassGroup,
  classes: number,
): Generator<void, readonly SynthesizedImage[]> {
  const mark = kernels.mark(), label = plan.profile.classwise ? group.label : undefined;
  try {
    const training = classPyramid(kernels, plan, train, label), { images } = group;
    const data = { name: "", origin: "", files: [], train, test: train };
    const { seeds: [seedImages] } = seedMaker(kernels, plan, data, { source: "model", seed, classes })([group]);
    const model = { kernels, plan, training, seed, batch: Math.min(BATCH, images.length) };
    const steps = synthesizeGroupInSteps(model, { images, seedImages });
    try {
      let step = steps.next();
      for (; !step.done; step = steps.next()) yield;
      return step.value;
    } finally {
      steps.return([]); // releases what is not kernel memory if the caller closed this generator
    }
  } finally {
    kernels.release(mark);
  }
}
