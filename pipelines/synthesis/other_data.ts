/** Built-in profiles with other images than their own. */
import type { Profile } from "../../core/profile.ts";

/** Entries of images from noise that were measured on the images of a built-in profile. */
const MEASURED = ["windows", "minOriginality", "maxStructure"] as const;

/** Changes of a profile that may state such entries: settings as `NAME=VALUE`, and flags. */
export interface StatedEntries {
  readonly set?: readonly string[];
  readonly minOriginality?: number;
  readonly maxStructure?: number;
}

/**
 * A built-in profile for other images than its own. Windows and limits of images from noise were measured on its own: without them they
 * are chosen by the images. What is stated stays.
 */
export function profileForOtherData(
  profile: Profile,
  { set = [], minOriginality, maxStructure }: StatedEntries,
): Profile {
  if (!profile.noise) return profile;
  const flags = { minOriginality, maxStructure, windows: undefined };
  const isStated = (name: typeof MEASURED[number]) => {
    return flags[name] !== undefined || set.some((setting) => setting.startsWith(`noise.${name}`));
  };
  const left: readonly string[] = MEASURED.filter((name) => !isStated(name));
  return {
    ...profile,
    noise: Object.fromEntries(Object.entries(profile.noise).filter(([name]) => !left.includes(name))),
  };
}
