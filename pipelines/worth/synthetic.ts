/** Synthesizes labelled images from a training set inside a task, with seed images drawn from the profile's model of that set. */
import { borrowingSteps, type Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { lengthOf } from "../../core/shape.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import type { DataSet, LabelledImages } from "../../datasets/data_set.ts";
import { type ClassGroup, knownClasses } from "../../datasets/groups.ts";
import { trainingGroup } from "../run/training_pyramids.ts";
import type { Examples } from "./classifiers.ts";
import { morphHere } from "../synthesis/morph_training.ts";
import { seedMaker } from "../synthesis/seed_images.ts";
import { BATCH } from "../run/job.ts";
import { runHere } from "../run/run_task.ts";
import type { SynthesizedImage } from "../run/synthesized_image.ts";

/** What to synthesize. */
interface SyntheticRequest {
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

/** Synthesizes `count` images of each class, of the plan's size, class by class. Yields after each step; gives back the kernel memory that it takes. */
export function* syntheticImages(request: SyntheticRequest): Steps<Examples> {
  const { kernels, plan, train, first, count } = request,
    classes = knownClasses(train.labels!),
    [size] = plan.sizes;
  const length = lengthOf({ ...size, channels: plan.channels }),
    pixels = new Uint8Array(classes.length * count * length);
  const data = morphHere(kernels, { name: "", origin: "", files: [], train, test: train }, plan);
  for (const [turn, label] of classes.entries()) {
    const numbers = Array.from({ length: count }, (_, i) => (first + i) * classes.length + turn);
    const ofClass = yield* imagesOfClass(request, data, { label, images: numbers }, classes.length);
    ofClass.forEach((image, i) => pixels.set(image.pixels, (turn * count + i) * length));
  }
  const labels = Uint8Array.from({ length: classes.length * count }, (_, i) => classes[Math.floor(i / count)]);
  return { images: { count: labels.length, ...size, channels: plan.channels, pixels }, labels };
}

/** Synthesizes the images of one class. */
function imagesOfClass(
  { kernels, plan, seed }: SyntheticRequest,
  data: DataSet,
  group: ClassGroup,
  classes: number,
): Steps<readonly SynthesizedImage[]> {
  const label = plan.profile.classwise ? group.label : undefined;
  const images: SynthesizedImage[] = [], { images: numbers } = group;
  return borrowingSteps(kernels, function* () {
    const training = yield* trainingGroup(kernels, plan, data, label);
    const source = plan.noise ? "noise" : "model";
    const { seeds: [seedImages] } = seedMaker(kernels, plan, data, { source, seed, classes })([group]);
    const job = { plan, seed, batch: BATCH, groups: [{ ...training, numbers, seedImages }] };
    for (const event of runHere(kernels, job)) {
      if (event.type === "image") images.push(event.image);
      else yield PROGRESS;
    }
    return images;
  });
}
