import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";
import { colourFacesRelit } from "./colour_faces_relit.ts";
import { FEW_FACES, LIKELY_IN } from "./faces.ts";
import { DRAWN_ONCE, FACE_REGIONS } from "./faces_relit.ts";

/**
 * Aligned faces of new people in colour, as `faces` in grey: from pure noise at 32x32, then one layer of `detail`, in which no
 * photograph gives more than 15 % of an image. All photographs have one tone while images are made (`whiteBalance`): without it a
 * forehead and a cheek have those of two photographs. Colours are twice as vivid then (`saturation`): as they are, contrast is lower.
 * At a low temperature fewer photographs count in a pixel, which keeps contrast. What is untypical, too near to a photograph, or
 * unlikely at the eyes and the nose is made again, up to 32 times. With `lrShare`, and patches that overlap by half, edges have fewer
 * scratches. docs/priors.md has the figures: of 48 faces 4 have a defect at first sight. Layers 1 and 2 are those of
 * `colour-faces-relit`, for seed images that are given.
 */
export const colourFaces: Profile = {
  name: "colour-faces",
  about: "aligned faces of new people in colour from noise, 64x64",
  dataset: "faces-colour",
  size: 64, // image sizes: 32 -> 64 from noise, 8 -> 16 -> 32 -> 64 from seed images
  channels: 3,
  classwise: false,
  regions: FACE_REGIONS,
  patch: 8,
  prior: ["detail", { neighbours: 1, coherent: true, maxShare: 1 }],
  contexts: [["square", { extent: 2, weight: 0.3 }]],
  from: "noise",
  noise: {
    layer: 1,
    denoiser: ["local-score", { temperature: 0.7, mirror: 0.4 }],
    windows: [23, 23, 21, 21, 19, 19, 19, 17, 17, 15, 15, 15, 13, 13, 11, 11, 11, 9, 9, 7],
    saturation: 2,
    whiteBalance: true,
    minOriginality: 0.9,
    minTypicality: 0.15,
    minLikelihood: 0.3,
    likelyIn: LIKELY_IN,
    tries: 32,
  },
  few: { ...FEW_FACES, noise: { ...FEW_FACES.noise, whiteBalance: false } }, // windows are whole faces
  layers: [
    { // l = 0: 32 -> 64
      ...DRAWN_ONCE,
      patch: 8,
      overlap: 4,
      feather: 1,
      prior: ["detail", { gain: 1.35, lrShare: 0.3, bonus: 4, maxShare: 0.15 }],
      contexts: [["square", { extent: 2, weight: 0.3 }], ["mirror", { extent: 1, weight: 0.12 }]], // both eyes, both glasses
    },
    ...colourFacesRelit.layers.slice(1),
  ],
} satisfies Profile<Builtin>;
