/** Runs metrics on labelled images, class by class, spread over workers. */
import { type ClassResult, FEW, type Score, score } from "../../../pipelines/assessment/scores.ts";
import { pad, range } from "../../../core/pyramid.ts";
import { type Plan, squareSides } from "../../../core/plan.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { during } from "../../../core/plugin_error.ts";
import { optionValues } from "../../../core/options.ts";
import type { Metric, MetricResult } from "../../../core/types.ts";
import { squareOf } from "../../../core/shape.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { BUILTIN, type Plugins } from "../plugins/load_plugins.ts";
import { joinResults, type MetricJob, type SquareImages } from "../../../pipelines/assessment/metric_job.ts";
import { metricProgram } from "../../../pipelines/assessment/metric_program.ts";
import { denoRunner } from "./deno_runner.ts";

/** What to judge, and against what. */
export interface AssessmentInput {
  readonly plan: Plan;
  readonly generated: LabelledImages;
  readonly training: LabelledImages;
  readonly heldOut?: LabelledImages;
  /** The classes to judge one by one; [undefined]: all images together. */
  readonly classes: readonly (number | undefined)[];
}

/** A metric and values of its options. */
export interface ChosenMetric {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a metric found in all classes. */
export interface MetricScore extends Score {
  readonly metric: string;
  readonly about: string;
  /** By class, in the order of the classes. */
  readonly results: readonly ClassResult[];
  /** For each class the numbers of its generated images: value i of a class belongs to image `images[class][i]`. */
  readonly images: readonly Uint32Array[];
  readonly settings: Readonly<Record<string, number | string>>;
  readonly warnings: readonly string[];
}

/** A job takes at most this many images, so that progress moves and threads end at about the same time. */
const PART = 250;

/** Measures. `progress` is told the part of the jobs that is done. */
export async function runMetrics(
  subject: AssessmentInput,
  metrics: readonly ChosenMetric[],
  threads: number,
  progress: (done: number) => void,
  plugins: Plugins = BUILTIN,
): Promise<MetricScore[]> {
  const { plan, generated, training, heldOut } = subject, [size] = squareSides(plan);
  const { patch, layers: [{ overlap, window }] } = plan;
  const set = (of: LabelledImages, label: number | undefined) =>
    take(of, chosenBy(of.labels, label, of.images.count), size);
  const tasks: { job: MetricJob; metric: number; group: number; part: number }[] = [];
  const images: Uint32Array[][] = [];
  metrics.forEach(({ name, options }, metric) => {
    const { separable, together } = metricOf(plugins, name);
    images.push([]);
    (together ? [undefined] : subject.classes).forEach((label, group) => {
      const chosen = together ? amongClasses(subject) : chosenBy(generated.labels, label, generated.images.count);
      images[metric].push(chosen);
      if (chosen.length === 0) return;
      const common = {
        metric: name,
        options,
        training: set(training, label),
        heldOut: heldOut && set(heldOut, label),
        labels: together && generated.labels && training.labels
          ? {
            generated: Uint8Array.from(chosen, (i) => generated.labels![i]),
            training: training.labels,
            heldOut: heldOut?.labels,
          }
          : undefined,
        patch,
        overlap,
        window,
      };
      const parts = separable ? Math.ceil(chosen.length / PART) : 1;
      for (let part = 0; part < parts; part++) {
        const of = separable ? chosen.subarray(part * PART, (part + 1) * PART) : chosen;
        tasks.push({ job: { ...common, generated: take(generated, of, size) }, metric, group, part });
      }
    });
  });
  const found: MetricResult[][][] = metrics.map((_, metric) => images[metric].map(() => []));
  let done = 0;
  const runner = denoRunner({ threads, plugins });
  await runner.run(metricProgram, { setUp: undefined, tasks: tasks.map(({ job }) => job) }, {
    result(result, task) {
      const { metric, group, part } = tasks[task];
      found[metric][group][part] = result;
      progress(++done / tasks.length);
    },
  });
  return metrics.map(({ name }, metric) => {
    const kept = images[metric].flatMap((chosen, group) => chosen.length > 0 ? [group] : []);
    const { together } = metricOf(plugins, name);
    const results = kept.map((group) => ({
      label: together ? undefined : subject.classes[group],
      result: joinResults(found[metric][group]),
    }));
    return {
      ...score(results),
      metric: name,
      about: plugins.registry.find("metric", name).about,
      results,
      images: kept.map((group) => images[metric][group]),
      settings: settingsOf(results),
      warnings: warningsOf(results),
    };
  });
}

/** The numbers of the images of all classes that are judged. */
function amongClasses({ generated: { images, labels }, classes }: AssessmentInput): Uint32Array {
  const all = range(images.count);
  return labels && !classes.includes(undefined) ? all.filter((i) => classes.includes(labels[i])) : all;
}

/** A metric with its options as they are where nobody sets them. */
export function metricOf({ registry }: Plugins, name: string): Metric {
  const plugin = registry.find("metric", name);
  return during(plugin, "create", () => plugin.create(optionValues(plugin as unknown as AnyPlugin, {})));
}

/** What all classes have in common; of numbers that differ the mean of the classes. */
function settingsOf(groups: readonly ClassResult[]): Record<string, number | string> {
  const all = groups.map(({ result }) => result.settings);
  return Object.fromEntries(
    Object.entries(all[0] ?? {}).map(([name, first]) => {
      if (typeof first === "string") return [name, first];
      return [name, all.reduce((sum, settings) => sum + Number(settings[name]), 0) / all.length];
    }),
  );
}

/** Every sentence once, with the classes that it holds for; of those that differ in numbers only, the first one. */
function warningsOf(groups: readonly ClassResult[]): string[] {
  const found = new Map<string, { first: string; labels: number[] }>();
  for (const { label, result: { warnings } } of groups) {
    for (const warning of warnings) {
      const key = warning.replace(/\d[\d.]*/g, "#"),
        { first, labels } = found.get(key) ?? { first: warning, labels: [] };
      found.set(key, { first, labels: label === undefined ? labels : [...labels, label] });
    }
  }
  const count = groups.reduce((sum, { result }) => sum + result.values.length, 0);
  const few = count < FEW ? [`fewer than ${FEW} values (${count}): the score is a guess`] : [];
  return [
    ...few,
    ...[...found.values()].map(({ first, labels }) => {
      if (labels.length < 2) return labels.length === 0 ? first : `class ${labels[0]}: ${first}`;
      const which = labels.length === groups.length ? "each class" : `classes ${labels.join(", ")}`;
      return `${which}, such as ${labels[0]}: ${first}`;
    }),
  ];
}

/** The chosen images, padded to squares of side `size`. */
export function take({ images }: LabelledImages, chosen: Uint32Array, size: number): SquareImages {
  const pixels = new Uint8Array(chosen.length * size * size);
  chosen.forEach((index, i) =>
    pad(images, index, squareOf(size), pixels.subarray(i * size * size, (i + 1) * size * size))
  );
  return { count: chosen.length, size, pixels };
}

/** Images as vectors of [0, 1]. */
export function vectors({ count, size, pixels }: SquareImages): Float32Array[] {
  const length = size * size;
  return Array.from(
    { length: count },
    (_, i) => Float32Array.from(pixels.subarray(i * length, (i + 1) * length), (value) => value / 255),
  );
}
