/** Reads profiles: built-in ones, files and packs. */
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import type { Size } from "../../../core/shape.ts";
import { suggestion } from "../../../core/suggestion.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { asRequest, RequestError } from "../system/request_error.ts";
import { readFile } from "./read_files.ts";

/** A profile, the path of the file that it was read from, and that of the pack that it came in, if any. */
export interface GivenProfile {
  readonly profile: Profile;
  readonly path?: string;
  readonly data?: string;
}

/**
 * Reads the profile that a request names: the name of a built-in profile, a JSON file, or a pack, which has data, too.
 *
 * @param command names the command in errors
 * @param flag the name of the option
 * @throws {RequestError} if there is no such profile
 */
export async function readProfile(
  command: string,
  given: string | undefined,
  flag = "profile",
): Promise<GivenProfile> {
  const names = Object.keys(profiles);
  if (given === undefined) {
    throw new RequestError(`${command} needs --${flag}: ${names.join(", ")}, a file.json or a pack.loom`);
  }
  if (Object.hasOwn(profiles, given)) return { profile: profiles[given] };
  if (!/\.(json|loom)$/.test(given)) {
    if (await Deno.stat(given).then(() => true, () => false)) {
      throw new RequestError(
        `Cannot use --${flag} ${given}: expected the name of a profile, a file.json or a pack.loom, got another path`,
      );
    }
    throw new RequestError(`There is no profile "${given}"${suggestion(given, names)}`);
  }
  const bytes = await readFile(given, `the profile ${given}`).catch((error) => {
    throw new RequestError(error.message);
  });
  if (given.endsWith(".loom")) return { profile: readPack(bytes, given).profile, path: given, data: given };
  try {
    const profile = JSON.parse(new TextDecoder().decode(bytes));
    // `$schema` is for editors.
    if (typeof profile === "object" && profile !== null) delete profile.$schema;
    return { profile, path: given };
  } catch (error) {
    throw new RequestError(`The profile ${given} is not JSON: ${(error as Error).message}`);
  }
}

/** Returns the profile for images of another size, or as it is without one. */
export function sizedProfile(profile: Profile, size: Size | undefined, plugins: Registry): Profile {
  if (size === undefined) return profile;
  return asRequest(() => {
    plan(profile, plugins); // only a profile without mistakes has a size
    return resizedProfile(profile, size);
  });
}
