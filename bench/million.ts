/**
 * How far the exact search reaches: digits from up to a million training images, warped from MNIST, of all classes together.
 * Every row is measured in a process of its own on one thread. `deno run -A bench/million.ts [COUNT...]`.
 *
 * The seconds are those of the thread's own CPU time where the system counts it (Linux), for a whole image of a batch of 64: the
 * search, the draws, and the nearest training image. The keys of 10,000 queries are compared with those of all distances.
 */
import { type Comparison, type Kernels, loadKernels, searchScratch } from "../core/kernels.ts";
import { type Plan, plan } from "../core/plan.ts";
import { pyramidOf, seedImages, type TrainingPyramid } from "../core/pyramid.ts";
import { finish } from "../core/steps.ts";
import type { Images } from "../core/types.ts";
import { digitsPaper } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { runHere } from "../pipelines/run/run_task.ts";
import { BATCH } from "../pipelines/run/job.ts";
import { builtins } from "../plugins/mod.ts";
import { warpedDigits } from "./warped_digits.ts";

const COUNTS = [60_000, 250_000, 1_000_000], QUERIES = 10_000;
/** So many queries are compared with all examples together, to share the cost of reading these. */
const TOGETHER = 16;

/** One row: seconds, bytes, and how many queries have the keys of a brute-force search. */
interface Measured {
  readonly count: number;
  /** To warp the images and to build the pyramid. */
  readonly build: number;
  readonly pyramid: number;
  readonly peak: number;
  readonly anImage: number;
  readonly search: number;
  readonly queries: number;
  readonly equal: number;
}

async function measure(count: number): Promise<Measured> {
  const planned = plan({ ...digitsPaper, classwise: false }, builtins);
  const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(wasm));
  const { train, test } = await findData(planned.profile.dataset);
  const started = cpuSeconds(), before = kernels.mark();
  const write = warpedDigits(train.images);
  const training = finish(pyramidOf(kernels, planned.sizes, { count, channels: 1, write }));
  const build = cpuSeconds() - started, pyramid = kernels.mark() - before;

  let search = 0;
  const timed: Kernels = {
    ...kernels,
    search(...given) {
      const begin = cpuSeconds(), found = kernels.search(...given);
      search += cpuSeconds() - begin;
      return found;
    },
  };
  const begin = cpuSeconds();
  synthesizeBatch(timed, planned, training, test.images, 0);
  const anImage = (cpuSeconds() - begin) / BATCH, peak = peakBytes();

  // The memory must not grow while a prior draws: room for the distances of `equalKeys` on top of all that a batch took.
  kernels.reserve(kernels.memory.buffer.byteLength + TOGETHER * count * 4 + 2 ** 20);
  let queries = 0, equal = 0;
  const checked: Kernels = {
    ...kernels,
    search(comparison, k, hints, out) {
      const found = kernels.search(comparison, k, hints, out), batch = Math.min(comparison.batch, QUERIES - queries);
      equal += equalKeys(kernels, { ...comparison, batch }, k, found, out);
      queries += batch;
      return found;
    },
  };
  for (let first = 0; queries < QUERIES; first += BATCH) {
    synthesizeBatch(checked, planned, training, test.images, first);
  }
  return { count, build, pyramid, peak, anImage, search: search / BATCH, queries, equal };
}

function synthesizeBatch(kernels: Kernels, plan: Plan, training: TrainingPyramid, test: Images, first: number): void {
  const numbers = Array.from({ length: BATCH }, (_, i) => first + i);
  const group = { training, numbers, seedImages: seedImages(kernels, test, plan.sizes, numbers) };
  finish(runHere(kernels, { plan, seed: 1, batch: BATCH, groups: [group] }));
}

/** Counts the queries whose keys at `out` are those of a comparison with all examples. */
function equalKeys(kernels: Kernels, comparison: Comparison, k: number, found: number, out: number): number {
  const { planes, runs = 0, count, segments, batch } = comparison, values = planes + 8 * runs, mark = kernels.mark();
  const table = kernels.allocate(planes * 4), queries = kernels.allocate(TOGETHER * planes * 2);
  const scratch = kernels.allocate(searchScratch(planes, TOGETHER, 0)),
    distances = kernels.allocate(TOGETHER * count * 4);
  let equal = 0;
  for (let first = 0; first < batch; first += TOGETHER) {
    const together = Math.min(TOGETHER, batch - first),
      nearest = Array.from({ length: together }, () => nearestOf(found));
    for (let b = 0; b < together; b++) {
      const query = kernels.i16(comparison.queries + (first + b) * values * 2, planes);
      kernels.i16(queries + b * planes * 2, planes).set(query);
    }
    for (let segment = 0; segment < segments; segment++) {
      const addresses = kernels.u32(comparison.table + segment * (planes + runs) * 4, planes);
      kernels.u32(table, planes).set(addresses);
      const one = { table, scale: comparison.scale, queries, planes, count, segments: 1, batch: together, scratch };
      kernels.addDistances(one, distances);
      if (first === 0 && segment === 0) checkDistances(kernels, one, distances);
      nearest.forEach(({ add }, b) => add(segment * count, kernels.i32(distances + b * count * 4, count)));
    }
    nearest.forEach(({ keys }, b) => {
      const words = kernels.u32(out + (first + b) * k * 8, 2 * found);
      equal += Number(keys().every(([distance, index], n) => words[2 * n] === index && words[2 * n + 1] === distance));
    });
  }
  kernels.release(mark);
  return equal;
}

/** The `found` nearest examples of one query, (distance, index) in ascending order. */
function nearestOf(found: number) {
  let keys: (readonly [distance: number, index: number])[] = [], bound = Infinity;
  const cut = () => {
    keys = keys.sort(([a, i], [b, j]) => a - b || i - j).slice(0, found);
    if (keys.length === found) bound = keys[found - 1][0];
  };
  return {
    /** Adds examples, whose indices begin at `first`. They come in ascending order: of two as near the first one counts. */
    add(first: number, distances: Int32Array) {
      for (let j = 0; j < distances.length; j++) {
        if (distances[j] < bound && keys.push([distances[j], first + j]) === 8 * found) cut();
      }
    },
    keys: () => (cut(), keys),
  };
}

/** Compares the distances of the kernel with those in plain arithmetic, for the first query. */
function checkDistances(
  kernels: Kernels,
  { table, scale, queries, planes, count }: Comparison,
  distances: number,
): void {
  const sums = new Float64Array(count), addresses = kernels.u32(table, planes);
  const scales = kernels.i16(scale, planes), query = kernels.i16(queries, planes);
  for (let p = 0; p < planes; p++) {
    const plane = kernels.u8(addresses[p], count);
    for (let j = 0; j < count; j++) sums[j] += (scales[p] * plane[j] - query[p]) ** 2;
  }
  const wrong = kernels.i32(distances, count).findIndex((distance, j) => distance !== sums[j]);
  if (wrong >= 0) throw new Error(`The distance of example ${wrong} is not ${sums[wrong]}`);
}

/** CPU time of this thread, which other programs do not add to; the time of day where the system does not count it. */
function cpuSeconds(): number {
  try {
    return Number(Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/schedstat`).split(" ")[0]) / 1e9;
  } catch {
    return performance.now() / 1000;
  }
}

/** The most memory that the process has had, where the system tells it. */
function peakBytes(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync("/proc/self/status"))?.[1]) * 1024;
  } catch {
    return NaN;
  }
}

if (Deno.args[0] === "--one") console.log(JSON.stringify(await measure(Number(Deno.args[1]))));
else {
  console.log("| images | build, s | pyramid, MB | peak, MB | s an image and core | of which search | equal keys |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const count of Deno.args.length > 0 ? Deno.args : COUNTS) {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", import.meta.filename!, "--one", String(count)],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const of: Measured = JSON.parse(new TextDecoder().decode(stdout)),
      mega = (bytes: number) => Math.round(bytes / 1e6);
    const time = [of.anImage, of.search].map((seconds) => seconds.toFixed(3));
    const row = [
      of.count,
      of.build.toFixed(1),
      mega(of.pyramid),
      mega(of.peak),
      ...time,
      `${of.equal} of ${of.queries}`,
    ];
    console.log(`| ${row.join(" | ")} |`);
  }
}
