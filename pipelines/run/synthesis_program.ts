/** Synthesis as a program of threads: does tasks of a job. */
import type { Provenance } from "../../core/provenance.ts";
import { choiceWork, fitWork, imageWork } from "./cost.ts";
import { type Job, type PostedJob, received, type Task } from "./job.ts";
import { runTask } from "./run_task.ts";
import type { Program } from "./runner.ts";
import type { GroupImage } from "./synthesized_image.ts";
import { taskMeter } from "./task_meter.ts";

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
