/** How the engine client takes jobs, and what becomes of each. */
import type { BullMQ, Job, Worker } from "./bullmq.ts";
import { kindOf, textOf, type Troubles } from "./client_errors.ts";
import { jobSearch } from "./job_search.ts";
import type { ClientStart, FromClient } from "./messages.ts";
import { openJobs } from "./open_jobs.ts";

/** The queue, and the job that holds the end of a run back until all parts are added. */
export const QUEUE = "parts", GATE = "gate";
/** Characters of a text that another program wrote to the queue, and of a job as JSON, at most: longer ones are cut off here. */
export const LONGEST_TEXT = 2000;
const LONGEST_JOB = 20_000;
/** Milliseconds before work that met a broken connection is tried again. */
export const AGAIN = 1000;
/** Seconds for which a worker takes no job after it gave all back that wait, and the part of its idle time that this may take, at most. */
const PAUSE = 5, IDLE_PART = 1 / 4;
/** How often a job is taken over from workers that are gone before it counts as one that ends workers. */
const MAX_STALLS = 20;
/** How many takings of jobs that are open wait beside the jobs of a worker, at most: each holds one job in memory. */
const MAX_REPEATS = 1000;
/** How many errors of jobs that cannot be read are told. */
const UNREADABLE = 100;
/** Milliseconds that a server may take to learn of the last jobs. */
const CLOSING = 2000;

/** An open engine. */
export interface Engine {
  readonly mq: BullMQ;
  readonly options: object;
  readonly backend?: unknown;
}

/** Tells the command. */
interface Teller extends Pick<Troubles, "came" | "over"> {
  send(message: FromClient): void;
}

/**
 * Gives a job back, at once and to the end of the queue, for which each kind of server has another way. Returns the error that says so.
 * A part whose run is not there fails instead: it would go round for ever.
 */
async function giveBack({ mq, backend }: Engine, worker: Worker, job: Job, token: string, why: string): Promise<Error> {
  if (job.name === "part" && !(job.parent && await mq.Job.fromId(worker, job.parent.id))) {
    return new mq.UnrecoverableError(why);
  }
  if (job.progress !== why) await job.updateProgress(why);
  if (backend) {
    await job.moveToWait(token);
    return new mq.WaitingError();
  }
  await job.moveToDelayed(Date.now(), token);
  return new mq.DelayedError();
}

/** Takes jobs and gives them to the command. Returns a function that takes their outcomes, and one that waits for their end. */
export function takeJobs(
  engine: Engine,
  { concurrency, lock, idle = Infinity }: NonNullable<ClientStart["take"]>,
  { send, over, came }: Teller,
) {
  const { mq, options, backend } = engine;
  const open = openJobs({
    begin: (taken) => send({ taken }),
    // They wait and do nothing, so that the worker has as many jobs to do as before.
    repeated: (takings) => search.waiting(Math.min(takings, MAX_REPEATS)),
    // A job whose end the server has not learned is given again one to two times the lock later.
    later: (forget) => setTimeout(forget, 2 * lock * 1000),
  });
  const worker = new mq.Worker(QUEUE, async (job, token) => {
    over();
    // A job whose entry was removed, or written by others, may lack anything.
    const { id, data = null } = job, name = String(job.name).slice(0, LONGEST_TEXT);
    if (name === GATE) return null;
    const ended = search.taken();
    const outcome = await open.take({ id, name, data: JSON.stringify(data).length > LONGEST_JOB ? null : data });
    ended();
    if (outcome.outcome === "back") {
      const error = await giveBack(engine, worker, job, token, outcome.why);
      search.back(id, open.size);
      throw error;
    }
    search.done();
    if (outcome.outcome === "done") return null;
    const error = outcome.isFinal ? new mq.UnrecoverableError(outcome.why) : new Error(outcome.why);
    error.stack = ""; // it would be kept in the engine
    throw error;
  }, {
    ...options,
    concurrency,
    lockDuration: lock * 1000,
    stalledInterval: lock * 1000,
    maxStalledCount: MAX_STALLS,
    runRetryDelay: AGAIN,
    name: "worker",
  }, backend);
  const search = jobSearch({ taker: worker, concurrency, longest: Math.min(PAUSE, idle * IDLE_PART) * 1000 });
  reportErrors(worker, { send, came });
  return {
    ended: open.ended,
    async close() {
      search.close();
      const closed = worker.close();
      for (; open.size > 0;) await new Promise((resolve) => setTimeout(resolve, 50));
      // A server that is out of reach learns later that the last parts are made, or has them made again: the same bytes.
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSING))]);
    },
  };
}

/** Reports the errors of a worker. */
function reportErrors(worker: Worker, { send, came }: Pick<Teller, "send" | "came">): void {
  const unreadable = new Set<string>();
  worker.on("error", (error) => {
    if (kindOf(error) !== "unreadable") return came(error); // anybody may write a job that is no JSON: the server answers
    const text = textOf(error).slice(0, LONGEST_TEXT);
    if (unreadable.size >= UNREADABLE || unreadable.has(text)) return;
    unreadable.add(text);
    send({ unreadable: text });
  });
}
