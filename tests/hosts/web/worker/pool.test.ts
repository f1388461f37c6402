import { assertEquals, assertRejects } from "@std/assert";
import type { Client } from "../../../../hosts/web/worker/client.ts";
import { startPool } from "../../../../hosts/web/worker/pool.ts";
import type { OpenedPack, SynthesisMessage } from "../../../../hosts/web/worker/protocol.ts";
import type { SynthesisRequest } from "../../../../pipelines/synthesis/request.ts";

/** Clients that record what they are asked; the test ends their syntheses. */
function clients(isolated: boolean) {
  const all: { log: string[]; end(): void }[] = [];
  const start = (): Client => {
    const log: string[] = [], waiting: (() => void)[] = [];
    all.push({ log, end: () => waiting.shift()?.() });
    return {
      open: (from) => {
        log.push(`open ${from}`);
        return Promise.resolve({ pack: {} as OpenedPack, shared: isolated ? Uint8Array.of(7) : undefined });
      },
      cancel: () => void log.push("cancel"),
      findEyes: () => {
        log.push("findEyes");
        return Promise.resolve(undefined);
      },
      makeTexture: (_, name) => {
        log.push(`makeTexture ${name}`);
        return Promise.resolve(new Uint8Array());
      },
      synthesize: (requests, onMessage) => {
        log.push(`synthesize ${requests.map(({ seed }) => seed)}`);
        onMessage({ kind: "refused", id: 0, request: 0, sentence: String(requests[0].seed) });
        return new Promise((resolve) => waiting.push(resolve));
      },
    } as Partial<Client> as Client;
  };
  return { all, start };
}
const requests = (count: number): SynthesisRequest[] => {
  return Array.from({ length: count }, (_, seed) => ({ seed, images: [0] }));
};
const settled = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("pool: each worker takes the next request when it is free, and messages keep the request's number", async () => {
  const { all, start } = clients(true), pool = startPool(start, 2), coming: string[] = [];
  await pool.open("digits.loom");
  let done = false;
  const note = (message: SynthesisMessage) => {
    if (message.kind === "refused") coming.push(`${message.request}: ${message.sentence}`);
  };
  void pool.synthesize(requests(4), note).then(() => done = true);
  await settled();
  assertEquals(all.map(({ log }) => log), [["open digits.loom", "synthesize 0"], ["open 7", "synthesize 1"]]);
  for (const worker of [1, 1, 0]) {
    all[worker].end();
    await settled();
  }
  assertEquals(all[1].log.slice(1), ["synthesize 1", "synthesize 2", "synthesize 3"]);
  assertEquals([coming, done], [["0: 0", "1: 1", "2: 2", "3: 3"], false]);
  all[1].end();
  await settled();
  assertEquals(done, true);
});

Deno.test("pool: a newer synthesis takes no request of an older one, and other workers end theirs", async () => {
  const { all, start } = clients(true), pool = startPool(start, 3);
  await pool.open("digits.loom");
  void pool.synthesize(requests(5), () => {});
  await settled();
  void pool.synthesize(requests(1), () => {});
  for (const { end } of all) end();
  await settled();
  assertEquals(all.map(({ log }) => log.slice(1)), [
    ["synthesize 0", "synthesize 0"],
    ["synthesize 1", "cancel"],
    ["synthesize 2", "cancel"],
  ]);
  pool.cancel();
  assertEquals(all.map(({ log }) => log.at(-1)), ["cancel", "cancel", "cancel"]);
  await pool.open("faces.loom");
  void pool.synthesize(requests(2), () => {});
  await settled();
  assertEquals(all[1].log.slice(-2), ["open 7", "synthesize 1"], "another pack is opened before");
});

Deno.test("pool: one worker does all where workers share no memory", async () => {
  const { all, start } = clients(false), pool = startPool(start, 8);
  await pool.open("digits.loom");
  void pool.synthesize(requests(3), () => {});
  await settled();
  assertEquals(all.map(({ log }) => log), [["open digits.loom", "synthesize 0,1,2"]]);
});

Deno.test("pool: a worker that could not open the pack opens it again for the next synthesis", async () => {
  const { all, start } = clients(true), failures = [new Error("offline")];
  const pool = startPool(() => {
    const client = start();
    return {
      ...client,
      open: async (from) => {
        const failure = typeof from === "string" ? undefined : failures.pop();
        if (failure) throw failure;
        return await client.open(from);
      },
    };
  }, 2);
  await pool.open("digits.loom");
  await assertRejects(() => pool.synthesize(requests(2), () => {}), Error, "offline");
  all[0].end();
  void pool.synthesize(requests(2), () => {});
  await settled();
  assertEquals(all[1].log, ["open 7", "synthesize 1"]);
});

Deno.test("pool: faces are found and packs are made beside a synthesis, in a worker that none of it blocks", async () => {
  for (const isolated of [false, true]) {
    const { all, start } = clients(isolated), pool = startPool(start, 2);
    await pool.open("digits.loom");
    void pool.synthesize(requests(3), () => {});
    await settled();
    const before = all.map(({ log }) => log.join());
    await pool.findEyes({ width: 1, height: 1, pixels: new Uint8Array(1) });
    await pool.makeTexture(new Uint8Array(), "bark.png");
    assertEquals(all.slice(0, -1).map(({ log }) => log.join()), before);
    assertEquals(all.at(-1)!.log, ["findEyes", "makeTexture bark.png"]);
  }
});
