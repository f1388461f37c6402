/** `deno task profile`: prints a profile to start from, or the JSON Schema by which editors check profiles. */
import { profiles } from "../../../datasets/profiles/mod.ts";
import { printJson } from "../system/printable.ts";
import { pluginFlags } from "./flags/common_flags.ts";
import { command, type CommandGroup, UsageError } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

const NAMES = Object.keys(profiles);

const SHOW = command({
  name: "profile show",
  about: `Prints a profile: ${NAMES.join(", ")}, that of a file.json, or that of a pack.loom.`,
  flags: {},
  examples: ["deno task profile show digits > mine.json", "deno task profile show digits.loom"],
  words: [NAMES],
  async run({ words: [name, ...more] }) {
    if (name === undefined || more.length > 0) {
      throw new UsageError(`profile show takes one of ${NAMES.join(", ")}, a file.json or a pack.loom`);
    }
    const { checkProfile, readProfile } = await needed<typeof import("../data/read_profile.ts")>(
      "data/read_profile.ts",
    );
    const { profile, plugins = [] } = await readProfile("profile", name);
    if (plugins.length === 0) {
      const { builtins } = await needed<typeof import("../../../plugins/mod.ts")>("../../plugins/mod.ts");
      checkProfile(profile, builtins, name);
    }
    printJson({ ...profile, ...plugins.length > 0 && { plugins } }, 2);
  },
});

const SCHEMA = command({
  name: "profile schema",
  about: "Prints the JSON Schema by which editors check profiles.",
  flags: {
    plugin: { ...pluginFlags.plugin, about: `${pluginFlags.plugin.about}; the schema has its options` },
    sandbox: pluginFlags.sandbox,
  },
  examples: [
    "deno task profile schema > profile.schema.json",
    "deno task profile schema --plugin ./wobble/wobble.ts",
  ],
  async run({ given }) {
    const { openPlugins } = await needed<typeof import("../plugins/open_plugins.ts")>("plugins/open_plugins.ts");
    const { profileSchema } = await needed<typeof import("../../../core/profile_schema.ts")>(
      "../../core/profile_schema.ts",
    );
    const { registry } = await openPlugins(given.plugin, given.sandbox);
    printJson(profileSchema(registry), 2);
  },
});

/** The command. */
export const COMMAND: CommandGroup = {
  name: "profile",
  about: "Prints a profile (profile show NAME|FILE) or the JSON Schema of profiles (profile schema); each with --help.",
  flags: {},
  examples: ["deno task profile show digits > mine.json", "deno task profile schema > profile.schema.json"],
  subcommands: { show: SHOW, schema: SCHEMA },
};
