/** Bundles the examples of hosts/edge for hosts that take one file. Each host gets a folder with all that it needs. */
import { fromFileUrl, join } from "@std/path";
import { readPack } from "../../../datasets/formats/pack.ts";
import { exitCode } from "../cli/exit_code.ts";
import { readFlags, UsageError } from "../cli/flags.ts";

const root = fromFileUrl(new URL("../../../", import.meta.url));
/** The flags of `deno bundle` for each host: the format of its file, and the imports that it resolves itself. */
const HOSTS = {
  workers: ["--format", "esm", "--external", "*.wasm", "--external", "*.loom"],
  vercel: ["--format", "cjs", "--external", "*.wasm?module", "--unstable-raw-imports"],
} as const;

/** Builds `FOLDER/HOST/HOST.js`, with the kernels and the pack beside it. */
export async function buildEdge(folder: string, pack: Uint8Array): Promise<void> {
  for (const [host, flags] of Object.entries(HOSTS)) {
    const out = join(folder, host), example = join(out, "example.js");
    await Deno.mkdir(out, { recursive: true });
    await Deno.copyFile(join(root, "assembly/kernels.wasm"), join(out, "kernels.wasm"));
    await Deno.writeFile(join(out, "digits.loom"), pack);
    // The example imports the kernels and the pack by relative paths: it is bundled from a copy beside them.
    await Deno.copyFile(join(root, `hosts/edge/examples/${host}.js`), example);
    const result = await new Deno.Command(Deno.execPath(), {
      args: [
        ..."bundle --quiet --minify --no-lock --platform browser --config".split(" "),
        join(root, "deno.json"),
        ...flags,
        "--output",
        join(out, `${host}.js`),
        example,
      ],
    }).output();
    if (!result.success) throw new Error(`Cannot bundle ${host}.js: ${new TextDecoder().decode(result.stderr).trim()}`);
    await Deno.remove(example);
  }
}

const COMMAND = {
  name: "build:edge",
  about:
    "Bundles a pack with the handler for Workers and Vercel: build:edge PACK [FOLDER], FOLDER below out (out/edge).",
  flags: {},
  examples: ["deno task build:edge digits.loom", "deno task build:edge digits.loom out/digits"],
} as const;

/** Runs `build:edge` and returns its exit code. */
async function edgeCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const [path, folder = join(root, "out/edge"), ...more] = read.rest;
  if (path === undefined) throw new UsageError("build:edge needs a pack: deno task build:edge digits.loom");
  if (more.length > 0) throw new UsageError(`build:edge takes a pack and a folder, got also "${more[0]}"`);
  const pack = await Deno.readFile(path).catch((cause) => {
    throw new Error(`Cannot read ${path}: ${cause.message}`, { cause });
  });
  readPack(pack, path); // otherwise a file that is no pack would fail only when the host starts
  await buildEdge(folder, pack).catch((cause) => {
    throw new Error(`Cannot build in ${folder}: ${cause.message}`, { cause });
  });
  console.log(folder);
  return 0;
}

if (import.meta.main) Deno.exit(await exitCode(Deno.args, edgeCommand));
