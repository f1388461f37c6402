/** Bundles the examples of hosts/edge for hosts that take one file. Each host gets a folder with all that it needs. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { handler } from "@patchloom/patchloom/edge";
import { readPack } from "../../../datasets/formats/pack.ts";
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand, UsageError } from "../commands/flags/flags.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { builtText } from "./built.ts";
import { withCodeHash } from "./code_in_build.ts";
import { bundleAgain } from "../page/bundle_again.ts";
import { reason } from "../system/reason.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const KERNELS = join(root, "assembly/kernels.wasm");

/** A host: the imports that it resolves itself, as flags of `deno bundle`, and further files. */
interface Host {
  readonly flags: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** A day that the workerd of the last wrangler for Node 20 knows: that of version 4.86 is of 2026-04-26. */
export const COMPATIBILITY_DATE = "2026-04-01";
/** The settings of a Worker. `enable_request_signal`: work ends when its client has gone, if the host tells. `no_bundle`: it is bundled already. */
const wrangler = (name: string, rest: string) =>
  `name = "patchloom"
main = "${name}.js"
compatibility_date = "${COMPATIBILITY_DATE}"
compatibility_flags = ["enable_request_signal"]
no_bundle = true
find_additional_modules = true
${rest}`;
const LOOM_RULE = `
[[rules]]
type = "Data"
globs = ["**/*.loom"]
fallthrough = true
`;
const R2_BINDING = `
# wrangler r2 bucket create patchloom-packs
# wrangler r2 object put patchloom-packs/digits.loom --file digits.loom --remote
[[r2_buckets]]
binding = "PACKS"
bucket_name = "patchloom-packs"
`;

const HOSTS: Readonly<Record<string, Host>> = {
  workers: {
    flags: ["--external", "*.wasm", "--external", "*.loom"],
    files: { "wrangler.toml": wrangler("workers", LOOM_RULE) },
  },
  workers_r2: {
    flags: ["--external", "*.wasm"],
    files: { "wrangler.toml": wrangler("workers_r2", R2_BINDING) },
  },
  vercel: { flags: ["--external", "*.wasm?module", "--unstable-raw-imports"], files: {} },
};

/** A line of an example that a host reads as text. Bundling would rename what it exports, and export it at the end. */
const CONFIG = /^export const config = .*;\n/m;

/** Builds `FOLDER/HOST/HOST.js`, with the kernels, the pack and the host's settings beside it. */
export async function buildEdge(folder: string, pack: Uint8Array, force = false): Promise<void> {
  const kernels = await Deno.readFile(KERNELS);
  const shared: OutFile[] = [["kernels.wasm", kernels], ["digits.loom", pack]];
  const planned = Object.entries(HOSTS).flatMap(([host, { files }]) => {
    return [...shared.map(([name]) => name), ...Object.keys(files), `${host}.js`].map((name) => `${host}/${name}`);
  });
  await using out = await openOutFolder(folder, { command: "build:edge", planned, force, flag: "" });
  for (const [host, { flags, files }] of Object.entries(HOSTS)) {
    const scratch = await out.scratch(), example = join(scratch, "example.js"), bundle = join(scratch, `${host}.js`);
    // The example imports the kernels and the pack by relative paths: it is bundled from a copy beside them.
    for (const [name, bytes] of shared) await Deno.writeFile(join(scratch, name), bytes as Uint8Array);
    const source = await Deno.readTextFile(join(root, `hosts/edge/examples/${host}.js`));
    await Deno.writeTextFile(example, source.replace(CONFIG, ""));
    const args = [
      ..."bundle --quiet --minify --frozen --format esm --platform browser".split(" "),
      `--config=${join(root, "deno.json")}`,
      `--lock=${join(root, "deno.lock")}`,
      ...flags,
      "--output",
      bundle,
      example,
    ];
    await bundleAgain(async () => {
      const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
      if (!success) throw new Error(`Cannot bundle ${host}.js: ${new TextDecoder().decode(stderr).trim()}`);
    });
    const [config = ""] = CONFIG.exec(source) ?? [],
      code = config + await withCodeHash(await Deno.readTextFile(bundle));
    const all: OutFile[] = [...shared, ...Object.entries(files), [`${host}.js`, code]];
    await out.write(all.map(([name, content]): OutFile => [`${host}/${name}`, content]));
  }
  await out.finish({});
}

/**
 * Checks that a pack can be served by the bundles: makes the handler that they make.
 *
 * @throws {Error} if it is none, or if the handler refuses it
 */
export async function checkBundled(pack: Uint8Array<ArrayBuffer>, path: string): Promise<void> {
  readPack(pack, path); // its errors name the file
  const kernels = await WebAssembly.compile(await Deno.readFile(KERNELS));
  try {
    handler({ kernels, packs: [pack] });
  } catch (cause) {
    const why = (cause as Error).message.replace(/^Cannot serve the packs?: /, "");
    const hint = /^There is no /.test(why) ? "; a handler of your own takes plugins (docs/plugins.md)" : "";
    throw new Error(`Cannot bundle ${path}: ${why}${hint}`, { cause });
  }
}

const COMMAND = command({
  name: "build:edge",
  about:
    "Bundles a pack with the handler for Workers and Vercel: build:edge PACK [FOLDER], FOLDER below out (out/edge).",
  flags: { force: { about: "replace files in the folder that Patchloom did not write" } },
  examples: ["deno task build:edge digits.loom", "deno task build:edge digits.loom out/digits"],
  words: [[]],
  async run({ given, words }) {
    const [path, folder = join(root, "out/edge"), ...more] = words;
    if (path === undefined) throw new UsageError("build:edge needs a pack: deno task build:edge digits.loom");
    if (more.length > 0) throw new UsageError(`build:edge takes a pack and a folder, got also "${more[0]}"`);
    const pack = await Deno.readFile(path).catch((cause) => {
      throw new Error(`Cannot read ${path}: ${reason(cause)}`, { cause });
    });
    // Otherwise a pack that the handler refuses would fail only when the host starts.
    await checkBundled(pack, path);
    await buildEdge(folder, pack, given.force).catch((cause) => {
      throw new Error(`Cannot build in ${folder}: ${cause.message}`, { cause });
    });
    const next = `cd ${join(folder, "workers")} && npx wrangler deploy (other hosts: docs/serving.md)`;
    console.log(await builtText(`Bundles of ${path} for ${Object.keys(HOSTS).join(", ")}`, folder, next));
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
