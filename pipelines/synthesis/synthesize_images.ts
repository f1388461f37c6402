/** Synthesizes any number of images from a data set: what `synth` does, on every host that can read one. */
import { isNoiseChosen, type Plan } from "../../core/plan.ts";
import type { Kernels } from "../../core/kernels.ts";
import { range } from "../../core/numbers.ts";
import { crop } from "../../core/pyramid.ts";
import { sameShape, type Shape, type Size } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { type ClassGroup, groupImages, groupsInTurn } from "../../datasets/groups.ts";
import { batchSize, HELPED_ROUNDS, imagesAt, type Job, type JobGroup, UNEVEN_ROUNDS } from "../run/job.ts";
import { keptNote } from "../run/kept_tasks.ts";
import type { NoiseChoice } from "../run/noise/choice.ts";
import { isHeldBack } from "../run/redraw_forecast.ts";
import { run } from "../run/run.ts";
import type { Runner } from "../run/runner.ts";
import type { GroupImage } from "../run/synthesized_image.ts";
import { hasThirdParty } from "../run/third_party.ts";
import type { Traced } from "../run/trace.ts";
import { trainingGroup } from "../run/training_pyramids.ts";
import { dependsOnAll } from "./dependencies.ts";
import { croppedSources, type TextureMap } from "./texture_maps.ts";
import { type SeedMaker, seedMaker, type SeedsOfGroups, type SeedSource } from "./seed_images.ts";

/** Images to synthesize. */
export interface SynthesisInput {
  readonly plan: Plan;
  /** Size of the images: the plan's, or a smaller one to which they are cropped. */
  readonly size: Size;
  readonly data: DataSet;
  /** The classes to synthesize in turn; [undefined] where classes do not count. */
  readonly classes: readonly (number | undefined)[];
  /** How many images. */
  readonly count: number;
  /** The random seed. */
  readonly seed: number;
  readonly seedSource: SeedSource;
  /**
   * The least log-likelihood of an image, in nats: one below it is drawn again, `MAX_TRIES` times at most, and the best is
   * kept. -Infinity measures the likelihood and draws every image once. By default it is not measured.
   */
  readonly minLl?: number;
  /** Companions of the only exemplar: maps are made of them along with the images. None by default. */
  readonly maps?: readonly TextureMap[];
  /** Whether to find out which training images are behind each image: `SynthesizedImage.lineage`. */
  readonly dependencies?: boolean;
}

/** A synthesis that can begin: training pyramids and seed images are in memory. */
export interface PreparedSynthesis extends Omit<SeedsOfGroups, "seeds"> {
  readonly input: SynthesisInput;
  readonly groups: readonly ClassGroup[];
  readonly job: Job;
  readonly kernels: Kernels;
  /** The SHA-256 of the kernels, in hexadecimal. */
  readonly kernelsSha256: string;
}

/** The finished images, and how long they took. */
export interface SynthesizedImages {
  /** All images in the order of their numbers; if the runner was stopped, those that were finished. */
  readonly done: readonly GroupImage[];
  /** What was chosen of images from noise, of each group; undefined where nothing was. */
  readonly noise: readonly (NoiseChoice | undefined)[];
  /** Wall-clock milliseconds. */
  readonly times: { readonly fit: number; readonly synthesis: number };
}

/**
 * Builds the training pyramids and the seed images.
 *
 * @throws {Error} as `SeedMaker`
 */
export async function prepareSynthesis(runner: Runner, input: SynthesisInput): Promise<PreparedSynthesis> {
  const groups = groupImages(range(input.count), input.classes);
  const { job, seedsOf, ...loaded } = await openJob(runner, input, groups.map(({ label }) => label));
  const { seeds, ...rest } = seedsOf(groups), most = Math.max(...groups.map(({ images }) => images.length));
  const batch = batchSize(most, runner.threads, leastRounds(input));
  return { input, groups, job: { ...job, batch, groups: withImages(job.groups, groups, seeds) }, ...loaded, ...rest };
}

/** How many tasks each thread has at least. */
function leastRounds({ plan, dependencies = false }: SynthesisInput): number {
  if (!isHeldBack(plan)) return 1;
  return dependencies || hasThirdParty(plan) ? UNEVEN_ROUNDS : HELPED_ROUNDS;
}

/** A job without images, and what gives it seed images. */
interface OpenJob {
  readonly job: Job;
  readonly seedsOf: SeedMaker;
  readonly kernels: Kernels;
  /** The SHA-256 of the kernels, in hexadecimal. */
  readonly kernelsSha256: string;
}

/** Builds the training pyramids of some classes. */
async function openJob(
  runner: Runner,
  input: SynthesisInput,
  labels: readonly (number | undefined)[],
): Promise<OpenJob> {
  const { plan, data, classes, seed, seedSource: source, minLl } = input, { kernels, sha256 } = await runner.kernels();
  const groups = labels.map((label): JobGroup => {
    return { ...finish(trainingGroup(kernels, plan, data, label)), ...NO_IMAGES };
  });
  const seedsOf = seedMaker(kernels, plan, data, { source, seed, classes: classes.length });
  const hasSources = (input.maps ?? []).length > 0;
  const job = { plan, seed, groups, batch: 1, minLl, hasSources, traced: tracedBy(input, groups) };
  return { job, seedsOf, kernels, kernelsSha256: sha256 };
}

const NO_IMAGES = { numbers: [], seedImages: new Float32Array() };

/** Gives groups their images. */
function withImages(
  groups: readonly JobGroup[],
  images: readonly ClassGroup[],
  seeds: readonly (Float32Array | undefined)[],
): JobGroup[] {
  return groups.map((group, g) => ({ ...group, numbers: images[g].images, seedImages: seeds[g] }));
}

/**
 * Fits the prior and synthesizes, with progress. If the runner is stopped, the images finished so far are returned.
 *
 * @param finished takes each image as it is finished, in any order
 * @param begun is called when threads make images: until they are made, this one has little to do
 */
export async function synthesizeImages(
  runner: Runner,
  { input, job, kernels }: PreparedSynthesis,
  finished: (image: GroupImage, shape: Required<Shape>) => void | Promise<void>,
  begun?: () => void,
): Promise<SynthesizedImages> {
  const { plan, size } = input, shape = { ...size, channels: plan.channels }, done: GroupImage[] = [];
  const begin = runner.now();
  let fitted = begin,
    bar = runner.progress(fitTitle(plan), keptNote(runner)),
    noise = job.groups.map((group) => group.noise);
  try {
    for await (const event of run(job, runner, kernels)) {
      if (event.type === "progress") bar.update(event.done);
      if (event.type === "progress" && event.phase === "images") begun?.();
      if (event.type === "fitted") {
        fitted = runner.now();
        noise = event.job.groups.map((group) => group.noise);
        bar.end();
        bar = runner.progress("Synthesizing");
      }
      if (event.type !== "image") continue;
      const image = croppedTo(plan, size, event.image);
      done.push(image);
      await finished(image, shape);
    }
  } finally {
    bar.end();
  }
  done.sort((a, b) => a.number - b.number);
  return { done, noise, times: { fit: fitted - begin, synthesis: runner.now() - fitted } };
}

/** What is done before images are made. */
function fitTitle({ noise }: Plan): string {
  return noise && isNoiseChosen(noise) ? "Choosing windows" : "Fitting the prior";
}

/** The same synthesis of some of the images only. */
export function onlyImages(prepared: PreparedSynthesis, isWanted: (number: number) => boolean): PreparedSynthesis {
  const groups = prepared.job.groups.map((group): JobGroup => {
    const wanted = [...group.numbers.keys()].filter((place) => isWanted(group.numbers[place]));
    return { ...group, ...imagesAt(group, wanted) };
  });
  return { ...prepared, job: { ...prepared.job, groups } };
}

/** What threads trace: only sources if every image depends on all training images of its class. */
function tracedBy(input: SynthesisInput, groups: readonly JobGroup[]): Traced | undefined {
  const { dependencies = false, data: { train } } = input;
  if (!dependencies) return undefined;
  const isFree = groups.every(({ training }) => dependsOnAll(input, train.images, training.count) === undefined);
  return isFree ? "dependencies" : "sources";
}

/** Crops an image of the plan's size. */
function croppedTo({ sizes: [whole], channels }: Plan, size: Size, image: GroupImage): GroupImage {
  if (sameShape(whole, size)) return image;
  const sources = image.sources && croppedSources(image.sources, whole, size);
  return { ...image, sources, pixels: crop({ count: 1, ...whole, channels, pixels: image.pixels }, size).pixels };
}

/** A synthesis that images of any numbers can be made with: the training pyramids of all classes are in memory, the prior is fitted. */
export interface OpenSynthesis extends OpenJob {
  readonly input: SynthesisInput;
}

/**
 * Opens a synthesis of which `synthesizeNumbers` makes some images after another.
 *
 * @param together how many images each call makes at most
 * @returns undefined if the runner was stopped
 */
export async function openSynthesis(
  runner: Runner,
  input: SynthesisInput,
  together: number,
): Promise<OpenSynthesis | undefined> {
  const batch = batchSize(Math.ceil(together / input.classes.length), runner.threads, leastRounds(input));
  const { job, kernels, ...rest } = await openJob(runner, input, input.classes);
  const bar = runner.progress(fitTitle(input.plan), keptNote(runner));
  try {
    for await (const event of run({ ...job, batch }, runner, kernels)) {
      if (event.type === "progress") bar.update(event.done);
      if (event.type === "fitted") return { input, job: event.job, kernels, ...rest };
    }
  } finally {
    bar.end();
  }
}

/**
 * Makes the images of some numbers. They are those that `synthesizeImages` makes.
 *
 * @param progress takes the part that is done, 0..1
 * @returns them in the order of their numbers; undefined if the runner was stopped
 */
export async function synthesizeNumbers(
  runner: Runner,
  { input: { plan, size, classes }, job, seedsOf, kernels }: OpenSynthesis,
  numbers: readonly number[],
  progress: (done: number) => void,
): Promise<GroupImage[] | undefined> {
  const groups = groupsInTurn(numbers, classes), { seeds } = seedsOf(groups), done: GroupImage[] = [];
  for await (const event of run({ ...job, groups: withImages(job.groups, groups, seeds) }, runner, kernels)) {
    if (event.type === "progress") progress(event.done);
    if (event.type === "image") done.push(croppedTo(plan, size, event.image));
  }
  return done.length === numbers.length ? done.sort((a, b) => a.number - b.number) : undefined;
}
