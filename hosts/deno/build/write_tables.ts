// Writes the tables of documents that follow from the program: the flags of commands, the entries of profiles, and plugins.
import type { Entry, EntryShape, Table } from "../../../core/entries.ts";
import { NOISE } from "../../../core/noise_entries.ts";
import { FEW, LAYER, PROFILE } from "../../../core/profile.ts";
import { builtins } from "../../../plugins/mod.ts";
import { print } from "../system/printable.ts";

const ROOT = new URL("../../../", import.meta.url);
/** A table in a document: "flags of synth", "entries of a profile", "plugins of kind metric". */
const TABLE = /(<!-- table: (flags|entries|plugins) of (?:a |kind )?(\w+) -->\n)[^]*?(\n<!-- end -->)/g;

/** What the tables of entries list, by the names that documents give them. */
const ENTRIES: Readonly<Record<string, Table>> = { profile: PROFILE, layer: LAYER, noise: NOISE, few: FEW };

/** A document with the tables between its marks written anew. */
export async function withTables(document: string): Promise<string> {
  let text = document;
  for (const [block, begin, kind, name, end] of document.matchAll(TABLE)) {
    const rows = await rowsOf(kind, name);
    text = text.replace(block, () => `${begin}\n${table(rows)}\n${end}`);
  }
  return text;
}

async function rowsOf(kind: string, name: string): Promise<string[][]> {
  if (kind === "flags") return await flagRows(name);
  return kind === "entries" ? entryRows(ENTRIES[name]) : pluginRows(name);
}

function pluginRows(kind: string): string[][] {
  const plugins = builtins.plugins.filter((plugin) => plugin.kind === kind);
  return [[kind, "about"], ...plugins.map(({ name, about }) => [`\`${name}\``, about])];
}

/** The flags of a command, as its help lists them. */
async function flagRows(command: string): Promise<string[][]> {
  const args = ["run", "--quiet", "--allow-all", new URL("hosts/deno/main.ts", ROOT).pathname, command, "--help"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  const flags = [...new TextDecoder().decode(stdout).matchAll(/^ {2}(--.*?) {2,}(.*)$/gm)];
  return [["flag", "meaning"], ...flags.map(([, flag, about]) => [`\`${flag}\``, about])];
}

function entryRows(entries: Table): string[][] {
  const rows = Object.entries(entries).map(([name, entry]) => {
    return [`\`${name}\``, valuesOf(entry), defaultOf(entry), entry.about];
  });
  return [["entry", "value", "default", "meaning"], ...rows];
}

function defaultOf({ default: usual, optional }: Entry): string {
  if (usual !== undefined) return `\`${usual}\``;
  return optional ? "none" : "";
}

/** What a value may be, in a few words. */
function valuesOf(shape: EntryShape): string {
  switch (shape.type) {
    case "choice":
      return shape.choices.map((choice) => `\`${choice}\``).join(", ");
    case "integer":
      return `${shape.parity ?? ""} integer from ${shape.min} to ${shape.max}`.trim();
    case "number": {
      const { min, above, max } = shape;
      if (max !== undefined) return `number from ${min} to ${max}`;
      return above === undefined ? `number >= ${min}` : `number > ${above}`;
    }
    case "pair":
      return `pair, each: ${valuesOf(shape.of)}`;
    case "list":
      return `list, each: ${valuesOf(shape.of)}`;
    case "either":
      return shape.of.map(valuesOf).join("; or ");
    case "boolean":
      return "`true`, `false`";
    case "plugin":
      return `name of a ${shape.kind}, or \`[name, options]\``;
    case "object":
      return objectOf(shape.entries);
    case "objects":
      return shape.expected?.replace(/^a /, "") ?? "list of objects";
    case "text":
      return "text";
  }
}

/** An object, by the section with its table or by the names of its entries. */
function objectOf(entries: Table): string {
  const listed = Object.entries(ENTRIES).find(([, table]) => table === entries);
  if (listed) return `object: [entries of ${listed[0]}](#entries-of-${listed[0]})`;
  return `object: ${Object.keys(entries).map((key) => `\`${key}\``).join(", ")}`;
}

/** A table in Markdown, as `deno fmt` formats it. The first row is its head. */
function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const [head, ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

if (import.meta.main) {
  for (const { name } of Deno.readDirSync(new URL("docs/", ROOT))) {
    if (!name.endsWith(".md")) continue;
    const path = new URL(`docs/${name}`, ROOT), text = await Deno.readTextFile(path), written = await withTables(text);
    if (written === text) continue;
    await Deno.writeTextFile(path, written);
    print(`docs/${name}`);
  }
}
