/** The seed images that a synthesis begins with: of test images, of a pack, from a model, quilted, or brought by the caller. */
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { seedImages } from "../../core/pyramid.ts";
import { lengthOf, sameShape } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { DataSet, LabelledImages } from "../../datasets/data_set.ts";
import { chosenBy, type ClassGroup, seedNumbers } from "../../datasets/groups.ts";
import { trainingImages } from "./class_pyramid.ts";
import { quilt } from "./quilt.ts";
import { seedModel } from "./seed_model.ts";
import { takeSeedImages } from "./synthesizer.ts";

/**
 * Where seed images come from. "test": the test images, or the seed images of a pack; "model": a Gaussian of the training
 * images' seed images, for aligned images; "quilt": blocks of the training images; or images of the seed's size, or of up to the
 * profile's, which are downscaled.
 */
export type SeedSource = "test" | "model" | "quilt" | LabelledImages;

/** Seed images of the groups of a synthesis. */
export interface SeedsOfGroups {
  /** For each group its seed images, one after another: channels x height x width values in [0, 1] each. */
  readonly seeds: readonly Float32Array[];
  /** Which image of the source each image took, by the image's number; undefined where they were drawn from training images. */
  readonly seedOf?: readonly number[];
  /** The images of the source, where they are larger than seed images. */
  readonly originals?: Images;
}

/** What seed images are made for. */
export interface SeedRequest {
  readonly source: SeedSource;
  /** The random seed. */
  readonly seed: number;
  readonly groups: readonly ClassGroup[];
  /** How many classes take turns. */
  readonly classes: number;
}

/**
 * Makes the seed images of every group.
 *
 * @throws one sentence where the source has no image of a class, or where a pack's seed images have another shape than the plan's
 */
export function seedsOfGroups(
  kernels: Kernels,
  plan: Plan,
  data: DataSet,
  { source, seed, groups, classes }: SeedRequest,
): SeedsOfGroups {
  const { sizes, channels } = plan, last = { ...sizes.at(-1)!, channels }, values = lengthOf(last);
  if (source === "model" || source === "quilt") {
    const { images, sizes } = trainingImages(plan, data.train.images), coarsest = { ...sizes.at(-1)!, channels };
    return {
      seeds: groups.map(({ label, images: numbers }) => {
        const chosen = chosenBy(data.train.labels, label, images.count);
        const examples = seedImages(kernels, images, sizes, chosen);
        const draw = source === "model"
          ? seedModel(kernels, examples, values).draw
          : (seed: number, image: number) =>
            quilt({ count: chosen.length, ...coarsest, values: examples }, last, seed, image);
        const seeds = new Float32Array(numbers.length * values);
        numbers.forEach((image, i) => seeds.set(draw(seed, image), i * values));
        return seeds;
      }),
    };
  }

  const packed = source === "test" ? data.seeds : undefined,
    { images, labels } = source === "test" ? data.test : source;
  const chosen = groups.map((group) => seedNumbers(group, classes, packed ?? { count: images.count, labels }));
  const seedOf: number[] = [];
  groups.forEach(({ images }, g) => images.forEach((image, i) => seedOf[image] = chosen[g][i]));
  if (packed) return { seeds: chosen.map((numbers) => takeSeedImages(packed, numbers, plan)), seedOf };
  if (!sameShape(images, last)) {
    return { seeds: chosen.map((numbers) => seedImages(kernels, images, sizes, numbers)), seedOf, originals: images };
  }
  const unit = (n: number) => Array.from(images.pixels.subarray(n * values, (n + 1) * values), (byte) => byte / 255);
  return { seeds: chosen.map((numbers) => Float32Array.from(numbers.flatMap(unit))), seedOf };
}
