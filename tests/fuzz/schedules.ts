/**
 * Random schedules of an engine: connections are cut and mended, workers end and begin, the command stops watching, the server is
 * started again, others add forged jobs. A checker in the manner of Jepsen then compares what was said with what is there: a command
 * that succeeds has left a whole run, and a part of which a worker said that it is made is on the disk, once, with the right bytes.
 */
import { assert } from "@std/assert";
import { join } from "@std/path";
import { type Stream, stream } from "../../core/random.ts";
import { PROGRAM } from "../../hosts/deno/folders/folder_record.ts";
import { BUILTIN_PLUGINS } from "../../hosts/deno/plugins/plugins.ts";
import { connectEngine } from "../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../hosts/deno/queue/engine_url.ts";
import { work } from "../../hosts/deno/queue/work.ts";
import { writeByEngine } from "../../hosts/deno/queue/write_by_engine.ts";
import { inspectParts } from "../../hosts/deno/runs/inspect_parts.ts";
import { readSynthesis } from "../../hosts/deno/runs/read_synthesis.ts";
import { writeParts } from "../../hosts/deno/runs/write_parts.ts";
import { denoRunner } from "../../hosts/deno/workers/deno_runner.ts";
import { cli, files, smallData, withFolder } from "../hosts/deno/cli.ts";
import { certificates, type Server, startPostgres, startRedis, wayTo } from "../hosts/deno/queue/servers.ts";

/** Images of a run and of a part, and seconds of a lock. */
const COUNT = 24, PART = 4, LOCK = 1;
/** How many things happen in a schedule, at most; milliseconds between two of them, and for which a connection is cut. */
const EVENTS = 8, BETWEEN = 300, CUT = 2500;
/** How many workers there are, and milliseconds after which a run that should end hangs, also on a busy machine. */
const WORKERS = 2, LONGEST = 600_000;

/** Milliseconds before a command that ended with an error is started again. */
const AGAIN = 200;

/** A schedule in progress. */
interface Schedule {
  readonly server: Server;
  readonly folder: string;
  readonly out: string;
  readonly random: Stream;
  /** What workers said. */
  readonly lines: string[];
}

/** Runs `count` schedules, on both servers in turn. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await withFolder(async (temporary) => {
    const folder = await Deno.realPath(temporary), at = (name: string) => join(folder, name);
    await Deno.chmod(folder, 0o755); // another user runs PostgreSQL
    for (const name of ["certs", "redis", "postgres"]) await Deno.mkdir(at(name));
    await certificates(at("certs"));
    const packed = ["pack", "--profile", "digits", "--data", await smallData(at("data")), "--out", at("small.loom")];
    assert((await cli(packed)).code === 0);
    await writeParts(denoRunner({ threads: 1, quiet: true }), await requestOf(folder, at("expected")), () => {});
    await using redis = await startRedis(at("redis"), at("certs"));
    await using postgres = await startPostgres(at("postgres"), at("certs"));
    for (let n = 0; n < count; n++) {
      const server = n % 2 === 0 ? redis : postgres, out = at(`out-${n}`);
      const schedule = { server, folder, out, random: stream(seed * 1_000_003 + n), lines: [] };
      const log: string[] = [], outcomes = await outcomesOf(schedule, log);
      for (const outcome of outcomes) {
        const name = `${server.kind}: ${outcome}`.replace(/^\w+: (?=failed|hang)/, "");
        counts[name] = (counts[name] ?? 0) + 1;
        if (/^(failed|hang)/.test(name)) console.error(`schedule ${n} of seed ${seed}: ${outcome}: ${log.join(", ")}`);
      }
      await Deno.remove(out, { recursive: true }).catch(() => {});
    }
  });
  return counts;
}

/** The request of a run. */
async function requestOf(folder: string, out: string, resume = false) {
  const pack = join(folder, "small.loom"), recorded = { data: pack, count: COUNT, seed: 3, format: "idx" } as const;
  const { input, from } = await readSynthesis({ ...recorded, profile: pack }, BUILTIN_PLUGINS.registry, {
    threads: 1,
    quiet: true,
  });
  const run = { input, from, shard: { first: 0, end: COUNT }, partSize: PART, format: "idx" as const, recorded };
  return { ...run, plugins: BUILTIN_PLUGINS, threads: 1, out, resume, force: false };
}

/** Runs a schedule; says what came of it. */
async function outcomesOf(schedule: Schedule, log: string[]): Promise<string[]> {
  const { server, folder, random } = schedule, below = (n: number) => Math.floor(random.next() * n);
  using way = wayTo(server.port);
  const ways = Array.from({ length: WORKERS }, () => wayTo(server.port));
  const workers = ways.map(({ port }) => startWorker(schedule, port));
  const command = startCommand(schedule, way.port);
  const timers: ReturnType<typeof setTimeout>[] = [];
  const events: readonly (() => Promise<void> | void)[] = [
    ...[way, ...ways].map((one, n) => () => {
      log.push(`cut ${n}`);
      one.cut();
      timers.push(setTimeout(one.mend, below(CUT)));
    }),
    async () => {
      const n = below(WORKERS);
      log.push(`another worker ${n}`);
      await workers[n].end();
      workers[n] = startWorker(schedule, ways[n].port);
    },
    () => {
      log.push("watch again");
      command.again();
    },
    async () => {
      log.push("forged jobs");
      await forge(schedule).catch(() => {}); // the server may be away
    },
    async () => {
      log.push("server again");
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, below(500)));
      await server.start();
    },
  ];
  try {
    for (let n = below(EVENTS); n > 0 && !command.isOver(); n--) {
      await new Promise((resolve) => setTimeout(resolve, below(BETWEEN)));
      await events[below(events.length)]();
    }
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    timers.push(setTimeout(() => resolve(undefined), LONGEST));
    const end = await Promise.race([command.ended, late]);
    if (!end) return ["hang"];
    const problems = await problemsOf(schedule, folder, end === "ok");
    return problems.length > 0 ? problems : [end === "ok" ? "ok" : "an error, then --resume"];
  } finally {
    for (const timer of timers) clearTimeout(timer);
    for (const one of [way, ...ways]) one.mend();
    await command.stop();
    for (const worker of workers) await worker.end();
    for (const one of ways) one[Symbol.dispose]();
  }
}

/** Starts a worker whose connection goes through a port. */
function startWorker({ server, folder, lines }: Schedule, port: number) {
  const stop = new AbortController(), engine = readEngine("env", server.url(port));
  const places = { folders: [folder], packUrls: [], plugins: [] };
  const say = (text: string) => lines.push(text);
  const options = { engine, ...places, concurrency: 1, lock: LOCK, signal: stop.signal, say };
  const ended = (async () => {
    // A worker that begins while the server is away ends. Whoever started it starts it again.
    while (!stop.signal.aborted) {
      await work(options).catch(() => new Promise((resolve) => setTimeout(resolve, AGAIN)));
    }
  })();
  return {
    async end() {
      stop.abort();
      await ended;
    },
  };
}

/** Starts the command; when it ends with an error, it is started again, with `--resume`. Also when it should watch again. */
function startCommand({ server, folder, out }: Schedule, port: number) {
  const engine = readEngine("env", server.url(port)), pack = join(folder, "small.loom");
  let stop = new AbortController(), isStopped = false, isOver = false, errors = 0;
  const ended = (async () => {
    for (let resume = false;; resume = true) {
      const watch = { signal: stop.signal, say() {}, made() {} };
      try {
        await writeByEngine({ ...await requestOf(folder, out, resume), engine, pack }, watch);
        return errors === 0 ? "ok" as const : "error" as const;
      } catch (error) {
        if (isStopped) return undefined;
        if (stop.signal.aborted) stop = new AbortController();
        else if (++errors > 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  })().finally(() => isOver = true);
  ended.catch(() => {});
  return {
    ended,
    isOver: () => isOver,
    again: () => stop.abort(),
    async stop() {
      isStopped = true;
      stop.abort();
      await ended.catch(() => {});
    },
  };
}

/** Adds jobs that are none of the run. */
async function forge({ server, folder, out }: Schedule): Promise<void> {
  await using client = await connectEngine(readEngine("env", server.url()), undefined, { trouble() {} });
  const sum = "0".repeat(64), pack = { from: join(folder, "small.loom"), bytes: 1, sha256: sum };
  const job = { format: "patchloom-job-1", program: PROGRAM, folder: out, settings: sum, partSize: PART, pack };
  const parts = [{ ...job, first: 1000, end: 1001 }, { ...job, first: 1, end: 3 }, null];
  const name = crypto.randomUUID();
  await client.ask({ ask: "begin", run: { name, batch: name, parts, end: null } });
}

/** Compares what was said with what is there. */
async function problemsOf({ out, lines }: Schedule, folder: string, isWhole: boolean): Promise<string[]> {
  const expected = join(folder, "expected"), problems: string[] = [];
  const inspection = await inspectParts([out]);
  if (!inspection.isWhole) problems.push(`failed: ${isWhole ? "ok" : "resumed"}, but ${inspection.lines.join("; ")}`);
  const there = (await files(out)).filter((name) => name !== "run.json");
  const wanted = (await files(expected)).filter((name) => name !== "run.json");
  if (there.join() !== wanted.join()) problems.push(`failed: files are ${there.join()}`);
  for (const name of wanted) {
    const [one, other] = await Promise.all(
      [out, expected].map((at) => Deno.readFile(join(at, name)).catch(() => null)),
    );
    if (one?.toHex() !== other?.toHex()) problems.push(`failed: ${name} is not that of one process`);
  }
  for (const line of lines) {
    const [, first, last] = /: (\d+)-(\d+) in [\d.]+ s$/.exec(line) ?? [];
    if (first === undefined) continue;
    const name = `parts/${first.padStart(6, "0")}-${last.padStart(6, "0")}.json`;
    if (there.filter((one) => one === name).length !== 1) problems.push(`failed: ${line}, but there is no ${name}`);
  }
  return problems;
}
