/**
 * Runs the tests: `deno task test` those that need Deno alone, `deno task test:hosts` those of other hosts (`--hosts`), which need
 * Node, browsers, servers of queues or Python. Words behind them go to `deno test`, which then takes the files that they name.
 */
import { dirname, fromFileUrl, join, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../", import.meta.url));
/**
 * Folders below `tests/` whose files run in one thread each. A thread for each file loads and compiles the modules that they share
 * anew: 0.2 s of processor time. Files that start processes or browsers have threads of their own, as they wait for those.
 */
export const ROOMS: readonly string[] = [
  "assembly",
  "core",
  "datasets",
  "pipelines",
  "plugins",
  "priors",
  "hosts/web/state",
  "hosts/web/views",
  "hosts/web/worker",
];
/** Hooks, which are for all tests of a thread. */
const HOOKS = /Deno\.test\.(before|after)/;

/** Folders of the root without tests or documents, and that of the tests, whose files are named one by one. */
const OTHERS = ["node_modules", "out", "cov_profile", "tests"];

/** What every test imports, however far, that starts another program than Deno which may not be installed. */
const PROGRAMS = join(ROOT, "tests", "programs.ts");

/** The files of tests below a folder, or all that have an ending, sorted. */
export function filesOf(folder: string, ending = ".test.ts"): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    return isDirectory ? filesOf(join(folder, name), ending) : name.endsWith(ending) ? [join(folder, name)] : [];
  }).sort();
}

/** The files of tests that need another program than Deno: those of other hosts. */
export function filesOfHosts(): string[] {
  const left = new Map(filesOf(join(ROOT, "tests"), ".ts").map((file) => [file, importsOf(file)])), found = [PROGRAMS];
  // Those that import one that was found, and so on.
  for (const other of found) {
    for (const [file, imports] of left) if (imports.includes(other) && left.delete(file)) found.push(file);
  }
  return found.filter((file) => file.endsWith(".test.ts")).sort();
}

/** The paths of the files that a file of tests imports. */
function importsOf(file: string): string[] {
  const names = Deno.readTextFileSync(file).matchAll(/^(?:import|export|\}) .*"(\.[^"]+\.ts)";$/gm);
  return [...names].map(([, name]) => join(dirname(file), name));
}

/**
 * Writes a file for each room that imports the files of the room. Returns what `deno test` takes: those files, all other files of
 * tests that need Deno alone, and the folders and files of the root whose code blocks are tested. It would not leave out what
 * `--ignore` names if it searched the root, as the files of rooms are outside of it.
 */
export async function pathsToTest(folder: string): Promise<string[]> {
  const hosts = new Set(filesOfHosts()), rooms: string[] = [];
  const apart = new Set(filesOf(join(ROOT, "tests")).filter((file) => !hosts.has(file)));
  for (const room of ROOMS) {
    const all = filesOf(join(ROOT, "tests", room)),
      files = all.filter((file) => !hosts.has(file) && !HOOKS.test(Deno.readTextFileSync(file)));
    const path = join(folder, `${room.replaceAll("/", "_")}.test.ts`);
    await Deno.writeTextFile(path, files.map((file) => `import ${JSON.stringify(relative(folder, file))};\n`).join(""));
    rooms.push(path);
    for (const file of files) apart.delete(file);
  }
  return [...rooms, ...[...apart].map((file) => relative(ROOT, file)), ...documented()];
}

/**
 * The folders and files of the root whose code blocks are tested. Those of `hosts` are named one by one: Deno finds no blocks in a
 * folder that holds a member of the workspace.
 */
function documented(): string[] {
  const names = [...Deno.readDirSync(ROOT)].flatMap(({ name, isDirectory }) => {
    if (name === "hosts") return [...Deno.readDirSync(join(ROOT, name))].map((host) => join(name, host.name));
    const has = isDirectory ? /^[^.]/.test(name) && !OTHERS.includes(name) : /\.(md|ts)$/.test(name);
    return has ? [name] : [];
  });
  return names.sort();
}

if (import.meta.main) {
  const flags = [
    "--quiet",
    "--no-check",
    "--allow-all",
    "--doc",
    "--parallel",
    "--sanitize-ops",
    "--sanitize-resources",
  ];
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    const [first, ...others] = Deno.args, areHosts = first === "--hosts", named = areHosts ? others : Deno.args;
    const paths = named.length > 0 ? named : areHosts ? filesOfHosts() : await pathsToTest(folder);
    const args = ["test", ...flags, ...paths];
    // Two threads more than there are cores, as some wait for servers and browsers.
    const env = { DENO_JOBS: String(navigator.hardwareConcurrency + 2) };
    Deno.exitCode = (await new Deno.Command(Deno.execPath(), { args, env }).spawn().status).code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
