/** How the engine client takes jobs, and what becomes of each. */
import type { BullMQ, Job, Queue, Worker } from "./bullmq.ts";
import { kindOf, textOf, type Troubles } from "./client_errors.ts";
import { jobSearch } from "./job_search.ts";
import type { ClientStart, FromClient, Outcome } from "./messages.ts";
import { openJobs } from "./open_jobs.ts";
import { type ServerJobs, serverJobs } from "./server_jobs.ts";

/** The queue, and the job that holds the end of a run back until all parts are added. */
export const QUEUE = "parts", GATE = "gate";
/** Characters of a text that another program wrote to the queue, and of a job as JSON, at most: longer ones are cut off here. */
export const LONGEST_TEXT = 2000;
const LONGEST_JOB = 20_000;
/** Milliseconds before work that met a broken connection is tried again. */
export const AGAIN = 1000;
/** Seconds for which a worker takes no job after it gave all back that wait, and the part of its idle time that this may take, at most. */
const PAUSE = 5, IDLE_PART = 1 / 4;
/**
 * Milliseconds after which a job that failed is tried again, which double each time: 0.5, 1, 2 s. Seconds for which the worker leaves
 * it to others that have jobs, at most: as long as a part should take.
 */
const BACKOFF = 500, PATIENCE = 30;
/** How often a job is taken over from workers that are gone before it counts as one that ends workers. */
const MAX_STALLS = 20;
/** How many takings of jobs that are open wait beside the jobs of a worker, at most: each holds one job in memory. */
const MAX_REPEATS = 1000;
/** How many errors of jobs that cannot be read are told. */
const UNREADABLE = 100;
/** The outcome of a part whose run has failed: nobody needs it. */
const DROPPED = { outcome: "done" } as const;
/** Milliseconds that a server may take to learn of the last jobs. */
const CLOSING = 2000;

/** An open engine. */
export interface Engine {
  readonly mq: BullMQ;
  readonly options: object;
  readonly backend?: unknown;
}

/** An open engine, with the queue for questions. */
interface OpenQueue extends Engine {
  readonly queue: Queue;
}

/** Tells the command. */
interface Teller extends Pick<Troubles, "came" | "over"> {
  send(message: FromClient): void;
}

/** Whether the run of a job is there: the one that a part belongs to; or the one that a job ends, whose gate was opened. */
async function hasRun({ mq }: Engine, worker: Worker, job: Job): Promise<boolean> {
  if (job.name === "end") return ((await job.getDependenciesCount()).processed ?? 0) > 0;
  return job.name !== "part" || job.parent !== undefined && await mq.Job.fromId(worker, job.parent.id) !== undefined;
}

/**
 * Gives a job back, at once and to the end of the queue, for which each kind of server has another way. Returns the error that says so.
 * A job whose run is not there fails instead: it would go round for ever.
 */
async function giveBack(engine: Engine, worker: Worker, job: Job, token: string, why: string): Promise<Error> {
  const { mq, backend } = engine;
  if (!await hasRun(engine, worker, job)) return new mq.UnrecoverableError(why);
  if (job.progress !== why) await job.updateProgress(why);
  if (backend) {
    await job.moveToWait(token);
    return new mq.WaitingError();
  }
  await job.moveToDelayed(Date.now(), token);
  return new mq.DelayedError();
}

/** Whether a run has failed, or fails as soon as a worker takes the job that ends it. No, if that cannot be learned soon. */
async function hasFailed({ mq }: Engine, worker: Worker, name: string): Promise<boolean> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), AGAIN));
  const run = await Promise.race([mq.Job.fromId(worker, name), late]).catch(() => undefined);
  return run?.deferredFailure !== undefined || run?.finishedOn !== undefined && run.failedReason !== undefined;
}

/** The error that says that a job failed. It goes to the front of the queue if it is tried again, or all other parts would be first. */
function failure({ mq }: Engine, job: Job, { why, isFinal }: Extract<Outcome, { outcome: "failed" }>) {
  const isLast = isFinal || job.attemptsMade + 1 >= (job.opts.attempts ?? 0);
  job.opts.lifo = true;
  const error = isFinal ? new mq.UnrecoverableError(why) : new Error(why);
  error.stack = ""; // it would be kept in the engine
  return { error, isLast };
}

/** Takes jobs and gives them to the command. Returns a function that takes their outcomes, and one that waits for their end. */
export function takeJobs(
  engine: OpenQueue,
  { concurrency, lock, idle = Infinity }: NonNullable<ClientStart["take"]>,
  { send, over, came }: Teller,
) {
  const { mq, queue, options, backend } = engine;
  const open = openJobs({
    async begin(taken, run) {
      if (run !== undefined && await hasFailed(engine, worker, run)) open.ended(taken.id, DROPPED);
      else send({ taken });
    },
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
    const taken = { id, name, data: JSON.stringify(data).length > LONGEST_JOB ? null : data };
    const outcome = await open.take(taken, job.parent?.id);
    ended();
    if (outcome.outcome === "back") {
      const error = await giveBack(engine, worker, job, token, outcome.why);
      search.back(id, open.size);
      throw error;
    }
    search.done();
    if (outcome.outcome === "done") return null;
    const { error, isLast } = failure(engine, job, outcome);
    if (!isLast) search.failed(BACKOFF * 2 ** job.attemptsMade);
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
  const longest = Math.min(PAUSE, idle * IDLE_PART) * 1000, patience = Math.min(PATIENCE, idle * IDLE_PART) * 1000;
  const server = serverJobs(queue), others = () => server.held().then((count) => count - open.size, () => 0);
  const search = jobSearch({ taker: worker, concurrency, longest, others, patience });
  reportErrors(worker, server, { send, came });
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
function reportErrors(worker: Worker, server: ServerJobs, { send, came }: Pick<Teller, "send" | "came">): void {
  const unreadable = new Set<string>();
  const tell = (text: string) => {
    if (unreadable.size >= UNREADABLE || unreadable.has(text)) return;
    unreadable.add(text);
    send({ unreadable: text });
  };
  worker.on("error", async (error) => {
    if (kindOf(error) !== "unreadable") return came(error); // anybody may write a job that is no JSON: the server answers
    const aside = await server.setAside().catch(() => []);
    for (const text of aside.length > 0 ? aside : [textOf(error)]) tell(text.slice(0, LONGEST_TEXT));
  });
}
