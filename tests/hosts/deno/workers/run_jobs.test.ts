import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { kernelMemory, loadKernels } from "../../../../core/kernels.ts";
import { plan } from "../../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../../core/pyramid.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import type { GroupImage, Job, Work } from "../../../../hosts/deno/workers/job.ts";
import { runJobs, runJobsOnThreads, type Watch } from "../../../../hosts/deno/workers/run_jobs.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { compiled } from "../../../kernels_under_test.ts";
import { blobs, files, readResult, type Result, start, withFolder } from "../cli.ts";

const module = compiled("kernels.shared.wasm");

/** Work on six images in jobs of two, from two groups of training images. */
function work(): { work: Work; jobs: Job[] } {
  const kernels = loadKernels(module, kernelMemory({ shared: true })), planned = plan(digits, builtins);
  const images = { count: 20, height: 32, width: 32, pixels: blobs(20, 32) };
  const trainings = [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11]].map((chosen) =>
    trainingPyramid(kernels, images, planned.sizes, chosen)
  );
  const jobs = [[0, 2], [4], [1, 3], [5]].map((numbers) => ({
    group: numbers[0] % 2,
    images: numbers,
    seedImages: seedImages(kernels, images, planned.sizes, numbers.map((number) => 12 + number)),
  }));
  return { work: { kernels, plan: planned, trainings, seed: 3, batch: 2 }, jobs };
}

/** A watch that keeps what it is told. */
function keeper(change: Partial<Watch> = {}) {
  const told: number[] = [], done: GroupImage[] = [];
  const watch: Watch = {
    progress: (part) => void told.push(part),
    finished: (images) => Promise.resolve(void done.push(...images)),
    stopped: () => false,
    ...change,
  };
  return { watch, told, done };
}

Deno.test("runJobs and runJobsOnThreads: the same images, and progress up to 1", async () => {
  const one = work(), here = keeper();
  const height = one.work.kernels.mark();
  await runJobs(one.work, one.jobs, here.watch);
  assertEquals(one.work.kernels.mark(), height, "all kernel memory is given back");
  for (const threads of [1, 2, 3]) {
    const { work: again, jobs } = work(), there = keeper();
    await runJobsOnThreads(again, module, jobs, threads, there.watch);
    const byNumber = (a: GroupImage, b: GroupImage) => a.number - b.number;
    assertEquals(there.done.toSorted(byNumber), here.done.toSorted(byNumber));
    assertEquals(there.told, here.told);
  }
  assertEquals(here.done.map(({ number }) => number), [0, 2, 4, 1, 3, 5]);
  assertEquals(here.told, Array.from({ length: 40 }, (_, i) => (i + 1) / 40), "four jobs of ten iterations");
});

Deno.test("runJobs and runJobsOnThreads: once stopped, no job is finished any more", async () => {
  for (const threads of [0, 2]) {
    const { work: some, jobs } = work();
    const { watch, done, told } = keeper({ stopped: () => told.length > 0 });
    if (threads === 0) await runJobs(some, jobs, watch);
    else await runJobsOnThreads(some, module, jobs, threads, watch);
    assert(done.length < 6, `${done.length} of 6`);
  }
});

Deno.test("runJobsOnThreads: a worker's error comes out as it was, and ends the others' work", async () => {
  const { work: some, jobs } = work();
  // No memory: every worker fails when it is set up.
  const broken = { ...some, kernels: { ...some.kernels, memory: kernelMemory() } };
  await assertRejects(() => runJobsOnThreads(broken, module, jobs, 2, keeper().watch), Error);
  // A group that there is not: the worker that begins this job fails, while the other has still much to do.
  const { watch, done } = keeper(), many = Array.from({ length: 50 }, () => jobs).flat();
  const wrong = many.with(1, { ...jobs[1], group: 7 });
  const error = await assertRejects(() => runJobsOnThreads(some, module, wrong, 2, watch), Error);
  assert(/^Cannot read properties of undefined[^\n]*$/.test(error.message), error.message);
  const finished = done.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals(done.length, finished, "nothing runs any more");
  assert(finished < 150, `${finished} of 300 images were finished all the same`);
});

Deno.test("runJobs and runJobsOnThreads: an error of who takes the images is thrown", async () => {
  const finished = () => Promise.reject(new Error("The disk is full"));
  const { work: some, jobs } = work();
  await assertRejects(() => runJobs(some, jobs, keeper({ finished }).watch), Error, "The disk is full");
  await assertRejects(
    () => runJobsOnThreads(some, module, jobs, 2, keeper({ finished }).watch),
    Error,
    "The disk is full",
  );
});

for (const [signal, threads] of [["SIGINT", "1"], ["SIGINT", "2"], ["SIGTERM", "1"], ["SIGTERM", "2"]] as const) {
  Deno.test(`synth: ${signal} with ${threads} threads leaves the finished images, and says how many`, async () => {
    await withFolder(async (folder) => {
      const words = ["synth", "--profile", "digits", "--class", "3", "--count", "5000", "--threads", threads];
      const child = start([...words, "--out", folder]), output = child.output();
      while ((await files(folder)).filter((name) => name.endsWith(".png")).length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      child.kill(signal);
      const { code, stdout, stderr } = await output, { run, count }: Result = await readResult(folder);
      assertEquals([code, stdout.length, run.wanted, run.finished], [1, 0, 5000, count]);
      assert(count > 0 && count < 5000, `${count}`);
      const last = new TextDecoder().decode(stderr).trimEnd().split("\n").slice(1);
      assertEquals(last, [`Stopped: ${count} of 5000 images were finished and are in ${folder}`]);
    });
  });
}

Deno.test("synth: a signal before the first image is finished leaves an earlier result as it was", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "run.json"), "an earlier one");
    const words = ["synth", "--profile", "digits", "--class", "all", "--threads", "1", "--out", folder];
    const child = start([...words, "--set", "prior.neighbours=2000"]);
    // The signal is listened to when the first line is said.
    const lines = child.stderr.pipeThrough(new TextDecoderStream());
    let said = "";
    for await (const text of lines) {
      if (said === "") child.kill("SIGINT");
      said += text;
    }
    await child.stdout.cancel();
    assertEquals((await child.status).code, 1);
    assertEquals(said.split("\n")[1], `Stopped before the first image was finished: ${folder} is as it was`);
    assertEquals(await files(folder), ["run.json"]);
    assertEquals(await Deno.readTextFile(join(folder, "run.json")), "an earlier one");
  });
});
