/** The candidates that a patch is drawn from, and how likely each is: equation (posterior example based). */
import type { Address, CandidateLists } from "../../core/kernel_functions.ts";
import type { Steps } from "../../core/steps.ts";
import type { LayerData, Location, Measurements, RandomNumbers, Step } from "../../core/types.ts";
import type { ExampleLayout, ExamplePosition } from "./addresses.ts";
import { coherentImages } from "./coherent.ts";
import { exampleSearch, type ExampleSettings } from "./search.ts";

/** The candidates of each image of a batch at one location, in kernel memory until the next are asked for. */
export interface ExampleCandidates extends CandidateLists {
  /** Where an example lies: the training image and the first pixel of its patch in the HR image. */
  positionOf(segment: number, example: number): ExamplePosition;
  /** Where candidate `c` of an image of the batch lies. */
  candidatePosition(image: number, c: number): ExamplePosition;
}

/** Candidates, with the training image of each. */
type Listed = CandidateLists & Pick<ExampleLayout, "imageOf">;

/** The posterior of a layer. */
export interface ExamplePosterior {
  /** The most candidates of an image. */
  readonly capacity: number;
  /** Finds the candidates of a location. Their weights are log T, up to a constant of each image. */
  candidates(at: Location, measurements: Measurements, step: Step): ExampleCandidates;
  /**
   * Chooses one candidate of each image: at random with probability T, or the likeliest (the nearer of two). The address of
   * `batch` i32. After a random choice the weights are T relative to the largest, no logarithms any more.
   */
  choose(candidates: ExampleCandidates, how: "sample" | "map", random: RandomNumbers): Address;
  /** Names the training images of the candidates that were found last: see `FittedPrior.compared`. */
  compared(image: number, name: (source: number) => void): void;
}

/** Prepares the posterior of a layer, in steps. Throws as `exampleSearch` does. */
export function* examplePosterior(layer: LayerData, settings: ExampleSettings): Steps<ExamplePosterior> {
  const { kernels, hr, patch, channels, batch } = layer, { penalties, bonus = 0 } = settings;
  const { unit, capacity, nearest } = yield* exampleSearch(layer, settings);
  const weights = kernels.allocate(batch * capacity * 8);
  const uniform = kernels.allocate(batch * 8), chosen = kernels.allocate(batch * 4);
  const hrImages = { rows: hr.at, channels, plane: hr.height * hr.width, width: hr.width, patch };
  /** Subtracts the penalties of the candidates' training images, which are numbered as the examples of each segment are. */
  const penalize = ({ found, count, keys, batch }: CandidateLists, penalties: Float64Array) => {
    const indices = kernels.u32(keys, 2 * batch * capacity), logT = kernels.f64(weights, batch * capacity);
    for (let b = 0; b < batch; b++) {
      for (let c = b * capacity; c < b * capacity + found; c++) logT[c] -= penalties[indices[2 * c] % count];
    }
  };
  /** Adds the bonus to candidates from the training images of overlapping patches. */
  const favour = (at: Location, measurements: Measurements, { found, count, keys, imageOf }: Listed) => {
    const indices = kernels.u32(keys, 2 * measurements.batch * capacity),
      logT = kernels.f64(weights, measurements.batch * capacity);
    for (let b = 0; b < measurements.batch; b++) {
      const images = coherentImages(layer, at, measurements, b);
      if (images.length === 0) continue;
      for (let c = b * capacity; c < b * capacity + found; c++) {
        const segment = Math.floor(indices[2 * c] / count);
        if (images.includes(imageOf(segment, indices[2 * c] - segment * count))) logT[c] += bonus;
      }
    }
  };
  let last: Listed | undefined;
  return {
    capacity,
    /**
     * T(D_HR(j) | i, X, u) = 1/G_i exp{ -1/h |Q_(i/2) X_(l+1) - D_LR(j)|^2 - rho/2 |R_i X + u_i - D_HR(j)|^2 }
     *
     * D_LR(j), D_HR(j): the LR and HR patch of candidate j. Pixels of the context count in the first distance with their
     * weights. The kernel has the first distance as an integer, in units of (`unit` * 255)^2, and the second in grey levels
     * squared; h and rho are those of images in [0, 1].
     */
    candidates(at, measurements, { rho, h }) {
      const { keys, found, count, hrStride, corners, positionOf, imageOf } = nearest(at, measurements);
      const lists = { weights, capacity, found, batch: measurements.batch, keys, count, stride: hrStride, corners };
      const perLow = 1 / (h * unit * unit * 255 * 255), perHigh = rho / (2 * 255 * 255);
      const candidates = { ...lists, ...hrImages };
      kernels.logPosterior(candidates, measurements.patches.byteOffset, perLow, perHigh);
      if (penalties) penalize(candidates, penalties);
      last = { ...candidates, imageOf };
      if (bonus > 0) favour(at, measurements, last);
      return {
        ...candidates,
        positionOf,
        candidatePosition(image, c) {
          const [index] = kernels.u32(keys + (image * capacity + c) * 8, 1);
          return positionOf(Math.floor(index / count), index % count);
        },
      };
    },
    choose(candidates, how, random) {
      if (how === "map") kernels.likeliest(candidates, chosen);
      else {
        random.uniforms(kernels.f64(uniform, candidates.batch));
        kernels.categorical(candidates, uniform, chosen);
      }
      return chosen;
    },
    compared(image, name) {
      if (!last) return;
      const { keys, found, count, imageOf } = last, indices = kernels.u32(keys + image * capacity * 8, 2 * found);
      for (let c = 0; c < found; c++) {
        const index = indices[2 * c], segment = Math.floor(index / count);
        name(imageOf(segment, index - segment * count));
      }
    },
  };
}
