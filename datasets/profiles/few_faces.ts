import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";

/**
 * What changes in profiles of faces where there are few photographs. Morphs of four are learned from in their place, in windows so
 * wide that images from noise are whole faces: what they come near to is no photograph.
 *
 * Looked at 25 faces from 31 photographs with hats, hands and glasses (`data import --faces`): some 19 are whole, of 24 of the usual
 * settings some 6. Their structure is 0.49 in the mean and 0.73 at most, that of morphs with one of their parents; that of the 3
 * held-out photographs is 0.40 at most. With 10 partners in place of 25, and with windows of 0.65 of the side in place of 0.8, fewer
 * are whole: 16 and 15.
 */
export const FEW_FACES: NonNullable<Profile<Builtin>["few"]> = {
  below: 150,
  expect:
    "expect mixtures of these people, about one in four with a defect at first sight; some hundreds give new people",
  morph: 25,
  morphOf: "fours",
  noise: {
    windows: [53, 51, 49, 49, 47, 45, 43, 43, 41, 39, 37, 35, 33, 31, 29, 27, 23, 21, 17, 13],
    minOriginality: 0.3,
    maxStructure: 1,
  },
};
