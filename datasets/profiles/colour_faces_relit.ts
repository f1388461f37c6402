import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";
import { DRAWN_ONCE, FACE_REGIONS } from "./faces_relit.ts";

/**
 * Training photographs in other light, in colour: the three coarser layers of `faces-relit`, whose docstring says why, with patches that hold red, green and blue
 * together.
 *
 * Chosen by these figures and by looking. 2000 training photographs, 200 images, in brackets those of the same profile in grey
 * (`--set channels=1`, with the gains of `faces-relit`) and of test images in colour: judge 0.859 (0.827, 0.455), likelihood -285 (-247 in
 * grey against -251 of grey test images, -294), originality 1.10, least 0.71 (1.12, 1.21), contrast 0.98 (0.99, 1.01), sharpness 0.99
 * (1.02, 1.00), closest correlation 0.85 (test images 0.72). The standard error of the judge is 0.02. Measure again:
 * `deno task synth --profile colour-faces-relit --count 200`, then `deno task assess --profile colour-faces-relit --images out/colour-faces-relit`.
 *
 * - Gains from those of `faces-relit`, 1.05, 1.15 and 1.2, to 1.1, 1.2 and 1.25: judge 0.851 to 0.859, likelihood -278 to -285, contrast
 *   0.96 to 0.98, sharpness 0.89 to 0.99: patches of three channels fit each other less well, and blur more where they overlap.
 * - `layers.0` with the patch of 16, overlap 4, feather 4 and bonus 12 of `faces-relit`: judge 0.852, sharpness 0.88.
 * - YCbCr in place of RGB, chroma at half weight (a quarter of the squared distance): judge 0.911, likelihood -275, sharpness 0.88;
 *   at double weight: judge 0.912, likelihood -269, sharpness 0.79. RGB weighs luma and chroma about equally. So distances stay
 *   plain sums over red, green and blue.
 */
export const colourFacesRelit: Profile = {
  name: "colour-faces-relit",
  about: "training photographs of faces in colour in the light of their seed images, 64x64",
  dataset: "faces-colour",
  size: 64, // image sizes: 8 -> 16 -> 32 -> 64
  channels: 3,
  classwise: false,
  regions: FACE_REGIONS,
  patch: 8,
  prior: ["detail", { neighbours: 1, coherent: true, maxShare: 1 }],
  contexts: [["square", { extent: 2, weight: 0.3 }]],
  layers: [
    { // l = 0: 32 -> 64
      ...DRAWN_ONCE,
      feather: 3,
      minOriginality: 0.8,
      prior: ["detail", { gain: 1.1, bonus: 8 }],
    },
    { // l = 1: 16 -> 32
      ...DRAWN_ONCE,
      h: [0.075],
      rho: [4],
      feather: 3,
      minOriginality: 0.95,
      prior: ["detail", { gain: 1.2, bonus: 6, maxShare: 0.8 }],
      contexts: [["square", { extent: 4 }]],
    },
    { // l = 2: 8 -> 16
      ...DRAWN_ONCE,
      patch: 16, // the whole image: one example decides on a face
      overlap: 0,
      h: [300], // each of the nearest is as likely
      rho: [0.001],
      prior: ["detail", { neighbours: 30, gain: 1.25 }],
      contexts: [],
    },
  ],
} satisfies Profile<Builtin>;
