import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/** Handwritten digits: table 1 of the paper. Each line is a row of the table; l = 0, the finest layer, is first. */
export const digitsPaper: Profile = {
  name: "digits-paper",
  about: "handwritten digits, 32x32, each class from its own training images, as in the paper",
  dataset: "mnist",
  size: 32, // image sizes: 4 -> 8 -> 16 -> 32; MNIST's 28 padded to 32
  classwise: true,
  patch: 6, // n -- patch size
  prior: ["local-nn", { neighbours: 100 }],
  contexts: [["square", { extent: 1, weight: 0.5 }]],
  layers: [
    { // l = 0: 16 -> 32
      overlap: 2, // {overlap_l}
      iterations: 4, // {K_l}
      window: 2, // {neighbor-window-size_l}
      h: [2 ** 3, 2 ** 4, 2 ** 5, 2 ** 6],
      lambda: [2 ** -4, 2 ** -4, 2 ** -4, 2 ** -4],
      rho: [2 ** -10, 2 ** -5, 2 ** 0, 2 ** 5],
      offsets: [[0, 0], [1, 0], [0, 1], [1, 1]], // cycle spinning
    },
    { // l = 1: 8 -> 16
      overlap: 2,
      iterations: 4,
      window: 1,
      h: [2 ** 3, 2 ** 4, 2 ** 5, 2 ** 6],
      lambda: [2 ** -4, 2 ** -4, 2 ** -4, 2 ** -4],
      rho: [2 ** -10, 2 ** -6.67, 2 ** -3.33, 2 ** 0],
      offsets: [[0, 0], [1, 0], [0, 1], [1, 1]],
    },
    { // l = 2: 4 -> 8
      overlap: 2,
      iterations: 2,
      window: 0,
      h: [100, 100],
      lambda: [0, 0.1],
      rho: [0.01, 100],
      offsets: [[0, 0], [0, 0]], // two ordinary ADMM iterations
    },
  ],
} satisfies Profile<Builtin>;
