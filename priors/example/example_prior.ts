/**
 * What priors of example patches have in common (section "Local Nearest-Neighbor Patch Prior"): the LR patch of a location,
 * with its context, finds the nearest of the LR examples; one of their HR patches is drawn. They differ in which places of the
 * training images are examples of a location. From a draw down to the kernels: `posterior.ts` (how likely the candidates are),
 * `search.ts` (which these are), `addresses.ts` (where they lie).
 */
import type { Steps } from "../../core/steps.ts";
import type { FittedPrior, LayerData } from "../../core/types.ts";
import { examplePosterior } from "./posterior.ts";
import type { ExampleSettings } from "./search.ts";

/** Fits a prior that draws one of its examples, in steps. Throws where the context has more pixels than the kernel can sum. */
export function* examplePrior(layer: LayerData, settings: ExampleSettings): Steps<FittedPrior> {
  const { kernels, batch } = layer;
  const posterior = yield* examplePosterior(layer, settings);
  const taken = kernels.allocate(batch * 8);
  return {
    draw(location, measurements, step, random, out) {
      if (step.zStep === "mean") {
        // It is made of many examples, so it has no single source.
        kernels.meanPatches(posterior.candidates(location, measurements, step), out.patches.byteOffset);
        out.sources.fill(-1);
        return;
      }
      const { candidates, chosen } = posterior.draw(location, measurements, step, random);
      kernels.takePatches(candidates, chosen, out.patches.byteOffset, taken);
      const examples = kernels.i32(taken, measurements.batch * 2); // (example, segment) of each image
      for (let b = 0; b < measurements.batch; b++) {
        const { image, y, x } = candidates.positionOf(examples[2 * b + 1], examples[2 * b]);
        out.sources[3 * b] = image;
        out.sources[3 * b + 1] = y;
        out.sources[3 * b + 2] = x;
      }
    },
    candidates(location, measurements, step, image) {
      const { found, weights, capacity, candidatePosition } = posterior.candidates(location, measurements, step);
      const sources = new Int32Array(found * 3);
      for (let c = 0; c < found; c++) {
        const position = candidatePosition(image, c);
        sources.set([position.image, position.y, position.x], 3 * c);
      }
      return { sources, logT: kernels.f64(weights + image * capacity * 8, found).slice() };
    },
    compared: posterior.compared,
  };
}
