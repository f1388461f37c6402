/** Jobs that a worker takes a second time while it is at them: no slot is lost, and each is done once. */
import { assertEquals } from "@std/assert";
import { connectEngine } from "../../../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import type { Outcome, RunStatus } from "../../../../hosts/deno/queue/messages.ts";
import { openJobs } from "../../../../hosts/deno/queue/open_jobs.ts";
import { until } from "../../../until.ts";
import { activeJobs, giveAgain, type Server, serverTest, timesTaken, wayTo } from "./servers.ts";

const DONE: Outcome = { outcome: "done" };

/** Open jobs, and what they told. */
function opened() {
  const begun: string[] = [], repeated: number[] = [], forget: (() => void)[] = [];
  const jobs = openJobs({
    begin: ({ id }) => begun.push(id),
    repeated: (takings) => repeated.push(takings),
    later: (one) => forget.push(one),
  });
  return { jobs, begun, repeated, forget, take: (id: string, name = "part") => jobs.take({ id, name, data: null }) };
}

Deno.test("openJobs: every taking of a job ends by the outcome of the first", async () => {
  const { jobs, begun, repeated, take } = opened();
  const takings = [take("a"), take("a"), take("b"), take("a"), take("")];
  assertEquals([begun, jobs.size, repeated], [["a", "b", ""], 3, [1, 2]]);
  jobs.ended("a", DONE);
  assertEquals([jobs.size, repeated], [2, [1, 2, 0]]);
  for (const id of ["", "b", "b", "unknown"]) jobs.ended(id, { outcome: "back", why: id });
  assertEquals((await Promise.all(takings)).map(({ outcome }) => outcome), ["done", "done", "back", "done", "back"]);
  assertEquals([jobs.size, repeated], [0, [1, 2, 0]]);
});

Deno.test("openJobs: a part that is made is not made again until the queue has learned it; other jobs are done again", async () => {
  const { jobs, begun, repeated, forget, take } = opened();
  for (const id of ["a", "b", "end"]) take(id, id === "end" ? "end" : "part");
  jobs.ended("a", DONE);
  jobs.ended("b", { outcome: "failed", why: "a full disk", isFinal: false });
  jobs.ended("end", DONE);
  assertEquals(forget.length, 1);
  assertEquals(await take("a"), DONE);
  assertEquals([begun, repeated], [["a", "b", "end"], []]);
  jobs.ended("a", { outcome: "back", why: "late" });
  assertEquals(await take("a"), DONE);
  for (const id of ["b", "end"]) take(id);
  forget[0]();
  take("a");
  assertEquals([begun, jobs.size], [["a", "b", "end", "b", "end", "a"], 3]);
});

/** Seconds of a lock; milliseconds for which a server does not answer; seconds that a step may take on a busy machine. */
const LOCK = 1, CUT = 3000, PATIENCE = 120;
/** How often the way to a server is cut until the part that was to be lost is given again. */
const TURNS = 3;

/** A worker that ends no job before it is told to. */
async function slowWorker(server: Server, concurrency: number, port = server.port) {
  const taken: string[] = [], said: string[] = [];
  let isFree = false;
  const client = await connectEngine(readEngine("env", server.url(port)), { concurrency, lock: LOCK }, {
    trouble() {},
    warned: (line) => said.push(line),
    taken({ id }) {
      taken.push(id);
      if (isFree) client.end(id, DONE);
    },
  });
  return {
    taken,
    /** What it said of jobs. */
    said,
    end: (id: string) => client.end(id, DONE),
    close: () => client.close(),
    /** Ends the jobs that it has, and all that come. */
    free() {
      isFree = true;
      for (const id of new Set(taken)) client.end(id, DONE);
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** A test with each server, both at the same time. */
function both(name: string, test: (server: Server) => Promise<void>): void {
  serverTest(`open jobs: ${name}`, async ({ redis, postgres }) => {
    await Promise.all([redis, postgres].map(test));
  });
}

/** Begins a run of so many parts. Returns a function that tells whether it has ended. */
async function begun(server: Server, name: string, count: number) {
  const client = await connectEngine(readEngine("env", server.url()), undefined, { trouble() {} });
  await client.ask({ ask: "begin", run: { name, batch: name, parts: Array(count).fill(null), end: null } });
  return {
    isDone: async () => (await client.ask<RunStatus>({ ask: "look", name })).state === "done",
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

both(
  "after a server that did not answer for longer than a lock, a worker does as many jobs as before",
  async (server) => {
    using way = wayTo(server.port);
    await using worker = await slowWorker(server, 2, way.port);
    await using first = await begun(server, "first", 1);
    await until("the first part", () => worker.taken.length === 1, PATIENCE);
    let turns = 0;
    await until("the part again", async () => {
      way.cut();
      await new Promise((resolve) => setTimeout(resolve, CUT));
      way.mend();
      // Which of the renewal of the lock and the look for lost jobs comes first is chance, or always the same.
      await new Promise((resolve) => setTimeout(resolve, CUT));
      if (++turns === TURNS) await giveAgain(server, ["first-0"]);
      return await timesTaken(server, "first-0") > 1;
    }, PATIENCE);
    await using more = await begun(server, "more", 3);
    await until("one beside it", () => worker.taken.length === 2, PATIENCE);
    worker.end("first-0");
    await until("two beside each other", () => worker.taken.length === 3, PATIENCE);
    worker.free();
    for (const run of [first, more]) await until("the end of the run", run.isDone, PATIENCE);
    assertEquals(worker.taken.filter((id) => id === "first-0"), ["first-0"]);
    assertEquals(worker.said.filter((line) => line.includes("cannot be read")), []);
  },
);

both(
  "a job that is added again and again is done once, beside others, and a worker that closes ends",
  async (server) => {
    const worker = await slowWorker(server, 2);
    await using first = await begun(server, "first", 1);
    await until("the first part", () => worker.taken.length === 1, PATIENCE);
    for (let times = 2; times < 6; times++) {
      await giveAgain(server, ["first-0"]);
      await until("the part again", async () => await timesTaken(server, "first-0") === times, PATIENCE);
    }
    await using more = await begun(server, "more", 3);
    await until("one beside it", () => worker.taken.length === 2, PATIENCE);
    worker.end("first-0");
    await until("two beside each other", () => worker.taken.length === 3, PATIENCE);
    assertEquals(new Set(worker.taken).size, 3);
    worker.free();
    for (const run of [first, more]) await until("the end of the run", run.isDone, PATIENCE);
    await until("the end of all takings", async () => await activeJobs(server) === 0, PATIENCE);
    await using last = await begun(server, "last", 1);
    await until("the end of the last run", last.isDone, PATIENCE);
    await worker.close();
  },
);

both("a job that two workers have, one of them twice, ends at both", async (server) => {
  await using one = await slowWorker(server, 2);
  await using first = await begun(server, "first", 1);
  await until("the part", () => one.taken.length === 1, PATIENCE);
  await giveAgain(server, ["first-0"]);
  await until("the part again", async () => await timesTaken(server, "first-0") === 2, PATIENCE);
  // The first worker's slots are full by a second run.
  await using second = await begun(server, "second", 1);
  await until("the second part", () => one.taken.length === 2, PATIENCE);
  await using other = await slowWorker(server, 1);
  await giveAgain(server, ["first-0"]);
  await until("the part at the other", () => other.taken.length === 1, PATIENCE);
  assertEquals(other.taken, ["first-0"]);
  other.free();
  one.end("first-0");
  await until("the end of the run", async () => {
    one.end("first"); // whoever took the job that ends it
    return await first.isDone();
  }, PATIENCE);
  const before = one.taken.length;
  await other.close();
  await using third = await begun(server, "third", 2);
  await until("one beside the second part", () => one.taken.length === before + 1, PATIENCE);
  one.end("second-0");
  await until("two beside each other", () => one.taken.length === before + 2, PATIENCE);
  one.free();
  for (const run of [second, third]) await until("the end of the run", run.isDone, PATIENCE);
  await one.close();
});
