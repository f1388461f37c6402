/** Morphs pairs of training images on threads. */
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
    return function* ({ images, pairs }) {
      const steps = morphImages(images, pairs);
      let step = steps.next();
      for (; !step.done; step = steps.next()) yield { type: "progress", part: 1 / pairs.length };
      return step.value;
    };
  },
};
