/** Builds the page of `hosts/web/`: its code in two bundles (page and worker), one style sheet, the kernels, and packs. */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { writePack } from "../../../datasets/formats/pack.ts";
import { BUILTIN_DATA, type BuiltinName } from "../../../datasets/procedural/builtin_data.ts";
import { digits, digitsPaper, faces, objects } from "../../../datasets/profiles/mod.ts";
import { makePack } from "../../../pipelines/synthesis/make_pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { cachedBuiltin } from "../data/builtin_cache.ts";
import { dataFolder, environment } from "../system/environment.ts";
import { sha256 } from "../system/hashes.ts";
import { readModule } from "../system/kernels_file.ts";
import { PAGE } from "./package_page.ts";
import { bundleAgain } from "./bundle_again.ts";

const ROOT = new URL("../../../", import.meta.url), WEB = new URL("hosts/web/", ROOT);

/** The parts of the style sheet in the order of its cascade: a part may override those before it. */
const STYLES = [
  "page.css",
  "controls.css",
  "inputs.css",
  "dialogs.css",
  "synthesis.css",
  "pixel_sources.css",
  "settings.css",
];

/**
 * Windows for images of objects from noise: the page begins at once, without choosing them. They are those that
 * `synth --profile objects --from noise` chooses for shoes and for trousers of these images.
 */
const OBJECT_WINDOWS = [15, 15, 15, 13, 13, 13, 13, 13, 11, 11, 11, 11, 9, 9, 9, 9, 7, 7, 5, 5];

/**
 * The packs of the page. Digits are those of the paper: each of their iterations draws patches at random, which the page shows, and
 * 100 neighbours are enough of 150 images. The packs have enough examples for good pictures, and few enough to load quickly over a mobile network:
 * 1.2, 2 and 0.5 MB, a third of that if the server compresses them.
 */
const PACKS: readonly {
  name: string;
  profile: Profile;
  classes?: readonly string[];
  imagesPerClass: number;
  seedImagesPerClass: number;
}[] = [
  { name: "digits", profile: { ...digitsPaper, noise: digits.noise }, imagesPerClass: 150, seedImagesPerClass: 20 },
  { name: "faces", profile: faces, imagesPerClass: 120, seedImagesPerClass: 60 },
  {
    name: "objects",
    profile: { ...objects, noise: { windows: OBJECT_WINDOWS, minOriginality: 0.6, maxStructure: 1 } },
    classes: ["bags", "shirts", "shoes", "trousers"],
    imagesPerClass: 100,
    seedImagesPerClass: 20,
  },
];

/**
 * Builds the files of the page, by name. All lie in one folder.
 *
 * @param kept where the built-in data is kept; by default the user's data folder
 * @throws {Error} if the code cannot be bundled
 */
export async function buildPage(kept?: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  if (Deno.build.standalone) {
    throw new Error("Cannot build the page in the compiled program: expected Deno or npm, such as npx patchloom demo");
  }
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const html = await Deno.readTextFile(new URL("index.html", WEB));
  files.set("index.html", new TextEncoder().encode(html.replace('href="REPOSITORY"', `href="${PAGE}"`)));
  for (const name of ["icon.svg", "manifest.webmanifest"]) files.set(name, await Deno.readFile(new URL(name, WEB)));
  const styles = await Promise.all(STYLES.map((name) => Deno.readTextFile(new URL(`style/${name}`, WEB))));
  files.set("style.css", new TextEncoder().encode(styles.join("\n")));
  for (const [name, bytes] of await bundle(["page.ts", "worker/worker.ts"])) files.set(name, bytes);
  const kernels = await Deno.readFile(new URL("assembly/kernels.wasm", ROOT));
  files.set("kernels.wasm", kernels);
  files.set("eye_finder.json", await Deno.readFile(new URL("datasets/faces/eye_finder.json", ROOT)));
  for (const { path, bytes } of await pagePacks(undefined, kept)) files.set(path, bytes);
  files.set("offline.js", new TextEncoder().encode(await offline(files)));
  return files;
}

/** Makes the packs of the page: all, or those of one name or one data set. The built-in data is kept in a folder. */
export async function pagePacks(
  only?: string,
  folder = dataFolder(environment()),
): Promise<{ path: string; bytes: Uint8Array<ArrayBuffer> }[]> {
  const { module } = await readModule(false);
  const chosen = PACKS.filter(({ name, profile }) => only === undefined || name === only || profile.dataset === only);
  return await Promise.all(chosen.map(async ({ name, profile, classes, imagesPerClass, seedImagesPerClass }) => {
    const dataset = profile.dataset as BuiltinName, { about: title } = BUILTIN_DATA[dataset];
    const data = { name: dataset, title, origin: title, classes, ...await cachedBuiltin(dataset, folder) };
    const pack = makePack(loadKernels(module), plan(profile, builtins), data, { imagesPerClass, seedImagesPerClass });
    return { path: `${name}.loom`, bytes: writePack(pack) };
  }));
}

/** The page's service worker. The name of its cache is made of the files, so that a page that was built anew replaces the old. */
async function offline(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<string> {
  const hashes = await Promise.all([...files.values()].map(sha256)), all = new TextEncoder().encode(hashes.join());
  const cache = `patchloom-${(await sha256(all)).slice(0, 16)}`, names = [".", ...files.keys()];
  const code = await Deno.readTextFile(new URL("offline.js", WEB));
  return `const CACHE = ${JSON.stringify(cache)}, FILES = ${JSON.stringify(names)};\n${code}`;
}

/** `Deno.bundle`, which is unstable: deno.json allows it, and Deno has no types of it for the page's modules. */
interface Bundler {
  bundle(options: {
    readonly entrypoints: readonly string[];
    readonly outputPath: string;
    readonly platform: "browser";
    readonly minify: boolean;
    readonly write: false;
  }): Promise<{
    readonly success: boolean;
    readonly errors: readonly { readonly text: string }[];
    readonly outputFiles?: readonly { readonly contents?: Uint8Array }[];
  }>;
}

/**
 * Bundles entry points. The bundles have the names of the entry points' files, without their folders. `Deno.bundle` needs no
 * permission to run programs, and writes nothing.
 */
async function bundle(entries: readonly string[]): Promise<[name: string, bytes: Uint8Array<ArrayBuffer>][]> {
  const bundles: [string, Uint8Array<ArrayBuffer>][] = [];
  // One after another: at the first one the runtime copies esbuild into its cache, which a second one would disturb.
  for (const entry of entries) {
    const name = basename(entry.replace(/ts$/, "js"));
    const settings = { outputPath: name, platform: "browser", minify: true, write: false } as const;
    const { success, errors, outputFiles } = await bundleAgain(() => {
      return (Deno as unknown as Bundler).bundle({ entrypoints: [fileURLToPath(new URL(entry, WEB))], ...settings });
    }).catch((cause) => {
      throw new Error(`Cannot bundle ${entry}: ${cause.message}`, { cause });
    });
    const [file] = outputFiles ?? [];
    if (!success || !file?.contents) {
      throw new Error(`Cannot bundle ${entry}: ${errors.map(({ text }) => text).join("; ")}`);
    }
    bundles.push([name, Uint8Array.from(file.contents)]);
  }
  return bundles;
}
