/** What whoever may write to the queue can do: each of these attacks once succeeded. With Redis. */
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { sha256 } from "../../../../hosts/deno/system/hashes.ts";
import { readSynthesis } from "../../../../hosts/deno/runs/read_synthesis.ts";
import { connectEngine, type EngineClient } from "../../../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import { readEngineKey } from "../../../../hosts/deno/queue/job_signature.ts";
import { endJob, type PartJob } from "../../../../hosts/deno/queue/jobs.ts";
import type { Outcome, RunStatus } from "../../../../hosts/deno/queue/messages.ts";
import { work, type WorkOptions } from "../../../../hosts/deno/queue/work.ts";
import { writeByEngine } from "../../../../hosts/deno/queue/write_by_engine.ts";
import { readRecord, recordText, withDigest } from "../../../../hosts/deno/folders/folder_record.ts";
import { shortLine } from "../../../../hosts/deno/system/printable.ts";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { packFinder } from "../../../../hosts/deno/queue/packs.ts";
import { beginParts } from "../../../../hosts/deno/runs/unlocked_parts.ts";
import { inspectParts } from "../../../../hosts/deno/runs/inspect_parts.ts";
import type { PartsRecord } from "../../../../hosts/deno/runs/inspect_folder.ts";
import { BUILTIN_PLUGINS } from "../../../../hosts/deno/plugins/plugins.ts";
import { fingerprint } from "../../../../pipelines/shards/part.ts";
import { cli, files, smallData } from "../cli.ts";
import { until } from "../../../until.ts";
import { activeJobs, certificates, giveAgain, hasServers, type Server, startRedis } from "./servers.ts";

const ignore = !hasServers();
/** Images of a run and of a part. */
const COUNT = 20, PART = 10;

const folder = ignore ? "" : await Deno.realPath(await Deno.makeTempDir()), at = (name: string) => join(folder, name);
/** Where no worker may read or write. */
const outside = ignore ? "" : await Deno.realPath(await Deno.makeTempDir());
const pack = at("small.loom");
let server: Server, client: EngineClient;

Deno.test.beforeAll(async () => {
  if (ignore) return;
  await Promise.all(["certs", "redis"].map((name) => Deno.mkdir(at(name))));
  await Promise.all([certificates(at("certs")), smallData(at("data"))]);
  const packed = cli(["pack", "--profile", "digits", "--data", at("data"), "--out", pack, "--quiet"]);
  server = await startRedis(at("redis"), at("certs"));
  assertEquals((await packed).code, 0);
  client = await connectEngine(engine(), undefined, { trouble() {} });
});

Deno.test.afterAll(async () => {
  if (ignore) return;
  await client[Symbol.asyncDispose]();
  await server.stop();
  for (const path of [folder, outside]) await Deno.remove(path, { recursive: true });
});

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `trust: ${name}`, ignore, sanitizeOps: false, sanitizeResources: false, fn });
}

function engine() {
  return readEngine("env", server.url());
}

/** Has workers make a run; what it says is added to `lines`. */
function synthesize(
  out: string,
  lines: string[] = [],
  more: { resume?: boolean; key?: CryptoKey; signal?: AbortSignal } = {},
) {
  const made = (async () => {
    const recorded = { data: pack, count: COUNT, seed: 3, format: "idx" } as const;
    const { input, from } = await readSynthesis({ ...recorded, profile: pack }, BUILTIN_PLUGINS.registry, {
      threads: 1,
      quiet: true,
    });
    const run = { input, from, shard: { first: 0, end: COUNT }, partSize: PART, format: "idx" as const };
    const { signal = new AbortController().signal, ...others } = more;
    const how = { plugins: BUILTIN_PLUGINS, threads: 1, resume: false, force: false, recorded, ...others };
    const watch = { signal, say: (text: string) => lines.push(text), made() {} };
    return await writeByEngine({ ...run, ...how, out, engine: engine(), pack }, watch);
  })();
  made.catch(() => {}); // a test may wait for something else first
  return made;
}

/** Starts a worker in this process. */
function worker(lines: string[] = [], more: Partial<WorkOptions> = {}) {
  const controller = new AbortController(), { signal } = controller, limits = { concurrency: 1, lock: 2 };
  const places = { folders: [folder], packUrls: [], cache: at("cache") };
  const say = (text: string) => lines.push(text);
  const ended = work({ engine: engine(), ...places, ...limits, plugins: [], signal, say, ...more });
  ended.catch(() => {});
  return {
    ended,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await ended.catch(() => {});
    },
  };
}

/** A client of the queue that takes jobs and says of each what it likes. */
async function liar(outcome: Outcome) {
  const client = await connectEngine(engine(), { concurrency: 4, lock: 2 }, {
    trouble() {},
    taken: ({ id }) => client.end(id, outcome),
  });
  return client;
}

/** Begins a run, of which the queue then has no job, and returns one of its jobs. */
async function begun(out: string, key?: CryptoKey): Promise<PartJob> {
  const stop = new AbortController(), run = synthesize(out, [], { key, signal: stop.signal });
  await until("the run", async () => await readRecord(out) !== undefined);
  const { settings } = await readRecord(out) as PartsRecord, sum = await fingerprint(settings, sha256);
  const name = (await sha256(new TextEncoder().encode(sum + out))).slice(0, 32);
  await until("its jobs", async () => (await client.ask<RunStatus>({ ask: "look", name })).state === "running");
  stop.abort();
  await assertRejects(() => run, Error, "Stopped watching");
  await client.ask({ ask: "remove", name });
  const bytes = await Deno.readFile(pack), source = { from: pack, bytes: bytes.length, sha256: await sha256(bytes) };
  return { ...endJob(out, sum), first: 0, end: PART, partSize: PART, pack: source };
}

/** Adds a forged job, and returns why it failed. */
async function failure(name: string, job: unknown): Promise<string> {
  await client.ask({ ask: "begin", run: { name, batch: name, parts: [job], end: null } });
  let status: RunStatus | undefined;
  const isFailed = async () => (status = await client.ask<RunStatus>({ ask: "look", name })).state === "failed";
  await until(name, isFailed);
  await client.ask({ ask: "remove", name });
  return status!.why!;
}

async function assertWhole(out: string): Promise<void> {
  const { isWhole, lines } = await inspectParts([out]);
  assert(isWhole, lines.join("\n"));
}

test("a folder that no job can name is refused before anything is written", async () => {
  const out = at("a\u0001b");
  await assertRejects(() => synthesize(out), RequestError, "expected a path of at most 4096 characters");
  await assertRejects(() => Deno.stat(out), Deno.errors.NotFound);
});

test("a worker that says that it has made parts makes no run whole: the parts on the disk prove it", async () => {
  const out = at("lie"), lines: string[] = [];
  {
    await using _ = await liar({ outcome: "done" });
    const { message } = await assertRejects(() => synthesize(out, lines), Error);
    assertStringIncludes(message, `says that the run is done, but ${COUNT} images are missing in ${out}`);
  }
  assertEquals(lines.filter((line) => line.includes("adding them again")).length, 1);
  await using _ = worker();
  await synthesize(out, lines, { resume: true });
  await assertWhole(out);
});

test("jobs that are no parts of the run are refused, and it becomes whole", async () => {
  const out = at("forged"), lines: string[] = [], job = await begun(out);
  await using _ = worker(lines, { concurrency: 4 });
  const forged: readonly (readonly [object, string])[] = [
    [{ first: 1000, end: 1001 }, "Cannot make 1000-1000 of"],
    [{ first: 5, end: 15 }, "Cannot make 5-14 of"],
    [{ first: 0, end: 7, partSize: 7 }, "Cannot make 0-6 of"],
    [{ first: 0, end: 9 }, "Cannot make 0-8 of"],
    [{ partSize: 2 ** 32 - 1 }, "Cannot make 0-9 of"],
    [{ folder: "/" + "x".repeat(5000) }, "expected the path of a folder"],
    [{ folder: `${out}\u2028done` }, "expected the path of a folder"],
    [{ pack: { ...job.pack, bytes: 2 ** 40 } }, "expected a pack"],
    [{ text: "x".repeat(1_000_000) }, "expected the format"],
  ];
  await Promise.all(forged.map(async ([change, why], n) => {
    assertStringIncludes(await failure(`forged-${n}`, { ...job, ...change }), why);
  }));
  assertEquals(await files(out), ["run.json"]);
  await synthesize(out, lines, { resume: true });
  await assertWhole(out);
  // The run has ended: nothing is made any more, and its record stays as it is.
  const record = await Deno.readTextFile(join(out, "run.json"));
  assertStringIncludes(await failure("late", job), "Cannot make 0-9 of");
  const { format, program, settings } = job, end = { format, program, folder: out, settings };
  await client.ask({ ask: "begin", run: { name: "again", batch: "again", parts: [], end } });
  await until("the end", async () => {
    return (await client.ask<RunStatus>({ ask: "look", name: "again" })).state === "done";
  });
  assertEquals(await Deno.readTextFile(join(out, "run.json")), record);
  for (const line of lines) assert(line.length < 1100 && !/[\n\u2028]/.test(line), line.slice(0, 200));
});

test("jobs with paths outside of a worker's folders are for other workers; without a run they fail", async () => {
  const out = at("elsewhere"), lines: string[] = [], job = await begun(out), link = at("to-outside");
  await Deno.symlink(outside, link);
  const before = await files(out),
    changes = [
      { folder: `${folder}/../${outside.split("/").at(-1)}` },
      { folder: link },
      { pack: { ...job.pack, from: "/etc/passwd" } },
      { pack: { ...job.pack, from: "https://store.example/x.loom" } },
    ];
  const parts = changes.map((change) => ({ ...job, ...change }));
  await client.ask({ ask: "begin", run: { name: "elsewhere", batch: "elsewhere", parts, end: null } });
  await redis("HSET", "patchloom:parts:orphan", "name", "part", "data", JSON.stringify(parts[0]), "opts", "{}");
  await redis("HSET", "patchloom:parts:orphan", "timestamp", "1", "delay", "0", "priority", "0");
  await redis("RPUSH", "patchloom:parts:wait", "orphan");
  await using _ = worker(lines, { concurrency: 2 });
  const refusals = async () => (await client.ask<string[]>({ ask: "refusals", name: "elsewhere" })).length;
  await until("the refusals", async () => await refusals() === parts.length);
  const orphan = async () => (await client.ask<RunStatus>({ ask: "look", name: "orphan" })).state;
  await until("the end of the job without a run", async () => await orphan() === "failed");
  // The worker makes the parts that it suits beside them.
  await synthesize(out, lines, { resume: true });
  await assertWhole(out);
  assertEquals([before, await files(outside)], [["run.json"], []]);
  // Those of the run with another pack are none of its parts any more: one fails, and by it the run, whose others are dropped.
  const left = async () => (await client.ask<RunStatus>({ ask: "look", name: "elsewhere" })).left;
  await until("the end of all", async () => await left() === 0);
  await client.ask({ ask: "remove", name: "elsewhere" });
});

test("parts of nobody are set aside, and the run becomes whole by --resume", async () => {
  const out = at("foreign"), lines: string[] = [];
  await using _ = worker(lines);
  await synthesize(out);
  const before = await files(out), first = JSON.parse(await Deno.readTextFile(join(out, "parts/000000-000009.json")));
  for (const [name, range] of [["001000-001000", [1000, 1]], ["000005-000014", [5, 10]]] as const) {
    const [start, count] = range, entry = { ...first, first: start, count };
    await Deno.writeTextFile(join(out, `parts/${name}.json`), JSON.stringify(entry));
  }
  await Deno.writeTextFile(join(out, "data/images-000005-000014.idx3-ubyte"), "other");
  assertEquals((await inspectParts([out])).isWhole, false);
  const { aside } = await synthesize(out, lines, { resume: true });
  await assertWhole(out);
  const data = "data/images-000005-000014.idx3-ubyte";
  assertEquals([...aside].sort(), [data, "parts/000005-000014.json", "parts/001000-001000.json"]);
  // The command names them also where all parts are there, or a worker ends the run.
  await Deno.writeTextFile(join(out, "data/mine.txt"), "mine");
  assertEquals((await synthesize(out, lines, { resume: true })).aside, ["data/mine.txt"]);
  const named = await cli(
    ["synth", "--engine", "env", "--run", out, "--resume", "--out", out],
    { env: { PATCHLOOM_ENGINE: server.url() } },
  );
  assertMatch(named.stderr, new RegExp(`\n${COUNT} images; ${COUNT} were there: `));
  const after = await files(out);
  assertEquals(after.filter((name) => !name.startsWith("set-aside/")), before);
  assertEquals(after.filter((name) => name.startsWith("set-aside/")).length, 4);
});

test("what others write to the queue forges no line, and no line is long", async () => {
  const forged = `no\n20 images in 1.0 s: ${"x".repeat(1_000_000)}`, out = at("texts"), job = await begun(out);
  {
    await using _ = await liar({ outcome: "back", why: forged });
    await client.ask({ ask: "begin", run: { name: "texts", batch: "texts", parts: [job], end: null } });
    let refusals: string[] = [];
    const ask = async () => refusals = await client.ask<string[]>({ ask: "refusals", name: "texts" });
    await until("the refusal", async () => (await ask()).length > 0);
    assertEquals(refusals.map(({ length }) => length), [2000]);
    const line = shortLine(refusals[0]);
    assert(line.startsWith("no 20 images in 1.0 s: xxx") && line.length < 1100, line);
    await client.ask({ ask: "remove", name: "texts" });
  }
  await using _ = await liar({ outcome: "failed", why: forged, isFinal: true });
  const { message } = await assertRejects(() => synthesize(out, [], { resume: true }), Error);
  assert(message.length < 1200 && !message.includes("\n"), message.slice(0, 200));
});

test("a worker writes nothing through a link, and reads no file that a run.json names", async () => {
  const out = at("link"), job = await begun(out), link = join(out, "data");
  await Deno.symlink(outside, link);
  {
    await using _ = worker();
    assertStringIncludes(await failure("link", job), "data is a link");
  }
  await Deno.remove(link);
  const record = await readRecord(out) as PartsRecord;
  await Deno.remove(join(out, ".patchloom"), { recursive: true }).catch(() => {}); // an empty one is gone already
  await Deno.symlink(outside, join(out, ".patchloom"));
  await assertRejects(() => beginParts(out, record), Error, ".patchloom is a link");
  await Deno.remove(join(out, ".patchloom"));
  assertEquals(await files(outside), []);

  const request = { ...record.request, from: outside };
  await Deno.writeTextFile(join(out, "run.json"), recordText(await withDigest({ ...record, request })));
  await using _ = worker();
  const why = "expected seed images from test or model or quilt or noise, got files";
  assertStringIncludes(await failure("crafted", job), why);
});

test("a database that Redis does not have is an error at once, not its first database", async () => {
  const address = readEngine("env", `${server.url()}/4242`);
  await assertRejects(() => connectEngine(address, undefined, { trouble() {} }), Error, "DB index is out of range");
});

test("a worker that ends says how the part ended that it was making, and takes no other", async () => {
  const ends = Promise.withResolvers<void>(), taken: string[] = [];
  const worker = await connectEngine(engine(), { concurrency: 1, lock: 5 }, {
    trouble() {},
    taken({ id }) {
      taken.push(id);
      ends.resolve(worker.close());
      setTimeout(() => worker.end(id, { outcome: "done" }), 300);
    },
  });
  const parts = [{ part: 1 }, { part: 2 }];
  await client.ask({ ask: "begin", run: { name: "ends", batch: "ends", parts, end: null } });
  await ends.promise;
  const { left } = await client.ask<RunStatus>({ ask: "look", name: "ends" });
  await client.ask({ ask: "remove", name: "ends" });
  // The gate of a run is a job, too, and may be the one that it took.
  assertEquals([taken.length, left], [1, 2]);
});

test("a pipe or a device is no pack, and no key or certificate", async () => {
  const out = at("pipe"), lines: string[] = [], job = await begun(out), pipe = at("x.loom");
  assert((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
  const other = { ...job, pack: { ...job.pack, from: pipe } };
  await client.ask({ ask: "begin", run: { name: "pipe", batch: "pipe", parts: [other], end: null } });
  await using _ = worker(lines);
  await until("the refusal", () => lines.some((line) => line.includes(`another pack: ${pipe}: expected a file`)));
  await client.ask({ ask: "remove", name: "pipe" });
  const packOf = packFinder({ folders: [folder], packUrls: [] });
  for (const from of ["/etc/passwd", `${folder}/../x.loom`]) {
    await assertRejects(() => packOf({ ...job.pack, from }), Error, "expected a path below");
  }
  for (const [flag, path] of [["ca", "/dev/zero"], ["ca", pipe], ["key", "/dev/zero"], ["key", pipe]]) {
    const words = ["worker", "--engine", "rediss://127.0.0.1:1", `--engine-${flag}`, path, "--folder", folder];
    const { code, stderr } = await cli(words);
    assertEquals([code, stderr], [1, `Cannot use --engine-${flag} ${path}: expected a file, got a pipe or device\n`]);
  }
});

test("with a key, only who has it can add to a run", async () => {
  const texts = ["a".repeat(32), "b".repeat(40)], keys: CryptoKey[] = [];
  for (const [n, text] of texts.entries()) {
    await Deno.writeTextFile(at(`key-${n}`), `${text}\n`);
    keys.push(await readEngineKey(at(`key-${n}`)));
  }
  for (const wrong of ["too short", "\0".repeat(40)]) {
    await Deno.writeTextFile(at("short"), wrong);
    await assertRejects(() => readEngineKey(at("short")), Error, "expected 32 printable characters or more");
  }
  const out = at("keyed"), lines: string[] = [], [key, other] = keys;
  const job = await begun(out, key);
  const unsigned = [job, { ...job, signature: "0".repeat(64) }, { ...job, signature: 1 }];
  await client.ask({ ask: "begin", run: { name: "unsigned", batch: "unsigned", parts: unsigned, end: null } });
  {
    await using _ = worker(lines, { key: other });
    await until("the refusal", () => lines.some((line) => line.includes("expected jobs that are signed")));
  }
  {
    // Longer than a job takes to come back: jobs that come back for ever are no work.
    await using idle = worker(lines, { key: other, idle: 3 });
    let isOver = false;
    idle.ended.then(() => isOver = true);
    await until("the end of the idle worker", () => isOver);
  }
  assertEquals(await files(out), ["run.json"]);
  await using _ = worker(lines, { key });
  await synthesize(out, lines, { key, resume: true });
  await assertWhole(out);
  const { left } = await client.ask<RunStatus>({ ask: "look", name: "unsigned" });
  assertEquals(left, unsigned.length);
  await client.ask({ ask: "remove", name: "unsigned" });
});

/** Waits until the queue has the parts of a run. Returns its record. */
async function untilHandedOut(out: string): Promise<PartsRecord> {
  await until("the run", async () => await readRecord(out) !== undefined);
  const record = await readRecord(out) as PartsRecord, last = `patchloom:parts:${record.toMake!.batch}-1`;
  // The job that ends a run is there before its parts.
  await until("its parts", async () => await redis("EXISTS", last) === 1);
  return record;
}

test("a worker does not end before it has looked at all jobs that wait, however many are not for it", async () => {
  await Deno.writeTextFile(at("many-key"), "d".repeat(32));
  const out = at("behind-many"), lines: string[] = [], key = await readEngineKey(at("many-key"));
  const unsigned = await begun(at("many")), parts = Array.from({ length: 400 }, () => unsigned);
  await client.ask({ ask: "begin", run: { name: "many", batch: "many", parts, end: null } });
  const made = synthesize(out, [], { key });
  await untilHandedOut(out);
  // One look takes longer than it may be idle.
  await worker(lines, { key, idle: 1 }).ended;
  assertEquals(lines.filter((line) => / in [\d.]+ s$/.test(line)).length, 2, lines.join("\n"));
  await client.ask({ ask: "remove", name: "many" });
  await using _ = worker(lines, { key });
  await made;
  await assertWhole(out);
});

test("jobs that are signed and added again are made once, and no worker has them for ever", async () => {
  await Deno.writeTextFile(at("again-key"), "c".repeat(32));
  const out = at("added-again"), lines: string[] = [], key = await readEngineKey(at("again-key"));
  const run = synthesize(out, [], { key });
  const { toMake } = await untilHandedOut(out), ids = [0, 1].map((n) => `${toMake!.batch}-${n}`);
  for (const id of ids) await giveAgain(server, [id, id]);
  const { ended } = worker(lines, { key, concurrency: 4, idle: 2 });
  await run;
  await ended;
  await assertWhole(out);
  const made = lines.flatMap((line) => / (\d+-\d+) in [\d.]+ s$/.exec(line)?.[1] ?? []);
  assertEquals(made.sort(), ["0-9", "10-19"]);
  assertEquals(lines.filter((line) => /cannot be read|out of reach/.test(line)), []);
  // Each look for lost jobs, one in the time of a lock, finds one more of them.
  await using _ = worker(lines, { key });
  await until("the last of them", async () => await activeJobs(server) === 0, 60);
  for (const id of ids) await redis("DEL", `patchloom:parts:${id}`);
});

test("a command without the engine leaves the run of one alone, and of two commands one begins", async () => {
  const out = at("taken"), lines: string[] = [];
  await begun(out);
  const before = await Deno.readTextFile(join(out, "run.json"));
  const local = ["synth", "--run", out, "--resume", "--out", out, "--quiet"];
  const { code, stderr } = await cli(local);
  assertEquals([code, stderr.includes("workers of an engine make its parts")], [1, true], stderr);
  assertEquals(await Deno.readTextFile(join(out, "run.json")), before);
  const goOn = `deno task synth --engine env --run ${out} --resume --out ${out}`;
  assertEquals((await inspectParts([out])).commands, [goOn]);
  const forgotten = await cli(["forget", out, "--ids", "3"]);
  assertEquals([forgotten.code, forgotten.stderr.includes(`; ${goOn} makes it whole`)], [1, true], forgotten.stderr);
  await using _ = worker(lines);
  await synthesize(out, lines, { resume: true });
  await assertWhole(out);

  const two = at("two"), ends = await Promise.allSettled([synthesize(two), synthesize(two)]);
  const [refused, ...more] = ends.filter((end) => end.status === "rejected");
  assertEquals(more, []);
  if (refused) assertMatch(refused.reason.message, /expected an empty folder|another command|without its run\.json/);
  await assertWhole(two);

  // With --force, another run takes the folder over: the parts that workers made are no files of it.
  for (const more of [["--part", "1", "--format", "idx"], []]) {
    const over = at(`over-${more.length}`);
    await begun(over);
    for (const name of (await files(two)).filter((name) => /^(parts|data)\//.test(name)).slice(1)) {
      await Deno.mkdir(dirname(join(over, name)), { recursive: true });
      await Deno.copyFile(join(two, name), join(over, name));
    }
    const words = ["synth", "--profile", pack, "--quiet", "--force", "--out", over, "--seed", "9", "--count", "2"];
    const taken = await cli([...words, ...more]);
    assertEquals(taken.code, 0, taken.stderr);
    assertEquals((await cli(["verify", over])).code, 0);
  }

  // With --force, who has no engine any more goes on without.
  const left = at("left");
  await begun(left);
  assertEquals((await cli(["synth", "--run", left, "--resume", "--out", left, "--quiet", "--force"])).code, 0);
  await assertWhole(left);
});

/** Sends the server a command whose answer is a number. */
async function redis(...words: string[]): Promise<number> {
  const { port, password } = new URL(server.url()), env = { REDISCLI_AUTH: decodeURIComponent(password) };
  const { stdout } = await new Deno.Command("redis-cli", { args: ["-p", port, ...words], env }).output();
  const text = new TextDecoder().decode(stdout);
  assertMatch(text, /^\d+\n$/);
  return Number(text);
}

test("jobs that are not there, or lack a name, are refused; the worker makes the other parts, and ends", async () => {
  const out = at("absent"), lines: string[] = [], ids = ["ghost", ""];
  await redis("HSET", "patchloom:parts:nameless", "data", "{}", "opts", "{}", "timestamp", "1");
  await redis("RPUSH", "patchloom:parts:wait", ...ids, "nameless");
  await redis("ZADD", "patchloom:parts:marker", "0", "0");
  {
    await using _ = worker(lines);
    await synthesize(out, lines);
    await until("the refusals", () => lines.filter((line) => line.includes("got another job")).length === 3);
  }
  await assertWhole(out);
  for (const id of [...ids, "nameless"]) await redis("DEL", `patchloom:parts:${id}`);
});

test("a job that is no JSON is no trouble with the server, and is told once", async () => {
  const out = at("unreadable"),
    lines: string[] = [],
    keys = ["{{{", "{nope"].map((text, n) => ({ text, id: `bad${n}` }));
  for (const { id, text } of keys) {
    const options = id === "bad0" ? [text, "{}"] : ["{}", text];
    const [opts, data] = options, more = ["timestamp", "1", "delay", "0", "priority", "0"];
    await redis("HSET", `patchloom:parts:${id}`, "name", "part", "opts", opts, "data", data, ...more);
    await redis("RPUSH", "patchloom:parts:wait", id);
  }
  await redis("ZADD", "patchloom:parts:marker", "0", "0");
  await using _ = worker(lines);
  await synthesize(out, lines);
  await assertWhole(out);
  await until("the message", () => lines.some((line) => line.includes("a job in the queue cannot be read")));
  assertEquals(lines.filter((line) => /out of reach|answers again/.test(line)), []);
  const told = lines.filter((line) => line.includes("cannot be read"));
  assertEquals(new Set(told).size, told.length);
  for (const { id } of keys) await redis("DEL", `patchloom:parts:${id}`);
});

test("jobs of a run that are no JSON any more are lost: the command adds them again", async () => {
  const spoiled = async (title: string, fieldsOf: (name: string, batch: string) => Record<string, string>) => {
    const out = at(`no-json-${title}`), lines: string[] = [], run = synthesize(out, lines);
    await until("the run", async () => await readRecord(out) !== undefined);
    const { settings, toMake } = await readRecord(out) as PartsRecord, sum = await fingerprint(settings, sha256);
    const name = (await sha256(new TextEncoder().encode(sum + out))).slice(0, 32);
    await until("its jobs", async () => (await client.ask<RunStatus>({ ask: "look", name })).state === "running");
    const fields = Object.entries(fieldsOf(name, toMake!.batch));
    for (const [id, field] of fields) await redis("HSET", `patchloom:parts:${id}`, field, "{bad");
    return { out, run, lines };
  };
  const runs = await Promise.all([
    spoiled(
      "parts",
      (name, batch) => ({ [`${batch}-0`]: "opts", [`${batch}-1`]: "progress", [`${name}-gate`]: "parent" }),
    ),
    spoiled("end", (name) => ({ [name]: "opts" })),
  ]);
  await using _ = worker();
  for (const { out, run, lines } of runs) {
    await run;
    await assertWhole(out);
    assertMatch(lines.join("\n"), /has lost (the run|parts of the run): adding what is missing/);
  }
});
