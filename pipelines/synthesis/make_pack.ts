/** Makes packs: chooses the training images and the seed images of a data set, and writes the file's bytes. */
import { counted } from "../../core/counted.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { seedImages } from "../../core/pyramid.ts";
import { lengthOf } from "../../core/shape.ts";
import { type coverage, coverageSteps } from "../../datasets/coverage.ts";
import { type DataSet, pick, type SeedImages } from "../../datasets/data_set.ts";
import { type Pack, packLength, readPack, writePack } from "../../datasets/formats/pack.ts";
import { classText, classTexts, knownClasses, numbersOfClass, withoutTraining } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import { openSynthesizer } from "./synthesizer.ts";
import { packedSizes, seedShape, takeSeedImages } from "./take_seed_images.ts";

/** The content of a pack. */
export interface PackOptions {
  /** These classes only; all by default. */
  readonly classes?: readonly number[];
  /** The most bytes that the file may have; no limit by default. */
  readonly maxSize?: number;
  /** The most training images of each class; no limit by default. */
  readonly imagesPerClass?: number;
  /** The most seed images of each class, or of all images if there are no classes: those of the first test images. */
  readonly seedImagesPerClass: number;
  /** Chooses training images if there is no room for all: `coverage` by default. */
  readonly choose?: typeof coverage;
  /** Takes the part of the choice that is done, 0..1. */
  readonly progress?: (done: number) => void;
}

/** A pack and the bytes of its file. */
interface PackFile {
  readonly pack: Pack;
  readonly bytes: Uint8Array;
}

/** Milliseconds of work between two pauses: a signal is noticed soon, and pauses cost little. */
const PAUSE = 50;

/**
 * Makes a pack's file, with progress, and checks that a synthesizer can be opened from it.
 *
 * @param path names the file in errors
 * @throws {Error} as `makePack`, if the images do not fit the plan's profile, and if the runner was stopped
 */
export async function makePackFile(
  runner: Runner,
  plan: Plan,
  data: DataSet,
  options: Omit<PackOptions, "progress">,
  path: string,
): Promise<PackFile> {
  const bar = runner.progress("Choosing"), { kernels } = await runner.kernels();
  try {
    const steps = packSteps(kernels, plan, data, options);
    let step = steps.next(), paused = runner.now();
    for (; !step.done; step = steps.next()) {
      if (runner.now() - paused < PAUSE) continue;
      bar.update(step.value);
      await runner.pause();
      if (runner.signal.aborted) throw new Error("Stopped before all images were chosen");
      paused = runner.now();
    }
    const bytes = writePack(step.value);
    const pack = readPack(bytes, path);
    openSynthesizer((await runner.kernels()).kernels, pack, runner.plugins);
    return { pack, bytes };
  } finally {
    bar.end();
  }
}

/**
 * Makes a pack. If `maxSize` bytes have no room for all training images, each class gives up the same part of its own. The images
 * that stay are in the order of the data set.
 *
 * @throws {Error} if a class has no training or test images, or if `maxSize` bytes have no room for an image of each class
 */
export function makePack(kernels: Kernels, plan: Plan, data: DataSet, options: PackOptions): Pack {
  const steps = packSteps(kernels, plan, data, options);
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return step.value;
    options.progress?.(step.value);
  }
}

/** Makes a pack in small steps. After each it yields the part that is done, 0..1. */
function* packSteps(
  kernels: Kernels,
  plan: Plan,
  data: DataSet,
  options: Omit<PackOptions, "progress">,
): Generator<number, Pack> {
  const { maxSize = Infinity, imagesPerClass = Infinity, choose } = options, { train } = data;
  const classes = packedClasses(data, options.classes);
  const seeds = seedsOf(kernels, plan, data, classes, options.seedImagesPerClass);
  const groups = classes.map((label) => numbersOfClass(train.labels, label, train.images.count));
  const all = groups.reduce((sum, { length }) => sum + length, 0);
  /** The pack of `count` training images, without their pixels and labels. */
  const empty = (count: number): Pack => {
    const title = data.title ?? data.name, whole = data.seeds && count === train.images.count;
    const origin = whole ? title : `${title}: ${count} of ${train.images.count} training images`;
    const images = { ...train.images, count, pixels: new Uint8Array() };
    const { classes, transparent } = data;
    return {
      profile: plan.profile,
      origin,
      ...classes && { classes },
      ...transparent && { transparent },
      train: { images, labels: train.labels?.subarray(0, 0) },
      seeds,
    };
  };

  const perImage = lengthOf(train.images) + (train.labels ? 1 : 0), others = packLength(empty(all)) - all * perImage;
  // The header's length changes with the digits of its numbers; a few bytes less do no harm.
  const room = Math.min(all, Math.floor((maxSize - others) / perImage));
  if (room < classes.length) {
    const least = `at least ${others + classes.length * perImage}`;
    throw new Error(
      `Cannot make a pack of ${counted(maxSize, "byte")}: expected ${least}, for ${
        counted(seeds.count, "seed image")
      } and an example of each class`,
    );
  }
  const counts = shares(groups.map(({ length }) => length), room).map((count) => Math.min(count, imagesPerClass));
  let before = 0;
  const numbers: number[] = [];
  for (const [i, group] of groups.entries()) {
    if (choose) { for (const number of choose(kernels, train.images, group, counts[i])) numbers.push(number); }
    else {
      const steps = coverageSteps(kernels, train.images, group, counts[i]);
      let step = steps.next();
      for (; !step.done; step = steps.next()) yield (before + step.value * group.length) / all;
      for (const number of step.value) numbers.push(number);
    }
    yield (before += group.length) / all;
  }
  numbers.sort((a, b) => a - b);
  // A copy of all images would be as large as the data.
  return { ...empty(numbers.length), train: numbers.length === train.images.count ? train : pick(train, numbers) };
}

/** Returns the classes to pack; [undefined] if the images have no labels. */
function packedClasses(
  { name, train, classes }: DataSet,
  given: readonly number[] | undefined,
): readonly (number | undefined)[] {
  if (!train.labels) {
    if (given === undefined || given.length === 0) return [undefined];
    throw new Error(`Cannot pack class ${classText(classes, given[0])}: the images of ${name} have no labels`);
  }
  const known = knownClasses(train.labels), unknown = given?.find((label) => !known.includes(label));
  if (unknown === undefined) return given ?? known;
  const expected = `classes of ${classTexts(classes, train.labels).join(", ")}`;
  throw new Error(withoutTraining("pack", classes, unknown, expected));
}

/**
 * Makes seed images of the first test images of each class, in the order of the test images; of a pack, takes its own. Seed images
 * of exemplars are quilted when they are needed: there are none.
 */
function seedsOf(
  kernels: Kernels,
  plan: Plan,
  { name, train, test, seeds, classes: names }: DataSet,
  classes: readonly (number | undefined)[],
  mostPerClass: number,
): SeedImages {
  const { channels } = plan;
  const sizes = packedSizes(plan);
  const shape = seedShape({ sizes, channels });
  if (!plan.aligned) {
    return {
      count: 0,
      ...shape,
      images: new Float32Array(),
      ...train.labels && { labels: new Uint8Array() },
    };
  }
  const { count, labels } = seeds ?? { count: test.images.count, labels: test.labels };
  const numbers = classes.flatMap((label) => {
    const ofClass = numbersOfClass(labels, label, count);
    if (ofClass.length > 0) return [...ofClass.subarray(0, mostPerClass)];
    const what = label === undefined ? name : `class ${classText(names, label)}`;
    throw new Error(`Cannot pack ${what}: expected test images to make seed images from, got none`);
  }).sort((a, b) => a - b);
  return {
    count: numbers.length,
    ...shape,
    images: seeds
      ? takeSeedImages(seeds, numbers, { sizes, channels })
      : seedImages(kernels, test.images, sizes, numbers),
    ...labels ? { labels: Uint8Array.from(numbers, (i) => labels[i]) } : {},
  };
}

/** Splits `room` in proportion to the counts, at least one each. The largest remainders get what rounding leaves. */
function shares(counts: readonly number[], room: number): number[] {
  const all = counts.reduce((a, b) => a + b), exact = counts.map((count) => room * count / all);
  const given = exact.map((share) => Math.max(1, Math.floor(share)));
  const byRest = exact.map((share, i) => ({ i, rest: share - given[i] })).sort((a, b) => b.rest - a.rest || a.i - b.i);
  let left = room - given.reduce((a, b) => a + b);
  for (const { i } of byRest) if (left > 0 && given[i] < counts[i]) given[i]++, left--;
  // If many small classes got one each, the largest give some back.
  for (; left < 0; left++) given[given.indexOf(Math.max(...given))]--;
  return given;
}
