/**
 * Prepares a release: checks that all files name the same version and that the changelog describes it, builds the npm packages as
 * tarballs with their checksums, and rehearses both publications. It uploads nothing: `.github/workflows/release.yml` does, with
 * provenance, from a tag.
 */
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import configuration from "../../../deno.json" with { type: "json" };
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand } from "../commands/flags/flags.ts";
import { sha256 } from "../system/hashes.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { buildCommand } from "./build_command.ts";
import { buildNpm } from "./build_npm.ts";
import { oneFolder } from "./one_folder.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Where the version stands beside deno.json: the file, and the text around it. */
export const VERSION_PLACES: readonly (readonly [file: string, pattern: RegExp])[] = [
  ["core/version.ts", /VERSION = "([^"]*)"/],
  ["CITATION.cff", /^version: (.*)$/m],
  ["README.md", /^ *version = \{([^}]*)\}/m],
];

/**
 * Lists what prevents the release of a version, in sentences.
 *
 * @param read returns the text of a file, by its path from the root
 */
export function releaseProblems(version: string, read: (path: string) => string): string[] {
  const problems: string[] = [];
  for (const [file, pattern] of VERSION_PLACES) {
    const written = pattern.exec(read(file))?.[1];
    if (written !== version) {
      problems.push(`${file}: expected version ${version} of deno.json, got ${written ?? "none"}`);
    }
  }
  const sections = new Map(
    read("CHANGELOG.md").split(/^## /m).slice(1).map((section) => {
      const [title, ...lines] = section.split("\n");
      return [title.trim(), lines.join("\n").trim()];
    }),
  );
  const entry = [...sections].find(([title]) => title.startsWith(`${version} - `));
  if (!entry || entry[1] === "") {
    problems.push(`CHANGELOG.md: expected an entry "${version} - YEAR-MONTH-DAY" that says what changed, got none`);
  } else if (!/^\S+ - \d{4}-\d{2}-\d{2}$/.test(entry[0])) {
    problems.push(`CHANGELOG.md: expected a date as in "${version} - 2026-11-21", got "${entry[0]}"`);
  }
  if (sections.get("Unreleased")) {
    problems.push(`CHANGELOG.md: expected nothing under Unreleased: give it to the entry of the next version`);
  }
  return problems;
}

/** The arguments with which each tool publishes. */
const PUBLISH = {
  npm: ["publish", "--provenance", "--access", "public"],
  deno: ["publish"],
} as const;

/** The npm packages: the library and the command line. */
const PACKAGES = { library: buildNpm, command: buildCommand };

const SUMS = "SHA256SUMS";

/** Builds the tarballs in a folder, in place of those of an earlier release, and SHA256SUMS beside them. Returns their names. */
async function buildTarballs(folder: string): Promise<string[]> {
  await using out = await openOutFolder(folder, { command: "release", planned: [SUMS], flag: "" });
  // Beside the folder: nothing is built among the results of another command.
  const packages = `${folder}-packages`, files: OutFile[] = [], sums: string[] = [];
  try {
    for (const [kind, build] of Object.entries(PACKAGES)) {
      const built = join(packages, kind);
      await build(built);
      const packed = await run("npm", ["pack", "--silent", "--pack-destination", ".."], built);
      const name = basename(packed.trim().split("\n").at(-1)!), bytes = await Deno.readFile(join(packages, name));
      files.push([name, bytes]);
      sums.push(`${await sha256(bytes)}  ${name}\n`);
    }
  } finally {
    await Deno.remove(packages, { recursive: true }).catch(() => {});
  }
  await out.finish({}, [...files, [SUMS, sums.join("")]]);
  return files.map(([name]) => name);
}

/** Runs a program to its end and returns what it printed. */
async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd, env: { NO_COLOR: "1" } })
    .output();
  const [printed, warned] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (success && !/^warning/m.test(warned)) return printed;
  throw new Error(`Cannot release: ${basename(program)} ${args[0]} says ${(warned || printed).trim().slice(0, 500)}`);
}

const COMMAND = command({
  name: "release",
  about:
    "Checks and builds a release, and uploads nothing: release [--dry-run] [FOLDER], FOLDER below out (out/release).",
  flags: { "dry-run": { about: "go on where the version or the changelog is not ready, and list what is missing" } },
  examples: ["deno task release --dry-run"],
  words: [[]],
  async run({ given, words }) {
    const folder = oneFolder(words, "release", join(root, "out/release")), { version } = configuration;
    const problems = releaseProblems(version, (path) => Deno.readTextFileSync(join(root, path)));
    if (problems.length > 0 && !given["dry-run"]) {
      throw new Error(`Cannot release ${version}: ${problems.join("; ")}`);
    }

    const tarballs = await buildTarballs(folder);
    for (const tarball of tarballs) {
      await run("npm", ["publish", "--dry-run", "--access", "public", `./${tarball}`], folder);
    }
    await run(Deno.execPath(), [...PUBLISH.deno, "--dry-run", "--allow-dirty", "--quiet"], root);
    console.log(`${version}: ${[...tarballs, SUMS].map((file) => join(folder, file)).join(", ")}`);
    for (const problem of problems) console.log(`To do before the release: ${problem}`);
    const commands = [
      ...tarballs.map((tarball) => `npm ${PUBLISH.npm.join(" ")} ./${tarball}`),
      `deno ${PUBLISH.deno.join(" ")}`,
    ];
    console.log(`The workflow publishes with:\n${commands.map((command) => `  ${command}`).join("\n")}`);
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
