/** How images are made from noise: what the entry `noise` of a profile may hold, stated once as a table. */
import type { Table } from "./entries.ts";
import { MAX_ORIGINALITY } from "./limits.ts";
import { REGION } from "./regions.ts";
import { MAX_STEPS, MAX_WINDOW, SCHEDULES, SOLVERS } from "./schedule.ts";

/** How images are made from noise (`core/diffuse.ts`), where a profile's images come from noise. */
export const NOISE = {
  /** X_l is made from noise, and the layers below l follow. By default the finest whose longer side is at most 40 pixels. */
  layer: {
    type: "integer",
    min: 0,
    max: 16,
    optional: true,
    about: "l of the images that are made from noise; 0: the whole image, no layer follows",
  },
  denoiser: {
    type: "plugin",
    kind: "denoiser",
    optional: true,
    about: "the denoiser, or [denoiser, options]; local-score by default",
  },
  schedule: { type: "choice", choices: SCHEDULES, default: "cosine", about: "which noise levels are visited" },
  steps: { type: "integer", min: 1, max: MAX_STEPS, default: 20, about: "how many noise levels; more: sharper" },
  /** Larger windows: more coherent images, and more of them nearly copies. `auto` searches: `pipelines/run/noise/choice.ts`. */
  windows: {
    type: "either",
    of: [
      { type: "choice", choices: ["auto"], expected: "auto, or a list of odd numbers, one for each step" },
      { type: "list", of: { type: "integer", min: 1, max: MAX_WINDOW, parity: "odd" } },
    ],
    default: "auto",
    about: "side of the window in each step, most noise first; auto: as wide as possible while images stay new",
  },
  /** The colours of photographs differ less than light and dark do. Under the same noise they are decided last, in small windows. */
  saturation: {
    type: "number",
    min: 1,
    max: 4,
    default: 1,
    about:
      "how much more vivid colours are while images are made; more: fewer blotches; the most vivid ones change less",
  },
  /** Photographs in other light are found for the parts of an image: without it a face gets parts of several tones. */
  whiteBalance: {
    type: "boolean",
    default: false,
    about:
      "whether training images get one tone, that of the box around all `regions`, while images are made; fewer faces of two tones",
  },
  solver: { type: "choice", choices: SOLVERS, default: "2m", about: "how the estimates become the next image" },
  eta: { type: "number", min: 0, max: 1, default: 0, about: "how much of the noise is drawn anew in each step" },
  /** Where it is left out, that of the left-out training image that lies nearest to the others. */
  minOriginality: {
    type: "number",
    min: 0,
    max: MAX_ORIGINALITY,
    optional: true,
    about:
      "images from noise with a lower originality are made again; 0: none; left out: that of left-out training images",
  },
  /** Where it is left out, that of the left-out training image that shares most: of the whole image, and of each of `regions`. */
  maxStructure: {
    type: "number",
    min: 0,
    max: 1,
    optional: true,
    about:
      "images from noise that share more structure with a training image are made again; 1: none; left out: as above",
  },
  /** How typical an image is: the mean of its 20 highest structures (a training image's own is left out), as in `maxStructure`. */
  minTypicality: {
    type: "number",
    min: 0,
    max: 1,
    default: 0,
    about:
      "images from noise less typical, also in a region, than this quantile of training images are made again; 0: none",
  },
  /** The halves of the box around all `regions`, or of the whole image (`core/mutual_information.ts`), as far as images reach it. */
  minMutualInformation: {
    type: "number",
    min: 0,
    max: 1,
    default: 0,
    about:
      "images from noise whose left and right half say less about each other than this quantile of training images are made again",
  },
  /** By a Gaussian of the structure in each of `likelyIn` (`core/gaussian.ts`), after the next layer: it takes their grain away. */
  minLikelihood: {
    type: "number",
    min: 0,
    max: 1,
    default: 0,
    about:
      "images from noise whose structure, after the next layer, is less likely than this quantile of training images are made again",
  },
  likelyIn: {
    type: "objects",
    entries: REGION,
    optional: true,
    expected: "a list of regions",
    about: "where `minLikelihood` measures structure; left out: in the box around all `regions`, or in the whole image",
  },
  /** With more tries, fewer images that miss the limits are kept; strict limits then take longer. */
  tries: {
    type: "integer",
    min: 1,
    max: 64,
    default: 8,
    about: "how often an image from noise is made at most, until it keeps the limits; the best is kept",
  },
} as const satisfies Table;
