/** Builds the page of `hosts/web/`: its code in two bundles (page and worker), the kernels, and packs of the built-in data. */
import { basename, fromFileUrl, join } from "@std/path";
import { loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { BUILTIN, type BuiltinName } from "../../../datasets/procedural/builtin.ts";
import { makePack } from "../../../pipelines/synthesis/make_pack.ts";
import { digits, faces } from "../../../datasets/profiles/mod.ts";
import { writePack } from "../../../datasets/formats/pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { cachedBuiltin } from "../data/builtin_cache.ts";
import { dataFolder, environment } from "../data/data_folder.ts";

const ROOT = new URL("../../../", import.meta.url), WEB = new URL("hosts/web/", ROOT);

/**
 * The packs of the page. Enough examples for good pictures, few enough for the first one to be there at once, also over a
 * telephone: 1.2 and 2 MB, a third of it where the server compresses.
 */
const PACKS: readonly { profile: Profile; perClass: number; seeds: number }[] = [
  { profile: digits, perClass: 150, seeds: 20 },
  { profile: faces, perClass: 120, seeds: 60 },
];

/** The files of the page by name. Throws one sentence where the code cannot be bundled. */
export async function buildPage(): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of ["index.html", "style.css"]) files.set(name, await Deno.readFile(new URL(name, WEB)));
  for (const [name, bytes] of await bundle(["page.ts", "worker/worker.ts"])) files.set(name, bytes);
  const kernels = await Deno.readFile(new URL("assembly/kernels.wasm", ROOT));
  files.set("kernels.wasm", kernels);
  const module = await WebAssembly.compile(kernels), folder = dataFolder(environment());
  for (const { profile, perClass, seeds } of PACKS) {
    const name = profile.dataset as BuiltinName, { about: title } = BUILTIN[name];
    const data = { name, title, origin: title, ...await cachedBuiltin(name, folder) };
    const pack = makePack(loadKernels(module), plan(profile, builtins), data, { perClass, seeds });
    files.set(`${profile.name}.loom`, writePack(pack));
  }
  return files;
}

/** Bundles entry points by `deno bundle`, which brings esbuild along. */
async function bundle(entries: readonly string[]): Promise<[name: string, bytes: Uint8Array<ArrayBuffer>][]> {
  const folder = await Deno.makeTempDir();
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", "--platform=browser", "--minify", `--outdir=${folder}`].concat(
        entries.map((entry) => fromFileUrl(new URL(entry, WEB))),
      ),
      cwd: fromFileUrl(ROOT),
      env: { NO_COLOR: "1" },
    }).output();
    if (!success) throw new Error(`Cannot bundle the page: ${new TextDecoder().decode(stderr).trim()}`);
    return await Promise.all(entries.map(async (entry): Promise<[string, Uint8Array<ArrayBuffer>]> => {
      const bundled = entry.replace(/ts$/, "js");
      return [basename(bundled), await Deno.readFile(join(folder, bundled))];
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
