/**
 * Puts the command line into the npm package `patchloom`: the sources as they are, which Deno runs, the compiled kernels, and a
 * program that starts Deno with the permissions of each command's task. docs/architecture.md says why it is not compiled for Node.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import configuration from "../../../deno.json" with { type: "json" };
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand } from "../commands/flags/flags.ts";
import { sha256 } from "../system/hashes.ts";
import { filesBelow } from "../folders/files_below.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { builtText } from "./built.ts";
import { oneFolder } from "./one_folder.ts";
import { withCodeHash } from "./code_in_build.ts";
import { packedFiles, PAGE_ENTRIES } from "../page/package_page.ts";
import { commandLine } from "../system/command_line.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const NAME = "patchloom";
/** What the commands run and read. */
export const PARTS = ["assembly", "core", "datasets", "hosts", "mod.ts", "pipelines", "plugins", "priors"];
/** Modules that build the project: the package has only those of them that a command imports. */
const BUILDING = "hosts/deno/build/";
/** The sources of the kernels, of which the package has the compiled modules, and servers of other hosts. */
const UNUSED = /^(?:assembly\/.*\.ts|hosts\/edge\/examples\/.*)$/;
/** The module that imports all commands. */
const MAIN = "hosts/deno/main.ts";
/** The program that npm puts on the path. */
const BIN = "hosts/node/patchloom.js";
/** The version of Deno that the tests run on. */
export const DENO = "2.9.6";

/** The tasks that are commands of the package: those of the command line. */
const TASKS = Object.entries(configuration.tasks).filter(([, { command }]) => command.includes(" hosts/deno/main.ts "));
/** How users of a checkout call a command. */
const CALL = new RegExp(`deno task (?=(${TASKS.map(([name]) => name).join("|")})\\b)`, "g");

/** Builds the package in a folder. What an earlier build wrote there is replaced, and nothing else. */
export async function buildCommand(folder: string, force = false): Promise<void> {
  const files: OutFile[] = [["README.md", await Deno.readFile(join(root, "hosts/node/README.md"))]];
  const imported = await modulesOf(MAIN);
  for (const part of PARTS) {
    for (const path of await filesOf(part)) {
      const isOfBuilds = path.startsWith(BUILDING) && !imported.has(path) || UNUSED.test(path);
      if (!isOfBuilds) files.push([path, await content(path)]);
    }
  }
  for (const file of ["LICENSE", "deno.lock"]) files.push([file, await Deno.readFile(join(root, file))]);
  const { workspace, tasks: _, imports, ...rest } = configuration;
  const packed = { ...rest, workspace: workspace.filter((member) => !member.includes("tests")) };
  files.push([
    "deno.json",
    json({ ...packed, tasks: Object.fromEntries(TASKS), imports: namedImports(imports, files) }),
  ]);
  // Names the sources: the program keeps a copy of them by this name.
  const sources =
    (await sha256(new TextEncoder().encode(JSON.stringify(files.map(([name, text]) => [name, String(text)])))))
      .slice(0, 12);
  files.push(["package.json", json({ ...manifest(), sources, files: packedFiles(files) })]);
  const planned = files.map(([name]) => name);
  await using out = await openOutFolder(folder, { command: "build:command", planned, force, flag: "" });
  await out.finish({}, files);
}

/** The imports of deno.json that files name. Deno downloads the npm packages of all that are left at its first start. */
function namedImports(imports: Readonly<Record<string, string>>, files: readonly OutFile[]): Record<string, string> {
  const texts = files.flatMap(([name, text]) => name.endsWith(".ts") && typeof text === "string" ? [text] : []);
  return Object.fromEntries(
    Object.entries(imports).filter(([name]) => texts.some((text) => text.includes(`"${name}"`))),
  );
}

/** Reads a file. Help texts and errors in it name the commands as the package's users call them. */
async function content(path: string): Promise<string | Uint8Array> {
  const bytes = await Deno.readFile(join(root, path));
  if (path === "core/code.ts") return await withCodeHash(new TextDecoder().decode(bytes));
  return path.endsWith(".ts") ? asCalled(new TextDecoder().decode(bytes)) : bytes;
}

function asCalled(text: string): string {
  return text.replaceAll(CALL, "npx patchloom ");
}

function json(value: object): string {
  return asCalled(JSON.stringify(value, null, 2)) + "\n";
}

function manifest(): object {
  const { version, license } = configuration;
  return {
    name: NAME,
    version,
    license,
    description: "Image synthesis by randomized patch-matching: the command line",
    keywords: ["image-synthesis", "texture-synthesis", "patch-matching", "example-based", "generative"],
    ...PAGE_ENTRIES,
    type: "module",
    bin: { patchloom: BIN },
    engines: { node: ">=20" },
    dependencies: { deno: DENO, "fastest-levenshtein": "1.0.16" },
  };
}

/** The files of the package in a part of the tree, as paths from the root. */
async function filesOf(part: string): Promise<string[]> {
  if (part.includes(".")) return [part];
  const isKept = (name: string) => !name.startsWith(".") && name !== "node_modules";
  return (await filesBelow(join(root, part))).filter((path) => path.split("/").every(isKept))
    .map((path) => `${part}/${path}`);
}

/**
 * Lists the modules of the tree that a module imports, directly or not, as paths from the root.
 *
 * @throws {Error} if Deno cannot resolve an import
 */
async function modulesOf(entry: string): Promise<Set<string>> {
  const info = new Deno.Command(Deno.execPath(), { args: ["info", "--json", entry], cwd: root });
  const { success, stdout, stderr } = await info.output();
  if (!success) throw new Error(`Cannot list the modules of ${entry}: ${new TextDecoder().decode(stderr).trim()}`);
  const { modules }: { modules: readonly { specifier: string; error?: string }[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const failed = modules.find(({ error }) => error !== undefined);
  if (failed) throw new Error(`Cannot list the modules of ${entry}: ${failed.error}`);
  const files = modules.filter(({ specifier }) => specifier.startsWith("file:"));
  return new Set(files.map(({ specifier }) => relative(root, fileURLToPath(specifier)).replaceAll("\\", "/")));
}

const COMMAND = command({
  name: "build:command",
  about:
    "Puts the command line into an npm package: build:command [FOLDER], below out (out/command). Replaces an earlier one.",
  flags: { force: { about: "replace files in the folder that Patchloom did not write" } },
  examples: ["deno task build:command", "deno task build:command out/package"],
  words: [[]],
  async run({ given, words }) {
    const folder = oneFolder(words, "build:command", join(root, "out/command"));
    await buildCommand(folder, given.force);
    const next = `${
      commandLine("npm install", ["--global", "--install-links", folder])
    }, then patchloom synth --profile faces`;
    console.log(await builtText(`npm package ${NAME} ${configuration.version}`, folder, next));
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
