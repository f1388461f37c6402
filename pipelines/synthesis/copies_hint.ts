import type { Plan } from "../../core/plan.ts";
import { counted } from "../report/counted.ts";
import { originalityOf, type SynthesizedImage } from "./synthesized_image.ts";

/**
 * An image of a lower originality looks like its nearest training image. The least of 300 faces of profile `faces` has 0.81, of 200
 * of `colour-faces` 0.71; images whose coarsest layer is one patch of `local-nn` have 0.10 to 0.67.
 */
const NEAR = 0.6;

/** With fewer training images, most patches of an image come from one of them. */
const FEW = 50;

/**
 * Says that images are nearer to a training image than training images are to each other, what the likely cause is, and what to
 * try; undefined if none is.
 *
 * @param training the number of training images; where they have classes, that of the smallest
 */
export function copiesHint(
  { layers }: Plan,
  images: readonly Pick<SynthesizedImage, "nearest">[],
  training: number,
): string | undefined {
  const originalities = images.map(originalityOf), near = originalities.filter((value) => value < NEAR).length;
  if (near === 0) return undefined;
  const least = originalities.reduce((a, b) => Math.min(a, b)), all = counted(images.length, "image");
  const whole = layers.find(({ patch, height, width }) => patch >= height && patch >= width);
  const cause = training < FEW
    ? `there are ${
      counted(training, "training image")
    }, so that most patches come from one; more images or --mirror help`
    : whole
    ? `a patch of layer ${whole.layer} is the whole image there; try --set layers.${whole.layer}.patch=${
      evenHalf(whole.patch)
    } or a larger --size`
    : "the patches of an image come from few training images; try more neighbours (--set prior.neighbours=...)";
  return `Warning: ${near} of ${all} ${
    near === 1 ? "is" : "are"
  } much nearer to a training image than training images are ` +
    `to each other (least originality ${
      least.toFixed(2)
    }): ${cause}, or draw such images again with --min-originality 0.8`;
}

/** Half of an even number, made even. */
function evenHalf(patch: number): number {
  return Math.max(2, 2 * Math.floor(patch / 4));
}
