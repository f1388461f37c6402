/** What several files of tests need and takes long: made once, also where they run at the same time or one run after another. */
import { basename, dirname, join } from "@std/path";

/** Where it is kept, outside the tree. */
export const KEPT: string = join(Deno.env.get("TMPDIR") ?? "/tmp", `patchloom-tests-${Deno.uid()}`);
/** Milliseconds until what was made of other sources is removed. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * Returns the folder KIND-KEY in `KEPT`. If it was not made to its end before, `make` fills it, and others wait for that. The key
 * names all that the result depends on: a version, or a hash of sources.
 */
export async function once(kind: string, key: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(KEPT, `${kind}-${key}`), done = join(folder, "done");
  await Deno.mkdir(dirname(folder), { recursive: true });
  using lock = await Deno.open(`${folder}.lock`, { create: true, write: true });
  await lock.lock(true);
  if (await Deno.stat(done).catch(() => undefined)) return folder;
  await removeOld(dirname(folder), basename(kind), basename(folder));
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder);
  await make(folder);
  await Deno.writeTextFile(done, "");
  return folder;
}

/** Returns a function that makes something when it is called first, and returns the same then. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => (made ??= { it: make() }).it;
}

/** Removes what was made of other sources. A file that goes meanwhile is no error. */
async function removeOld(parent: string, kind: string, own: string): Promise<void> {
  for await (const { name } of Deno.readDir(parent)) {
    const path = join(parent, name), mtime = await Deno.stat(path).then(({ mtime }) => Number(mtime), () => Infinity);
    const isOther = name.startsWith(`${kind}-`) && !name.startsWith(own);
    if (isOther && Date.now() - mtime > DAY) await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}
