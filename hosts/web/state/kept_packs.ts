/** Keeps a visitor's packs in the browser: pictures of one's own are still there when the page is opened again. */

/** What is known of a pack that is kept. */
export interface KeptEntry {
  readonly fingerprint: string;
  /** What it was made of, or the name of its file. */
  readonly title: string;
  /** The address of a small picture of it, which holds that picture. Packs that were kept by an earlier page have none. */
  readonly thumbnail?: string;
  /** The address of the photograph that gave its first seed image, aligned by its eyes, which holds that photograph. */
  readonly photograph?: string;
  /** When it was made or opened first, in milliseconds since 1970. */
  readonly time: number;
  /** Whether it was made on the page, of pictures. */
  readonly made: boolean;
}

/** A pack that is kept. */
export interface KeptPack extends KeptEntry {
  /** The bytes of its file. */
  readonly bytes: Uint8Array;
}

/** The packs that the browser keeps. Nothing rejects: where the browser keeps nothing, or no more, there are none. */
export interface KeptPacks {
  /** Keeps a pack, in place of those that were opened longest ago if there are too many. Resolves to these, which are removed. */
  keep(pack: KeptPack): Promise<readonly KeptEntry[]>;
  /** Finds a pack by its fingerprint. */
  find(fingerprint: string): Promise<KeptPack | undefined>;
  /** Lists the packs, the one that was opened last first. */
  list(): Promise<readonly KeptEntry[]>;
  /** Removes a pack. */
  remove(fingerprint: string): Promise<void>;
  /** Removes all. */
  forget(): Promise<void>;
}

/** The most packs that are kept, and the most bytes of all of them. The newest one is kept whatever its size. */
export const MOST = 8, MOST_BYTES = 100e6;

/** The name of their cache. The service worker removes only caches whose names begin as the page's files' does. */
const CACHE = "own-packs";

/** The header that holds the entry of a pack, as escaped JSON: headers hold no other characters than those of Latin. */
const ENTRY = "x-entry";

/** Opens the packs that are kept. `storage`: undefined where the browser has none, such as on pages without https. */
export function keptPacks(storage: CacheStorage | undefined): KeptPacks {
  const addressOf = (fingerprint: string) => `own/${encodeURIComponent(fingerprint)}.loom`;
  const attempt = async <T>(work: (cache: Cache) => Promise<T>, otherwise: T): Promise<T> => {
    if (!storage) return otherwise;
    return await storage.open(CACHE).then(work).catch(() => otherwise);
  };
  return {
    keep: ({ bytes, ...entry }) =>
      attempt(async (cache) => {
        const address = addressOf(entry.fingerprint), headers = { [ENTRY]: encodeURIComponent(JSON.stringify(entry)) };
        await cache.delete(address); // so that it becomes the newest
        await cache.put(address, new Response(bytes.slice(), { headers }));
        const kept = (await cache.keys()).toReversed(),
          entries = await Promise.all(kept.map((one) => cache.match(one)));
        let sum = 0;
        const removed = kept.flatMap((one, i) => {
          const entry = entries[i] && entryOf(entries[i]);
          sum += entry ? bytesOf(entry) : 0;
          return i > 0 && (i >= MOST || sum > MOST_BYTES) ? [{ one, entry }] : [];
        });
        await Promise.all(removed.map(({ one }) => cache.delete(one)));
        return removed.flatMap(({ entry }) => entry ?? []);
      }, [] as readonly KeptEntry[]),
    find: (fingerprint) =>
      attempt(async (cache) => {
        const response = await cache.match(addressOf(fingerprint)), entry = response && entryOf(response);
        return entry && { ...entry, bytes: new Uint8Array(await response.arrayBuffer()) };
      }, undefined as KeptPack | undefined),
    list: () =>
      attempt(async (cache) => {
        const kept = await Promise.all((await cache.keys()).map((one) => cache.match(one)));
        return kept.map((response) => response && entryOf(response)).filter((entry) => entry !== undefined).reverse();
      }, [] as readonly KeptEntry[]),
    remove: (fingerprint) => attempt(async (cache) => void await cache.delete(addressOf(fingerprint)), undefined),
    forget: async () => void await storage?.delete(CACHE).catch(() => {}),
  };
}

/** The entry of a kept pack; undefined if it was kept without one. */
function entryOf({ headers }: Response): KeptEntry | undefined {
  const written = headers.get(ENTRY);
  return written === null ? undefined : JSON.parse(decodeURIComponent(written));
}

/** The length of a pack's file, which its fingerprint ends with. */
function bytesOf({ fingerprint }: KeptEntry): number {
  return Number(fingerprint.split("-")[1]) || 0;
}
