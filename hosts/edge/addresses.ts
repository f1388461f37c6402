/** Addresses of images: the one spelling of each that caches keep, and signatures that only the owner of a key can make. */
import { PARAMETERS } from "./parameters.ts";

/** Parameters whose values are integers, which have one spelling without zeros before them. */
const INTEGERS: readonly string[] = ["class", "seed", "image", "count"];
/** The parameter with the signature of an address. */
export const SIGNATURE = "signature";

/** Returns the canonical text of a query, without `?`: parameters in the order of `PARAMETERS`, each number in one spelling. */
export function canonicalQuery(search: URLSearchParams): string {
  const order = Object.keys(PARAMETERS), place = (name: string) => (order.indexOf(name) + order.length) % order.length;
  const entries = [...search].filter(([name]) => name !== SIGNATURE).sort(([a], [b]) => place(a) - place(b));
  return entries.map(([name, value]) => `${encoded(name)}=${encoded(canonicalValue(name, value))}`).join("&");
}

/** How queries are compared. */
export interface Comparison {
  /** What a query asks for: the same text for the same images. It may throw for a query that cannot be answered. */
  meaningOf(search: URLSearchParams): string;
  /**
   * Other spellings of an entry, the one to prefer first: one entry or several that may mean the same. One that was preferred has
   * none.
   */
  spellings(entry: readonly string[]): readonly string[][][];
}

/**
 * Returns a query without the entries that change nothing: a value that is the default or that a later one replaces, or a setting
 * such as `about` by which no image changes. Settings are sorted where their order does not count. An entry with several spellings
 * gets the one that is preferred. What it returns is its own shortest query.
 *
 * @param search a query that can be answered
 */
export function shortestQuery(
  search: URLSearchParams,
  { meaningOf, spellings }: Comparison,
): URLSearchParams {
  const meaning = meaningOf(search);
  const isSame = (entries: readonly string[][]) => {
    try {
      return meaningOf(new URLSearchParams(entries as string[][])) === meaning;
    } catch {
      return false;
    }
  };
  const ordered = (some: readonly string[][]) => {
    return [...new URLSearchParams(canonicalQuery(new URLSearchParams(some as string[][])))];
  };
  let entries: string[][] = ordered([...search]);
  const taken = (others: readonly string[][]) => {
    const same = isSame(others);
    if (same) entries = ordered(others);
    return same;
  };
  // Without one entry, the order of others may no longer count.
  for (let before; before !== (before = JSON.stringify(entries));) {
    taken([...entries.filter(([name]) => name !== "set"), ...entries.filter(([name]) => name === "set").sort()]);
    for (let at = 0; at < entries.length;) if (!taken(entries.toSpliced(at, 1))) at++;
    for (let at = 0; at < entries.length; at++) {
      spellings(entries[at]).some((other) => taken(entries.toSpliced(at, 1, ...other)));
    }
  }
  return new URLSearchParams(entries);
}

function canonicalValue(name: string, value: string): string {
  if (INTEGERS.includes(name)) return /^\d{1,16}$/.test(value) ? String(Number(value)) : value;
  const at = value.indexOf("="), setting = value.slice(0, at).trim(), text = value.slice(at + 1).trim();
  if (name !== "set" || at < 0 || setting === "") return value;
  const parsed = parsedJson(text);
  const isList = Array.isArray(parsed) && parsed.length > 1 && parsed.every((one) => typeof one === "number");
  if (typeof parsed === "object" && parsed !== null && !isList) return `${setting}=${jsonOf(parsed) ?? text}`;
  const values = isList ? parsed : text.split(",").map((one) => {
    return one.trim() !== "" && Number.isFinite(Number(one)) ? Number(one) : one;
  });
  return `${setting}=${values.join(",")}`;
}

/** What a text in JSON says; undefined for other texts. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value in JSON, with its names in alphabetical order; undefined where it is nested too deeply. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, sortedKeys);
  } catch {
    return undefined;
  }
}

function sortedKeys(_: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value;
}

/** Encodes a name or value. `=` and `,` stay as they are, as people write them. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%3D", "=").replaceAll("%2C", ",");
}

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/**
 * Signs a query, for handlers that have a `signingKey`. Parameters may come in any order; settings are signed in theirs, because it
 * may change the image.
 *
 * @param query the query of an address of `/synth`, without `?`
 * @param key the handler's `signingKey`
 * @returns the query with its entries ordered and its numbers in one spelling, and `signature`: its HMAC with SHA-256, in Base64 for addresses
 *
 * @example
 * ```ts
 * import { signedQuery } from "@patchloom/patchloom/edge";
 *
 * const query = await signedQuery("seed=07&class=3", "a secret of 32 characters or more");
 * console.log(`/synth?${query}`); // /synth?class=3&seed=7&signature=...
 * ```
 */
export async function signedQuery(query: string, key: string): Promise<string> {
  const canonical = canonicalQuery(new URLSearchParams(query));
  const signature = await crypto.subtle.sign("HMAC", await imported(key), new TextEncoder().encode(canonical));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)));
  const text = base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${canonical}${canonical === "" ? "" : "&"}${SIGNATURE}=${text}`;
}

/** Whether a query has the signature of its canonical text. */
export async function isSignedQuery(search: URLSearchParams, key: string): Promise<boolean> {
  const [given, ...more] = search.getAll(SIGNATURE);
  if (given === undefined || more.length > 0 || !/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(given)) return false;
  const bytes = Uint8Array.from(atob(given.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const text = new TextEncoder().encode(canonicalQuery(search));
  return await crypto.subtle.verify("HMAC", await imported(key), bytes, text);
}

function imported(key: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(key), HMAC, false, ["sign", "verify"]);
}
