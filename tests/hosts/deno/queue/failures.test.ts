/** Parts that fail: how soon their run ends, what becomes of the others, and who tries them again. */
import { assert, assertEquals } from "@std/assert";
import { connectEngine } from "../../../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import type { Outcome, RunStatus } from "../../../../hosts/deno/queue/messages.ts";
import { until } from "../../../until.ts";
import { type Server, serverTest } from "./servers.ts";

/** Parts of a run, and how often one is tried. */
const PARTS = 40, TRIES = 4;
/** Milliseconds for which a good worker is busy: longer than all pauses between the tries of a part. */
const BUSY = 4500;

/** A command, and workers that say of each part what they like. */
async function engineOf(server: Server) {
  const engine = readEngine("env", server.url()), client = await connectEngine(engine, undefined, { trouble() {} });
  return {
    async begin(name: string, batch: string, count: number) {
      const parts = Array.from({ length: count }, (_, n) => `${name} ${n}`);
      await client.ask({ ask: "begin", run: { name, batch, parts, end: null } });
    },
    remove: (name: string) => client.ask({ ask: "remove", name }),
    look: (name: string) => client.ask<RunStatus>({ ask: "look", name }),
    /** Starts a worker; `taken` gets the names of the parts that it takes. */
    async worker(taken: string[], outcomeOf: (part: string) => Outcome | Promise<Outcome>, lock = 30) {
      const worker = await connectEngine(engine, { concurrency: 1, lock }, {
        trouble() {},
        async taken({ id, name, data }) {
          if (name === "part") taken.push(String(data));
          worker.end(id, name === "part" ? await outcomeOf(String(data)) : { outcome: "done" });
        },
      });
      return worker;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

const DONE = { outcome: "done" } as const, FAILED = { outcome: "failed", why: "no space", isFinal: false } as const;

serverTest(
  "engine: a part that fails ends its run before others are made, and they are not made later",
  async (servers) => {
    await Promise.all([servers.redis, servers.postgres].map(async (server) => {
      await using engine = await engineOf(server);
      const taken: string[] = [];
      let isFull = true;
      await engine.begin("bad", "first", PARTS);
      await engine.begin("other", "other", 2);
      await using worker = await engine.worker(taken, (part) => isFull && part === "bad 2" ? FAILED : DONE);
      await until("the failure", async () => (await engine.look("bad")).state === "failed");
      assertEquals((await engine.look("bad")).why, "no space"); // also for a second command
      await until("the other run", async () => (await engine.look("other")).state === "done");
      const tries = Array(TRIES).fill("bad 2");
      assertEquals(taken.splice(0), ["bad 0", "bad 1", ...tries, "other 0", "other 1"]);
      assertEquals((await engine.look("bad")).state, "failed");
      // As --resume does it.
      isFull = false;
      await engine.remove("bad");
      await engine.begin("bad", "second", PARTS);
      await until("the run", async () => (await engine.look("bad")).state === "done");
      assertEquals(taken, Array.from({ length: PARTS }, (_, n) => `bad ${n}`));
      await worker.close();
    }));
  },
);

serverTest("engine: a worker leaves a part that it failed at to others", async (servers) => {
  await Promise.all([servers.redis, servers.postgres].map(async (server) => {
    await using engine = await engineOf(server);
    const byGood: string[] = [], byFull: string[] = [], go = Promise.withResolvers<void>();
    await engine.begin("run", "run", 3);
    await using good = await engine.worker(byGood, async () => {
      await go.promise;
      return DONE;
    });
    await until("the good worker's part", () => byGood.length > 0);
    await using full = await engine.worker(byFull, () => FAILED);
    await until("the failure", () => byFull.length > 0);
    await new Promise((resolve) => setTimeout(resolve, BUSY));
    assertEquals(byFull, ["run 1"]);
    go.resolve();
    await until("the run", async () => (await engine.look("run")).state !== "running");
    assertEquals((await engine.look("run")).state, "done");
    assert(byGood.includes("run 1"));
    for (const worker of [good, full]) await worker.close();
  }));
});

serverTest("engine: a worker leaves no part that it failed at to others that are dead", async (servers) => {
  await Promise.all([servers.redis, servers.postgres].map(async (server) => {
    await using engine = await engineOf(server);
    const byDead: string[] = [], byFull: string[] = [];
    await engine.begin("dead", "dead", 1);
    {
      await using _killed = await engine.worker(byDead, () => new Promise(() => {}), 2);
      await until("the part of the dead worker", () => byDead.length > 0);
    }
    await engine.begin("run", "run", 1);
    await using full = await engine.worker(byFull, () => FAILED);
    // Two to three locks of the dead worker, and less than the 30 s for which a try is left to workers that are alive.
    await until("the failure", async () => (await engine.look("run")).state === "failed", 20);
    assertEquals(byFull.slice(0, TRIES), Array(TRIES).fill("run 0"));
    await full[Symbol.asyncDispose]();
  }));
});
