import type { Profile } from "../../core/plan.ts";
import { suggestion } from "../../core/registry.ts";
import { profiles } from "../../datasets/mod.ts";
import { UsageError } from "./flags.ts";

/** Reads what `--profile` names: a profile that is known, or a JSON file. */
export async function readProfile(command: string, given: string | undefined): Promise<Profile> {
  const names = Object.keys(profiles);
  if (given === undefined) throw new UsageError(`${command} needs --profile: ${names.join(", ")} or a file.json`);
  if (Object.hasOwn(profiles, given)) return profiles[given];
  if (!given.endsWith(".json")) throw new UsageError(`There is no profile "${given}"${suggestion(given, names)}`);
  const bytes = await Deno.readFile(given).catch((error) => {
    throw new UsageError(`Cannot read the profile ${given}: ${error.message}`);
  });
  try {
    const profile = JSON.parse(new TextDecoder().decode(bytes));
    // For editors, not for us.
    if (typeof profile === "object" && profile !== null) delete profile.$schema;
    return profile;
  } catch (error) {
    throw new UsageError(`The profile ${given} is not JSON: ${(error as Error).message}`);
  }
}
