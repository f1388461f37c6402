/** Workers that do not suit a run: how they look for other jobs, and that others go on beside them. */
import { assert, assertEquals } from "@std/assert";
import { connectEngine } from "../../../../hosts/deno/queue/engine_client.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import { jobSearch } from "../../../../hosts/deno/queue/job_search.ts";
import type { RunStatus } from "../../../../hosts/deno/queue/messages.ts";
import { until } from "../../../until.ts";
import { serverTest } from "./servers.ts";

/** A search, and what it does with its worker. */
function searching(concurrency: number, longest = 10) {
  const events: string[] = [], clock = { time: 0 }, busy = { others: 0 };
  const taker = {
    concurrency,
    pause: () => Promise.resolve(void events.push("pause")),
    resume: () => Promise.resolve(void events.push("resume")),
  };
  const others = () => Promise.resolve(busy.others), waits = { others, patience: 60_000 };
  return {
    events,
    clock,
    busy,
    taker,
    search: jobSearch({ taker, concurrency, longest, ...waits, now: () => clock.time }),
  };
}

Deno.test("jobSearch: a worker pauses when a job comes again, and goes on when it has done one", async () => {
  const { events, search } = searching(1, 60_000);
  for (const id of ["a", "b", "c"]) search.back(id, 0);
  assertEquals(events, []);
  search.back("a", 0);
  search.back("b", 0); // was taken before the pause
  assertEquals(events, ["pause"]);
  search.done();
  assertEquals(events, ["pause", "resume"]);
  for (const id of ["a", "b"]) search.back(id, 0);
  assertEquals(events.length, 2);
  search.back("a", 0);
  search.close();
  await new Promise((resolve) => setTimeout(resolve, 600)); // longer than the first pause
  assertEquals(events, ["pause", "resume", "pause"]);
});

Deno.test("jobSearch: after a pause it looks at all jobs again; a long look is followed by a longer pause", async () => {
  const { events, clock, search } = searching(1);
  for (let times = 1; times < 4; times++) {
    for (const id of ["a", "b", "a"]) search.back(id, 0);
    assertEquals(events.splice(0), ["pause"]);
    await until("the end of the pause", () => events.length > 0);
    assertEquals(events.splice(0), ["resume"]);
  }
  search.back("a", 0);
  clock.time = 100;
  search.back("a", 0);
  const start = performance.now();
  await until("the end of the long pause", () => events.length > 1);
  assert(performance.now() - start > 250);
});

Deno.test("jobSearch: a worker without work takes one job at a time until one suits it", async () => {
  const { events, taker, search } = searching(4);
  search.waiting(2);
  assertEquals(taker.concurrency, 6);
  search.back("a", 1);
  assertEquals(taker.concurrency, 6);
  search.back("b", 0);
  assertEquals(taker.concurrency, 3);
  search.waiting(0);
  search.taken()();
  const ended = search.taken();
  await until("all slots", () => taker.concurrency === 4);
  ended();
  assertEquals(events, ["pause", "resume"]); // which makes it take jobs
  search.back("c", 0);
  assertEquals(taker.concurrency, 1);
  search.done();
  assertEquals(taker.concurrency, 4);
  search.close();
});

Deno.test("jobSearch: a worker that failed pauses until others have no jobs, whatever else it does or gives back", async () => {
  const { events, busy, search } = searching(2);
  busy.others = 1;
  search.failed(1);
  search.failed(1);
  search.done();
  for (const id of ["a", "a"]) search.back(id, 0);
  await new Promise((resolve) => setTimeout(resolve, 600)); // two looks
  assertEquals(events.splice(0), ["pause", "pause"]);
  busy.others = 0;
  await until("the end of the pause", () => events.length > 0);
  assertEquals(events, ["resume"]);
  search.failed(1);
  search.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(events, ["resume", "pause"]);
});

/** Parts of a run, milliseconds of each, and seconds for all: 2 s alone, and 20 s when others keep what they give back for a while. */
const PARTS = 20, PART = 100, RUN = 12;

serverTest("engine: a run goes on beside workers that do not suit it, which then find their own", async (servers) => {
  await Promise.all([servers.redis, servers.postgres].map(async (server) => {
    const engine = readEngine("env", server.url()), taken = { ours: 0, theirs: 0 };
    await using client = await connectEngine(engine, undefined, { trouble() {} });
    /** A worker that makes the parts of one run only. */
    const workerOf = async (run: "ours" | "theirs", concurrency: number) => {
      const worker = await connectEngine(engine, { concurrency, lock: 5 }, {
        trouble() {},
        async taken({ id, name, data }) {
          const isOwn = name === "end" || data === run;
          if (isOwn && name !== "end") await new Promise((resolve) => setTimeout(resolve, PART));
          if (isOwn && name !== "end") taken[run]++;
          worker.end(id, isOwn ? { outcome: "done" } : { outcome: "back", why: `not ${run}` });
        },
      });
      return worker;
    };
    const begin = (name: string) =>
      client.ask({ ask: "begin", run: { name, batch: name, parts: Array(PARTS).fill(name), end: null } });
    const isDone = async (name: string) => (await client.ask<RunStatus>({ ask: "look", name })).state === "done";
    await using theirs = await workerOf("theirs", 8);
    await begin("ours");
    await until("a reason", async () => (await client.ask<string[]>({ ask: "refusals", name: "ours" })).length > 0);
    {
      await using ours = await workerOf("ours", 1);
      await until("the end of the run", () => isDone("ours"), RUN);
      await ours.close();
    }
    for (const name of ["nobody's", "theirs"]) await begin(name);
    await until("the end of the other run", () => isDone("theirs"), RUN);
    assertEquals(taken, { ours: PARTS, theirs: PARTS });
    await theirs.close();
  }));
});
