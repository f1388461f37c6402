/** Jobs that others have written to: none keeps another job from being made, and a command adds those of its run again. */
import { assert, assertEquals } from "@std/assert";
import { connectEngine, type EngineClient } from "../../../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import type { Outcome, RunStatus } from "../../../../hosts/deno/queue/messages.ts";
import { until } from "../../../until.ts";
import { forgeEnd, type Server, serverTest, spoil } from "./servers.ts";

/** All fields that BullMQ reads of a job in Redis, and texts that some of them cannot hold. */
const FIELDS = [
  ...["name", "data", "opts", "progress", "delay", "priority", "timestamp", "ats", "attemptsMade", "atm", "stc"],
  ...["finishedOn", "processedOn", "rjk", "deid", "failedReason", "defa", "stacktrace", "returnvalue", "parentKey"],
  ...["parent", "pb"],
];
const TEXTS = ["x", "", "1e300", "null"];
/** All columns of a job in PostgreSQL but its key and its state, with their greatest and least numbers, and other values. */
const INTEGERS = [2n ** 31n - 1n, -(2n ** 31n)], LONG = [2n ** 63n - 1n, -(2n ** 63n)], WORDS = ["'x'", "''"];
const JSONS = ["'5'", "'null'", "'[]'", `'"x"'`];
const COLUMNS: Readonly<Record<string, readonly unknown[]>> = {
  ...{ priority: INTEGERS, max_attempts: INTEGERS, attempts_made: INTEGERS, attempts_started: INTEGERS },
  ...{ stalled_count: INTEGERS, pending_deps: INTEGERS, seq: LONG, delay_ms: LONG, added_at_ms: LONG },
  ...{ process_at_ms: LONG, processed_at_ms: LONG, finished_at_ms: LONG, locked_until_ms: LONG },
  ...{ name: WORDS, lock_token: WORDS, dedup_id: WORDS, scheduler_id: WORDS, deferred_failure: WORDS },
  ...{ failed_reason: WORDS, processed_by: WORDS, parent_id: WORDS, parent_queue: WORDS, parent_key: WORDS },
  ...{ data: JSONS, opts: JSONS, progress: JSONS, return_value: JSONS, stacktrace: JSONS, stalled_marked: ["true"] },
};

const DONE = { outcome: "done" } as const, OTHER = { outcome: "failed", why: "another job", isFinal: true } as const;

/** A command, and workers that say of each job what they like. */
async function engineOf(server: Server) {
  const engine = readEngine("env", server.url()), client = await connectEngine(engine, undefined, { trouble() {} });
  const told: string[] = [], troubles: string[] = [];
  const look = (name: string) => client.ask<RunStatus>({ ask: "look", name });
  return {
    told,
    troubles,
    look,
    isStuck: (name: string) => client.ask<boolean>({ ask: "isStuck", name }),
    begin: (name: string, batch = name) => client.ask({ ask: "begin", run: { name, batch, parts: [name], end: null } }),
    remove: (name: string) => client.ask({ ask: "remove", name }),
    isDone: async (name: string) => (await look(name)).state === "done",
    /** Starts a worker, which goes on after this process was silent for longer than its lock, as on a busy machine. */
    async worker(outcomeOf: (id: string, name: string) => Outcome | Promise<Outcome>, lock: number) {
      let worker: EngineClient | undefined, isOver = false;
      const connect = async () => {
        const one = await connectEngine(engine, { concurrency: 4, lock }, {
          trouble: (why) => why !== undefined && troubles.push(why),
          warned: (line) => told.push(line),
          taken: async ({ id, name }) => one.end(id, await outcomeOf(id, name)),
        });
        worker = one;
        one.ended.then((end) => end && !isOver ? connect() : undefined);
      };
      await connect();
      return {
        [Symbol.asyncDispose]: () => {
          isOver = true;
          return worker![Symbol.asyncDispose]();
        },
      };
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

serverTest("engine: no field of a job keeps its run waiting, nor any other", async (servers) => {
  await Promise.all([servers.redis, servers.postgres].map(async (server) => {
    await using engine = await engineOf(server);
    const values = server.kind === "redis" ? FIELDS.map((field) => [field, TEXTS] as const) : Object.entries(COLUMNS);
    const runs = ["part", "end"].flatMap((job) =>
      values.flatMap(([field, all]) => all.map((value, n) => ({ job, field, value, name: `${job}-${field}-${n}` })))
    );
    const ids = ({ job, name }: { job: string; name: string }) => job === "part" ? `${name}-0` : name;
    await Promise.all(runs.map(({ name }) => engine.begin(name)));
    await spoil(server, runs.map((run) => [ids(run), run.field, String(run.value)] as const));
    await using _worker = await engine.worker((_, name) => ["part", "end"].includes(name) ? DONE : OTHER, 1);
    await Promise.all(runs.map(async ({ name }) => {
      // A command notices each of these ends, and says so.
      await until(name, async () => (await engine.look(name)).state !== "running" || await engine.isStuck(name), 60);
      if (await engine.isDone(name)) return;
      await engine.remove(name);
      await engine.begin(name, `${name}-again`);
      await until(`${name} again`, () => engine.isDone(name), 60);
    }));
    assertEquals(engine.troubles, []); // the server answers
    assert(engine.told.every((line) => line.includes("a job in the queue cannot be read, and stays there")));
  }));
});

serverTest(
  "engine: the part of a dead worker is made again beside one whose stalls cannot be counted",
  async (servers) => {
    await Promise.all([servers.redis, servers.postgres].map(async (server) => {
      await using engine = await engineOf(server);
      const taken = new Set<string>(),
        fields = { redis: ["stc", "x"], postgres: ["stalled_count", String(INTEGERS[0])] };
      for (const name of ["bad", "good"]) await engine.begin(name);
      {
        await using _killed = await engine.worker((id, name) => {
          if (name === "part") taken.add(id);
          return new Promise(() => {});
        }, 1);
        await until("both parts", () => taken.size === 2);
      }
      const [field, value] = fields[server.kind];
      await spoil(server, [["bad-0", field, value]]);
      await using _worker = await engine.worker(() => DONE, 1);
      await until("the good run", () => engine.isDone("good"));
      await until("the loss of the bad part", async () => await engine.isDone("bad") || await engine.isStuck("bad"));
    }));
  },
);

serverTest(
  "engine: a job that ends no run fails when it suits no worker; one that does waits for another",
  async (servers) => {
    await Promise.all([servers.redis, servers.postgres].map(async (server) => {
      await using engine = await engineOf(server);
      const back: string[] = [];
      await engine.begin("run");
      await forgeEnd(server, "forged");
      {
        await using _worker = await engine.worker((id, name) => {
          if (name !== "end") return DONE;
          back.push(id);
          return { outcome: "back", why: "no" };
        }, 5);
        await until("the failure", async () => (await engine.look("forged")).state === "failed");
        await until("the end of the run again", () => back.filter((id) => id === "run").length > 1);
      }
      assertEquals(back.filter((id) => id === "forged"), ["forged"]);
      await using _other = await engine.worker(() => DONE, 5);
      await until("the run", () => engine.isDone("run"));
    }));
  },
);
