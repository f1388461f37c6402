/** Starts workers that load plugins, in a sandbox where that is asked for. */
import type { Plugins } from "../plugins/plugins.ts";

/** Plugins import this by its bare name: in a sandbox it must be loaded before them. */
const LIBRARY = new URL("../../../mod.ts", import.meta.url);

/**
 * Starts a worker of a module of ours that will load plugins by `import(url)`.
 *
 * In a sandbox it can only compute: it reads no files but those of the plugins' folders, and has no net, no environment, no
 * writing and no other programs. The same holds for a plugin's own imports, because a dynamic import loads them with the worker's
 * permissions. Static imports would be loaded with the permissions of the main process, and
 * `import key from "/home/me/key" with { type: "text" }` reads any file. Modules from the net cannot import local files. They
 * are put into the worker's static graph, so that the worker needs no permission to import, which could carry data out.
 */
export function startWorker(module: URL, { sources, sandbox }: Pick<Plugins, "sources" | "sandbox">): Worker {
  if (!sandbox) return new Worker(module, { type: "module" });
  const urls = sources.map(({ url }) => url), isFile = (url: string) => url.startsWith("file:");
  const folders = urls.filter(isFile).map((url) => new URL(".", url));
  const entry = [
    ...[module, LIBRARY].map(({ href }) => `import ${JSON.stringify(href)};`),
    ...urls.filter((url) => !isFile(url)).map((url) => `() => import(${JSON.stringify(url)});`),
  ];
  return new Worker(`data:text/javascript,${encodeURIComponent(entry.join("\n"))}`, {
    type: "module",
    deno: {
      permissions: {
        read: folders.length > 0 && folders,
        import: false,
        net: false,
        env: false,
        write: false,
        run: false,
        ffi: false,
        sys: false,
      },
    },
  });
}
