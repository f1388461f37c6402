import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";
import { FACE_REGIONS } from "./faces_relit.ts";

/** Aligned faces: table 2 of the paper. Each line is a row of the table; l = 0, the finest layer, is first. */
export const facesPaper: Profile = {
  name: "faces-paper",
  about: "aligned grey faces, 128x128, as in the paper",
  dataset: "faces",
  size: 128, // image sizes: 8 -> 16 -> 32 -> 64 -> 128
  classwise: false,
  regions: FACE_REGIONS,
  patch: 8, // n -- patch size
  // Not stated in the paper, chosen by looking at results: more neighbours or heavier contexts flatten the contrast,
  // fewer break the face apart. `deno task synth --profile faces-paper --set prior.neighbours=50` shows it.
  prior: ["local-nn", { neighbours: 5 }],
  contexts: [["square", { extent: 2, weight: 0.1 }], ["horizontal", { weight: 0.02 }]],
  layers: [
    { // l = 0: 64 -> 128
      overlap: 2, // {overlap_l}
      iterations: 5, // {K_l}
      window: 0, // {neighbor-window-size_l}
      h: [2 ** 1, 2 ** -0.25, 2 ** -1.5, 2 ** -2.75, 2 ** -4],
      lambda: [2 ** -3, 2 ** -2.25, 2 ** -1.5, 2 ** -0.75, 2 ** 0],
      rho: [2 ** -3, 2 ** -1.25, 2 ** 0.5, 2 ** 2.25, 2 ** 4],
      offsets: [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]], // cycle spinning
    },
    { // l = 1: 32 -> 64
      overlap: 2,
      iterations: 9,
      window: 0,
      h: [2 ** 2, 2 ** 1.25, 2 ** 0.5, 2 ** -0.25, 2 ** -1, 2 ** -1.75, 2 ** -2.5, 2 ** -3.25, 2 ** -4],
      lambda: [2 ** -3, 2 ** -2.625, 2 ** -2.25, 2 ** -1.875, 2 ** -1.5, 2 ** -1.125, 2 ** -0.75, 2 ** -0.375, 2 ** 0],
      rho: [2 ** -3, 2 ** -2.125, 2 ** -1.25, 2 ** -0.375, 2 ** 0.5, 2 ** 1.375, 2 ** 2.25, 2 ** 3.125, 2 ** 4],
      offsets: [[0, 0], [1, 2], [2, 0], [0, 1], [2, 2], [1, 0], [0, 2], [2, 1], [1, 1]],
    },
    { // l = 2: 16 -> 32
      overlap: 2,
      iterations: 9,
      window: 0,
      h: [2 ** 0, 2 ** -0.25, 2 ** -0.5, 2 ** -0.75, 2 ** -1, 2 ** -1.25, 2 ** -1.5, 2 ** -1.75, 2 ** -2],
      lambda: [2 ** -3, 2 ** -2.625, 2 ** -2.25, 2 ** -1.875, 2 ** -1.5, 2 ** -1.125, 2 ** -0.75, 2 ** -0.375, 2 ** 0],
      rho: [2 ** -3, 2 ** -2.375, 2 ** -1.75, 2 ** -1.125, 2 ** -0.5, 2 ** 0.125, 2 ** 0.75, 2 ** 1.375, 2 ** 2],
      offsets: [[0, 0], [1, 2], [2, 0], [0, 1], [2, 2], [1, 0], [0, 2], [2, 1], [1, 1]],
    },
    { // l = 3: 8 -> 16
      overlap: 4,
      iterations: 4,
      window: 0,
      h: [10, 10, 10, 10],
      lambda: [0.001, 0.001, 0.001, 0.001],
      rho: [0.001, 0.001, 0.001, 0.001],
      offsets: [[0, 0], [1, 0], [0, 1], [1, 1]],
    },
  ],
} satisfies Profile<Builtin>;
