/**
 * The clients of a host, and how much work was done for each. Only work beside other clients counts, as in start-time fair queueing
 * (Goyal, Vin and Cheng 1996): whoever was alone for a day owes nothing to those that come later.
 */
import { parsedUrl } from "./parsed_url.ts";

/** A client with requests in a queue. */
export interface QueuedClient {
  /** The work that counts as done for it, in comparisons. */
  readonly served: number;
  /** How many of its requests are open, and their work. */
  readonly open: number;
  readonly work: number;
}

/** The clients that a host knows. */
export interface Clients {
  /** Returns a client; all without a name are one. */
  of(name: string | undefined): QueuedClient;
  /** A request of a client came, or left. */
  enter(client: QueuedClient, work: number): void;
  leave(client: QueuedClient, work: number): void;
  /** Work was done for a client. */
  serve(client: QueuedClient, work: number): void;
}

/** Clients that are remembered, at most, unless more have open requests. */
const MAX_CLIENTS = 1000;
/** A client's lead over the others counts up to this many comparisons: two large requests. */
const REMEMBERED = 4e10;

/** Makes an empty list of clients. */
export function openClients(): Clients {
  const byName = new Map<string, Changing<QueuedClient>>();
  // Where a client begins that had no open request. It never falls: it is the least work of those that have one. Once nobody has,
  // nobody owes anything any more.
  let least = 0;
  const raiseLeast = () => {
    const all = [...byName.values()], open = all.filter(({ open }) => open > 0);
    const now = open.length > 0
      ? Math.min(...open.map(({ served }) => served))
      : Math.max(...all.map(({ served }) => served));
    least = Math.max(least, now);
  };
  const forgetOldest = (asking: QueuedClient) => {
    for (const [name, one] of byName) {
      if (byName.size <= MAX_CLIENTS) return;
      if (one.open === 0 && one !== asking) byName.delete(name);
    }
  };
  return {
    of(name = "") {
      const client = byName.get(name) ?? { served: 0, open: 0, work: 0 };
      if (client.open === 0) client.served = Math.min(Math.max(client.served, least), least + REMEMBERED);
      byName.delete(name); // so that the first one of the map is the one that asked longest ago
      byName.set(name, client);
      forgetOldest(client);
      return client;
    },
    enter(client: Changing<QueuedClient>, work) {
      client.open++;
      client.work += work;
    },
    leave(client: Changing<QueuedClient>, work) {
      client.open--;
      client.work -= work;
      raiseLeast();
    },
    serve(client: Changing<QueuedClient>, work) {
      client.served += work;
      raiseLeast();
    },
  };
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** A pair of `Forwarded` (RFC 7239): a name, and a value that may be in quotes. Addresses without quotes are usual, too. */
const PAIR = /[\w!#$%&'*+.^`|~-]+=(?:"(?:[^"\\]|\\.)*"|[^\s",;\\]*)/;
/** The pairs of an entry, which ends with the header. */
const ENTRY = new RegExp(`^\\s*${PAIR.source}(?:\\s*;\\s*${PAIR.source})*\\s*$`);
/** Characters of `Forwarded` that are read, at most. */
const MAX_FORWARDED = 1000;

/**
 * Finds the address in the last entry of a header that a proxy sets: of `Forwarded`, such as `for="192.0.2.1:4711";proto=http`, or of one
 * with addresses alone, such as `X-Forwarded-For`.
 *
 * @param header its name
 * @returns undefined where it is not clear which entry is the last, or where that one names no client or several: a client may have
 * written part of it
 */
export function lastForwarded(header: string, value: string): string | undefined {
  if (header.toLowerCase() !== "forwarded") return value.slice(value.lastIndexOf(",") + 1).trim() || undefined;
  if (value.length > MAX_FORWARDED) return undefined;
  // A comma may be in quotes, and a quote may have been opened by a client.
  const starts = [0, ...Array.from(value.matchAll(/,/g), ({ index }) => index + 1)];
  const [entry, ...others] = starts.map((start) => value.slice(start)).filter((text) => ENTRY.test(text));
  if (entry === undefined || others.length > 0) return undefined;
  const pairs = Array.from(entry.matchAll(new RegExp(PAIR, "g")), ([pair]) => pair);
  const [client, ...more] = pairs.filter((pair) => /^for=/i.test(pair));
  return client === undefined || more.length > 0 ? undefined : client.slice(4).replace(/^"(.*)"$/, "$1") || undefined;
}

/**
 * The client that an address stands for, with or without the port that some proxies add: of IPv6 the first 64 bits, because one machine
 * has all addresses that begin with them. What is no address stands for itself.
 */
export function clientOf(address: string): string {
  const text = address.trim().toLowerCase();
  const [, host = text] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  // The parser of addresses writes each in one way.
  const ipv6 = parsedUrl(`http://[${host.replace(/%.*$/, "")}]`)?.hostname.slice(1, -1);
  if (ipv6 === undefined) return host.slice(0, 100);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(ipv6) ?? [];
  if (low !== undefined) {
    return [high, low].flatMap((half) => [parseInt(half, 16) >> 8, parseInt(half, 16) & 255]).join(".");
  }
  const [before, after] = ipv6.split("::"), groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const missing = after === undefined ? 0 : 8 - groups.length - rest.length;
  return `${[...groups, ...Array<string>(missing).fill("0"), ...rest].slice(0, 4).join(":")}::/64`;
}
