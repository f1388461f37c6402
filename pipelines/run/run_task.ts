/** Does a task in the calling thread: fits the prior, then draws batch after batch. */
import type { Kernels } from "../../core/kernels.ts";
import { fitModel, type Model } from "../../core/model.ts";
import { numbersFrom } from "../../core/numbers.ts";
import { iterationCount, type Plan } from "../../core/plan.ts";
import type { Batch } from "../../core/batch.ts";
import { lastChecked } from "./cost.ts";
import { drawBatch } from "./draw_batch.ts";
import type { DrawEvent } from "./events.ts";
import { openNoise } from "./noise/make.ts";
import { type Job, type Task, tasksOf } from "./job.ts";
import type { BatchSteps, NoiseSource, OpenTask } from "./open_task.ts";
import { drawUntilAccepted, helpWithTries } from "./redraw.ts";
import { isRedrawn } from "./redraw_forecast.ts";
import type { GroupImage, TracedImage } from "./synthesized_image.ts";
import { openStructures } from "./structures.ts";
import { dependencyTrace } from "./trace.ts";
import { openBoard } from "./try_board.ts";

/**
 * Does a task. Yields every iteration, also of images that are drawn again, each image when its batch is finished, and `Progress`
 * where it may pause. Kernel memory is given back at the end, also if the caller closes the generator early.
 *
 * @param watch `onDraw` is called after each draw, as `Batch.onDraw`. Without it, layers that were drawn before yield no iterations.
 */
export function* runTask(
  kernels: Kernels,
  job: Job,
  task: Task,
  watch?: { readonly onDraw?: Batch["onDraw"] },
): Generator<DrawEvent<GroupImage & TracedImage>, void> {
  const { plan, groups, traced } = job, { training, fitted } = groups[task.group];
  const board = job.board?.group === task.group ? openBoard(job.board) : undefined;
  const helped = task.helps ? job.board : undefined, { numbers } = helped ?? task;
  const mark = kernels.mark(), together = helped ? 1 : Math.min(job.batch, numbers.length);
  let model: Model | undefined, source: NoiseSource | undefined;
  try {
    model = yield* fitModel(kernels, plan, training, together, fitted);
    source = yield* openNoise(kernels, plan, groups[task.group], together);
    const structures = yield* openStructures(kernels, plan, groups[task.group]);
    const trace = traced ? dependencyTrace(numbers.length, training.count, traced) : undefined;
    const onDraw = watch?.onDraw, coarse = watch || traced || !isCoarseKept(plan) ? undefined : new Map();
    const open: OpenTask = {
      ...task,
      numbers,
      kernels,
      job,
      model,
      training,
      source,
      structures,
      trace,
      onDraw,
      board,
      coarse,
    };
    if (helped) return yield* helpWithTries(open, board!);
    for (let first = 0; first < numbers.length; first += together) {
      const batch = numbersFrom(first, Math.min(first + together, numbers.length));
      const images = yield* drawImages(open, batch);
      source?.images.clear();
      coarse?.clear();
      for (const [i, image] of images.entries()) {
        const lineage = trace && { lineage: trace.images[batch[i]] };
        yield { type: "image", image: { ...image, ...lineage, group: task.group } };
      }
    }
  } finally {
    source?.model.dispose();
    model?.dispose();
    kernels.release(mark);
  }
}

/** Whether the finest layer goes on from a layer that is checked before. */
function isCoarseKept(plan: Plan): boolean {
  return (lastChecked(plan)?.layer ?? 0) > 0;
}

/** Draws the images at some places of a task in one batch: again, where they are not original or likely enough. */
function* drawImages(task: OpenTask, batch: readonly number[]): BatchSteps<TracedImage[]> {
  const { job: { plan, minLl }, training } = task;
  if (minLl !== undefined || isRedrawn(plan, training.count)) return yield* drawUntilAccepted(task, batch);
  return yield* drawBatch(task, batch.map((place) => ({ place, attempt: 0 })));
}

/** Returns the number of iterations of all layers, with those that project. */
export function iterationsOf({ layers }: Plan): number {
  return layers.reduce((sum, layer) => sum + iterationCount(layer), 0);
}

/** Does all tasks of a job one after another in the calling thread: its events are those of `runTask`. */
export function* runHere(
  kernels: Kernels,
  job: Job,
  onDraw?: Batch["onDraw"],
): Generator<DrawEvent<GroupImage & TracedImage>, void> {
  // A group is one task: its prior is fitted once.
  for (const task of tasksOf(job, Number.MAX_SAFE_INTEGER)) yield* runTask(kernels, job, task, { onDraw });
}
