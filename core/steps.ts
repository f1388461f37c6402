/** Long work in steps, so that a host can do other things in between, and how much of it there is. */
import type { KernelMemory } from "./kernels.ts";
import { lengthOf, type Shape } from "./shape.ts";
import type { LayerOutline } from "./types.ts";

/**
 * Work that was done, in comparisons: one is to compare one value of an example with one of an image. Of a batch of images one
 * core does some 10^10 a second, of one image a half to a fifth of that (`bench/main.ts`). Other work counts as the comparisons that
 * take as long.
 */
export type WorkDone = number;

/** Long work that yields, after each of its steps, what the step did. */
export type Steps<Result> = Generator<WorkDone, Result>;

/** Steps of less work than this are yielded together: a pause would take as long as they do. */
export const MIN_STEP = 2 ** 20;
/** The work of a step that cannot be counted. A host pauses after it. */
export const UNCOUNTED: WorkDone = Infinity;

/** Runs work to its end and returns its result. */
export function finish<Result>(steps: Generator<unknown, Result>): Result {
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** Does work that allocates kernel memory. If it fails or is closed early, the memory is given back. */
export function* releasedUnlessDone<Result>(
  { mark, release }: Pick<KernelMemory, "mark" | "release">,
  steps: Steps<Result>,
): Steps<Result> {
  const height = mark();
  let isDone = false;
  try {
    const result = yield* steps;
    isDone = true;
    return result;
  } finally {
    if (!isDone) release(height);
  }
}

/** Passes on what work yields as intermediate results, and leaves out what its steps did. */
export function* withoutSteps<Value extends object, Result>(
  steps: Generator<Value | WorkDone, Result>,
): Generator<Value, Result> {
  try {
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      if (typeof step.value === "object") yield step.value;
    }
  } finally {
    steps.return(undefined as Result); // if the caller closes this generator
  }
}

/** Returns how many values an LR patch and its context have. */
export function comparedPixels({ patch, channels, context }: LayerOutline): number {
  return channels * ((patch / 2) ** 2 + context.length);
}

/** Returns the most offsets that lie in the neighbour window of a location. */
export function offsetsInWindow({ window }: LayerOutline): number {
  return (2 * Math.max(window, 1) - 1) ** 2;
}

/** The X-step of a value: the paper's parameters need fewer than 30 steps of conjugate gradients, each some additions. */
const PER_VALUE: WorkDone = 200;

/** Returns the work of the X-step on one image or on one channel of it. */
export function mergeWork(shape: Shape): WorkDone {
  return PER_VALUE * lengthOf(shape);
}
