import { assert, assertEquals, assertRejects } from "@std/assert";
import { kernelMemory, loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { inlineRunner } from "../../inline_runner.ts";
import type { Runner } from "../../../pipelines/runner.ts";
import {
  type GroupImage,
  type SynthesisTask,
  type SynthesisWatch,
  synthesizeTasks,
} from "../../../pipelines/synthesis/synthesis_tasks.ts";
import type { SynthesisWork } from "../../../pipelines/synthesis/synthesis_work.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs } from "../../hosts/deno/cli.ts";

const module = compiled("kernels.shared.wasm");

/** Work on six images in tasks of two, from two groups of training images. */
function work(): { work: SynthesisWork; tasks: SynthesisTask[] } {
  const kernels = loadKernels(module, kernelMemory({ shared: true })), planned = plan(digits, builtins);
  const images = { count: 20, height: 32, width: 32, pixels: blobs(20, 32) };
  const trainings = [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11]].map((chosen) =>
    trainingPyramid(kernels, images, planned.sizes, chosen)
  );
  const tasks = [[0, 2], [4], [1, 3], [5]].map((numbers) => ({
    group: numbers[0] % 2,
    images: numbers,
    seedImages: seedImages(kernels, images, planned.sizes, numbers.map((number) => 12 + number)),
  }));
  return { work: { kernels, plan: planned, trainings, seed: 3, batch: 2 }, tasks };
}

/** A watch that keeps what it is given. */
function keeper(change: Partial<SynthesisWatch> = {}) {
  const told: number[] = [], done: GroupImage[] = [];
  const watch: SynthesisWatch = {
    progress: (part) => void told.push(part),
    finished: (images) => void done.push(...images),
    ...change,
  };
  return { watch, told, done };
}

/** A runner without threads for 0, otherwise Deno's. */
function runnerOf(threads: number, stopped: () => boolean = () => false): Runner {
  if (threads > 0) return denoRunner({ threads, quiet: true, stopped });
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
  return inlineRunner({ module, pause, now: () => performance.now(), stopped });
}

Deno.test("synthesizeTasks: the same images on any number of threads, and progress up to 1", async () => {
  const one = work(), here = keeper();
  const height = one.work.kernels.mark();
  assertEquals(await synthesizeTasks(runnerOf(0), one.work, one.tasks, here.watch), true);
  assertEquals(one.work.kernels.mark(), height, "all kernel memory is given back");
  for (const threads of [1, 2, 3]) {
    const { work: again, tasks } = work(), there = keeper();
    assertEquals(await synthesizeTasks(runnerOf(threads), again, tasks, there.watch), true);
    const byNumber = (a: GroupImage, b: GroupImage) => a.number - b.number;
    assertEquals(there.done.toSorted(byNumber), here.done.toSorted(byNumber));
    const { told } = there; // workers say after some milliseconds how far they are, not after every step
    assert(told.length >= tasks.length && told.every((part, i) => part >= (told[i - 1] ?? 0)), "it never falls");
    assertEquals(told.at(-1), 1);
  }
  assertEquals(here.done.map(({ number }) => number), [0, 2, 4, 1, 3, 5]);
  assert(here.told.length >= 40 && here.told.every((part, i) => part >= (here.told[i - 1] ?? 0)), "it never falls");
  assertEquals(here.told.at(-1), 1);
});

Deno.test("synthesizeTasks: once stopped, no task is finished any more", async () => {
  for (const threads of [0, 1, 2]) {
    const { work: some, tasks } = work(), { watch, done, told } = keeper(), height = some.kernels.mark();
    const runner = runnerOf(threads, () => told.length > 0);
    assertEquals(await synthesizeTasks(runner, some, tasks, watch), false);
    assert(done.length < 6, `${done.length} of 6`);
    assertEquals(some.kernels.mark(), height, "all kernel memory is given back");
  }
});

Deno.test("synthesizeTasks: a worker's error comes out as it was, and ends the others' work", async () => {
  const { work: some, tasks } = work();
  // No memory: every worker fails when it is set up.
  const broken = { ...some, kernels: { ...some.kernels, memory: kernelMemory() } };
  await assertRejects(() => synthesizeTasks(runnerOf(2), broken, tasks, keeper().watch), Error);
  // A group that there is not: the worker that begins this task fails, while the other has still much to do.
  const { watch, done } = keeper(), many = Array.from({ length: 50 }, () => tasks).flat();
  const wrong = many.with(1, { ...tasks[1], group: 7 });
  const error = await assertRejects(() => synthesizeTasks(runnerOf(2), some, wrong, watch), Error);
  assert(/^Cannot (read properties|destructure property)[^\n]*undefined[^\n]*$/.test(error.message), error.message);
  const finished = done.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals(done.length, finished, "nothing runs any more");
  assert(finished < 150, `${finished} of 300 images were finished all the same`);
});

Deno.test("synthesizeTasks: an error of who takes the images is thrown", async () => {
  const finished = () => Promise.reject(new Error("The disk is full"));
  for (const threads of [0, 1, 2]) {
    const { work: some, tasks } = work();
    await assertRejects(
      () => synthesizeTasks(runnerOf(threads), some, tasks, keeper({ finished }).watch),
      Error,
      "The disk is full",
    );
  }
});
