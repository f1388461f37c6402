/**
 * Images per second of one profile, from seed images to finished bytes, in a process of its own: `deno run -A
 * bench/throughput.ts PROFILE CLASS|all THREADS` prints one JSON line. `bench/main.ts` makes tables of them.
 */
import { finish } from "../core/steps.ts";
import type { Kernels } from "../core/kernels.ts";
import { type Plan, plan } from "../core/plan.ts";
import { seedImages, trainingPyramid } from "../core/pyramid.ts";
import { profiles } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { numbersOfClass } from "../datasets/groups.ts";
import { denoRunner } from "../hosts/deno/workers/deno_runner.ts";
import { BATCH } from "../pipelines/run/job.ts";
import { run } from "../pipelines/run/run.ts";
import { builtins } from "../plugins/mod.ts";

/** What one process measured. */
export interface Throughput {
  readonly origin: string;
  readonly training: number;
  /** Seconds to read the data and build the pyramid. */
  readonly load: number;
  /** Images a second, for each of the rounds. */
  readonly rates: number[];
  /** Seconds an image by kernel, of the fastest round, where one thread works; the rest of the time is TypeScript. */
  readonly kernels: Record<string, number>;
  /** Bytes of the training images and their planes. */
  readonly pyramid: number;
  /** Peak resident memory in bytes, where the system tells. */
  readonly peak?: number;
}

const ROUNDS = 5;
/** Jobs of a round for each thread: of one class, where images are quick, more, so that starting workers does not tell. */
const JOBS = { class: 16, all: 2 };

async function measure(name: string, label: number | undefined, threads: number): Promise<Throughput> {
  const started = performance.now(), planned = plan(profiles[name], builtins);
  using runner = denoRunner({ threads, quiet: true, stay: true });
  const { kernels, seconds } = timed((await runner.kernels()).kernels);
  const before = kernels.mark(), { origin, training, test } = await read(kernels, planned, label);
  const pyramid = kernels.mark() - before, load = (performance.now() - started) / 1000;

  const chosen = numbersOfClass(test.labels, label, test.images.count);
  const jobs = (label === undefined ? JOBS.all : JOBS.class) * threads;
  const numbers = Array.from({ length: jobs * BATCH }, (_, i) => i), of = numbers.map((i) => chosen[i % chosen.length]);
  const group = { training, numbers, seedImages: seedImages(kernels, test.images, planned.sizes, of) };
  const rates: number[] = [];
  let fastest: Record<string, number> = {};
  for (let seed = 0; seed < ROUNDS; seed++) {
    seconds.clear();
    const begin = performance.now();
    for await (const _ of run({ plan: planned, seed, batch: BATCH, groups: [group] }, runner, kernels));
    const made = numbers.length, rate = made / (performance.now() - begin) * 1000;
    if (rate > Math.max(0, ...rates)) {
      fastest = Object.fromEntries(Array.from(seconds, ([kernel, all]) => [kernel, all / made]));
    }
    rates.push(rate);
  }
  return { origin, training: training.count, load, rates, kernels: fastest, pyramid, peak: await peak() };
}

/** Reads the data and builds the pyramid. The training images as they were read are not needed any longer: they can go. */
async function read(kernels: Kernels, planned: Plan, label: number | undefined) {
  const { origin, train: { images, labels }, test } = await findData(planned.profile.dataset);
  const training = finish(trainingPyramid(kernels, images, planned.sizes, numbersOfClass(labels, label, images.count)));
  return { origin, training, test };
}

/** Kernels that add up the seconds they take. */
function timed(kernels: Kernels): { kernels: Kernels; seconds: Map<string, number> } {
  const seconds = new Map<string, number>();
  const notTimed = new Set(["u8", "i16", "i32", "u32", "f32", "f64", "allocate", "reserve", "mark", "release"]);
  const watched = Object.entries(kernels).map(([name, member]) => {
    if (typeof member !== "function" || notTimed.has(name)) return [name, member];
    const call = member as (...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => {
      const begin = performance.now(), result = call(...args);
      seconds.set(name, (seconds.get(name) ?? 0) + (performance.now() - begin) / 1000);
      return result;
    }];
  });
  return { kernels: Object.fromEntries(watched) as Kernels, seconds };
}

async function peak(): Promise<number | undefined> {
  const status = await Deno.readTextFile("/proc/self/status").catch(() => "");
  const match = /VmHWM:\s+(\d+) kB/.exec(status);
  return match ? Number(match[1]) * 1024 : undefined;
}

if (import.meta.main) {
  const [name, label, threads] = Deno.args;
  console.log(JSON.stringify(await measure(name, label === "all" ? undefined : Number(label), Number(threads))));
}
