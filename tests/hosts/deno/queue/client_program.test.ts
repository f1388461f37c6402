/** The engine client: nobody downloads its packages who uses no engine, and it may do nothing but reach the engine. */
import { assert, assertEquals } from "@std/assert";
import configuration from "../../../../deno.json" with { type: "json" };
import { connectEngine } from "../../../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import type { EngineAddress } from "../../../../hosts/deno/queue/messages.ts";
import { files } from "../cli.ts";
import { until } from "../../../until.ts";
import { serverTest } from "./servers.ts";

const ROOT = new URL("../../../../", import.meta.url), read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const CLIENT = "hosts/deno/queue/client_program.ts", PRESIGNER = "hosts/deno/queue/presigner.ts";

Deno.test("engine client: its packages are in its own lock file only, and no other file names them", async () => {
  const programs = await read(CLIENT) + await read(PRESIGNER);
  const named = [...programs.matchAll(/"npm:([\w-]+)@([\d.]+)"/g)].map(([, name, version]) => [name, version]);
  assertEquals(named.map(([name]) => name), ["bullmq", "ioredis", "pg", "aws4fetch"]);
  const own = JSON.parse(await read("hosts/deno/queue/engine.lock")), all = JSON.parse(await read("deno.lock"));
  for (const [name, version] of named) {
    assertEquals(own.specifiers[`npm:${name}@${version}`], version);
    assert(!Object.keys(all.npm).some((key) => key.startsWith(`${name}@`)), name);
    assert(!Object.values(configuration.imports).some((target) => target.startsWith(`npm:${name}@`)), name);
  }
  const folders = ["core", "priors", "plugins", "datasets", "pipelines", "hosts"];
  for (const folder of folders) {
    for (const name of await files(new URL(folder, ROOT).pathname)) {
      const path = `${folder}/${name}`;
      if (!/\.[jt]s$/.test(name) || [CLIENT, PRESIGNER].includes(path)) continue;
      const text = await read(path);
      assert(!/npm:(bullmq|ioredis|pg|msgpackr|aws4fetch)|from "(bullmq|ioredis|pg|aws4fetch)"/.test(text), path);
      if (folder === "hosts" && name.startsWith("deno/")) {
        assert(!/import[^;]*\/(client_program|presigner)\.ts"/.test(text), path);
      }
    }
  }
});

Deno.test("engine client: it reads no project's file but types and nine of its own, and may reach one host only; what signs addresses may do nothing", async () => {
  const own = [
    {
      program: CLIENT,
      modules: [
        "client_errors.ts",
        "client_lines.ts",
        "job_search.ts",
        "open_jobs.ts",
        "run_jobs.ts",
        "server_clock.ts",
        "server_jobs.ts",
        "take_jobs.ts",
        "trying_again.ts",
      ],
      starter: "engine_client.ts",
      allowed: ["net"],
    },
    { program: PRESIGNER, modules: [], starter: "object_store.ts", allowed: [] },
  ];
  const importsOf = async (path: string) => {
    const imports = (await read(path)).matchAll(/^import (type )?.*?from "(.+?)"/gms);
    return [...imports].filter(([, type]) => !type).map(([, , from]) => from);
  };
  for (const { program, modules, starter, allowed } of own) {
    const paths = new Set([program]);
    for (const path of paths) { // also those that are added meanwhile
      for (const from of await importsOf(path)) paths.add(new URL(from, `file:///${path}`).pathname.slice(1));
    }
    assertEquals([...paths].slice(1).sort(), modules.map((name) => `hosts/deno/queue/${name}`));
    const text = await read(`hosts/deno/queue/${starter}`);
    assertEquals([...text.matchAll(/--allow-(\w+)/g)].map(([, kind]) => kind), allowed);
    assert(/--no-config/.test(text) && /--frozen/.test(text) && /--ignore-env/.test(text));
  }
});

serverTest(
  "engine client: parts of a worker whose clock is an hour ahead come to others at once, killed or given back",
  async ({ redis, postgres }) => {
    for (const server of [redis, postgres]) {
      const engine = readEngine("env", server.url());
      await using asking = await connectEngine(engine, undefined, { trouble() {} });
      for (const batch of ["killed", "back"]) {
        const taken: string[] = [],
          by = (name: string) => (id: string) => {
            if (id === `${batch}-0`) taken.push(name);
          };
        await asking.ask({ ask: "begin", run: { name: batch, batch, parts: [null], end: null } });
        {
          await using ahead = await shiftedClient(engine, 3600_000, by("ahead"));
          await until("the part", () => taken.length === 1, PATIENCE);
          if (batch === "back") {
            ahead.send({ job: `${batch}-0`, ended: { outcome: "back", why: "no" } });
            const refusals = async () => await asking.ask<string[]>({ ask: "refusals", name: batch });
            await until("the refusal", async () => taken.length > 1 || (await refusals()).length > 0, PATIENCE);
          }
        }
        const before = taken.length;
        await using right = await shiftedClient(engine, 0, by("right"));
        await until("the part again", () => taken.length > before, PATIENCE);
        assertEquals(taken.at(-1), "right");
        right.send({ job: `${batch}-0`, ended: { outcome: "done" } });
      }
    }
  },
);

serverTest(
  "engine client: a clock that jumps a day ahead and back keeps no other worker from looking for lost parts",
  async ({ postgres }) => {
    const engine = readEngine("env", postgres.url());
    await using asking = await connectEngine(engine, undefined, { trouble() {} });
    {
      // It looks for lost parts every lock, by the wrong time if it went by its own clock.
      await using _jumping = await shiftedClient(engine, "(performance.now() > 1500 ? 86400_000 : 0)", () => {});
      await new Promise((resolve) => setTimeout(resolve, 3 * LOCK * 1000));
    }
    const taken: string[] = [], by = (name: string) => () => void taken.push(name);
    await asking.ask({ ask: "begin", run: { name: "lost", batch: "lost", parts: [null], end: null } });
    {
      await using _killed = await shiftedClient(engine, 0, by("killed"));
      await until("the part", () => taken.length === 1, PATIENCE);
    }
    await using other = await shiftedClient(engine, 0, by("other"));
    await until("the part again", () => taken.length > 1, PATIENCE);
    assertEquals(taken, ["killed", "other"]);
    other.send({ job: "lost-0", ended: { outcome: "done" } });
  },
);

/** Seconds that it may take on a busy machine. */
const PATIENCE = 180;
/** Seconds of a lock. */
const LOCK = 2;

/** Starts an engine client whose clock is wrong by some milliseconds, as a program says them, and which takes jobs. */
async function shiftedClient(engine: EngineAddress, shift: number | string, take: (id: string) => void) {
  const program = `const own = Date.now; Date.now = () => own() + ${shift}; await import(${
    JSON.stringify(new URL(CLIENT, ROOT).href)
  });`;
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-config", "--allow-all", "--frozen"],
      `--lock=${new URL("hosts/deno/queue/engine.lock", ROOT).pathname}`,
      `data:application/javascript,${encodeURIComponent(program)}`,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const input = process.stdin.getWriter(), ready = Promise.withResolvers<void>();
  const send = (message: unknown) => {
    input.write(new TextEncoder().encode(JSON.stringify(message) + "\n")).catch(() => {});
  };
  send({ engine, take: { concurrency: 9, lock: LOCK } });
  const alive = setInterval(() => send({ alive: true }), 200);
  const read = (async () => {
    for await (const line of process.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLines())) {
      const message = JSON.parse(line);
      if (message.ready) ready.resolve();
      if (message.taken?.name === "part") take(message.taken.id);
    }
    ready.reject(new Error("the client ended early"));
  })();
  ready.promise.catch(() => {});
  await ready.promise;
  return {
    send,
    async [Symbol.asyncDispose]() {
      clearInterval(alive);
      try {
        process.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await Promise.all([process.status, read]);
    },
  };
}

/** The lines of a text. */
class TextLines extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, lines) {
        const all = (rest + text).split("\n");
        rest = all.pop()!;
        for (const line of all) lines.enqueue(line);
      },
    });
  }
}
