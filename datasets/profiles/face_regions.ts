import type { Profile } from "../../core/profile.ts";

/** Regions of faces whose eyes lie at 44/128 and 84/128 of the width, and 52/128 of the height. */
export const FACE_REGIONS: NonNullable<Profile["regions"]> = [
  { name: "eyes", x: 0.22, y: 0.3, width: 0.56, height: 0.2 },
  { name: "mouth", x: 0.3, y: 0.65, width: 0.4, height: 0.2 },
];
