/**
 * Finds the nearest other training images of every training image: once for all metrics that ask for it, on all threads, and kept
 * for later runs. With thousands of photographs it takes longer than all that a metric does with it.
 */
import { cacheKey } from "../../core/array_bytes.ts";
import { borrowing } from "../../core/kernels.ts";
import { nearestIn, rowsOf } from "../../core/nearest.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { NeighbourDistances } from "../../core/metric.ts";
import type { Program, Runner } from "../run/runner.ts";

/** Training images of a task: few enough that progress moves and threads end at about the same time. */
const PART = 100;

/** The set, and how many neighbours of each image are looked for. */
interface NeighboursSetUp {
  readonly training: Images;
  readonly each: number;
}

/** Finds the squared distances of the images from number `task` on, `PART` of them at most. */
export const neighboursProgram: Program<NeighboursSetUp, number, Float64Array> = {
  name: "training-neighbours",
  prepare({ kernels }, { training, each }) {
    const set = rowsOf(kernels, training), length = lengthOf(set);
    // deno-lint-ignore require-yield
    return function* (first) {
      const part = { ...set, count: Math.min(PART, set.count - first), at: set.at + first * length };
      return borrowing(kernels, () => nearestIn(kernels, part, set, each, (query) => first + query).squared);
    };
  },
};

/**
 * Finds the `each` nearest other images of every image.
 *
 * @param progress is called with the part of the work that is done, 0..1; never if the result was kept
 * @throws {Error} if the runner is stopped
 */
export async function trainingNeighbours(
  runner: Runner,
  training: Images,
  each: number,
  progress: (done: number) => void,
): Promise<NeighbourDistances> {
  const { count } = training, key = keyOf(training, each);
  const cached = await runner.cache?.read(neighboursProgram.name, key);
  if (cached?.length === count * each * 8) return { each, squared: new Float64Array(cached.slice().buffer) };
  const tasks = Array.from({ length: Math.ceil(count / PART) }, (_, part) => part * PART);
  const squared = new Float64Array(count * each);
  let done = 0;
  for await (const event of runner.run(neighboursProgram, { setUp: { training, each }, tasks })) {
    if (event.type !== "result") continue;
    squared.set(event.result, tasks[event.task] * each);
    progress(++done / tasks.length);
  }
  if (done < tasks.length) throw new Error("Stopped before the neighbours of the training images were found");
  await runner.cache?.write(neighboursProgram.name, key, new Uint8Array(squared.buffer));
  return { each, squared };
}

/** Everything that the neighbours depend on, except the code: their number, the shape of the images, their pixels. */
function keyOf({ count, height, width, channels = 1, pixels }: Images, each: number): Uint8Array {
  return cacheKey(JSON.stringify({ each, count, height, width, channels }), pixels);
}
