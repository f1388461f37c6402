/** Measures synthesized images of an experiment by some metrics. */
import type { LabelledImages } from "../../datasets/data_set.ts";
import { ENOUGH_FOR_SPREAD } from "../../plugins/metrics/spread.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import {
  type AssessmentInput,
  type ChosenMetric,
  metricsWork,
  neighboursOf,
  runMetrics,
} from "../assessment/run_metrics.ts";
import type { Experiment, SeededImage } from "./experiment.ts";
import { collectImages } from "./reproduction.ts";

/** Whether every class has enough of these images for its spread to mean something. */
export function enoughForSpread(images: readonly Pick<SeededImage, "label">[]): boolean {
  const counts = new Map<number | undefined, number>();
  for (const { label } of images) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts.values()].every((count) => count >= ENOUGH_FOR_SPREAD);
}

/**
 * Measures images, class by class. Scores come in the order of `metrics`, the names of metrics with their default options.
 *
 * @param pixels bytes of the profile's size, one image for each of `images`
 * @param fromNoise whether they have nothing of the test images' seed images; by default those of one seed image are not independent
 */
export async function measureImages(
  experiment: Experiment,
  pixels: readonly Uint8Array[],
  images: readonly SeededImage[],
  metrics: readonly string[],
  fromNoise = false,
): Promise<MetricScore[]> {
  const { input, chosen } = measuring(experiment, pixels, images, metrics);
  // They are kept: of several sets of images that are measured, the first finds them for all.
  const neighbours = await neighboursOf(experiment.runner, input, chosen, () => {});
  const seedImages = fromNoise ? undefined : Float64Array.from(images, ({ test }) => test);
  return await runMetrics(experiment.runner, { ...input, neighbours, seedImages }, chosen);
}

/** Estimates the nanoseconds that `measureImages` takes on one core. */
export function measuringWork(
  experiment: Experiment,
  pixels: readonly Uint8Array[],
  images: readonly SeededImage[],
  metrics: readonly string[],
): number {
  const { input, chosen } = measuring(experiment, pixels, images, metrics);
  return metricsWork(experiment.runner.plugins, input, chosen);
}

function measuring(
  experiment: Experiment,
  pixels: readonly Uint8Array[],
  images: readonly SeededImage[],
  metrics: readonly string[],
): { input: AssessmentInput; chosen: ChosenMetric[] } {
  const { plan, data: { train, test }, labels } = experiment;
  const known = images[0]?.label === undefined ? undefined : Uint8Array.from(images, ({ label }) => label!);
  const generated: LabelledImages = { images: collectImages(experiment, pixels), labels: known };
  const classes = labels.filter((label) => label === undefined || known!.includes(label));
  const heldOut = test.images.count > 0 ? test : undefined;
  const chosen = metrics.map((name) => ({ name, options: {} }));
  return { input: { plan, generated, training: train, heldOut, classes }, chosen };
}
