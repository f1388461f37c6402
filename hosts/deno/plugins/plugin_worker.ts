/** Starts workers that load plugins, with or without a sandbox. */
import type { Plugins } from "./plugins.ts";
import { type WorkerThread, workerThread } from "../threads/worker_thread.ts";

/** The library, which plugins import by its bare name. In a sandbox it must be loaded before them. */
const LIBRARY = new URL("../../../mod.ts", import.meta.url);
/** What a sandbox runs first. */
const PRELUDE = new URL("./sandbox_prelude.ts", import.meta.url);

/**
 * Starts a worker from one of this project's modules, which will load plugins by `import(url)`.
 *
 * In a sandbox the worker can only compute. It can read the files that the sum of the plugins' code covers and no others; it can use no
 * network and no environment, write no files, and run no programs. The same holds for a plugin's own imports, because a dynamic import
 * loads them with the worker's permissions. Static imports would be loaded with the permissions of the main process, and
 * `import key from "/home/me/key" with { type: "text" }` reads any file. Modules from the network cannot import local files.
 * They are part of the worker's static graph, so that it needs no permission to import, which could carry data out.
 *
 * @param setUp is posted to the worker, which prepares itself with it
 * @throws {Error} if plugins of several folders should share a sandbox
 */
export function startWorker<T, R>(
  module: URL,
  setUp: unknown,
  { sources, sandbox }: Pick<Plugins, "sources" | "sandbox">,
): WorkerThread<T, R> {
  const worker = sandbox ? sandboxed(module, sources) : new Worker(module, { type: "module" });
  return workerThread(worker, setUp, sources.map(({ specifier }) => specifier));
}

function sandboxed(module: URL, sources: Plugins["sources"]): Worker {
  const folders = [...new Set(sources.flatMap(({ folder }) => folder ?? []))];
  const files = sources.flatMap(({ files }) => files ?? []);
  const remote = sources.filter(({ url }) => !url.startsWith("file:"));
  const places = [...folders, ...remote.map(({ specifier }) => specifier)];
  // The worker may read the files of all of its plugins. But plugins that came with somebody else's profile must not read those of others.
  if (folders.length > 0 && places.length > 1) {
    const where = places.join(" and ");
    throw new Error(
      `Cannot run plugins of ${where} in one sandbox, where each could read the files of the others: put them into one folder`,
    );
  }
  const entry = [
    ...[PRELUDE, module, LIBRARY].map(({ href }) => `import ${JSON.stringify(href)};`),
    ...remote.map(({ url }) => `() => import(${JSON.stringify(url)});`),
  ];
  return new Worker(`data:text/javascript,${encodeURIComponent(entry.join("\n"))}`, {
    type: "module",
    deno: {
      permissions: {
        read: files.length > 0 && files,
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
