/** The documents as text: README, guides, contributor files. Their commands, tables, code spans, links and pictures. */
import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { generatorHash } from "../hosts/deno/data/builtin_cache.ts";
import { cli, files, openSessions, type Session, withFolder } from "./hosts/deno/cli.ts";
import { fewDigits } from "./hosts/deno/with_idx.ts";
import { once } from "./once.ts";

import configuration from "../deno.json" with { type: "json" };

export const ROOT: string = fromFileUrl(new URL("../", import.meta.url));

/** The tasks of the command line: those that deno.json runs with hosts/deno/main.ts. */
export const TASKS: readonly string[] = Object.entries(configuration.tasks).flatMap(([name, { command }]) => {
  return command.endsWith(`hosts/deno/main.ts ${name}`) ? [name] : [];
});

/** A document. */
export interface Document {
  /** From the project's root: "docs/packs.md". */
  readonly path: string;
  readonly text: string;
}

/** Reads a document by its path from the project's root. */
export function read(path: string): Document {
  return { path, text: Deno.readTextFileSync(join(ROOT, path)) };
}

/** The guides in docs/. */
export function guides(): Document[] {
  const files = [...Deno.readDirSync(join(ROOT, "docs"))].filter(({ isFile }) => isFile);
  return files.map(({ name }) => `docs/${name}`).sort().map(read);
}

/** The lines of the shell blocks that run a task of the command line, without `deno task`, in their order. */
export function shownCommands({ text }: Document): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block.trim().split("\n"));
  return blocks.filter((line) => TASKS.some((task) => line.startsWith(`deno task ${task} `)))
    .map((line) => line.slice("deno task ".length));
}

/** Those that come to an end. */
export function commands(document: Document): string[] {
  return shownCommands(document).filter((line) => !line.startsWith("serve "));
}

/** The rows of the first table under a heading, cell by cell, without its head. */
export function table({ text }: Document, heading: string): string[][] {
  const [, section] = text.split(`\n## ${heading}\n`);
  const lines = section.split("\n"), first = lines.findIndex((line) => line.startsWith("|")) + 2;
  const rows = lines.slice(first, lines.findIndex((line, n) => n >= first && !line.startsWith("|")));
  return rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}

/** What a command writes into the folder of its --out, or into its own below `out`. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  synth: ["sheet.png", "images/0000.png", "run.json"],
  assess: ["scores.json", "images.csv"],
  compare: ["report.html", "compare.json", "sheet.png"],
  tune: ["report.html", "tune.json"],
  ablate: ["report.html", "ablate.json", "sheet.png"],
  worth: ["report.html", "worth.csv", "worth.json"],
  restore: ["sheet.png", "images/0000.png", "degraded/0000.png", "restore.json"],
  fill: ["images/0000.png", "sources/0000.npy", "run.json"],
  reproduce: ["report.html"],
  demo: ["index.html", "page.js", "worker.js", "digits.loom"],
  pack: [""],
  merge: ["manifest.json", "run.json"],
  forget: [],
};
/** What `synth` writes in parts, and what `assess` writes on privacy. */
const IN_PARTS = ["run.json"], ON_PRIVACY = ["privacy.json", "images.csv"];

/** A folder for PATCHLOOM_DATA that holds a third of the built-in digits: the commands of a guide are tried in less time. */
export function fewData(): Promise<string> {
  return generatorHash().then((hash) => once("few", hash, (folder) => fewDigits(join(folder, "mnist"), 130, 40)));
}

/** Opens sessions for the commands of documents. */
export function openForDocuments(data?: string): Session {
  return openSessions(data === undefined ? {} : { env: { PATCHLOOM_DATA: data } });
}

/** A session that makes a few faces where a document makes as many as fill a sheet: the gallery's test makes as many as its picture shows. */
export function withFewFaces(session: Session): Session {
  const few = (words: readonly string[]) => {
    return words.join(" ") === "synth --profile faces" ? [...words, "--count", "4"] : words;
  };
  return { run: (words, cwd) => session.run(few(words), cwd), close: () => session.close() };
}

/** Runs a document's commands one after another in a new folder, where a block that begins with `// NAME.ts` is saved first. */
export async function runCommands(document: Document, t: Deno.TestContext, session: Session): Promise<void> {
  await withFolder(async (folder) => {
    for (const [, text, name] of document.text.matchAll(/^```ts\n(\/\/ (\w+\.ts)\n.*?)^```/gms)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    for (const line of commands(document)) {
      const [command, file] = line.split(" > ");
      await t.step(`deno task ${line}`, async () => {
        const [task, second] = command.split(" "), named = /--out (\S+)/.exec(command)?.[1];
        const profile = command.split("--profile ")[1]?.split(" ")[0];
        const kind = command.split("--task ")[1]?.split(" ")[0];
        const own = {
          restore: `restore-${kind}`,
          synth: profile,
          compare: `compare-${profile}`,
          tune: `tune-${profile}`,
          ablate: `ablate-${profile}`,
          worth: `worth-${profile}`,
          reproduce: `reproduce-${second}`,
        };
        // Other tests use the fits that are kept.
        const more = task === "forget" ? ["--keep-fits"] : [];
        const { code, stdout, stderr } = await cli([...command.split(" "), ...more], { cwd: folder, session });
        assertEquals(code, 0, stderr);
        if (file) await Deno.writeTextFile(join(folder, file), stdout);
        if (!WRITTEN[task] || command.endsWith("--help")) return assert(stdout.length > 0);
        const out = named ?? `out/${own[task as keyof typeof own] ?? task}`, written = await files(folder);
        const isInParts = /--shard|--format/.test(command), isOnPrivacy = command.includes("--privacy");
        const usual = isInParts ? IN_PARTS : isOnPrivacy ? ON_PRIVACY : WRITTEN[task];
        const names = [...usual, ...command.includes("--report") ? ["report.html"] : []];
        for (const name of names) assert(written.includes(name ? `${out}/${name}` : out), `no ${out}/${name}`);
      });
    }
  });
}

/** Whether there is a file or folder at a path from the project's root. */
export function exists(path: string): boolean {
  try {
    Deno.statSync(join(ROOT, path));
    return true;
  } catch {
    return false;
  }
}

/** Asserts that what a document's relative links and pictures point to is there, headings included. */
export function assertLinks({ path, text }: Document): void {
  for (const [, link] of text.replaceAll(/^```.*?^```/gms, "").matchAll(/\]\(([^)]+)\)/g)) {
    if (/^https?:/.test(link)) continue;
    const [file, heading] = link.split("#"), target = file === "" ? path : join(dirname(path), file);
    assert(exists(target), `${path}: no ${target}`);
    if (heading !== undefined) assert(anchors(read(target)).includes(heading), `${path}: no heading ${link}`);
  }
}

/** The names that a document's headings have in addresses. */
function anchors({ text }: Document): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
    return heading.toLowerCase().replaceAll(/[^\w\s-]/g, "").trim().replaceAll(/\s+/g, "-");
  });
}

/** Whether a code span is the path of a file or folder of this project. */
const PATH =
  /^(assembly|bench|core|datasets|docs|examples|hosts|pipelines|plugins|priors|tests)\/[\w./-]*$|^[\w-]+\.(ts|json|md|cff)$/;

/** The code spans of a text that are paths of this project, such as `core/admm.ts`; not those of files to be written. */
export function paths(text: string): string[] {
  const spans = [...text.replaceAll(/^```.*?^```/gms, "").matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
  return spans.filter((span) => PATH.test(span) && !/NAME|FILE/.test(span));
}
