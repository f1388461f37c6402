/** Keeps a visitor's packs in the browser: pictures of one's own are still there after the page was loaded again. */

/** A pack that is kept. */
export interface KeptPack {
  readonly fingerprint: string;
  /** The bytes of its file. */
  readonly bytes: Uint8Array;
  /** Whether it was made on the page, of pictures. */
  readonly made: boolean;
}

/** The packs that the browser keeps. Nothing rejects: where the browser keeps nothing, or no more, there are none. */
export interface KeptPacks {
  /** Keeps a pack, in place of the oldest if there are too many. Resolves to whether it is kept. */
  keep(pack: KeptPack): Promise<boolean>;
  /** Finds a pack by its fingerprint. */
  find(fingerprint: string): Promise<KeptPack | undefined>;
  /** Whether any is kept. */
  any(): Promise<boolean>;
  /** Removes all. */
  forget(): Promise<void>;
}

/** The most packs that are kept. */
const MOST = 4;

/** The name of their cache. The service worker removes only caches whose names begin as the page's files' does. */
const CACHE = "own-packs";

/** The header that says whether the page made a pack. */
const MADE = "x-made";

/** Opens the packs that are kept. `storage`: undefined where the browser has none, such as on pages without https. */
export function keptPacks(storage: CacheStorage | undefined): KeptPacks {
  const addressOf = (fingerprint: string) => `own/${encodeURIComponent(fingerprint)}.loom`;
  const attempt = async <T>(work: (cache: Cache) => Promise<T>, otherwise: T): Promise<T> => {
    if (!storage) return otherwise;
    return await storage.open(CACHE).then(work).catch(() => otherwise);
  };
  return {
    keep: ({ fingerprint, bytes, made }) =>
      attempt(async (cache) => {
        const response = new Response(bytes.slice(), { headers: { [MADE]: String(made) } });
        await cache.delete(addressOf(fingerprint)); // so that it becomes the newest
        await cache.put(addressOf(fingerprint), response);
        const kept = await cache.keys();
        await Promise.all(kept.slice(0, -MOST).map((one) => cache.delete(one)));
        return true;
      }, false),
    find: (fingerprint) =>
      attempt(async (cache) => {
        const response = await cache.match(addressOf(fingerprint));
        if (!response) return undefined;
        const bytes = new Uint8Array(await response.arrayBuffer());
        return { fingerprint, bytes, made: response.headers.get(MADE) === "true" };
      }, undefined as KeptPack | undefined),
    any: () => attempt(async (cache) => (await cache.keys()).length > 0, false),
    forget: async () => void await storage?.delete(CACHE).catch(() => {}),
  };
}
