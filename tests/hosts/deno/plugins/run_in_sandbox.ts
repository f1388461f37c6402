/** Runs plugins in a sandbox of a process of their own. */
import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { denoDir, files, withFolder } from "../cli.ts";

const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
const HARNESS = fromFileUrl(new URL("./in_sandbox.ts", import.meta.url));
/** What the standard input and output hold before a plugin runs. */
const INPUT = "a line for the command", OUTPUT = "what was there before\n";
export const CONTEXT = '{ api: 1, kind: "context", name: "x", about: "", options: {}, create() {} }';
export const PRIOR = (create: string) =>
  `{ api: 1, kind: "prior", name: "x", about: "", options: {}, create() { ${create} return { fit() {} }; } }`;

/** Files beside the folder of a plugin. Those that are modules leave a trace when they are loaded. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["js", "cjs", "mjs", "ts", "mts", "cts"].map((ending) => {
    return [`outside.${ending}`, "globalThis.isLoaded = true;"];
  })),
  "outside.json": "[1]",
  "outside.wasm": "\0asm\x01\0\0\0",
};

/** An npm package of CommonJS that hands out what its modules see, `npm:reaching@1.0.0`, one that it has no right to, and data of it. */
export const PACKAGES: Readonly<Record<string, string>> = {
  "reaching/1.0.0/package.json": "{}",
  "reaching/1.0.0/index.js":
    'module.exports = { its: module, ask: require, folder: __dirname, inner: require("./inner"), load: (name) => import(name) };',
  "reaching/1.0.0/inner.js": 'module.exports = "inner";',
  "private/1.0.0/package.json": '{ "secret": 1 }',
  "private/1.0.0/index.js": 'module.exports = "secret";',
};

/** What a plugin in a sandbox left behind. */
export interface Left {
  /** The lines that it printed. */
  readonly printed: readonly string[];
  readonly ended: string;
  /** The files outside of its folder, but for its standard output. */
  readonly files: readonly string[];
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** For how many milliseconds the plugin stays when it is described. */
  readonly linger?: number;
  /** The files of npm packages in Deno's cache, by their paths, which begin with a name and a version. It is then not asked for others. */
  readonly packages?: Readonly<Record<string, string>>;
}

/**
 * Runs a plugin of some files in a sandbox, with a standard input, a standard output that is a file, and a folder of temporary files.
 * Expects that it took nothing of the first and that it removed nothing of the second.
 */
export function inSandbox(sources: Readonly<Record<string, string>>, options: Options = {}): Promise<Left> {
  const { packages } = options;
  if (!packages) return runIn(sources, options, "");
  return withFolder(async (cache) => {
    const flags = await putPackages(cache, packages, Object.values(sources));
    return await runIn(sources, { ...options, env: { ...options.env, DENO_DIR: cache } }, flags);
  });
}

/** Does it with more flags of Deno. */
function runIn(
  sources: Readonly<Record<string, string>>,
  { env = {}, linger = 0 }: Options,
  flags: string,
): Promise<Left> {
  return withFolder(async (folder) => {
    for (const inner of ["plugin", "temporary"]) await Deno.mkdir(join(folder, inner));
    for (const [name, source] of Object.entries(sources)) {
      await Deno.writeTextFile(join(folder, "plugin", name), source);
    }
    await Deno.writeTextFile(join(folder, "secret.txt"), "secret");
    for (const [name, source] of Object.entries(OUTSIDE)) await Deno.writeTextFile(join(folder, name), source);
    const output = join(folder, "output.txt");
    await Deno.writeTextFile(output, OUTPUT);
    const deno =
      `"${Deno.execPath()}" run --quiet --allow-all ${flags} --config "${CONFIG}" "${HARNESS}" plugin/x.ts ${linger}`;
    const child = new Deno.Command("sh", {
      args: ["-c", `exec ${deno} >> output.txt`],
      cwd: folder,
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", TMPDIR: join(folder, "temporary"), ...env },
      stdin: "piped",
      stderr: "piped",
    }).spawn();
    await new Blob([INPUT]).stream().pipeTo(child.stdin);
    const { code, stderr } = await child.output(), text = await Deno.readTextFile(output);
    assertEquals([code, text.slice(0, OUTPUT.length)], [0, OUTPUT], new TextDecoder().decode(stderr));
    const lines = text.slice(OUTPUT.length).trim().split("\n"), ended = lines.pop()!;
    assertEquals(lines.pop(), `standard input: ${INPUT}`);
    assertEquals(await Deno.readTextFile(join(folder, "secret.txt")), "secret");
    const outside = (await files(folder)).filter((path) =>
      path !== "output.txt" && !path.startsWith("plugin/") && !(path in OUTSIDE)
    );
    return { printed: lines, ended, files: outside };
  });
}

/** The name of the folder in Deno's cache, which is that of a registry, that holds the packages of this project. */
async function registryOf(cache: string): Promise<string> {
  for await (const { name } of Deno.readDir(cache)) {
    if (await Deno.stat(join(cache, name, "deno-std")).then(() => true, () => false)) return name;
  }
  throw new Error(`There is no deno-std in ${cache}`);
}

/** Copies Deno's cache to a folder, by links, and adds packages to it, of which the plugin's texts name some. Returns Deno's flags. */
async function putPackages(
  folder: string,
  packages: Readonly<Record<string, string>>,
  texts: readonly string[],
): Promise<string> {
  const { success } = await new Deno.Command("cp", { args: ["-al", join(denoDir(), "npm"), folder] }).output();
  if (!success) await new Deno.Command("cp", { args: ["-a", join(denoDir(), "npm"), folder] }).output(); // on another disk
  for (const name of ["gen", "remote"]) await Deno.symlink(join(denoDir(), name), join(folder, name));
  const registry = await registryOf(join(denoDir(), "npm")), known = join(folder, "npm", registry);
  for (const [path, text] of Object.entries(packages)) {
    const [name, version] = path.split("/"), own = join(known, name);
    await Deno.mkdir(dirname(join(known, path)), { recursive: true });
    await Deno.writeTextFile(join(known, path), text);
    const dist = { tarball: `https://${registry}/${name}.tgz`, shasum: "0", integrity: "sha512-AA==" };
    const answer = { name, "dist-tags": { latest: version }, versions: { [version]: { version, dist } } };
    await Deno.writeTextFile(join(own, "registry.json"), JSON.stringify(answer));
  }
  // A package that a plugin names and the lock file lacks would have Deno ask the registry for all that the lock file names.
  const lock = JSON.parse(await Deno.readTextFile(fromFileUrl(new URL("../../../../deno.lock", import.meta.url))));
  for (const path of Object.keys(packages)) {
    const [name, version] = path.split("/");
    if (!texts.some((text) => text.includes(`npm:${name}@${version}`))) continue;
    lock.specifiers[`npm:${name}@${version}`] = version;
    lock.npm[`${name}@${version}`] = { integrity: "sha512-AA==" };
  }
  await Deno.writeTextFile(join(folder, "deno.lock"), JSON.stringify(lock));
  return `--cached-only --lock "${join(folder, "deno.lock")}"`;
}
