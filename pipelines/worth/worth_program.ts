/** Measures what synthetic images are worth as a program of threads: a task is one draw of real images. */
import { borrowingSteps, type Kernels } from "../../core/kernels.ts";
import { nearestIn, rowsOf } from "../../core/nearest.ts";
import { type Plan, plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { lengthOf } from "../../core/shape.ts";
import { PROGRESS, type Progress, type Steps } from "../../core/steps.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { knownClasses } from "../../datasets/groups.ts";
import type { Program, TaskPart } from "../run/runner.ts";
import { type Accuracies, accuracies, type Examples } from "./classifiers.ts";
import { drawOfEach, drawSome } from "./draw_examples.ts";
import { methodExamples, padded, sourceImages } from "./methods.ts";
import { type ClassifierName, readMethod } from "./names.ts";
import { syntheticImages } from "./synthetic.ts";

/** What all tasks share, as plain data. */
export interface WorthSetUp {
  readonly profile: Profile;
  readonly train: LabelledImages;
  readonly test: LabelledImages;
  /** Synthetic images to learn from alone; without them they are made. */
  readonly alone?: LabelledImages;
  readonly classifiers: readonly ClassifierName[];
  readonly methods: readonly string[];
  /** Images that a method adds to each class. */
  readonly added: number;
  /** Test images of a draw. */
  readonly tested: number;
  /** The random seed. */
  readonly seed: number;
}

/** A draw: `each` real images of every class, or `only` synthetic images alone, against as many real ones. */
export type WorthTask =
  | { readonly draw: number; readonly each: number }
  | { readonly draw: number; readonly only: number };

/** How often classifiers were right, by the names of the images that they learned from and were tested on. */
export interface WorthResult {
  readonly accuracies: Readonly<Record<string, Accuracies>>;
  /** For synthetic images alone: the least quotient of the distances to the nearest and the second nearest training image. */
  readonly leastQuotient?: number;
}

/** The names of the results of synthetic images alone. */
export const ONLY = {
  real: "real, same number",
  synthetic: "synthetic alone",
  tested: "real, tested on synthetic",
} as const;

/** Runs `WorthTask`s. */
export const worthProgram: Program<WorthSetUp, WorthTask, WorthResult> = {
  name: "worth",
  prepare({ kernels, plugins }, setUp) {
    const planned = plan(setUp.profile, plugins);
    return (task) =>
      "each" in task ? fewExamples(kernels, planned, setUp, task) : onlySynthetic(kernels, planned, setUp, task);
  },
};

/** What a task yields: where it may pause, and how much of it is done. */
type WorthSteps = Generator<Progress & Partial<TaskPart>, WorthResult>;

/** Tests classifiers that learned from a few real images, and from these with the images that each method adds. */
function* fewExamples(
  kernels: Kernels,
  plan: Plan,
  { train, test, classifiers, methods: names, added, tested, seed }: WorthSetUp,
  { draw, each }: { readonly draw: number; readonly each: number },
): WorthSteps {
  const real = drawOfEach(train, each, seed, draw), input = { kernels, plan, real, seed, draw, added };
  const tests = [padded(drawSome(test, tested, seed, draw), plan.sizes[0])], methods = names.map(readMethod);
  const examples = yield* sourceImages(input, new Set(methods.flatMap(({ sources }) => sources)));
  const byMethod: Record<string, Accuracies> = {};
  for (const method of methods) {
    [byMethod[method.name]] = yield* accuracies(kernels, classifiers, methodExamples(method, examples, input), tests);
    yield { ...PROGRESS, part: 1 / methods.length };
  }
  return { accuracies: byMethod };
}

/**
 * Tests classifiers that learned from synthetic images alone (GAN-train), and from as many real ones. The latter are also tested on
 * synthetic images (GAN-test).
 */
function* onlySynthetic(
  kernels: Kernels,
  plan: Plan,
  { train, test, alone, classifiers, tested, seed }: WorthSetUp,
  { draw, only }: { readonly draw: number; readonly only: number },
): WorthSteps {
  const [size] = plan.sizes, count = Math.ceil(only / knownClasses(train.labels!).length);
  const synthetic = alone
    ? padded(drawOfEach(alone, count, seed, draw), size)
    : yield* syntheticImages({ kernels, plan, train, seed, first: draw * count, count });
  const tests = padded(drawSome(test, tested, seed, draw), size),
    real = padded(drawOfEach(train, count, seed, draw), size);
  const [onTests] = yield* accuracies(kernels, classifiers, synthetic, [tests]);
  yield { ...PROGRESS, part: 1 / 3 };
  const [ofReal, onSynthetic] = yield* accuracies(kernels, classifiers, real, [tests, synthetic]);
  yield { ...PROGRESS, part: 1 / 3 };
  return {
    accuracies: { [ONLY.real]: ofReal, [ONLY.synthetic]: onTests, [ONLY.tested]: onSynthetic },
    leastQuotient: yield* leastQuotient(kernels, synthetic, padded(train, size)),
  };
}

/** Images that are looked up between two pauses: a tenth of a second on 60,000 digits. */
const TOGETHER = 8;

/** Divides each image's distance to the nearest of other images by that to the second nearest. Returns the least quotient; a copy has 0. */
function leastQuotient(
  kernels: Kernels,
  { images }: Examples,
  { images: others }: Examples,
): Steps<number> {
  return borrowingSteps(kernels, function* () {
    const set = rowsOf(kernels, images), training = rowsOf(kernels, others), length = lengthOf(set);
    let least = Infinity;
    for (let first = 0; first < set.count; first += TOGETHER) {
      const part = { ...set, count: Math.min(TOGETHER, set.count - first), at: set.at + first * length };
      const { squared } = nearestIn(kernels, part, training, 2);
      for (let i = 0; i < squared.length; i += 2) least = Math.min(least, Math.sqrt(squared[i] / squared[i + 1]) || 0);
      yield PROGRESS;
    }
    return least;
  });
}
