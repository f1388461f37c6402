/** Divides requests among several workers. Each has the pack open with a synthesizer of its own; they read the same bytes. */
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { Client } from "./client.ts";
import { doneOnce } from "./done_once.ts";
import type { SynthesisMessage } from "./protocol.ts";

/**
 * Makes a client of several workers, at most `most`. The first one does all with the open pack that is no synthesis of several
 * requests. The others are started when there are several requests for the first time, and only where workers can share memory. One
 * more makes packs and finds faces.
 */
export function startPool(start: () => Client, most: number): Client {
  const first = start();
  /** The other workers, and for each what opens the pack that is open now, once. */
  let others: { readonly client: Client; readonly ready: () => Promise<unknown> }[] = [];
  let shared: Uint8Array | undefined, newest = 0;

  function opening(client: Client, bytes: Uint8Array) {
    return { client, ready: doneOnce(() => client.open(bytes)) };
  }

  function cancelOthers(from: number): void {
    for (const { client } of others.slice(from)) client.cancel();
  }

  async function synthesize(
    requests: readonly SynthesisRequest[],
    onMessage: (message: SynthesisMessage) => void,
  ): Promise<void> {
    const run = ++newest, bytes = shared, wanted = bytes ? Math.min(most, requests.length) - 1 : 0;
    cancelOthers(Math.max(wanted, 0));
    if (wanted < 1 || !bytes) return await first.synthesize(requests, onMessage);
    others = [...others, ...Array.from({ length: wanted - others.length }, () => opening(start(), bytes))];
    let next = 0;
    const work = async (client: Client) => {
      while (next < requests.length && run === newest) {
        const request = next++;
        await client.synthesize([requests[request]], (message) => onMessage({ ...message, request }));
      }
    };
    await Promise.all([
      work(first),
      ...others.slice(0, wanted).map(async (other) => {
        await other.ready();
        await work(other.client);
      }),
    ]);
  }

  return {
    ...first,
    ...withoutPack(start),
    async open(from) {
      newest++;
      cancelOthers(0);
      const opened = await first.open(from);
      // The others open the pack when they are needed; what they do for the last one is of no use.
      shared = opened.shared;
      if (opened.shared) others = others.map(({ client }) => opening(client, opened.shared!));
      return opened;
    },
    cancel() {
      newest++;
      first.cancel();
      cancelOthers(0);
    },
    synthesize,
  };
}

/** What needs no open pack, in a worker of its own: it does not wait for the fit of a prior, which can take a minute. */
function withoutPack(start: () => Client): Pick<Client, "makePack" | "makeTexture" | "findEyes" | "addFace"> {
  let started: Client | undefined;
  const client = () => started ??= start();
  return {
    makePack: (...asked) => client().makePack(...asked),
    makeTexture: (...asked) => client().makeTexture(...asked),
    findEyes: (...asked) => client().findEyes(...asked),
    addFace: (...asked) => client().addFace(...asked),
  };
}
