/**
 * The jobs that a worker has taken and that have not ended. The queue may give a worker a job a second time while it is at it: after
 * the job's lock was lost, because the server did not answer, or because somebody who writes to the queue has added it again. The job
 * is done once, and every taking of it waits for that one outcome.
 */
import type { Outcome, TakenJob } from "./messages.ts";

/** Open jobs. */
export interface OpenJobs {
  /** How many there are; a job that was taken twice counts once. */
  readonly size: number;
  /** Takes a job of a run, which begins unless it is open. Resolves to its outcome. */
  take(job: TakenJob, run?: string): Promise<Outcome>;
  /** Says how a job ended, to all that took it. */
  ended(id: string, outcome: Outcome): void;
}

/** What open jobs tell and need. */
export interface OpenJobsOptions {
  /** A job begins. */
  readonly begin: (job: TakenJob, run: string | undefined) => void;
  /** So many takings wait for jobs that an earlier taking has begun. */
  readonly repeated: (takings: number) => void;
  /** Calls a function when the queue cannot give a part again any more because it has not learned yet that it is made. */
  readonly later: (forget: () => void) => void;
}

/** A job that was taken. */
interface OpenJob {
  readonly outcome: Promise<Outcome>;
  readonly end: (outcome: Outcome) => void;
  readonly isPart: boolean;
  /** How often it was taken again. */
  again: number;
  isOver: boolean;
}

/** Keeps the open jobs of a worker. */
export function openJobs({ begin, repeated, later }: OpenJobsOptions): OpenJobs {
  const jobs = new Map<string, OpenJob>();
  let size = 0, takings = 0;
  return {
    get size() {
      return size;
    },
    take(job, run) {
      const known = jobs.get(job.id);
      if (!known) {
        const { promise: outcome, resolve: end } = Promise.withResolvers<Outcome>();
        jobs.set(job.id, { outcome, end, isPart: job.name === "part", again: 0, isOver: false });
        size++;
        begin(job, run);
        return outcome;
      }
      if (!known.isOver) {
        known.again++;
        repeated(++takings);
      }
      return known.outcome;
    },
    ended(id, outcome) {
      const job = jobs.get(id);
      if (!job || job.isOver) return;
      job.isOver = true;
      size--;
      if (job.again > 0) repeated(takings -= job.again);
      job.end(outcome);
      // A part may be taken once more before the queue learns that it is made. Its id is never that of another part. Other outcomes
      // ask for another try, and a run that begins again ends again by the same id.
      if (job.isPart && outcome.outcome === "done") later(() => jobs.delete(id));
      else jobs.delete(id);
    },
  };
}
