/** What `synth` does with the errors of the engine's client. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { connectEngine, mayTryAgain } from "../../../../hosts/deno/queue/engine_client.ts";
import { engineName, readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import type { EngineAddress } from "../../../../hosts/deno/queue/messages.ts";
import { until } from "../../../until.ts";
import { postgresFolder, serverTest } from "./servers.ts";

Deno.test("mayTryAgain: servers out of reach and transactions that PostgreSQL took back, but nothing that stays wrong", () => {
  const passing = [
    "connect ECONNREFUSED 127.0.0.1:6379",
    "Connection terminated unexpectedly",
    "the database system is starting up",
    "LOADING Redis is loading the dataset in memory",
    "deadlock detected",
  ];
  for (const message of passing) assert(mayTryAgain(new Error(message)), message);
  const lasting = [
    "WRONGPASS invalid username-password pair",
    'database "x" does not exist',
    "syntax error at end of input",
  ];
  for (const message of lasting) assert(!mayTryAgain(new Error(message)), message);
  for (const value of [null, undefined, "x", 7, {}, { message: 7 }]) assert(!mayTryAgain(value), String(value));
  assert(mayTryAgain("connect ECONNREFUSED"));
});

Deno.test("connectEngine: what a package prints among the client's messages is an error line, and ends nothing", async () => {
  const { Command } = Deno, own = Deno as { Command: unknown };
  const said = ["hello", "7", "null", JSON.stringify({ ready: true }), "a package says so"];
  const script = `console.log(${
    JSON.stringify(said.join("\n"))
  }); Deno.stdin.readSync(new Uint8Array(9)); Deno.exit(1);`;
  own.Command = class {
    spawn() {
      const streams = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
      return new Command(Deno.execPath(), { args: ["eval", script], ...streams }).spawn();
    }
  };
  try {
    const client = await connectEngine(readEngine("env", "redis://127.0.0.1:1"), undefined, { trouble() {} });
    assertEquals((await client.ended)?.why, "Cannot use the engine redis://127.0.0.1:1: a package says so");
  } finally {
    own.Command = Command;
  }
});

serverTest(
  "connectEngine: a client that hangs is ended, while it takes jobs, is asked or is closed; one that crashes is replaced",
  async ({ redis: server }) => {
    const engine = readEngine("env", server.url()), patience = 8;
    const connect = (take?: { concurrency: number; lock: number }) => {
      return connectEngine(engine, take, { trouble() {} }, patience);
    };
    const hung = async (...given: Parameters<typeof connect>) => {
      const before = await clients(engine), client = await connect(...given);
      const [pid] = (await clients(engine)).filter((one) => !before.includes(one));
      Deno.kill(pid, "SIGSTOP");
      return client;
    };
    // One that works stays.
    const good = await connect();
    const [taking, asked, closing] = [await hung({ concurrency: 1, lock: 60 }), await hung(), await hung()];
    const why = `gave no sign of life for ${patience} seconds`;
    const answer = assertRejects(() => asked.ask({ ask: "workers" }), Error, why);
    await closing.close();
    assertEquals((await taking.ended)?.silence, `The client of the engine ${why}`);
    await answer;
    const before = await clients(engine), crashing = await connect({ concurrency: 1, lock: 60 });
    const [pid] = (await clients(engine)).filter((one) => !before.includes(one));
    Deno.kill(pid, "SIGTRAP"); // as V8 ends itself
    assertEquals(
      (await crashing.ended)?.silence,
      "The client of the engine crashed (SIGTRAP): a job may be too large for it, or the memory full",
    );
    assertEquals(await good.ask({ ask: "workers" }), 0);
    await good.close();
  },
);

serverTest(
  "connectEngine: clients that come first at the same time make the tables once, also where transactions are serializable",
  async ({ postgres: server }) => {
    const url = server.url().replace(/postgres$/, "strict"), program = join(postgresFolder()!, "psql");
    const ask = async (query: string) => {
      const { success, stdout } = await new Deno.Command(program, { args: ["-Atc", query, server.url()] }).output();
      assert(success, query);
      return new TextDecoder().decode(stdout).trim();
    };
    await ask("CREATE DATABASE strict");
    await ask("ALTER DATABASE strict SET default_transaction_isolation = 'serializable'");
    const locks = (isGranted: boolean, count: string) => async () => {
      const held = await ask(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted = ${isGranted}`);
      return held === count;
    };
    // All of them have begun when the first one may go on: BullMQ has this lock while it makes tables.
    const holder = new Deno.Command(program, { args: [url], stdin: "piped", stdout: "null" }).spawn();
    const input = holder.stdin.getWriter(),
      lock = "SELECT pg_advisory_lock(x'42554c4c'::int, hashtext('patchloom'));\n";
    await input.write(new TextEncoder().encode(lock));
    await until("the lock", locks(true, "1"));
    const first = Promise.all([1, 2].map(() => connectEngine(readEngine("env", url), undefined, { trouble() {} })));
    first.catch(() => {}); // one may fail before the lock is released
    await until("clients that wait", locks(false, "2"));
    await input.close();
    await holder.status;
    for (const client of await first) await client.close();
  },
);

/** The processes of this one's clients of an engine. Tests of other files, which run in this process, too, have clients of others. */
async function clients(engine: EngineAddress): Promise<number[]> {
  const [, host] = engineName(engine).split("//");
  const { stdout } = await new Deno.Command("pgrep", {
    args: ["-P", String(Deno.pid), "-f", `allow-net=${host} .*client_program.ts`],
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter(Boolean).map(Number);
}
