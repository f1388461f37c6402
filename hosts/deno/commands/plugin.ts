/** `deno task plugin`: writes a new plugin, checks plugins, and lists them. */
import { isPluginName, KINDS, NAME_RULE } from "../../../core/check_plugin.ts";
import type { AnyPlugin, Option } from "../../../core/plugin.ts";
import { shown } from "../../../core/shown.ts";
import { print, printJson } from "../system/printable.ts";
import { pluginFlags } from "./flags/common_flags.ts";
import { command, type CommandGroup, oneOf, UsageError } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

const NEW = command({
  name: "plugin new",
  about: "Writes a plugin that works, its test and a README into a folder of its own, and checks it.",
  flags: { out: { value: "DIR", about: "the folder (NAME in the folder that you are in)" } },
  examples: ["deno task plugin new prior wobble", "deno task plugin new metric vividness --out ../vividness"],
  words: [KINDS],
  async run({ given: { out }, words: [givenKind, name, ...more] }) {
    if (givenKind === undefined || name === undefined || more.length > 0) {
      throw new UsageError(
        `plugin new needs a kind (${KINDS.join(", ")}) and a name, such as: plugin new prior wobble`,
      );
    }
    const kind = oneOf("kind of plugin", givenKind, KINDS);
    if (!isPluginName(name)) {
      throw new UsageError(`Cannot name a plugin ${shown(name)}: expected ${NAME_RULE}`);
    }
    const { startPlugin } = await needed<typeof import("../plugins/start_plugin.ts")>("plugins/start_plugin.ts");
    return await startPlugin(kind, name, out ?? name) ? 0 : 1;
  },
});

const CHECK = command({
  name: "plugin check",
  about: "Runs the conformance suite: what every prior, context, metric or denoiser must do.",
  flags: {
    deterministic: { value: "REASON", about: "skip a check: why the prior draws the same for every seed" },
    "ignores-context": { value: "REASON", about: "skip a check: why the prior draws the same with any context" },
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
  words: [],
  async run({ given, words: specifiers }) {
    if (specifiers.length === 0) {
      throw new UsageError("plugin check needs plugins, such as: plugin check ./wobble/wobble.ts");
    }
    const { "ignores-context": ignoresContext, "ignores-rho": ignoresRho, "samples-only": samplesOnly } = given;
    const { deterministic, transforms, sandbox } = given, unchanged = readUnchanged(given.unchanged);
    const excuses = { deterministic, ignoresContext, ignoresRho, samplesOnly, transforms, unchanged };
    const { checkPlugins } = await needed<typeof import("../plugins/start_plugin.ts")>("plugins/start_plugin.ts");
    const { checksText, isPassed } = await needed<typeof import("../plugins/checks_text.ts")>("plugins/checks_text.ts");
    const checked = await checkPlugins(specifiers, excuses, sandbox);
    if (given.json) printJson(checked, 2);
    else print(...checksText(checked));
    return isPassed(checked) ? 0 : 1;
  },
});

function readUnchanged(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(given.map((text) => {
    const [, option, reason] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (option === undefined) throw new UsageError(`Cannot use --unchanged ${text}: expected OPTION=REASON`);
    return [option, reason];
  }));
}

const LIST = command({
  name: "plugin list",
  about: "Lists the built-in plugins and those that are loaded, with their options.",
  flags: {
    ...pluginFlags,
    json: { about: "print the list as JSON" },
  },
  examples: ["deno task plugin list", "deno task plugin list --plugin ./wobble/wobble.ts --json"],
  async run({ given }) {
    const { openPlugins } = await needed<typeof import("../plugins/open_plugins.ts")>("plugins/open_plugins.ts");
    const { registry: { plugins } } = await openPlugins(given.plugin, given.sandbox);
    const listed = plugins.map(({ kind, name, about, options, from }) => ({ kind, name, about, options, from }));
    if (given.json) printJson(listed, 2);
    else print(...KINDS.flatMap((kind) => textOf(kind, listed)));
  },
});

/** The plugins of a kind with their options, one a line. */
function textOf(kind: string, listed: readonly Omit<AnyPlugin, "api" | "create">[]): string[] {
  const ofKind = listed.filter((plugin) => plugin.kind === kind);
  return [
    `${kind}s`,
    ...ofKind.flatMap(({ name, about, options, from }) => [
      `  ${name}${from === undefined ? "" : ` (${from})`}: ${about}`,
      ...Object.entries(options as Record<string, Option>).map(([option, { default: usual, about }]) => {
        return `    ${option} = ${usual}: ${about}`;
      }),
    ]),
  ];
}

/** The command. */
export const COMMAND: CommandGroup = {
  name: "plugin",
  about:
    "Writes, checks and lists plugins: plugin new KIND NAME, plugin check SPEC..., plugin list (each with --help).",
  flags: {},
  examples: [
    "deno task plugin new prior wobble",
    "deno task plugin check ./wobble/wobble.ts",
    "deno task plugin list --plugin ./wobble/wobble.ts",
  ],
  subcommands: { new: NEW, check: CHECK, list: LIST },
};
