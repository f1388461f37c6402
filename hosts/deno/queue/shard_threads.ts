/** The threads of `worker`: each has the pack of one run in memory, and makes its parts. */
import type { PartEntry } from "../../../pipelines/shards/part.ts";
import { received } from "../threads/posted_error.ts";
import { Refused, Unsuited } from "./jobs.ts";
import type { ShardAnswer, ShardTask } from "./shard_thread.ts";

/** Threads that make parts. */
export interface ShardThreads extends Disposable {
  /** Makes and writes a part on a thread that is free, or will be. */
  make(task: ShardTask): Promise<PartEntry>;
}

interface Thread {
  readonly worker: Worker;
  readonly run: string;
}

/** Starts threads as they are needed, `most` at a time. */
export function shardThreads(most: number): ShardThreads {
  const free: (Thread | undefined)[] = Array(most).fill(undefined),
    waiting: (() => void)[] = [],
    all = new Set<Worker>();

  const end = ({ worker }: Thread) => {
    worker.terminate();
    all.delete(worker);
  };
  const start = (run: string): Thread => {
    const worker = new Worker(new URL("./shard_thread.ts", import.meta.url), {
      type: "module",
      deno: { permissions: { read: "inherit", write: "inherit", env: "inherit", net: false, run: false, ffi: false } },
    });
    all.add(worker);
    return { worker, run };
  };

  return {
    async make(task) {
      while (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      const { folder, settings, partSize } = task.job, run = JSON.stringify([folder, settings, partSize]);
      const known = free.findIndex((one) => one?.run === run), [taken] = free.splice(Math.max(known, 0), 1);
      // A thread of another run ends: its memory is as large as that run's data.
      if (taken && taken.run !== run) end(taken);
      const thread = taken?.run === run ? taken : start(run);
      let isGood = false;
      try {
        const entry = await answerOf(thread.worker, task);
        isGood = true;
        return entry;
      } finally {
        if (!isGood) end(thread);
        free.push(isGood ? thread : undefined);
        waiting.shift()?.();
      }
    },
    [Symbol.dispose]() {
      for (const worker of all) worker.terminate();
    },
  };
}

function answerOf(worker: Worker, task: ShardTask): Promise<PartEntry> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault(); // otherwise it ends this process
      reject(new Error(`A thread ended early: ${event.message}`));
    };
    worker.onmessage = ({ data }: MessageEvent<ShardAnswer>) => {
      if ("entry" in data) resolve(data.entry);
      else if (data.kind === "unsuited") reject(new Unsuited(data.error.message));
      else if (data.kind === "refused") reject(new Refused(data.error.message));
      else reject(received(data.error));
    };
    worker.postMessage(task);
  });
}
