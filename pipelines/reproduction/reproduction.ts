/** Runs the paper's experiment: synthesizes images from the seed images of test images, and measures both. */
import type { Profile } from "../../core/profile.ts";
import { lengthOf } from "../../core/shape.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import { runMetrics } from "../assessment/run_metrics.ts";
import { valuesByImage } from "../assessment/values_by_image.ts";
import { counted } from "../../core/counted.ts";
import type { GroupImage, SynthesizedImage } from "../run/synthesized_image.ts";
import type { Experiment, SeededImage } from "./experiment.ts";

/** Images for each seed image, as in the paper: 10000 digits of 10000 seeds, 1000 faces of 500 seeds. */
export const RUNS: Readonly<Record<string, number>> = { digits: 1, faces: 2 };
const METRICS = ["likelihood", "originality", "spread"].map((name) => ({ name, options: {} }));

/** Keeps finished work, so that an interrupted reproduction can be resumed. */
export interface ReproductionStore {
  /** Finished images by their numbers. */
  readonly finished: ReadonlyMap<number, GroupImage>;
  /** Adds a finished image. */
  add(image: GroupImage): Promise<void>;
  /** Returns the scores kept under a name; runs `measure` and keeps its scores if there are none. */
  measured(name: string, measure: () => Promise<MetricScore[]>): Promise<MetricScore[]>;
}

/** The images of a reproduction and their scores. */
export interface Reproduction {
  readonly experiment: Experiment;
  /** Name of the experiment: digits or faces. */
  readonly name: string;
  /** The images in the order of their numbers. */
  readonly all: readonly SeededImage[];
  /** The synthesized images, in the same order. */
  readonly finished: readonly SynthesizedImage[];
  /** The same images as a set. */
  readonly generated: LabelledImages;
  /** The test images whose seed images were used. */
  readonly test: LabelledImages;
  /** Likelihood, originality and spread of both sets. */
  readonly scores: { readonly generated: readonly MetricScore[]; readonly test: readonly MetricScore[] };
  /** Images of the present profile, to stand beside those of the paper's. */
  readonly present: PresentImages;
}

/** Images made with the profile that is recommended today, one for each seed image. */
interface PresentImages {
  /** Name of the profile. */
  readonly profile: string;
  /** Whether they come from noise, without the seed images. */
  readonly isFromNoise: boolean;
  /** In the order of the seed images. */
  readonly finished: readonly SynthesizedImage[];
  /** Likelihood, originality and spread. */
  readonly scores: readonly MetricScore[];
}

/** The values of a set's images, by their index. */
export interface ScoresByImage {
  readonly likelihood: Float64Array;
  readonly originality: Float64Array;
  /** Distance to the nearest training image. */
  readonly dG: Float64Array;
  /** Distance of that training image to its own nearest. */
  readonly dT: Float64Array;
}

/**
 * Runs the experiment `name` on the first `seeds` test images. Image i takes seed image i, starting over after the last.
 * Images and scores that the stores have are not made again.
 *
 * @param present the profile that is recommended today, of the same sizes, and the store of its images
 */
export async function reproduce(
  experiment: Experiment,
  name: string,
  seeds: number,
  store: ReproductionStore,
  present: { readonly profile: Profile; readonly store: ReproductionStore },
): Promise<Reproduction> {
  const { labels, data: { test } } = experiment;
  const all = Array.from({ length: seeds * RUNS[name] }, (_, number): SeededImage => {
    const index = number % seeds;
    return { number, test: index, label: labels[0] === undefined ? undefined : test.labels![index] };
  });
  const { finished, generated, scores } = await synthesizeAndMeasure(experiment, all, store);
  const under = await experiment.under(present.profile), isFromNoise = under.plan.noise !== undefined;
  const today = await synthesizeAndMeasure(under, all.slice(0, seeds), present.store);
  const first = firstImages(test, seeds);
  return {
    experiment,
    name,
    all,
    finished,
    generated,
    test: first,
    scores: { generated: scores, test: await measure(experiment, "test", { set: first, store }) },
    present: { profile: present.profile.name, isFromNoise, finished: today.finished, scores: today.scores },
  };
}

/** Synthesizes the images that the store lacks, and measures all. */
async function synthesizeAndMeasure(experiment: Experiment, all: readonly SeededImage[], store: ReproductionStore) {
  const { runner, plan: { profile }, data: { test } } = experiment;
  const missing = all.filter(({ number }) => !store.finished.has(number));
  const bar = runner.progress(`Synthesizing ${counted(missing.length, "image")} of ${profile.name}`);
  await experiment.synthesizeTests(missing, store.add, bar.update).finally(bar.end);
  const finished = all.map(({ number }) => store.finished.get(number)!);
  const generated = {
    images: collectImages(experiment, finished.map(({ pixels }) => pixels)),
    labels: test.labels && Uint8Array.from(all, (image) => test.labels![image.test]),
  };
  const seedImages = experiment.plan.noise ? undefined : Float64Array.from(all, (image) => image.test);
  return {
    finished,
    generated,
    scores: await measure(experiment, "generated", { set: generated, seedImages, store }),
  };
}

/** Puts images of the profile's size together. */
export function collectImages(
  { plan: { sizes: [size], channels } }: Experiment,
  images: readonly Uint8Array[],
): LabelledImages["images"] {
  const length = lengthOf({ ...size, channels }), pixels = new Uint8Array(images.length * length);
  images.forEach((image, i) => pixels.set(image, i * length));
  return { count: images.length, ...size, channels, pixels };
}

function firstImages({ images, labels }: LabelledImages, count: number): LabelledImages {
  const pixels = images.pixels.subarray(0, count * lengthOf(images));
  return { images: { ...images, count, pixels }, labels: labels?.subarray(0, count) };
}

async function measure(
  { runner, plan, labels, data: { train } }: Experiment,
  name: string,
  { set, seedImages, store }: {
    readonly set: LabelledImages;
    readonly seedImages?: Float64Array;
    readonly store: ReproductionStore;
  },
): Promise<MetricScore[]> {
  const bar = runner.progress(`Assessing the ${name} images`);
  const classes = labels.filter((label) => label === undefined || set.labels?.includes(label));
  const input = { plan, generated: set, training: train, classes, seedImages };
  return await store.measured(name, () => runMetrics(runner, input, METRICS, bar.update)).finally(bar.end);
}

/** Arranges the scores of a set of `count` images by image. */
export function scoresByImage(scores: readonly MetricScore[], count: number): ScoresByImage {
  const values = new Map(valuesByImage(scores, count).map(({ name, values }) => [name, values]));
  const column = (name: string) => values.get(name)!;
  return {
    likelihood: column("likelihood"),
    originality: column("originality"),
    dG: column("originality dG"),
    dT: column("originality dT"),
  };
}

/** Returns the indices of the values in ascending order; NaN is left out. */
export function sortedIndices(values: Float64Array): number[] {
  return [...values.keys()].filter((i) => !Number.isNaN(values[i])).sort((a, b) => values[a] - values[b]);
}
