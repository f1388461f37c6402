/** Does a job on the threads of a runner: a stream of events. */
import type { Kernels } from "../../core/kernels.ts";
import { checkedImages } from "./checked_images.ts";
import { chooseNoise } from "./noise/choose.ts";
import { imageWork } from "./cost.ts";
import type { Event } from "./events.ts";
import { fitParts } from "./fit_parts.ts";
import { type Job, posted, type Task, tasksOf } from "./job.ts";
import { learnNoise } from "./noise/learn.ts";
import type { Runner } from "./runner.ts";
import { withStructures } from "./structures.ts";
import { synthesisProgram } from "./synthesis_program.ts";
import { hasThirdParty } from "./third_party.ts";
import { tryBoard } from "./try_board.ts";

/**
 * Does a job. Yields how much of the fit is done, `fitted`, then how much of the images, and each image; images come in any
 * order. If the runner's signal aborts, the iteration ends early, without the images that are missing.
 *
 * @param kernels those whose memory holds the training images of the job
 * @throws what a task throws, when the tasks beside it have ended
 */
export async function* run(job: Job, runner: Runner, kernels: Kernels): AsyncGenerator<Event, void> {
  const limited = await withStructures({ job, runner, kernels });
  const chosen = limited && (yield* chooseNoise({ job: limited, runner, kernels }));
  const learned = chosen && (await learnNoise({ job: chosen, runner, kernels }));
  let fitted: Job | undefined;
  for await (const event of learned ? fitParts({ job: learned, runner, kernels }) : []) {
    if (event.type === "fitted") fitted = event.job;
    yield event;
  }
  if (!fitted) return;
  const tasks = tasksOf(job), done = jobMeter(job, runner, tasks);
  const thirdParty = hasThirdParty(job.plan);
  const board = tryBoard(fitted, tasks, runner.threads, kernels);
  // Threads that have no further images help the others.
  const helping = board ? Array.from({ length: runner.threads - 1 }, () => ({ ...HELP, group: board.group })) : [];
  const work = { setUp: posted({ ...fitted, board }), tasks: [...tasks, ...helping], kernels, thirdParty };
  for await (const event of runner.run(synthesisProgram, work)) {
    const { task } = event;
    if (task >= tasks.length) continue; // the threads that it helps report what is done
    if (event.type === "progress") {
      // A third-party plugin could forge the part.
      if (event.part >= 0) yield { type: "progress", phase: "images", done: done(task, event.part) };
      continue;
    }
    const images = runner.isolated ? checkedImages(event.result, tasks[task], job) : event.result;
    yield { type: "progress", phase: "images", done: done(task, 1, true) };
    for (const image of images) yield { type: "image", image };
  }
}

/** A task without images of its own. */
const HELP = { numbers: [], helps: true };

/**
 * Returns a function that adds a part of a task to what is done, and returns the part of all work that is done. Tasks expect more or
 * less work than they take: those that go on are measured by what those had told that ended.
 */
function jobMeter({ plan, groups }: Job, { isolated }: Runner, tasks: readonly Task[]) {
  // Where plugins run in workers only, their work is unknown here: an image is then compared with all training images.
  const works = groups.map(({ training: { hr: [hr], count } }) => isolated ? count : imageWork(plan, hr, count).whole);
  const weights = tasks.map(({ group, numbers }) => numbers.length * (works[group] ?? 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0), parts = new Float64Array(tasks.length);
  let ended = 0, told = 0, most = 0;
  return (task: number, part: number, isEnd = false): number => {
    if (isEnd) {
      ended++;
      told += parts[task];
    }
    parts[task] = Math.min(parts[task] + part, 1);
    const scale = told > 0 ? ended / told : 1;
    const done = parts.reduce((sum, part, task) => sum + Math.min(part * scale, 1) * weights[task], 0) / all;
    most = Math.max(most, done);
    return most;
  };
}
