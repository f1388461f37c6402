import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/**
 * Sprites and glyphs: small pictures of few colours with transparent pixels, 20 to 500 of them, of 16x16 to 64x64 pixels.
 *
 * Chosen by looking at sheets of 60 sprites of the built-in ones, and by how many of them are nearer to a training image than a
 * third of the distance to the second nearest (`deno task synth --profile sprites --count 60`): none. With patches of 6 in all
 * layers, one patch is the whole image of the coarsest layer, and 40 of 60 are; with a context of extent 2 and weight 0.3, 11.
 */
export const sprites: Profile = {
  name: "sprites",
  about: "sprites of 16x16 to 64x64 pixels, in colour, with transparent pixels",
  dataset: "sprites",
  size: 24, // image sizes: 3 -> 6 -> 12 -> 24; `synth` takes the size of the pictures
  channels: 3,
  classwise: false,
  pixelArt: true,
  patch: 6,
  prior: ["local-nn", { neighbours: 6 }],
  noise: { denoiser: ["local-score", { mirror: 0.5 }] }, // both eyes, both arms
  // Both sides of a creature fit together. Pictures that are not symmetric lose nothing: their mirror places are compared, not equal.
  contexts: [["square", { extent: 1, weight: 0.2 }], ["mirror", { weight: 0.25 }]],
  layers: [
    { // l = 0
      overlap: 4,
      iterations: 4,
      window: 1,
      h: [0.5, 0.25, 0.125, 0.06],
      lambda: [0, 0, 0, 0],
      rho: [0.01, 0.3, 3, 30],
      offsets: [[0, 0], [1, 0], [0, 1], [1, 1]],
      minOriginality: 0.6, // a copy is drawn again
    },
    { // l = 1
      patch: 4,
      overlap: 2,
      iterations: 4,
      window: 1,
      h: [1, 0.5, 0.25, 0.125],
      lambda: [0, 0, 0, 0],
      rho: [0.01, 0.1, 1, 10],
      offsets: [[0, 0], [1, 0], [0, 1], [1, 1]],
    },
    { // l = 2
      patch: 4,
      overlap: 2,
      iterations: 2,
      window: 0,
      h: [2, 1],
      lambda: [0, 0],
      rho: [0.01, 1],
      offsets: [[0, 0], [0, 0]],
    },
  ],
} satisfies Profile<Builtin>;
