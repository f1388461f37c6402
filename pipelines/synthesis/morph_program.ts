/** Morphs pairs of training images on threads. */
import { eachEvent, PROGRESS } from "../../core/steps.ts";
import type { Images } from "../../core/types.ts";
import { morphImages, type Morphs } from "../../datasets/morphs/with_morphs.ts";
import type { Pair } from "../../datasets/morphs/pairs.ts";
import type { Program } from "../run/runner.ts";

/** Some pairs, with their images alone: those of all pairs would be copied to each thread. */
export interface MorphTask {
  readonly images: Images;
  /** By the places of these images. */
  readonly pairs: readonly Pair[];
}

/** Morphs the pairs of a task. */
export const morphProgram: Program<null, MorphTask, Morphs> = {
  name: "morphs",
  prepare() {
    return ({ images, pairs }) => {
      return eachEvent(morphImages(images, pairs), () => [{ ...PROGRESS, part: 1 / pairs.length }]);
    };
  },
};
