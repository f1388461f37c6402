/** New faces of a visitor's few photographs: they are learned from mixtures of these. */
import { type Profile, profileForFew } from "../../../core/profile.ts";
import { colourFaces } from "../../../datasets/profiles/mod.ts";

/** What is said of faces that are mixed. */
export const MIXED = "as mixtures of four each";

/** The side of their pictures. */
const SIDE = 64;

/** The most faces that are mixed: more take longer than a visitor waits. */
const MOST = 40;

/** Up to so many faces, each is mixed with six others, or else with two. */
const WITH_SIX = 16;

/**
 * Returns the profile for faces in colour that are aligned by their eyes: `colour-faces` as it is for few photographs, but with fewer
 * mixtures, which take a page some seconds. Undefined where faces are not mixed.
 *
 * @param side the side of the pictures in pixels
 * @param count how many there are to learn from
 */
export function mixedFaces(side: number, count: number, dataset: string): Profile | undefined {
  if (side !== SIDE || count > MOST) return undefined;
  const profile = profileForFew(colourFaces, count);
  return profile && { ...profile, name: "pictures", dataset, morph: count > WITH_SIX ? 2 : 6 };
}
