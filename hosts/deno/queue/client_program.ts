/**
 * The engine client: a program of its own that speaks with the queue, and does nothing else. The commands `synth --engine` and
 * `worker` start it with the permission to reach the engine's host and no other, and a lock file of its own, so that nobody
 * downloads the queue's packages who uses no engine. Synthesis takes place in the command, so it never keeps this program from
 * renewing the locks of its jobs: a loop that is busy for longer than a lock lasts would lose its jobs.
 */
import type { BullMQ, Flows, Queue } from "./bullmq.ts";
import { kindOf, textOf, troubles } from "./client_errors.ts";
import { linesOf, SILENT } from "./client_lines.ts";
import type { ClientStart, EngineAddress, EngineRun, FromClient, Question, RunStatus, ToClient } from "./messages.ts";
import { type FoundJobs, gateOf, isStuck, remove } from "./run_jobs.ts";
import { serverClock } from "./server_clock.ts";
import { serverJobs } from "./server_jobs.ts";
import { AGAIN, type Engine, GATE, LONGEST_TEXT, QUEUE, takeJobs } from "./take_jobs.ts";
import { tryingAgain } from "./trying_again.ts";

/** The packages. They are imported by variables: Deno would download what it finds by reading the source. */
const BULLMQ = "npm:bullmq@6.7.0", REDIS = "npm:ioredis@5.11.1", POSTGRES = "npm:pg@8.23.1";

/** What all names begin with: the prefix of keys in Redis, the schema in PostgreSQL. */
const SPACE = "patchloom";
/** How many parts are added at once. */
const CHUNK = 500;
/** How often a job that fails is tried. */
const ATTEMPTS = 4;
/** Seconds that ended runs and failed jobs stay in the engine, for a command that was away. */
const KEPT = 24 * 3600;
/** The options of jobs, and those of a part. */
const TRIES = { attempts: ATTEMPTS, removeOnFail: { age: KEPT } };
const PART = { ...TRIES, removeOnComplete: true, failParentOnFailure: true };
/**
 * Milliseconds without an answer after which a connection counts as cut: of a worker, and of a command, which may remove all parts
 * of a run at once. PostgreSQL took 40 s for 4000 parts on a machine that was busy with twenty other programs.
 */
const SILENCE = 20_000, SILENCE_OF_MANY = 120_000;
/** Milliseconds that a first connection may take. */
const FIRST = 10_000;
/** How many refusals are read. */
const REFUSALS = 100;
/** BullMQ waits for a lock and reads what others wrote meanwhile: the default of a database may hide that. */
const ISOLATION = "-c default_transaction_isolation=read\\ committed";

/** Sends a line. If the command is gone, this program is of no use. */
function send(message: FromClient): void {
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(message) + "\n");
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch {
    Deno.exit(1);
  }
}

/** A server, and how to ask it for its time, which connects once. */
interface Server {
  readonly engine: Engine;
  time(): Promise<number>;
}

/** Loads the packages and connects once, so that a wrong address is a sentence at once. */
async function connect({ engine: address, take }: ClientStart): Promise<Engine> {
  const mq: BullMQ = await import(BULLMQ), silence = take ? SILENCE : SILENCE_OF_MANY;
  const { engine, time } = await (address.kind === "redis" ? redisAt : postgresAt)(mq, address, silence);
  await goBy(time);
  return engine;
}

/** How a connection is encrypted; undefined if it is not. */
function secureOf({ host, tls, ca }: EngineAddress) {
  return tls ? { ca, servername: /^[\d.]+$|:/.test(host) ? undefined : host } : undefined;
}

async function redisAt(mq: BullMQ, address: EngineAddress, silence: number): Promise<Server> {
  const { host, port, user, password, database } = address, { Redis } = await import(REDIS);
  const retryStrategy = (times: number) => Math.min(times * 200, 2000);
  const connection = { host, port, username: user, password, db: Number(database ?? 0), tls: secureOf(address) };
  const lasting = { retryStrategy, maxRetriesPerRequest: null, socketTimeout: silence, connectTimeout: FIRST };
  return {
    engine: { mq, options: { connection: { ...connection, ...lasting }, prefix: SPACE } },
    async time() {
      const first = new Redis({ ...connection, lazyConnect: true, connectTimeout: FIRST, retryStrategy: null });
      let why: Error | undefined;
      first.on("error", (error: Error) => why ??= error);
      try {
        await first.connect();
        const [seconds, microseconds] = await first.time();
        if (why) throw why; // without its database, the connection would be one to database 0
        return 1000 * seconds + microseconds / 1000;
      } catch (error) {
        throw why ?? error;
      } finally {
        first.disconnect();
      }
    },
  };
}

async function postgresAt(mq: BullMQ, address: EngineAddress, silence: number): Promise<Server> {
  const { host, port, user, password, database } = address, { default: { Client } } = await import(POSTGRES);
  const login = { host, port, user, password, database, ssl: secureOf(address) ?? false };
  const session = { application_name: SPACE, options: ISOLATION, query_timeout: silence };
  const connection = { ...login, ...session, connectionTimeoutMillis: FIRST, keepAlive: true };
  let isFirst = true;
  return {
    engine: {
      mq,
      options: { connection: { ...connection, max: 2, schema: SPACE } },
      backend: (...given: unknown[]) => tryingAgain(mq.createPostgresBackend(...given)),
    },
    async time() {
      const client = new Client(connection);
      client.on("error", () => {});
      await client.connect();
      try {
        // The tables are made once, by whoever comes first; later nobody needs the right to make any.
        if (isFirst) {
          await mq.assertSchemaCompatibility(client, SPACE).catch(async (error) => {
            if (!(error instanceof mq.SchemaMigrationRequiredError)) throw error;
            await mq.runMigrations(client, SPACE);
          });
        }
        isFirst = false;
        const { rows: [{ now }] } = await client.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
        return Number(now);
      } finally {
        await client.end().catch(() => {});
      }
    },
  };
}

/** Lets this program go by the clock of the server: workers compare the times at which locks end, and jobs begin again. */
async function goBy(ask: () => Promise<number>): Promise<void> {
  const own = Date.now, passed = () => performance.now();
  Date.now = serverClock(await ask(), { own, passed, ask, pause: AGAIN });
}

const trouble = troubles((text) => send({ trouble: text?.slice(0, LONGEST_TEXT) ?? null })),
  { came, over, isTrouble } = trouble;

/** The queue, for the questions of a command. */
interface RunQueue extends FoundJobs {
  readonly flows: Flows;
}

function openQueue({ mq, options, backend }: Engine): RunQueue {
  const queue = new mq.Queue(QUEUE, options, backend), flows = new mq.FlowProducer(options, backend);
  for (const one of [queue, flows]) one.on("error", came);
  // Anybody may write a job that is no JSON, or has wrong numbers. Nobody can take it: it is lost.
  const ifUnreadable = (error: unknown) => {
    if (kindOf(error) !== "unreadable") throw error;
    return undefined;
  };
  const server = serverJobs(queue);
  return {
    queue,
    flows,
    server,
    job: async (id) => await server.isSound(id) ? await mq.Job.fromId(queue, id).catch(ifUnreadable) : undefined,
  };
}

function answerTo(question: Question, runs: RunQueue): Promise<unknown> {
  if (question.ask === "begin") return begin(runs, question.run);
  if (question.ask === "refusals") return refusals(runs, question.name);
  if (question.ask === "workers") return runs.queue.getWorkersCount();
  if (question.ask === "look") return look(runs, question.name);
  if (question.ask === "isStuck") return isStuck(runs.job, question.name);
  return remove(runs, question.name, () => addEnd(runs, question.name, { name: GATE, data: null }));
}

/**
 * Adds the jobs of a run in chunks, because PostgreSQL takes four times as long for twice as many at once. The job that ends the
 * run waits for a gate, too, which opens when all parts are there.
 */
async function begin(runs: RunQueue, { name, batch, parts, end }: EngineRun): Promise<void> {
  const { queue, job } = runs;
  await addEnd(runs, name, { name: "end", data: end });
  const parent = { id: name, queue: queue.qualifiedName };
  for (let first = 0; first < parts.length; first += CHUNK) {
    const chunk = parts.slice(first, first + CHUNK);
    await queue.addBulk(chunk.map((data, n) => {
      return { name: "part", data, opts: { ...PART, parent, jobId: `${batch}-${first + n}` } };
    }));
  }
  await (await job(gateOf(name)))?.promote();
}

/** Adds the job that ends a run, with its gate. */
async function addEnd({ flows }: RunQueue, name: string, end: { name: string; data: unknown }): Promise<void> {
  const common = { queueName: QUEUE, prefix: SPACE }, gate = { ...PART, jobId: gateOf(name), delay: KEPT * 1000 };
  await flows.add({
    ...common,
    ...end,
    opts: { ...TRIES, jobId: name, removeOnComplete: { age: KEPT } },
    children: [{ ...common, name: GATE, data: null, opts: gate }],
  });
}

async function look({ job }: RunQueue, name: string): Promise<RunStatus> {
  const end = await job(name);
  const [state, counts] = end ? [await end.getState(), await end.getDependenciesCount()] : ["unknown", {}];
  // Without the gate, which is the first job to be done.
  const made = Math.max((counts.processed ?? 0) - 1, 0), left = counts.unprocessed ?? 0;
  if (!end || state === "unknown") return { state: "lost", made, left };
  if (state === "completed") return { state: "done", made, left };
  // A command that was killed while it added parts has left the gate closed, also if workers have made some or all of them.
  const gate = left > 0 ? await job(gateOf(name)) : undefined;
  if (gate && await gate.getState() === "delayed") return { state: "adding", made, left };
  // A part has failed: it fails as soon as a worker takes it.
  if (state !== "failed" && !end.deferredFailure) return { state: "running", made, left };
  // "child patchloom:parts:ID failed", where the reason is the child's. The job was read before it failed.
  const why = end.deferredFailure ?? (await job(name))?.failedReason;
  const [, child] = /:([^:\s]+) failed$/.exec(why ?? "") ?? [];
  const failed = child === undefined ? undefined : await job(child);
  return { state: "failed", made, left, why: (failed?.failedReason ?? why)?.slice(0, LONGEST_TEXT) };
}

/** Reads why workers gave some parts of a run back that are not made. */
async function refusals({ job }: RunQueue, name: string): Promise<string[]> {
  const { unprocessed = [] } = await (await job(name))?.getDependencies({ unprocessed: { count: REFUSALS } }) ?? {};
  // The key of a job ends with its id.
  const ids = unprocessed.slice(0, REFUSALS).map((key) => key.slice(key.lastIndexOf(":") + 1));
  const reasons = (await Promise.all(ids.map(job))).map((part) => part?.progress);
  return reasons.filter((reason) => typeof reason === "string").map((reason) => reason.slice(0, LONGEST_TEXT));
}

/** Asks for something while there is trouble, so that an idle worker learns that it is over. */
function probe(queue: Queue): void {
  let isAsking = false;
  Deno.unrefTimer(setInterval(() => {
    if (isAsking || !isTrouble()) return;
    isAsking = true;
    queue.getWorkersCount().then(over, came).finally(() => isAsking = false);
  }, AGAIN));
}

// Ctrl-C goes to all processes of a terminal, and what ends a service signals all of its processes. The command decides when this one
// ends, which also ends with the command's input.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) {
  if (Deno.build.os !== "windows") Deno.addSignalListener(signal, () => {});
}
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  came(event.reason);
});

/** Answers lines until there are no more, or until the command asks for the end. */
async function main(): Promise<void> {
  let taking: ReturnType<typeof takeJobs> | undefined, runs: RunQueue | undefined;
  let alive = () => send({ alive: true });
  for await (const line of linesOf(Deno.stdin.readable)) {
    const message: ClientStart | ToClient = JSON.parse(line);
    if ("engine" in message) {
      const { take } = message, engine = await connect(message);
      if (take) {
        const queue = new engine.mq.Queue(QUEUE, engine.options, engine.backend);
        queue.on("error", came);
        taking = takeJobs({ ...engine, queue }, take, { send, ...trouble });
        probe(queue);
        alive = ending(take.lock * 1000);
      } else runs = openQueue(engine);
      send({ ready: true });
    } else if ("alive" in message) alive();
    else if ("job" in message) taking?.ended(message.job, message.ended);
    else if ("question" in message) {
      const { number, question } = message;
      if (runs) {
        answerTo(question, runs).then((answer) => {
          over();
          send({ number, answer: answer ?? null });
        }, (error) => send({ number, error: textOf(error) }));
      }
    } else { // meanwhile the outcomes of open jobs come, and signs of life
      (taking?.close() ?? Promise.resolve()).then(() => Deno.exit(0), failed);
    }
  }
}

/**
 * Returns a function that says that the command is alive. When it is silent for as long as a lock lasts, this program ends: the
 * locks of a command that was stopped must not be renewed, or nobody would take its jobs over.
 */
function ending(silence: number): () => void {
  let watch: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    send({ alive: true });
    clearTimeout(watch);
    watch = setTimeout(() => Deno.exit(SILENT), silence);
  };
  alive();
  return alive;
}

function failed(error: unknown): never {
  send({ trouble: textOf(error) });
  Deno.exit(1);
}

await main().then(() => Deno.exit(0), failed);
