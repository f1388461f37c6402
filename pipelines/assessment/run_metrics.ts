/** Runs metrics on labelled images, class by class, in jobs that threads can share. */
import { createFrom } from "../../core/create_plugin.ts";
import { optionValues } from "../../core/options.ts";
import type { Plan } from "../../core/plan.ts";
import type { AnyPlugin } from "../../core/plugin.ts";
import { isThirdParty } from "../../core/plugin_error.ts";
import { range } from "../../core/numbers.ts";
import type { Registry } from "../../core/registry.ts";
import type { Images } from "../../core/types.ts";
import type { Metric, MetricResult, NeighbourDistances } from "../../core/metric.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import { checkedPost, joinResults, type MetricJob } from "./metric_job.ts";
import { metricProgram } from "./metric_program.ts";
import { type MetricScore, metricScore } from "./metric_score.ts";
import { paddedImages } from "./padded_images.ts";
import { trainingNeighbours } from "./training_neighbours.ts";
import { estimatedWork } from "./work.ts";

/** The images to measure, and the images that metrics compare them with. */
export interface AssessmentInput {
  readonly plan: Plan;
  readonly generated: LabelledImages;
  /** The share of each generated image that its largest contributor gives, where it is known. */
  readonly shares?: Float64Array;
  /** The seed image of each generated image, see `ClassResult`. */
  readonly seedImages?: Float64Array;
  readonly training: LabelledImages;
  readonly heldOut?: LabelledImages;
  /** The classes to measure one by one; [undefined]: all images together. */
  readonly classes: readonly (number | undefined)[];
  /** The names of the classes by label, for warnings. */
  readonly classNames?: readonly string[];
  /** The neighbours of each class's training images among themselves, as `neighboursOf` finds them; metrics find the others. */
  readonly neighbours?: ReadonlyMap<number | undefined, NeighbourDistances>;
}

/** A metric and those of its options that differ from the defaults. */
export interface ChosenMetric {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The most images of a job: few enough that progress moves and threads end at about the same time. */
const PART = 250;

/** The jobs of one metric on one class: `parts` consecutive jobs from `first` on. */
interface ClassJobs {
  readonly label: number | undefined;
  /** Indices of the generated images. */
  readonly images: Uint32Array;
  readonly first: number;
  readonly parts: number;
}

/**
 * Runs metrics. Scores come in the order of `metrics`.
 *
 * @param progress is called with the part of the jobs that is done, 0..1
 * @throws {Error} if a metric is unknown, if it fails, if a thread with third-party plugins returns
 * another thing than a result, or if the runner is stopped
 */
export async function runMetrics(
  runner: Runner,
  input: AssessmentInput,
  metrics: readonly ChosenMetric[],
  progress: (done: number) => void = () => {},
): Promise<MetricScore[]> {
  const jobs: MetricJob[] = [], { plugins } = runner, sets = paddedSets(input);
  const classesOf = metrics.map((metric) => addJobs(jobs, input, sets, metric, metricOf(plugins, metric)));
  const results = new Array<MetricResult>(jobs.length), work = jobs.map(estimatedWork);
  const all = work.reduce((sum, one) => sum + one, 0);
  let done = 0, finished = 0;
  const isThirdPartyJob = jobs.map(({ metric }) => isThirdParty(plugins.find("metric", metric)));
  // Third-party metrics have threads of their own: they could change the scores of the others there.
  for (const thirdParty of [false, true]) {
    const numbers = [...jobs.keys()].filter((job) => isThirdPartyJob[job] === thirdParty);
    const tasks = numbers.map((job) => jobs[job]);
    if (tasks.length === 0) continue;
    for await (const event of runner.run(metricProgram, { setUp: undefined, tasks, thirdParty })) {
      if (event.type !== "result") continue;
      const { result } = event, job = numbers[event.task];
      results[job] = runner.isolated ? checkedPost(result, jobs[job]) : result;
      done += work[job];
      // The sum of the parts in another order may differ from that of all in its last bits.
      progress(++finished === jobs.length ? 1 : done / all);
    }
  }
  if (finished < jobs.length) throw new Error("Stopped before all metrics were measured");
  return metrics.map(({ name }, m) => {
    const { seedImages, classNames } = input;
    const joined = classesOf[m].map(({ label, first, parts, images }) => {
      const seeds = seedImages && { seedImages: Float64Array.from(images, (image) => seedImages[image]) };
      return { label, result: joinResults(results.slice(first, first + parts)), ...seeds };
    });
    return metricScore(plugins.find("metric", name), joined, classesOf[m].map(({ images }) => images), classNames);
  });
}

/** Estimates the nanoseconds that `runMetrics` takes on one core. */
export function metricsWork(plugins: Registry, input: AssessmentInput, metrics: readonly ChosenMetric[]): number {
  const jobs: MetricJob[] = [], sets = paddedSets(input);
  for (const metric of metrics) addJobs(jobs, input, sets, metric, metricOf(plugins, metric));
  return jobs.map(estimatedWork).reduce((sum, one) => sum + one, 0);
}

/** The sets of images of a class that metrics compare with, padded once for all jobs. */
interface PaddedSets {
  training(label: number | undefined): Images;
  heldOut(label: number | undefined): Images | undefined;
}

function paddedSets({ plan, training, heldOut }: AssessmentInput): PaddedSets {
  const [size] = plan.sizes;
  const once = <T>(make: (label: number | undefined) => T) => {
    const byLabel = new Map<number | undefined, T>();
    return (label: number | undefined) => {
      if (!byLabel.has(label)) byLabel.set(label, make(label));
      return byLabel.get(label)!;
    };
  };
  const ofClass = (set: LabelledImages, label: number | undefined) => {
    return paddedImages(set, numbersOfClass(set.labels, label, set.images.count), size);
  };
  return {
    training: once((label) => ofClass(training, label)),
    heldOut: once((label) => heldOut && ofClass(heldOut, label)),
  };
}

/**
 * Finds the distances of training images to their nearest training images, for metrics that ask for them.
 *
 * @throws {Error} if the runner is stopped
 */
export async function neighboursOf(
  runner: Runner,
  input: AssessmentInput,
  metrics: readonly ChosenMetric[],
  progress: (done: number) => void,
): Promise<AssessmentInput["neighbours"]> {
  const each = Math.max(0, ...metrics.map((metric) => metricOf(runner.plugins, metric).trainingNeighbours ?? 0));
  if (each === 0) return undefined;
  const byLabel = new Map<number | undefined, NeighbourDistances>(), { training } = paddedSets(input);
  for (const [i, label] of input.classes.entries()) {
    const share = (done: number) => progress((i + done) / input.classes.length);
    byLabel.set(label, await trainingNeighbours(runner, training(label), each, share));
  }
  return byLabel;
}

/** Adds the jobs of one metric to `jobs`; classes without images have none and are left out. */
function addJobs(
  jobs: MetricJob[],
  input: AssessmentInput,
  sets: PaddedSets,
  { name, options }: ChosenMetric,
  { separable, together, trainingNeighbours }: Metric,
): ClassJobs[] {
  const { plan, generated, training, heldOut } = input, [size] = plan.sizes;
  const { patch, overlap, window } = plan.compared;
  return (together ? [undefined] : input.classes).flatMap((label): ClassJobs[] => {
    const chosen = together ? amongClasses(input) : numbersOfClass(generated.labels, label, generated.images.count);
    if (chosen.length === 0) return [];
    const common = {
      metric: name,
      options,
      training: sets.training(label),
      heldOut: sets.heldOut(label),
      trainingNeighbours: trainingNeighbours === undefined ? undefined : input.neighbours?.get(label),
      labels: together && generated.labels && training.labels
        ? {
          generated: Uint8Array.from(chosen, (i) => generated.labels![i]),
          training: training.labels,
          heldOut: heldOut?.labels,
        }
        : undefined,
      regions: plan.regions,
      patch,
      overlap,
      window,
    };
    const first = jobs.length, parts = separable ? Math.ceil(chosen.length / PART) : 1;
    for (let part = 0; part < parts; part++) {
      const images = separable ? chosen.subarray(part * PART, (part + 1) * PART) : chosen;
      const shares = input.shares && Float64Array.from(images, (image) => input.shares![image]);
      jobs.push({ ...common, shares, generated: paddedImages(generated, images, size) });
    }
    return [{ label, images: chosen, first, parts }];
  });
}

/** Returns the indices of the images of all classes that are measured. */
function amongClasses({ generated: { images, labels }, classes }: AssessmentInput): Uint32Array {
  const all = range(images.count);
  return labels && !classes.includes(undefined) ? all.filter((i) => classes.includes(labels[i])) : all;
}

/** Creates a metric, to ask how it wants to be run. */
export function metricOf(registry: Registry, { name, options }: ChosenMetric): Metric {
  const plugin = registry.find("metric", name);
  return createFrom(plugin, optionValues(plugin as unknown as AnyPlugin, options));
}
