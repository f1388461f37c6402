import { numbersFrom } from "../../../core/numbers.ts";
import { finish } from "../../../core/steps.ts";
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { kernelMemory, type Kernels, loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { imagesAt, type Job, tasksOf } from "../../../pipelines/run/job.ts";
import { run } from "../../../pipelines/run/run.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import type { GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs } from "../../hosts/deno/cli.ts";

const module = compiled("kernels.shared.wasm");

/** A job of six images, two at a time, from two groups of training images. */
function smallJob(): { job: Job; kernels: Kernels } {
  const kernels = loadKernels(module, kernelMemory({ shared: true })), planned = plan(digits, builtins);
  const images = { count: 20, height: 32, width: 32, pixels: blobs(20, 32) };
  const groups = [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11]].map((chosen, group) => {
    const numbers = [group, group + 2, group + 4];
    return {
      training: finish(trainingPyramid(kernels, images, planned.sizes, chosen)),
      numbers,
      seedImages: seedImages(kernels, images, planned.sizes, numbers.map((number) => 12 + number)),
    };
  });
  return { job: { plan: planned, seed: 3, batch: 2, groups }, kernels };
}

/** Runs a job. Returns its images in the order in which they came, and its progress. */
async function made(
  { job, kernels }: ReturnType<typeof smallJob>,
  runner: Runner,
  { progress = () => {}, image = () => {} }: {
    progress?: () => void;
    image?: () => void | Promise<void>;
  } = {},
) {
  const done: GroupImage[] = [], parts: number[] = [];
  for await (const event of run(job, runner, kernels)) {
    if (event.type === "progress") {
      parts.push(event.done);
      progress();
    }
    if (event.type === "image") {
      done.push(event.image);
      await image();
    }
  }
  return { done, parts };
}

/** A runner without threads for 0, otherwise Deno's. */
function runnerOf(threads: number, signal?: AbortSignal): Runner {
  if (threads > 0) return denoRunner({ threads, quiet: true, signal });
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
  return inlineRunner({ module, pause, now: () => performance.now(), signal });
}

Deno.test("tasksOf: all images of every group in their order, each with its seed image and observations", () => {
  for (const counts of [[0], [1], [2, 3], [7, 0, 4]]) {
    for (const batch of [1, 2, 3, 100]) {
      const groups = counts.map((count, g) => {
        const numbers = numbersFrom(10 * g, 10 * g + count), values = Float32Array.from(numbers.flatMap((n) => [n, n]));
        const observed = [{ values, weights: values.map((value) => -value) }];
        return { training: undefined as never, numbers, seedImages: values, observed };
      });
      const tasks = tasksOf({ groups, batch });
      assert(tasks.every(({ numbers }) => numbers.length > 0 && numbers.length <= batch));
      groups.forEach(({ numbers }, group) => {
        const ofGroup = tasks.filter((task) => task.group === group);
        assertEquals(ofGroup.flatMap((task) => task.numbers), numbers);
        for (const { numbers, seedImages, observed } of ofGroup) {
          assertEquals([...seedImages!], numbers.flatMap((n) => [n, n]));
          assertEquals([...observed![0].weights], numbers.flatMap((n) => [-n, -n]));
        }
      });
    }
  }
  const images = { numbers: [5, 6, 7], seedImages: Float32Array.of(50, 60, 70) };
  assertEquals(imagesAt(images, [2, 0]), { numbers: [7, 5], seedImages: Float32Array.of(70, 50) });
});

Deno.test("run: the same images on any number of threads, and progress up to 1", async () => {
  const one = smallJob(), height = one.kernels.mark(), here = await made(one, runnerOf(0));
  assertEquals(one.kernels.mark(), height, "all kernel memory is given back");
  for (const threads of [1, 2, 3]) {
    const { done, parts } = await made(smallJob(), runnerOf(threads));
    const byNumber = (a: GroupImage, b: GroupImage) => a.number - b.number;
    assertEquals(done.toSorted(byNumber), here.done.toSorted(byNumber));
    // Workers say after some milliseconds how far they are, not after every step.
    assert(parts.length >= 4 && parts.every((part, i) => part >= (parts[i - 1] ?? 0)), "it never falls");
    assertEquals(parts.at(-1), 1);
  }
  assertEquals(here.done.map(({ number, group }) => [number, group]), [[0, 0], [2, 0], [4, 0], [1, 1], [3, 1], [5, 1]]);
  const { parts } = here;
  assert(parts.length >= 40 && parts.every((part, i) => part >= (parts[i - 1] ?? 0)), "it never falls");
  assertEquals(parts.at(-1), 1);
});

Deno.test("run: tasks that go on are measured by what those had told that ended", async () => {
  const runner = runnerOf(0), given = smallJob();
  /** Each task tells of a fifth of its work, then has all of it. */
  const telling = {
    ...runner,
    async *run(program, work) {
      for await (const event of runner.run(program, work)) {
        if (event.type !== "result") continue;
        if (program.name === "synthesis") yield { type: "progress", part: 0.2, task: event.task };
        yield event;
      }
    },
  } as Runner;
  const told: number[] = [];
  for await (const event of run(given.job, telling, given.kernels)) {
    if (event.type === "progress" && event.phase === "images") told.push(event.done);
  }
  const whole = told.filter((_, i) => i % 2 === 1), first = told.filter((_, i) => i % 2 === 0);
  assertAlmostEquals(first[0], whole[0] / 5);
  whole.slice(1).forEach((done, i) => assertAlmostEquals(first[i + 1], done));
  assertEquals([told.length, told.at(-1)], [8, 1]);
});

Deno.test({
  name: "denoRunner: workers that stay do other jobs, fits and what a worker failed at before as new ones do",
  sanitizeOps: true,
  sanitizeResources: true,
  async fn() {
    const RealWorker = globalThis.Worker;
    let started = 0;
    globalThis.Worker = class extends RealWorker {
      constructor(...given: ConstructorParameters<typeof RealWorker>) {
        super(...given);
        started++;
      }
    };
    try {
      using runner = denoRunner({ threads: 2, quiet: true, stay: true });
      const byNumber = (a: GroupImage, b: GroupImage) => a.number - b.number, fresh = runnerOf(2);
      for (const seed of [1, 2, 3]) {
        const some = smallJob(), other = { ...some, job: { ...some.job, seed } };
        const [{ done: kept }, { done: wanted }] = [await made(other, runner), await made(other, fresh)];
        assertEquals(kept.toSorted(byNumber), wanted.toSorted(byNumber));
      }
      assertEquals(started, 2 + 3 * 2);
      const { job, kernels } = smallJob(), [first] = job.groups, broken = { ...first.training, hr: [] };
      const wrong = { ...job, groups: [{ ...first, training: broken }] };
      await assertRejects(() => made({ job: wrong, kernels }, runner), Error);
      assertEquals((await made({ job, kernels }, runner)).done.length, 6);
    } finally {
      globalThis.Worker = RealWorker;
    }
  },
});

Deno.test("run: once stopped, no task is finished any more", async () => {
  for (const threads of [0, 1, 2]) {
    const some = smallJob(), height = some.kernels.mark(), stop = new AbortController();
    const runner = runnerOf(threads, stop.signal);
    const { done } = await made(some, runner, { progress: () => stop.abort() });
    assert(done.length < 6, `${done.length} of 6`);
    assertEquals(some.kernels.mark(), height, "all kernel memory is given back");
    assertEquals(await made(some, runner), { done: [], parts: [] }, "nor begun");
  }
});

Deno.test("run: a worker's error comes out as it was, and ends the others' work", async () => {
  const { job, kernels } = smallJob();
  // No memory: every worker fails when it is set up.
  await assertRejects(() => made({ job, kernels: { ...kernels, memory: kernelMemory() } }, runnerOf(2)), Error);
  // A pyramid that there is not: the worker that begins its task fails, while the other has still much to do.
  const [first, second] = job.groups, many = [...Array(50)].flatMap(() => first.numbers);
  const training = { ...second.training, hr: [] };
  const wrong = {
    ...job,
    groups: [{ ...first, ...imagesAt(first, [0]) }, { ...second, training }, ...many.map(() => first)],
  };
  let finished = 0;
  const error = await assertRejects(
    () => made({ job: wrong, kernels }, runnerOf(2), { image: () => void finished++ }),
    Error,
  );
  assert(/^Cannot (read properties|destructure property)[^\n]*undefined[^\n]*$/.test(error.message), error.message);
  const before = finished;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals(finished, before, "nothing runs any more");
  assert(finished < 150, `${finished} of 451 images were finished all the same`);
});

Deno.test("run: an error of who takes the images is thrown", async () => {
  const image = () => Promise.reject(new Error("The disk is full"));
  for (const threads of [0, 1, 2]) {
    await assertRejects(() => made(smallJob(), runnerOf(threads), { image }), Error, "The disk is full");
  }
});
