/** Synthesis as a program of threads: does tasks of a job. */
import type { Provenance } from "../../core/provenance.ts";
import type { WorkCounter } from "../../core/kernel_work.ts";
import { PROGRESS, type Progress } from "../../core/steps.ts";
import { choiceWork, fitWork, imageWork } from "./cost.ts";
import { type Job, type PostedJob, received, type Task } from "./job.ts";
import { runTask } from "./run_task.ts";
import type { Program, TaskPart } from "./runner.ts";
import type { GroupImage } from "./synthesized_image.ts";

/**
 * Work of a step: 1 to 60 ms, since priors make 0.5 to 22 x 10^9 comparisons a second (the search of a large batch is the
 * fastest). Hosts whose pauses take long pause after a time, not after every step.
 */
const STEP = 2 ** 25;

/** Does tasks. Their images come without provenance, which would be more bytes than all else. */
export const synthesisProgram: Program<PostedJob, Task, GroupImage[]> = {
  name: "synthesis",
  prepare({ kernels, plugins }, setUp) {
    const job = received(setUp, plugins);
    return function* (task) {
      const images: GroupImage[] = [], meter = taskMeter(kernels, taskWork(job, task));
      for (const event of runTask(kernels, job, task)) {
        if (event.type === "forecast") meter.expect(event.rest);
        if (event.type === "image") {
          const { provenance, ...image } = event.image;
          images.push(job.hasSources ? { ...image, sources: sourcesOf(provenance) } : image);
        }
        if (event.type === "progress" || event.type === "iteration") yield* meter.step(event.type);
      }
      return images;
    };
  },
};

/** The pixels of exemplars that an image's patches of one pixel are. */
function sourcesOf({ sources, training: { height, width } }: Provenance): Int32Array {
  return Int32Array.from({ length: sources.length / 3 }, (_, p) => {
    return (sources[3 * p] * height + sources[3 * p + 1]) * width + sources[3 * p + 2];
  });
}

/** Estimates the work of a task. */
function taskWork({ plan, groups, batch }: Job, { group, numbers }: Task): number {
  const { training: { hr: [hr], count }, fitted, noise } = groups[group];
  const fit = (fitted ? 0 : fitWork(plan, hr, count, batch)) + (noise ? 0 : choiceWork(plan, count));
  return fit + numbers.length * imageWork(plan, hr, count).whole;
}

/** Turns counted work into the part of a task that is done. */
function taskMeter({ workDone }: Pick<WorkCounter, "workDone">, expected: number) {
  const begin = workDone();
  let rest = expected, before = begin, reported = 0, since = 0;
  return {
    /** Takes the work that is expected still. */
    expect(work: number) {
      rest = work;
    },
    /** Yields the part that was done since, after each iteration and whenever there was enough work. */
    *step(type: "progress" | "iteration"): Generator<Progress & TaskPart, void> {
      const now = workDone(), done = now - begin;
      rest = Math.max(rest - (now - before), 0);
      since += now - before;
      before = now;
      if (type === "progress" && since < STEP) return;
      // Where more is left than was expected, the part that is done stays as it is for a while.
      const part = Math.max(done / (done + rest) || 0, reported);
      yield { ...PROGRESS, part: part - reported };
      reported = part;
      since = 0;
    },
  };
}
