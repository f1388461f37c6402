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

try {
  const { url, bytes, sha256, folder }: PackToFetch = JSON.parse(await new Response(Deno.stdin.readable).text());
  // Several workers of a machine share the folder: the first one fetches.
  using lock = await Deno.open(join(folder, "lock"), { write: true, create: true });
  await lock.lock(true);
  const { pathname, search: query } = new URL(url), name = basename(pathname);
  await pull({ mirrors: [new URL(".", url).href], files: [{ name, bytes, sha256, query }] }, folder, () => {});
} catch (error) {
  console.error(reason(error));
  Deno.exit(1);
}
