/** The clients of a host, and how much work was done for each. */

/** A client with requests in a queue. */
export interface QueuedClient {
  /** The work that was done for it, in comparisons. */
  served: number;
  /** How many of its requests are open, and their work. */
  open: number;
  work: number;
}

/** The clients that a host knows. */
export interface Clients {
  /** Returns a client; all without a name are one. */
  of(name: string | undefined): QueuedClient;
  /** A request of a client came, or left. */
  enter(client: QueuedClient, work: number): void;
  leave(client: QueuedClient, work: number): void;
}

/** Clients without open requests that are remembered, at most. */
const MOST = 1000;
/** How much more work was done for a client than for the others counts up to this many comparisons: two large requests. */
const REMEMBERED = 4e10;

/** Makes an empty list of clients. */
export function openClients(): Clients {
  const byName = new Map<string, QueuedClient>();
  const open = () => [...byName.values()].filter(({ open }) => open > 0);
  return {
    of(name = "") {
      const client = byName.get(name) ?? { served: 0, open: 0, work: 0 };
      if (client.open === 0) {
        // A new client counts as having had as much work as the client with the least: nobody can save up turns.
        const least = Math.min(...open().map(({ served }) => served));
        if (Number.isFinite(least)) client.served = Math.min(Math.max(client.served, least), least + REMEMBERED);
      }
      byName.set(name, client);
      return client;
    },
    enter(client, work) {
      client.open++;
      client.work += work;
    },
    leave(client, work) {
      client.open--;
      client.work -= work;
      if (byName.size > MOST) {
        for (const [name, one] of byName) if (one.open === 0) byName.delete(name);
      }
    },
  };
}

/**
 * The client that an address stands for, with or without the port that some proxies add: of IPv6 the first 64 bits, because one machine
 * has all addresses that begin with them. What is no address stands for itself.
 */
export function clientOf(address: string): string {
  const text = address.trim().toLowerCase();
  const [, host = text] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  // The parser of addresses writes each in one way.
  const ipv6 = URL.parse(`http://[${host.replace(/%.*$/, "")}]`)?.hostname.slice(1, -1);
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
