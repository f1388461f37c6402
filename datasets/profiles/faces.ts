import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";
import { DRAWN_ONCE, FACE_REGIONS, facesRelit } from "./faces_relit.ts";

/**
 * What changes in profiles of faces where there are few photographs. Training images are then morphs of four photographs, and
 * windows are so wide that images from noise are whole faces: these are near to morphs, and not to a photograph.
 *
 * Looked at 25 faces from 31 photographs with hats, hands and glasses (`data import --faces`): some 17 are whole. With the usual
 * settings some 6 of 24 are. In colour at 128x128 some 11 of 24 are, from each of two sets of 36 photographs of LFW as it comes.
 * With `minTypicality` 0.5 and 32 tries it is 12 and 13 of 24, and the faces are more alike. Originality, structure and tries do
 * not tell whole faces from others there.
 *
 * The structure of the 25 grey ones is 0.39 in the mean and 0.47 at most, that of the 3 held-out photographs 0.40 at most, and no
 * photograph gives more than a quarter of an image. Where one image could be twice behind a morph of four, it was 0.53 and 0.73, and
 * up to a half. That was before layers had `lrShare`. With it, 15 of 24 faces from 27 photographs of LFW as it comes are whole; torn
 * mouths are the most frequent defect. The rest was looked at without it.
 *
 * Of 16 faces 11 are whole from 250 photographs of LFW, 14 from 500, and with the usual settings 5 from 500 and 7 from 1000. In colour
 * 11 are from 500 and 13 from 1000, with the usual settings 5 each. They share 0.53 to 0.57 of their structure with a photograph, the
 * usual ones and held-out photographs some 0.40, and are softer: from all of LFW the judge recognizes 0.97 of 100, and sharpness
 * is 0.83.
 *
 * With 10 partners in place of 25, and with windows of 0.65 of the side in place of 0.8, fewer were whole.
 */
export const FEW_FACES: NonNullable<Profile<Builtin>["few"]> = {
  below: 1000,
  expect:
    "expect mixtures of these people, with a defect at first sight in half of them from some thirty photographs, in a quarter from " +
    "some hundreds: make more images than you need (--count), and keep the whole ones; some thousands of photographs give new people",
  morph: 25,
  morphOf: "fours",
  noise: {
    denoiser: ["local-score", { temperature: 0.85, mirror: 0.12 }],
    windows: [53, 51, 49, 49, 47, 45, 43, 43, 41, 39, 37, 35, 33, 31, 29, 27, 23, 21, 17, 13],
    minOriginality: 0.3,
    maxStructure: 1,
    minMutualInformation: 0,
    minLikelihood: 0,
    tries: 8,
  },
};

/** Where faces have to be as likely as photographs: scraps of glasses lie there. */
export const LIKELY_IN: NonNullable<NonNullable<Profile["noise"]>["likelyIn"]> = [
  { name: "eyes-and-nose", x: 0.22, y: 0.31, width: 0.56, height: 0.38 },
  { name: "nose", x: 0.38, y: 0.38, width: 0.25, height: 0.31 },
];

/**
 * Aligned faces of new people. The local score machine makes them from pure noise at 32x32, and two layers of `detail` make them
 * sharp, in which no photograph gives more than 15 % of an image. Narrow feathers keep sharpness for less gain, and
 * with `lrShare` coarser edges lie where their detail does: docs/priors.md has the figures.
 *
 * What is untypical as a whole or at the eyes or the mouth is made again, and so is a mouth that is that of one photograph, and a
 * face whose halves do not belong together: docs/priors.md has the figures. Of 48 faces some 5 have a defect at first sight; without
 * `minMutualInformation`, with `mirror` 0.12, patches of 8 in 32 -> 64 and no `lrShare` it was some 8, most of them half glasses and
 * eyes that differ. The mirror place in 32 -> 64 costs sharpness, for which gains make up.
 *
 * Layers 2 and 3 are those of `faces-relit`. They are used where seed images are given, as by `--from test`: these faces are nearer
 * to training photographs.
 */
export const faces: Profile = {
  name: "faces",
  about: "aligned grey faces of new people from noise, 128x128",
  dataset: "faces",
  size: 128, // image sizes: 32 -> 64 -> 128 from noise, 8 -> 16 -> 32 -> 64 -> 128 from seed images
  classwise: false,
  regions: FACE_REGIONS,
  restoredAs: "faces-paper", // `detail` amplifies what it pastes
  patch: 8,
  prior: ["detail", { neighbours: 1, coherent: true, maxShare: 1 }],
  contexts: [["square", { extent: 2, weight: 0.3 }]],
  from: "noise",
  noise: {
    layer: 2,
    denoiser: ["local-score", { temperature: 0.85, mirror: 0.4 }],
    windows: [25, 25, 25, 23, 23, 23, 21, 21, 19, 19, 19, 17, 17, 15, 15, 13, 11, 11, 9, 7],
    minOriginality: 0.9,
    minTypicality: 0.15,
    minMutualInformation: 0.15,
    minLikelihood: 0.5,
    likelyIn: LIKELY_IN,
    tries: 32,
  },
  few: FEW_FACES,
  layers: [
    { // l = 0: 64 -> 128
      ...DRAWN_ONCE,
      patch: 16,
      overlap: 6,
      feather: 1,
      prior: ["detail", { gain: 1.25, lrShare: 0.3, bonus: 4, maxShare: 0.15 }],
    },
    { // l = 1: 32 -> 64
      ...DRAWN_ONCE,
      patch: 8,
      overlap: 4,
      feather: 1,
      prior: ["detail", { gain: 1.35, lrShare: 0.5, bonus: 4, maxShare: 0.15 }],
      contexts: [["square", { extent: 2, weight: 0.3 }], ["mirror", { extent: 1, weight: 0.12 }]], // both eyes, both glasses
    },
    ...facesRelit.layers.slice(2),
  ],
} satisfies Profile<Builtin>;
