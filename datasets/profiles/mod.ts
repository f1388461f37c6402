import type { Profile } from "../../core/profile.ts";
import { digits } from "./digits.ts";
import { faces } from "./faces.ts";
import { texture } from "./texture.ts";

/** The profiles that come with Patchloom, by name. */
export const profiles: Readonly<Record<string, Profile>> = { digits, faces, texture };

export { digits, faces, texture };
