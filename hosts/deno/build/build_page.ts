/** Builds the page of `hosts/web/`: its code in two bundles (page and worker), one style sheet, the kernels, and packs. */
import { basename, fromFileUrl, join } from "@std/path";
import { loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { writePack } from "../../../datasets/formats/pack.ts";
import { BUILTIN, type BuiltinName } from "../../../datasets/procedural/builtin.ts";
import { digits, faces } from "../../../datasets/profiles/mod.ts";
import { makePack } from "../../../pipelines/synthesis/make_pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { cachedBuiltin } from "../data/builtin_cache.ts";
import { dataFolder, environment } from "../data/data_folder.ts";

const ROOT = new URL("../../../", import.meta.url), WEB = new URL("hosts/web/", ROOT);

/** The parts of the style sheet in the order of its cascade: a part may override those before it. */
const STYLES = ["page.css", "controls.css", "inputs.css", "synthesis.css", "pixel_sources.css", "settings.css"];

/**
 * The packs of the page. They have enough examples for good pictures, and few enough to load quickly over a mobile network:
 * 1.2 and 2 MB, a third of that if the server compresses them.
 */
const PACKS: readonly { profile: Profile; perClass: number; seeds: number }[] = [
  { profile: digits, perClass: 150, seeds: 20 },
  { profile: faces, perClass: 120, seeds: 60 },
];

/**
 * Builds the files of the page, by name. All lie in one folder.
 *
 * @param scratch where the bundler may write; by default where the system keeps temporary files
 * @throws {Error} if the code cannot be bundled
 */
export async function buildPage(scratch?: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of ["index.html", "icon.svg", "manifest.webmanifest"]) {
    files.set(name, await Deno.readFile(new URL(name, WEB)));
  }
  const styles = await Promise.all(STYLES.map((name) => Deno.readTextFile(new URL(`style/${name}`, WEB))));
  files.set("style.css", new TextEncoder().encode(styles.join("\n")));
  for (const [name, bytes] of await bundle(["page.ts", "worker/worker.ts"], scratch)) files.set(name, bytes);
  const kernels = await Deno.readFile(new URL("assembly/kernels.wasm", ROOT));
  files.set("kernels.wasm", kernels);
  const module = await WebAssembly.compile(kernels), folder = dataFolder(environment());
  for (const { profile, perClass, seeds } of PACKS) {
    const name = profile.dataset as BuiltinName, { about: title } = BUILTIN[name];
    const data = { name, title, origin: title, ...await cachedBuiltin(name, folder) };
    const pack = makePack(loadKernels(module), plan(profile, builtins), data, { perClass, seeds });
    files.set(`${profile.name}.loom`, writePack(pack));
  }
  files.set("offline.js", new TextEncoder().encode(await offline(files)));
  return files;
}

/** The page's service worker. The name of its cache is made of the files, so that a page that was built anew replaces the old. */
async function offline(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<string> {
  const hashes = await Promise.all([...files.values()].map(sha256)), all = new TextEncoder().encode(hashes.join());
  const cache = `patchloom-${(await sha256(all)).slice(0, 16)}`, names = [".", ...files.keys()];
  const code = await Deno.readTextFile(new URL("offline.js", WEB));
  return `const CACHE = ${JSON.stringify(cache)}, FILES = ${JSON.stringify(names)};\n${code}`;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Bundles entry points with `deno bundle`. The bundles have the names of the entry points' files, without their folders. */
async function bundle(
  entries: readonly string[],
  scratch?: string,
): Promise<[name: string, bytes: Uint8Array<ArrayBuffer>][]> {
  const folder = await Deno.makeTempDir({ dir: scratch });
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
