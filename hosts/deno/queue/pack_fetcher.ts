// Fetches a pack from its address: a program of its own, which may reach that host, and write into one folder.
import { basename, join } from "node:path";
import { reason } from "../system/reason.ts";
import { pull } from "../data/pull.ts";

/** What to fetch: the one line of the standard input. */
export interface PackToFetch {
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly folder: string;
}

/** The name of the lock of a folder with a pack. */
const LOCK = "lock";

/** Takes the lock of a folder: several workers of a machine share it, and the first one fetches. */
async function lockOf(folder: string): Promise<Deno.FsFile> {
  for (;;) {
    await Deno.mkdir(folder, { recursive: true });
    const path = join(folder, LOCK), lock = await Deno.open(path, { write: true, create: true });
    await lock.lock(true);
    // Who had it before may have removed it, and the folder, after a fetch that failed.
    if (await Deno.stat(path).then(({ ino }) => ino === lock.statSync().ino, () => false)) return lock;
    lock.close();
  }
}

try {
  const { url, bytes, sha256, folder }: PackToFetch = JSON.parse(await new Response(Deno.stdin.readable).text());
  using _ = await lockOf(folder);
  const { pathname, search: query } = new URL(url), name = basename(pathname);
  await pull({ mirrors: [new URL(".", url).href], files: [{ name, bytes, sha256, query }] }, folder, () => {});
} catch (error) {
  console.error(reason(error));
  Deno.exit(1);
}
