/** Describes a synthesized image: its distance to the nearest training image, and the training images its pixels were copied from. */
import type { Kernels } from "../../core/kernels.ts";
import { type Nearest, nearestTraining } from "../../core/nearest.ts";
import type { Plan } from "../../core/plan.ts";
import { contributors, type Provenance } from "../../core/provenance.ts";
import type { Steps } from "../../core/steps.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import type { NamedShare } from "../../datasets/training_names.ts";
import type { SynthesizedBatch } from "../../core/batch.ts";
import type { Lineage } from "./image_bits.ts";
import type { ComparedImage } from "./near_copies.ts";
import type { SharedStructure } from "./structures.ts";
import { votedPixels } from "./vote.ts";

/** A finished image. Training images are named by their numbers in the training pyramid. */
export interface SynthesizedImage {
  /** Number of the image. */
  readonly number: number;
  /** channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** For each pixel of an image that is quilted as a whole, the pixel of the exemplars that it is, as `Quilted.sources`; if asked for. */
  readonly sources?: Int32Array;
  /** The nearest training image; undefined if training images are exemplars, which cannot be compared with whole images. */
  readonly nearest?: Nearest;
  /** The structure that it shares with a training image, if that was measured. */
  readonly structure?: SharedStructure;
  /** The training images that most of its pixels came from, largest share first. */
  readonly contributors: readonly { readonly image: number; readonly share: number }[];
  /** Root mean square of the X-step's correction against the average of the patches, in [0, 1] units. */
  readonly correction: number;
  /** How often the image was drawn, whole or in part; given if there is a least originality or likelihood. */
  readonly tries?: number;
  /** The training images behind it, by their numbers in the training pyramid, if they were traced: see `dependencies.ts`. */
  readonly lineage?: Lineage;
  /** The log-likelihood in nats, as the metric `likelihood` measures it, if it was measured. */
  readonly ll?: number;
}

/** A finished image of one of the groups of a job. */
export interface GroupImage extends SynthesizedImage {
  /** The number of its group. */
  readonly group: number;
  /** `contributors` as an earlier run recorded them: those that are behind morphs only have no number in the pyramid. */
  readonly named?: readonly NamedShare[];
}

/** A described image with the origin of each of its pixels. */
export interface TracedImage extends SynthesizedImage {
  /** Which training image each pixel was copied from. */
  readonly provenance: Provenance;
}

/** Returns the originality of an image: the distance to its nearest training image relative to that image's own distance to its nearest. */
export function originalityOf({ nearest }: Pick<SynthesizedImage, "nearest">): number {
  return nearest ? nearest.distance / nearest.trainingDistance || 0 : Infinity;
}

/** The share of an image that its largest contributor gives; 0 where no pixel is a copy. */
export function largestShare({ contributors }: Pick<SynthesizedImage, "contributors">): number {
  return contributors.find(({ image }) => image >= 0)?.share ?? 0;
}

/** What is compared with training images to find near copies. */
export function comparedOf(image: Pick<SynthesizedImage, "nearest" | "structure" | "contributors">): ComparedImage {
  return { ...image, originality: originalityOf(image), sources: image.contributors };
}

/** Contributors kept for each image: more than results name, as morphs with parents in common count together there. */
const KEPT_CONTRIBUTORS = 100;

/** Describes the images of a synthesized batch; `numbers` are their numbers, in their order. */
export function* describeImages(
  { kernels, plan }: { readonly kernels: Kernels; readonly plan: Plan },
  training: TrainingPyramid,
  numbers: readonly number[],
  { pixels: merged, provenance }: SynthesizedBatch,
): Steps<TracedImage[]> {
  const length = merged.length / numbers.length, pixels = plan.pixelArt ? new Uint8Array(merged.length) : merged;
  for (const [i, one] of plan.pixelArt ? provenance.entries() : []) {
    const own = merged.subarray(i * length, (i + 1) * length);
    pixels.set(yield* votedPixels(kernels, one, training.hr[0], own), i * length);
  }
  const nearest = plan.aligned ? nearestTraining(kernels, training, pixels) : [];
  return numbers.map((number, i) => ({
    number,
    pixels: pixels.slice(i * length, (i + 1) * length),
    nearest: nearest[i],
    contributors: contributors(provenance[i]).slice(0, KEPT_CONTRIBUTORS),
    correction: Math.sqrt(provenance[i].correction.reduce((sum, value) => sum + value * value, 0) / length),
    provenance: provenance[i],
  }));
}
