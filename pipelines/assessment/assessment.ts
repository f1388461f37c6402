/** Scores images, and as a baseline as many held-out images. */
import type { Plan } from "../../core/plan.ts";
import { type DataSet, type LabelledImages, pick } from "../../datasets/data_set.ts";
import { classTexts, knownClasses, numbersOfClass, withoutTraining } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import { withCopyWarning } from "./copy_warning.ts";
import type { MetricScore } from "./metric_score.ts";
import { type AssessmentInput, type ChosenMetric, neighboursOf, runMetrics } from "./run_metrics.ts";

/** Images to assess, and where they came from. */
interface AssessedImages extends LabelledImages {
  /** How values were scaled to bytes, if they were. */
  readonly scaled?: string;
  /** The file of each image, below the path that was read; or else the one file that holds them all. */
  readonly names: readonly string[] | string;
  /** The part of each image that its largest contributor gives, where a record beside the images says it; NaN where not. */
  readonly shares?: Float64Array;
  /** The seed image of each image, by its number, where a record beside the images says it; NaN where not. */
  readonly seedImages?: Float64Array;
  /** The files that were read, with the SHA-256 of their bytes in hexadecimal. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

/** What to assess, against which data. */
export interface AssessmentRequest {
  readonly plan: Plan;
  readonly data: DataSet;
  /** Name of the images in reports: the path they were read from. */
  readonly path: string;
  readonly set: AssessedImages;
  /** Accuracy on held-out images of the classifier that gave the labels; undefined if the labels were given. */
  readonly classified?: number;
  /** The classes to measure one by one; [undefined]: all images together. */
  readonly classes: readonly (number | undefined)[];
}

/** The scores of images. */
export interface Assessment extends AssessmentRequest {
  readonly scores: readonly MetricScore[];
  /** The same metrics on as many held-out images, which scores are compared with. */
  readonly baseline?: readonly MetricScore[];
  /** Duration of the assessment. */
  readonly seconds: number;
}

/**
 * Chooses the classes to measure one by one: those of the images, or the one that is given. Returns [undefined], all images
 * together, for "all", for profiles without classes and for images or data without labels.
 *
 * @throws {Error} if a class has no training images
 */
export function assessedClasses(
  { profile }: Plan,
  { train, classes }: DataSet,
  { labels }: LabelledImages,
  requested: number | "all" | undefined,
): (number | undefined)[] {
  const byClass = requested !== "all" && (requested !== undefined || profile.classwise);
  if (!byClass || !train.labels || !labels) return [undefined];
  const known = knownClasses(train.labels), assessed = requested === undefined ? knownClasses(labels) : [requested];
  const unknown = assessed.find((label) => !known.includes(label));
  if (unknown === undefined) return assessed;
  const expected = `one of ${classTexts(classes, train.labels).join(", ")}`;
  throw new Error(withoutTraining("assess images of", classes, unknown, expected));
}

/**
 * Runs metrics on the images and, for comparison, on as many held-out images of the same classes. There is no baseline if
 * the data has no such images, or if they are the very images to assess. Shows progress.
 *
 * @throws {Error} if the runner is stopped
 */
export async function assess(
  runner: Runner,
  { plan, data, set, classes }: AssessmentRequest,
  metrics: readonly ChosenMetric[],
): Promise<Pick<Assessment, "scores" | "baseline">> {
  const { train, test } = data, heldOut = test.images.count > 0 ? test : undefined;
  const withoutNeighbours: AssessmentInput = {
    plan,
    generated: set,
    shares: set.shares,
    ...set.seedImages && { seedImages: set.seedImages },
    training: train,
    heldOut,
    classes,
    ...data.classes && { classNames: data.classes },
  };
  const finding = runner.progress("Comparing the training images with each other");
  const neighbours = await neighboursOf(runner, withoutNeighbours, metrics, finding.update).finally(finding.end);
  const input = { ...withoutNeighbours, neighbours }, bar = runner.progress("Assessing");
  try {
    const sample = heldOutSample(test, set, classes);
    if (!sample || isSame(sample, set)) {
      return { scores: withCopyWarning(await runMetrics(runner, input, metrics, bar.update)) };
    }
    const scores = await runMetrics(runner, input, metrics, (done) => bar.update(done / 2));
    const compared = { ...input, generated: sample, shares: undefined, seedImages: undefined };
    const baseline = await runMetrics(runner, compared, metrics, (done) => bar.update(0.5 + done / 2));
    return { scores: withCopyWarning(scores, baseline), baseline };
  } finally {
    bar.end();
  }
}

/** Takes as many held-out images of each class as there are images to assess, or as many as there are. */
function heldOutSample(
  test: LabelledImages,
  set: LabelledImages,
  classes: readonly (number | undefined)[],
): LabelledImages | undefined {
  const chosen = classes.flatMap((label) => {
    const count = numbersOfClass(set.labels, label, set.images.count).length;
    return [...numbersOfClass(test.labels, label, test.images.count).subarray(0, count)];
  }).sort((a, b) => a - b);
  return chosen.length === 0 ? undefined : pick(test, chosen);
}

function isSame({ images: a }: LabelledImages, { images: b }: LabelledImages): boolean {
  return a.pixels.length === b.pixels.length && a.pixels.every((value, i) => value === b.pixels[i]);
}
