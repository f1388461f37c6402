import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/**
 * Objects that are not aligned: each at its own place, scale and angle, with patterns that the seed image does not show. One training
 * image near to the seed image decides on the whole image at 4 -> 8, and again, one of the 3 nearest to the result, at 8 -> 16: parts
 * of it fit together, and its pattern is of one piece. In finer layers patches follow what was drawn beside them and in the coarser
 * layer. Newness comes from the seed image, whose shading stays, and from the change of the training image.
 *
 * docs/unaligned.md has the figures and the commands. What was tried on bags and shirts (400 training images of a class, 48 images;
 * judge, originality and its least value; held-out images 0.48 and 0.57, 1.35 and 1.18):
 *
 * - this profile: 0.75 and 0.84, 1.04 and 0.99, 0.60;
 * - at 8 -> 16 patches of 8 that share a context of the whole image (`maxShare` 0.8): 0.71 and 0.84, but patterns change within an
 *   object; without `minOriginality` some image has an originality of 0.15;
 * - `local-nn` in the coarsest layer: 0.81 and 0.91, outlines are broken;
 * - `projection` 2 in the finest layer, which removes the faint shine of seed images around objects: 0.77 and 0.85, patterns vanish.
 */
export const objects: Profile = {
  name: "objects",
  about: "objects that are not aligned, 32x32, each class from its own training images",
  dataset: "objects",
  size: 32, // image sizes: 4 -> 8 -> 16 -> 32
  classwise: true,
  restoredAs: "digits-paper", // `detail` amplifies what it pastes
  patch: 8,
  prior: ["detail", { neighbours: 1, coherent: true, maxShare: 1 }],
  contexts: [["square", { extent: 2, weight: 0.3 }]],
  layers: [
    { // l = 0: 16 -> 32
      overlap: 2,
      iterations: 1,
      window: 0,
      h: [0.00625],
      lambda: [0],
      rho: [16],
      offsets: [[0, 0]],
      order: "sweep",
      feather: 3,
      minOriginality: 0.6, // a copy is drawn again
      prior: ["detail", { gain: 1.05, bonus: 8 }],
    },
    { // l = 1: 8 -> 16
      patch: 16, // the whole image
      overlap: 0,
      iterations: 1,
      window: 0,
      h: [0.075],
      lambda: [0],
      rho: [4],
      offsets: [[0, 0]],
      order: "sweep",
      minOriginality: 0.7,
      prior: ["detail", { neighbours: 3, gain: 1.1 }],
      contexts: [],
    },
    { // l = 2: 4 -> 8
      patch: 8, // the whole image
      overlap: 0,
      iterations: 1,
      window: 0,
      h: [300], // each of the nearest is as likely
      lambda: [0],
      rho: [0.001],
      offsets: [[0, 0]],
      order: "sweep",
      prior: ["detail", { neighbours: 30, gain: 1.1 }],
      contexts: [],
    },
  ],
} satisfies Profile<Builtin>;
