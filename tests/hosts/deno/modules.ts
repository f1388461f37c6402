/** The modules of this project that a module imports, as `deno info` lists them. */
import { fromFileUrl } from "@std/path";

const ROOT = new URL("../../../", import.meta.url).href;

/** What a command imports when it is needed: see `needed.ts`. */
const NEEDED = /needed<typeof import\("([^"]+)"\)>\(\s*"([^"]+)",?\s*\)/g;

/** The modules that a module imports when they are needed, as paths from the root, by what its types name. */
export async function neededBy(path: string): Promise<{ typed: string; imported: string }[]> {
  const source = await Deno.readTextFile(new URL(path, ROOT)), below = (url: URL) => url.href.replace(ROOT, "");
  return Array.from(source.matchAll(NEEDED), ([, type, name]) => ({
    typed: below(new URL(type, new URL(path, ROOT))),
    imported: below(new URL(name, new URL("hosts/deno/", ROOT))),
  }));
}

/** A module, as far as it is needed here. Of what is imported for its types alone, there is no code. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly { readonly code?: { readonly specifier: string }; readonly isDynamic?: boolean }[];
}

/**
 * Lists modules that are loaded, as paths from the root, and what they load of packages.
 *
 * @param entries paths from the root
 * @param dynamic whether modules count, too, that are imported only when they are needed
 */
export async function modulesOf(entries: readonly string[], dynamic = false): Promise<Set<string>> {
  const loaded = new Set<string>(), all = [...entries];
  // An array lists what is added to it while it is read.
  for (const entry of all) {
    const args = ["info", "--json", fromFileUrl(new URL(entry, ROOT))];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    const { modules }: { modules: readonly Module[] } = JSON.parse(new TextDecoder().decode(stdout));
    const known = new Map(modules.map((module) => [module.specifier, module]));
    const open = [new URL(entry, ROOT).href];
    for (const specifier of open) {
      const path = specifier.replace(ROOT, "");
      if (loaded.has(path)) continue;
      loaded.add(path);
      if (dynamic && path.startsWith("hosts/deno/")) {
        all.push(...(await neededBy(path)).map(({ imported }) => imported));
      }
      for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
        if (code && (dynamic || !isDynamic)) open.push(code.specifier);
      }
    }
  }
  return loaded;
}
