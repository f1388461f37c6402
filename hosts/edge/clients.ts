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
/** What a client has had more than the others is forgotten beyond so many comparisons: two large requests. */
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
      const busy = open();
      if (busy.length === 0) byName.clear();
      else if (byName.size > MOST) {
        for (const [name, one] of byName) if (one.open === 0) byName.delete(name);
      }
    },
  };
}

/**
 * The client that an address stands for: of IPv6 the first 64 bits, because one machine has all addresses that begin with them. Other
 * texts stand for themselves.
 */
export function clientOf(address: string): string {
  const text = address.trim().toLowerCase().replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const [, mapped] = /^::ffff:([\d.]+)$/.exec(text) ?? [];
  if (mapped) return mapped;
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/.test(text)) return text.slice(0, 100);
  const [before, after] = text.split("::"), groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const missing = after === undefined ? 0 : Math.max(8 - groups.length - rest.length, 0);
  const all = [...groups, ...Array<string>(missing).fill("0"), ...rest];
  return `${all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
