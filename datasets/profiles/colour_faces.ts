import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/**
 * Aligned faces in colour: the three coarser layers of `faces`, whose docstring says why, with patches that hold red, green and blue
 * together.
 */
export const colourFaces: Profile = {
  name: "colour-faces",
  about: "aligned faces in colour, 64x64, shaded as their seed images",
  dataset: "faces-colour",
  size: 64, // image sizes: 8 -> 16 -> 32 -> 64
  channels: 3,
  classwise: false,
  patch: 8,
  prior: ["detail", { neighbours: 1, coherent: true, maxShare: 1 }],
  contexts: [["square", { extent: 2, weight: 0.3 }]],
  layers: [
    { // l = 0: 32 -> 64
      overlap: 2,
      iterations: 1,
      window: 0,
      h: [0.00625],
      lambda: [0],
      rho: [16],
      offsets: [[0, 0]],
      order: "sweep",
      feather: 3,
      minOriginality: 0.8,
      prior: ["detail", { gain: 1.05, bonus: 8 }],
    },
    { // l = 1: 16 -> 32
      overlap: 2,
      iterations: 1,
      window: 0,
      h: [0.075],
      lambda: [0],
      rho: [4],
      offsets: [[0, 0]],
      order: "sweep",
      feather: 3,
      minOriginality: 0.95,
      prior: ["detail", { gain: 1.15, bonus: 6, maxShare: 0.8 }],
      contexts: [["square", { extent: 4 }]],
    },
    { // l = 2: 8 -> 16
      patch: 16, // the whole image: one example decides on a face
      overlap: 0,
      iterations: 1,
      window: 0,
      h: [300], // each of the nearest is as likely
      lambda: [0],
      rho: [0.001],
      offsets: [[0, 0]],
      order: "sweep",
      prior: ["detail", { neighbours: 30, gain: 1.2 }],
      contexts: [],
    },
  ],
} satisfies Profile<Builtin>;
