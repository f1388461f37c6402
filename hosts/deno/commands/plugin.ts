/** `deno task plugin`: writes a new plugin, checks plugins, and lists them. */
import { join } from "@std/path";
import { KINDS } from "../../../core/check_plugin.ts";
import { shown } from "../../../core/options.ts";
import type { Option } from "../../../core/plugin.ts";
import { builtins } from "../../../plugins/mod.ts";
import { quoted } from "../system/command_line.ts";
import { pluginFlags, readFlagsOnly } from "./flags/common_flags.ts";
import { oneOf, readFlags, readSubcommand, UsageError } from "./flags/flags.ts";
import { print, tell } from "../system/printable.ts";
import { type CheckedPlugin, checksText } from "../plugins/check_plugins.ts";
import { newPlugin, useOf } from "../plugins/new_plugin.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import { inOwnProcess } from "../plugins/own_process.ts";
import { readSources } from "../plugins/plugin_source.ts";
import { checkInWorker } from "../plugins/check_in_worker.ts";

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "plugin",
  about:
    "Writes, checks and lists plugins: plugin new KIND NAME, plugin check SPEC..., plugin list (each with --help).",
  flags: {},
  examples: [
    "deno task plugin new prior wobble",
    "deno task plugin check ./wobble/wobble.ts",
    "deno task plugin list --plugin ./wobble/wobble.ts",
  ],
  run: pluginCommand,
} as const;

/** Runs `plugin`; returns the exit code, which is 1 if a check fails. */
async function pluginCommand(args: string[]): Promise<number> {
  const read = readSubcommand(args, COMMAND, SUBCOMMANDS);
  return read === "helped" ? 0 : await read.subcommand.run(read.rest);
}

const NEW = {
  name: "plugin new",
  about: "Writes a plugin that works, its test and a README into a folder of its own, and checks it.",
  flags: { out: { value: "DIR", about: "the folder (NAME in the working directory)" } },
  examples: ["deno task plugin new prior wobble", "deno task plugin new metric vividness --out ../vividness"],
  words: [KINDS],
  run: newCommand,
} as const;

async function newCommand(args: string[]): Promise<number> {
  const read = readFlags(args, NEW);
  if (read === "helped") return 0;
  const [given, name, ...more] = read.rest;
  if (given === undefined || name === undefined || more.length > 0) {
    throw new UsageError(`plugin new needs a kind (${KINDS.join(", ")}) and a name, such as: plugin new prior wobble`);
  }
  const kind = oneOf("kind of plugin", given, KINDS);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UsageError(`Cannot name a plugin ${shown(name)}: expected lower case words joined by hyphens`);
  }
  if (builtins.plugins.some((own) => own.kind === kind && own.name === name)) {
    throw new UsageError(`Cannot name a plugin ${shown(name)}: there is already a ${kind} of that name`);
  }
  await inOwnProcess([]); // the new plugin is no third-party one
  const { folder, files } = await newPlugin(kind, name, read.given.out ?? name);
  const written = join(folder, files[0]), path = /^(\.{0,2}[/\\]|[A-Za-z]:)/.test(written) ? written : `./${written}`;
  tell(`Wrote ${files.map((file) => join(folder, file)).join(", ")}`);
  const checked = await checkInWorker(readSources([path], false), {}, false);
  if (!isPassed(checked)) print(checksText(checked));
  print(`${checked[0].checks.length} checks, ${isPassed(checked) ? "all passed" : "not all passed"}. Use it:`);
  print(`  ${useOf(kind, name, path)}`);
  print(`Change it, and check it again:\n  deno task plugin check ${quoted(path)}`);
  return isPassed(checked) ? 0 : 1;
}

const CHECK = {
  name: "plugin check",
  about: "Runs the conformance suite: what every prior, context or metric must do.",
  flags: {
    deterministic: { value: "REASON", about: "skip a check: why the prior draws the same for every seed" },
    "ignores-rho": {
      value: "REASON",
      about: "skip a check: why the prior draws no nearer to the present image for a larger rho",
    },
    "samples-only": {
      value: "REASON",
      about: "skip a check: why the prior samples for every z-step, map and mean included",
    },
    transforms: {
      value: "REASON",
      about: "why a prior's patches differ from the training image that they name as source",
    },
    unchanged: {
      value: "OPTION=REASON",
      many: true,
      about: "skip a check: why the option changes nothing on the suite's small images",
    },
    sandbox: pluginFlags.sandbox,
    json: { about: "print the results as JSON" },
  },
  examples: [
    "deno task plugin check ./wobble/wobble.ts",
    'deno task plugin check npm:some-prior@1 --sandbox --deterministic "it takes the mean"',
  ],
  run: checkCommand,
} as const;

async function checkCommand(args: string[]): Promise<number> {
  const read = readFlags(args, CHECK);
  if (read === "helped") return 0;
  const { given, rest } = read;
  if (rest.length === 0) throw new UsageError("plugin check needs plugins, such as: plugin check ./wobble/wobble.ts");
  const unchanged = Object.fromEntries(given.unchanged.map((text) => {
    const [, option, reason] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (option === undefined) throw new UsageError(`Cannot use --unchanged ${text}: expected OPTION=REASON`);
    return [option, reason];
  }));
  const excuses = {
    deterministic: given.deterministic,
    ignoresRho: given["ignores-rho"],
    samplesOnly: given["samples-only"],
    transforms: given.transforms,
    unchanged,
  };
  const sources = readSources(rest, given.sandbox, "plugin check");
  await inOwnProcess(rest);
  const checked = await checkInWorker(sources, excuses, given.sandbox);
  print(given.json ? JSON.stringify(checked, null, 2) : checksText(checked));
  return isPassed(checked) ? 0 : 1;
}

function isPassed(checked: readonly CheckedPlugin[]): boolean {
  return checked.length > 0 && checked.every(({ checks }) => checks.every(({ error }) => error === undefined));
}

const LIST = {
  name: "plugin list",
  about: "Lists the built-in plugins and those that are loaded, with their options.",
  flags: {
    ...pluginFlags,
    json: { about: "print the list as JSON" },
  },
  examples: ["deno task plugin list", "deno task plugin list --plugin ./wobble/wobble.ts --json"],
  run: listCommand,
} as const;

async function listCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, LIST);
  if (!given) return 0;
  const { registry: { plugins } } = await openPlugins(given.plugin, given.sandbox);
  const listed = plugins.map(({ kind, name, about, options, from }) => ({ kind, name, about, options, from }));
  print(
    given.json ? JSON.stringify(listed, null, 2) : KINDS.flatMap((kind) => {
      return [
        `${kind}s`,
        ...listed.filter((plugin) => plugin.kind === kind).flatMap(({ name, about, options, from }) => [
          `  ${name}${from === undefined ? "" : ` (${from})`}: ${about}`,
          ...Object.entries(options as Record<string, Option>).map(([option, { default: own, about }]) => {
            return `    ${option} = ${own}: ${about}`;
          }),
        ]),
      ];
    }).join("\n"),
  );
  return 0;
}

/** The subcommands, by the word that follows the command. */
export const SUBCOMMANDS = { new: NEW, check: CHECK, list: LIST } as const;
