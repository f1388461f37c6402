/** The jobs of a run in the queue: whether those of its parts are lost, and how they are removed. */
import type { Job, Queue } from "./bullmq.ts";
import type { ServerJobs } from "./server_jobs.ts";
import { AGAIN } from "./take_jobs.ts";

/** Finds a job that can be read. */
export type FindJob = (id: string) => Promise<Job | undefined>;

/** The queue, and its jobs. */
export interface FoundJobs {
  readonly queue: Queue;
  readonly server: ServerJobs;
  readonly job: FindJob;
}

/** How many jobs of parts that are left are looked at together: most often the first ones show that the run goes on. */
const PAGE = 20;
/** Milliseconds to wait for parts that are being made while their run is removed: twice what a part should take at most. */
const MAX_WAIT = 60_000;

/** Names the job that holds the end of a run back until all parts are added. */
export const gateOf = (name: string) => `${name}-gate`;

/** Whether a run waits for parts, and the jobs of all of them are lost: nobody can take one, and nobody has one. */
export async function isStuck(job: FindJob, name: string): Promise<boolean> {
  const end = await job(name);
  if (await end?.getState() !== "waiting-children") return false;
  const isLost = async (key: string) => {
    const id = key.slice(key.lastIndexOf(":") + 1), state = await (await job(id))?.getState() ?? "unknown";
    // A closed gate is opened by who adds the parts, and by nobody else.
    return ["unknown", "completed", "failed"].includes(state) || id === gateOf(name) && state === "delayed";
  };
  let cursor = 0;
  do {
    const page = await end!.getDependencies({ unprocessed: { cursor, count: PAGE } });
    const lost = await Promise.all((page.unprocessed ?? []).map(isLost));
    if (lost.includes(false)) return false;
    cursor = page.nextUnprocessedCursor ?? 0;
  } while (cursor !== 0);
  return true;
}

/**
 * Removes a run and its parts, except parts that workers have.
 *
 * @param addEnd adds a job of the name of the one that ends the run. Where that is lost, its gate and its parts may be left: they
 *   belong to any job of its name, and are removed with it.
 */
export async function remove(
  { queue, server, job }: FoundJobs,
  name: string,
  addEnd: () => Promise<void>,
): Promise<void> {
  await server.setAside();
  const isLost = !await job(name);
  if (isLost) await addEnd();
  await (await job(name))?.removeUnprocessedChildren();
  await removeFree(queue, gateOf(name), false);
  await removeFree(queue, name, isLost);
}

/** Removes a job, with its children if asked to, when no worker has any of them. */
async function removeFree(queue: Queue, id: string, removeChildren: boolean): Promise<void> {
  for (let again = 0;; again++) {
    if (await queue.remove(id, { removeChildren }) === 1 || await queue.getJobState(id) === "unknown") return;
    // It, or a part of it, is being made: that ends soon.
    if (again * AGAIN > MAX_WAIT) throw new Error(`Cannot remove a run from the queue: a worker has its job ${id}`);
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}
