/** Writes a new plugin for `plugin new`: a folder with a plugin that works, its test, and a README. */
import { join } from "node:path";
import type { Kinds } from "../../../core/plugin.ts";
import { commandLine } from "../system/command_line.ts";
import { reason } from "../system/reason.ts";
import { openWorkFolder, WORK } from "../folders/folder_lock.ts";
import { checkFolderPlace } from "../folders/out_place.ts";
import { makeFolder, removeEmpty } from "../folders/paths_below.ts";

import configuration from "../../../deno.json" with { type: "json" };

/** A new plugin's folder. */
export interface NewPlugin {
  readonly folder: string;
  /** The names of its files; the plugin first. */
  readonly files: readonly string[];
}

/**
 * Writes a plugin from its template into a folder.
 *
 * @throws {Error} if its files are there already, or one with another content; then nothing is written
 */
export async function newPlugin(kind: keyof Kinds, name: string, folder: string): Promise<NewPlugin> {
  const words = name.split("-"), file = words.join("_");
  const capital = (word: string) => word[0].toUpperCase() + word.slice(1);
  // An identifier that ends with the kind is no reserved word.
  const [first, ...others] = words.at(-1) === kind ? words : [...words, kind];
  const identifier = first + others.map(capital).join("");
  const template = await Deno.readTextFile(new URL(`../templates/${kind}.ts`, import.meta.url));
  const camel = `my${capital(kind)}`;
  const files: [name: string, text: string][] = [
    [`${file}.ts`, template.replaceAll(`my-${kind}`, name).replaceAll(camel, identifier)],
    [`${file}.test.ts`, testOf(kind, identifier, file)],
    ["README.md", readmeOf(kind, name, file)],
    ["deno.json", `${JSON.stringify(packageOf(name, file), null, 2)}\n`],
  ];
  await writeFiles(folder, files).catch((cause) => {
    throw new Error(`Cannot write a new ${kind}: ${reason(cause)}`, { cause });
  });
  return { folder, files: files.map(([file]) => file) };
}

/**
 * Writes files into a folder, each as a whole. A command that was killed may have left some of them: the others are added.
 *
 * @throws {Error} if all of them are there, or one with another content
 */
async function writeFiles(folder: string, files: readonly (readonly [name: string, text: string])[]): Promise<void> {
  await checkFolderPlace(folder, { command: "plugin new" });
  const newFolders = await makeFolder(folder);
  try {
    const work = await openWorkFolder(join(folder, WORK));
    try {
      const there = await Promise.all(files.map(([name]) => contentOf(join(folder, name))));
      const missing = files.filter((_, i) => there[i] === undefined);
      const [taken] = missing.length === 0 ? files : files.filter(([, text], i) => (there[i] ?? text) !== text);
      if (taken) throw new Error(`${join(folder, taken[0])} is there already, and is left as it is`);
      const encoder = new TextEncoder(), parts: string[] = [];
      for (const [, text] of missing) parts.push(await work.part(encoder.encode(text)));
      for (const [i, [name]] of missing.entries()) await work.move(parts[i], join(folder, name));
    } finally {
      await work.close(false);
    }
  } catch (error) {
    await removeEmpty(newFolders);
    throw error;
  }
}

/** The text of a file; undefined if there is nothing, and "" for what is no file. */
async function contentOf(path: string): Promise<string | undefined> {
  const info = await Deno.lstat(path).catch(() => undefined);
  return info && (info.isFile ? await Deno.readTextFile(path) : "");
}

/** The plugin as a package. Its author puts their scope in place of `@your-scope`. */
function packageOf(name: string, file: string): object {
  const { name: library, version, license } = configuration, range = `npm:${library}@^${version}`;
  return {
    name: `@your-scope/${name}`,
    version: "0.1.0",
    license,
    exports: `./${file}.ts`,
    imports: { [library]: range, [`${library}/testing`]: `${range}/testing` },
    lock: false,
  };
}

function testOf(kind: keyof Kinds, identifier: string, file: string): string {
  return `import { ${kind}Checks } from "@patchloom/patchloom/testing";
import ${identifier} from "./${file}.ts";
for (const [title, check] of ${kind}Checks(${identifier})) Deno.test(title, check);
`;
}

/** Returns a command that uses a plugin; `build:command` finds the calls in it by their first three words. */
export function useOf(kind: keyof Kinds, name: string, path: string): string {
  const digits = ["--profile", "digits"], plugin = ["--plugin", path];
  if (kind === "metric") {
    return commandLine("deno task assess", [...digits, "--images", "out/digits", ...plugin, "--metric", name]);
  }
  const chosen = kind === "denoiser" ? ["--set", `noise.denoiser=${name}`] : [`--${kind}`, name];
  const noise = kind === "denoiser" ? ["--from", "noise"] : [];
  return commandLine("deno task synth", [...digits, ...noise, ...plugin, ...chosen]);
}

function readmeOf(kind: keyof Kinds, name: string, file: string): string {
  return `# ${name}

A ${kind} for Patchloom, in \`${file}.ts\`.

In Patchloom's folder, where PATH is the path of this one and begins with \`./\` or \`/\`:

\`\`\`sh
deno task plugin check PATH     # the suite that every ${kind} must pass
${useOf(kind, name, "PATH")}
\`\`\`

In this folder, \`deno test\` runs the same suite with the published Patchloom that \`deno.json\` names. With a copy of its
sources, it is \`deno test --import-map=COPY/deno.json\`.

To publish the plugin, put your scope into \`deno.json\`, and run \`deno publish --allow-slow-types\` (the types of its
options are inferred). Others then use \`--plugin jsr:@your-scope/${name}\`.
`;
}
