/** Where a worker has the packs of its jobs: in folders that machines share, or fetched once, by checksum. */
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { askProgram } from "./ask_program.ts";
import { type ObjectStore, signedAddress } from "./object_store.ts";
import { type PartJob, Unsuited } from "./jobs.ts";
import type { PackToFetch } from "./pack_fetcher.ts";
import { within } from "./run_folder.ts";

/** Which packs a worker may use. */
export interface PackPlaces {
  /** The folders, links followed, below which they may lie. */
  readonly folders: readonly string[];
  /** The addresses below which they may be fetched; each ends with a slash. */
  readonly packUrls: readonly string[];
  /** The store for addresses that begin with s3://; undefined if none of `packUrls` does. */
  readonly store?: ObjectStore;
  /** The folder for fetched packs; undefined if the user has none. */
  readonly cache?: string;
}

/** How long a fetch may take: a minute, and as long as a megabit a second needs. A server that sends a byte now and then has no other end. */
const MINUTE = 60_000, BYTES_A_SECOND = 125_000;

/** Milliseconds that a fetch of so many bytes may take. */
function fetchTime(bytes: number): number {
  return Math.ceil(MINUTE + 1000 * bytes / BYTES_A_SECOND);
}

/** Returns a function that finds the path of a job's pack, which is fetched if it is not there. */
export function packFinder(
  { folders, packUrls, store, cache }: PackPlaces,
  limitOf = fetchTime,
): (pack: PartJob["pack"]) => Promise<string> {
  const fetching = new Map<string, Promise<string>>();
  return async (pack) => {
    const { from, sha256 } = pack;
    if (!/^(https?|s3):/.test(from)) return await within(from, folders);
    const { href } = new URL(from);
    if (!packUrls.some((below) => isBelow(from, below))) {
      const known = packUrls.length > 0 ? `an address below ${packUrls.join(" or ")}, of plain names` : "a path";
      throw new Unsuited(`Cannot fetch the pack ${href}: expected ${known} (--pack-url of the worker)`);
    }
    if (cache === undefined) {
      throw new Error(`Cannot fetch the pack ${href}: expected a home folder to keep it in (HOME)`);
    }
    if (!fetching.has(sha256)) {
      const url = store && href.startsWith("s3:") ? signedAddress(href, store) : Promise.resolve(href);
      fetching.set(
        sha256,
        url.then((url) => {
          return fetchPack({ ...pack, url, folder: join(cache, "packs", sha256) }, limitOf(pack.bytes));
          // Who fetches next finds what is there, and what somebody has removed is fetched again.
        }).finally(() => fetching.delete(sha256)),
      );
    }
    return await fetching.get(sha256)!;
  };
}

/**
 * Whether an address lies below another one, however servers and stores read it: no name of its path, decoded, is dots alone or has
 * a slash, backslash, percent or control character.
 *
 * @param base ends with a slash
 */
export function isBelow(address: string, base: string): boolean {
  const [, path] = /^[a-z0-9]+:\/\/[^/\\?#]*\/([^?#]*)/i.exec(address) ?? [];
  return path !== undefined && path.split("/").every(isPlain) && new URL(address).href.startsWith(base);
}

function isPlain(name: string): boolean {
  try {
    // deno-lint-ignore no-control-regex
    return /^(?!\.*$)[^/\\%\x00-\x1f\x7f]+$/.test(decodeURIComponent(name));
  } catch {
    return false; // no text in UTF-8
  }
}

/** @param limit milliseconds after which it is given up */
async function fetchPack({ url, bytes, sha256, folder }: PackToFetch, limit: number): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const { host, hostname, protocol, origin, pathname } = new URL(url);
  const timeout = AbortSignal.timeout(Math.min(limit, 2 ** 31 - 1));
  const port = host === hostname ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  const flags = ["--config", file("../../../deno.json"), `--allow-net=${port}`];
  const rights = [`--allow-read=${folder}`, `--allow-write=${folder}`], input = { url, bytes, sha256, folder };
  const { success, error } = await askProgram([...flags, ...rights, file("pack_fetcher.ts")], input, timeout);
  if (success) return join(folder, basename(pathname));
  await removeUnused(folder);
  const why = timeout.aborted ? `: it took longer than ${Math.round(limit / 1000)} s` : "";
  throw new Error(error || `Cannot fetch the pack ${origin}${pathname}${why}`);
}

/** Removes the folder of a fetch that failed and left nothing, unless another one has its lock: forged jobs name any number of packs. */
async function removeUnused(folder: string): Promise<void> {
  try {
    using lock = await Deno.open(join(folder, "lock"), { write: true });
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    if (names.length > 1 || !await lock.tryLock(true)) return;
    await Deno.remove(join(folder, "lock"));
    await Deno.remove(folder);
  } catch {
    // Another worker uses it, or has removed it.
  }
}
