import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/**
 * Textures from an exemplar or a few, of any size. Beyond the paper, which names texture synthesis as what its method grew
 * out of; with `--z-step map` the random draws become the best match, as in texture optimization (Kwatra et al., 2005).
 *
 * Chosen by looking at twelve exemplars (brick, weave, rope, gravel, berries, text, ...): with h ten times as large, and less
 * so with one layer more, what has little contrast, such as brick, melts into its mean.
 */
export const texture: Profile = {
  name: "texture",
  about: "textures from an exemplar, in colour or grey, of any size",
  dataset: "texture",
  size: 192, // image sizes: 48 -> 96 -> 192
  channels: 3,
  aligned: false,
  quiltLayer: 0, // the finished images; --set quiltLayer=2, or another prior, quilts seed images for both layers
  classwise: true, // exemplars of different textures are not mixed
  patch: 8,
  prior: ["spatially-invariant", { neighbours: 50 }],
  contexts: [["square", { extent: 1, weight: 0.5 }]],
  layers: [
    { // l = 0
      overlap: 4,
      iterations: 5,
      window: 0,
      h: [0.003, 0.003, 0.003, 0.003, 0.003],
      lambda: [0, 0, 0, 0, 0],
      rho: [0.01, 0.1, 1, 7, 50],
      offsets: [[0, 0], [1, 2], [2, 0], [3, 3], [0, 1]],
    },
    { // l = 1
      overlap: 4,
      iterations: 8,
      window: 0,
      h: [0.003, 0.003, 0.003, 0.003, 0.003, 0.003, 0.003, 0.003],
      lambda: [0, 0, 0, 0, 0, 0, 0, 0],
      rho: [0.01, 0.03, 0.1, 0.4, 1.3, 4.4, 15, 50],
      offsets: [[0, 0], [1, 2], [2, 0], [3, 3], [0, 1], [1, 3], [2, 2], [3, 0]],
    },
  ],
} satisfies Profile<Builtin>;
