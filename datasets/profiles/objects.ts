import type { Profile, ProfileLayer } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/** What the layers 8 -> 16 and 16 -> 32 share. */
const coherent = {
  overlap: 2,
  iterations: 3,
  window: 0,
  h: [0.5, 0.5, 0.5],
  lambda: [0, 0, 0],
  offsets: [[0, 0], [1, 0], [0, 1]], // cycle spinning
  order: "sweep",
} satisfies Partial<ProfileLayer<Builtin>>;

/**
 * Objects that are not aligned: each at its own place, scale and angle, with a pattern that the seed image does not show. Patches are
 * drawn rather from the training images of the patches that they overlap (`bonus`): neighbours by their LR patches alone have other
 * patterns at other places, and their mixture is grey. Outlines come from 4 -> 8, where seed images are like many training images.
 *
 * On the built-in objects (20 of each kind, `deno task synth --profile objects --per-class 20`, then
 * `deno task assess --profile objects --images out/objects`), in brackets those of held-out images; tries of an image of at most 8:
 *
 * | bonus | judge (0.45) | originality, least (1.10) | closest correlation (0.83) | sharpness (0.99) | contrast (1.02) | tries |
 * | ----- | ------------ | ------------------------- | -------------------------- | ---------------- | --------------- | ----- |
 * | 0     | 0.87         | 1.00, 0.72                | 0.85                       | 0.53             | 0.83            |       |
 * | 4     | 0.64         | 0.99, 0.64                | 0.85                       | 0.76             | 0.91            |       |
 * | 5     | 0.53         | 0.91, 0.61                | 0.87                       | 0.86             | 0.95            | 4.3   |
 * | 7     | 0.58         | 0.88, 0.61                | 0.88                       | 0.98             | 0.99            | 5.8   |
 * | 10    | 0.54         | 0.87, 0.63                | 0.88                       | 0.97             | 0.99            | 6.3   |
 *
 * The judge has a standard error of some 0.04. Bonus 5 without `minOriginality` at 8 -> 16: originality 0.84, least 0.33; windows of
 * 3 and 2: judge 0.61, originality 0.99. docs/unaligned.md compares other profiles.
 */
export const objects: Profile = {
  name: "objects",
  about: "objects that are not aligned, 32x32, each class from its own training images",
  dataset: "objects",
  size: 32, // image sizes: 4 -> 8 -> 16 -> 32
  classwise: true,
  restoredAs: "digits-paper", // in a restoration known pixels decide, not neighbouring patches
  patch: 8,
  prior: ["local-nn", { neighbours: 60, bonus: 5 }],
  contexts: [["square", { extent: 2, weight: 0.3 }]],
  // Looked at 80 objects: without both entries most bags have no outline, and sharpness is 0.92 in place of 1.02 (0.99).
  noise: { denoiser: ["local-score", { temperature: 0.75 }], minTypicality: 0.4 },
  layers: [
    { // l = 0: 16 -> 32
      ...coherent,
      rho: [0.01, 0.3, 30],
      minOriginality: 0.6, // a copy is drawn again
    },
    { // l = 1: 8 -> 16
      ...coherent,
      rho: [0.01, 0.3, 10],
      minOriginality: 0.8,
    },
    { // l = 2: 4 -> 8
      patch: 6,
      overlap: 2,
      iterations: 2,
      window: 0,
      h: [100, 100], // each of the nearest is as likely
      lambda: [0, 0.1],
      rho: [0.01, 100],
      offsets: [[0, 0], [0, 0]],
      prior: ["local-nn", { neighbours: 10, bonus: 0 }],
      contexts: [["square", { extent: 1, weight: 0.5 }]],
    },
  ],
} satisfies Profile<Builtin>;
