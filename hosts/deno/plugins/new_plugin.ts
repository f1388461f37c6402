/** Writes a new plugin for `plugin new`: a folder with a plugin that works, its test, and a README. */
import { fromFileUrl, join } from "@std/path";
import type { Kinds } from "../../../core/plugin.ts";

const ROOT = new URL("../../../", import.meta.url);

/** A new plugin's folder. */
export interface NewPlugin {
  readonly folder: string;
  /** The names of its files; the plugin first. */
  readonly files: readonly string[];
}

/**
 * Writes a plugin from its template into a folder.
 *
 * @throws {Error} if one of its files exists already; then nothing is written
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
    // The import map of this library, by which the plugin's test and editors find "@patchloom/patchloom".
    ["deno.json", `${JSON.stringify({ importMap: fromFileUrl(new URL("deno.json", ROOT)), lock: false }, null, 2)}\n`],
  ];
  try {
    await Deno.mkdir(folder, { recursive: true });
    for (const [own] of files) {
      const there = await Deno.lstat(join(folder, own)).catch(() => undefined);
      if (there) throw new Error(`${join(folder, own)} is there already, and is left as it is`);
    }
    for (const [own, text] of files) await Deno.writeTextFile(join(folder, own), text, { createNew: true });
  } catch (cause) {
    throw new Error(`Cannot write a new ${kind}: ${(cause as Error).message}`, { cause });
  }
  return { folder, files: files.map(([own]) => own) };
}

function testOf(kind: keyof Kinds, identifier: string, file: string): string {
  return `import { ${kind}Checks } from "@patchloom/patchloom/testing";
import ${identifier} from "./${file}.ts";
for (const [title, check] of ${kind}Checks(${identifier})) Deno.test(title, check);
`;
}

/** Returns a command that uses a plugin, without `deno task`. */
export function useOf(kind: keyof Kinds, name: string, path: string): string {
  const plugin = `--plugin ${path}`;
  if (kind === "metric") return `assess --profile digits --images out/digits ${plugin} --metric ${name}`;
  return `synth --profile digits ${plugin} --${kind} ${name}`;
}

function readmeOf(kind: keyof Kinds, name: string, file: string): string {
  return `# ${name}

A ${kind} for Patchloom, in \`${file}.ts\`.

\`\`\`sh
deno test                                  # in this folder: the suite that every ${kind} must pass
\`\`\`

In Patchloom's folder:

\`\`\`sh
deno task plugin check PATH/${file}.ts     # the same, on both sets of kernels, as a table
deno task ${useOf(kind, name, `PATH/${file}.ts`)}
\`\`\`

PATH is the path of this folder; it begins with \`./\` or \`/\`. \`deno.json\` says where \`@patchloom/patchloom\` is.
`;
}
