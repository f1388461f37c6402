/** `deno task profile`: prints a profile to start from, or the JSON Schema by which editors check profiles. */
import { suggestion } from "../../../core/options.ts";
import { profileSchema } from "../../../core/profile_schema.ts";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { pluginFlags } from "../cli/common_flags.ts";
import { readFlags, UsageError } from "../cli/flags.ts";
import { print } from "../cli/printable.ts";
import { readProfile } from "../data/read_profile.ts";
import { openPlugins } from "../plugins/open_plugins.ts";

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "profile",
  about: "Prints a profile (profile show NAME|FILE) or the JSON Schema of profiles (profile schema).",
  flags: {
    plugin: { ...pluginFlags.plugin, about: `${pluginFlags.plugin.about}; the schema has its options` },
    sandbox: pluginFlags.sandbox,
  },
  examples: [
    "deno task profile show digits > mine.json",
    "deno task profile schema > profile.schema.json",
    "deno task profile schema --plugin ./wobble/wobble.ts",
  ],
  words: [["show", "schema"], Object.keys(profiles)],
  run: profileCommand,
} as const;

/** Runs `profile`; returns the exit code. */
export async function profileCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given, rest: [what = "", name, ...more] } = read, commands = ["show", "schema"];
  if (!commands.includes(what)) {
    throw new UsageError(`There is no command "profile ${what}"${suggestion(what, commands)}`);
  }
  if (what === "schema") {
    if (name !== undefined) throw new UsageError(`profile schema takes flags only, got "${name}" (see --help)`);
    const { registry } = await openPlugins(given.plugin, given.sandbox);
    print(JSON.stringify(profileSchema(registry), null, 2));
    return 0;
  }
  if (name === undefined || more.length > 0) {
    throw new UsageError(`profile show takes one of ${Object.keys(profiles).join(", ")}, a file.json or a pack.loom`);
  }
  print(JSON.stringify((await readProfile("profile", name)).profile, null, 2));
  return 0;
}
