/** `deno task profile`: prints a profile to start from, or the JSON Schema by which editors check profiles. */
import { profileSchema } from "../../../core/profile_schema.ts";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { pluginFlags, readFlagsOnly } from "./flags/common_flags.ts";
import { readFlags, readSubcommand, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { readProfile } from "../data/read_profile.ts";
import { openPlugins } from "../plugins/open_plugins.ts";

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "profile",
  about: "Prints a profile (profile show NAME|FILE) or the JSON Schema of profiles (profile schema); each with --help.",
  flags: {},
  examples: ["deno task profile show digits > mine.json", "deno task profile schema > profile.schema.json"],
  run: profileCommand,
} as const;

/** Runs `profile`; returns the exit code. */
async function profileCommand(args: string[]): Promise<number> {
  const read = readSubcommand(args, COMMAND, SUBCOMMANDS);
  if (read !== "helped") await read.subcommand.run(read.rest);
  return 0;
}

const NAMES = Object.keys(profiles);

const SHOW = {
  name: "profile show",
  about: `Prints a profile: ${NAMES.join(", ")}, that of a file.json, or that of a pack.loom.`,
  flags: {},
  examples: ["deno task profile show digits > mine.json", "deno task profile show digits.loom"],
  words: [NAMES],
  run: showCommand,
} as const;

async function showCommand(args: string[]): Promise<void> {
  const read = readFlags(args, SHOW);
  if (read === "helped") return;
  const [name, ...more] = read.rest;
  if (name === undefined || more.length > 0) {
    throw new UsageError(`profile show takes one of ${NAMES.join(", ")}, a file.json or a pack.loom`);
  }
  print(JSON.stringify((await readProfile("profile", name)).profile, null, 2));
}

const SCHEMA = {
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
  run: schemaCommand,
} as const;

async function schemaCommand(args: string[]): Promise<void> {
  const given = readFlagsOnly(args, SCHEMA);
  if (!given) return;
  const { registry } = await openPlugins(given.plugin, given.sandbox);
  print(JSON.stringify(profileSchema(registry), null, 2));
}

/** The subcommands, by the word that follows the command. */
export const SUBCOMMANDS = { show: SHOW, schema: SCHEMA } as const;
