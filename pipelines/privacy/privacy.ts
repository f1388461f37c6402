/**
 * Measures the privacy of training images: attacks that are open to anyone who has the images, and how near the images are to
 * training images. Each is compared with held-out images, which the generator never saw.
 */
import { NORMAL } from "../report/intervals.ts";
import { evenlySpaced } from "../../core/numbers.ts";
import { type DataSet, type LabelledImages, pick } from "../../datasets/data_set.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { AssessmentRequest } from "../assessment/assessment.ts";
import { runMetrics } from "../assessment/run_metrics.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import type { Runner } from "../run/runner.ts";
import { known, type Nearness, originalityOf, structureOf, valuesOf } from "./copies.ts";
import { movedStructure } from "./moved_copies.ts";
import type { LeaveOneOut } from "./leave_one_out.ts";
import {
  areaUnderCurve,
  copyingScore,
  type Estimate,
  proportion,
  type Summary,
  summaryOf,
  type TruePositives,
  truePositives,
} from "./statistics.ts";

/** What is measured: both metrics give each image its nearest training image. */
const METRICS = [{ name: "originality", options: {} }, { name: "structure", options: {} }] as const;
/** Held-out images at most, and as many training images as members: more make intervals narrower, and take longer. */
const MOST = 1000;
/** Held-out images that are moved, at most, beside `MOST` of the others: each move of each is compared. */
const MAX_MOVED = 100;
/** The parts of the work, for progress: four comparisons, then two of samples and of these moved, which takes longer. */
const MOVED = 8, PARTS = 4 + 2 * (1 + MOVED);
/** The part of false positives at which an attack is judged: an attacker who names members should hardly ever be wrong. */
const FALSE_POSITIVES = 0.01;
/** Standard errors by which the area under the curve must exceed one half: four attacks are tried. */
const SURE = 3;

/** An attack that says whether an image was a training image, by its nearest assessed image. */
export interface Attack {
  /** What the attack compares. */
  readonly by: "distance" | "structure";
  /** How many training images, and as many held-out images, were attacked. */
  readonly attacked: number;
  /** The probability that a training image looks more like a member than a held-out image does; 0.5: the attack fails. */
  readonly area: Estimate;
  /** The part of the training images that are found with 1 % of the held-out images taken for members. */
  readonly found: TruePositives;
  /** Whether the attack does better than chance explains. */
  readonly succeeds: boolean;
}

/** What was found. */
export interface Privacy extends AssessmentRequest {
  /** How many held-out images they are compared with. */
  readonly heldOut: number;
  readonly attacks: readonly Attack[];
  readonly nearness: readonly Nearness[];
  /** The part of images that are farther from their nearest training image than that is from its own: Alaa et al. (2022). */
  readonly authenticity: { readonly assessed: Estimate; readonly heldOut: Estimate };
  /** C_T: see `copyingScore`. */
  readonly copyingScore: number;
  /** Regions in which images share more structure than held-out images do. */
  readonly regions: readonly RegionNearness[];
  /** How a sample of images changes without the training images that they are most like, if that was asked for. */
  readonly leaveOneOut?: LeaveOneOut;
  /** Reasons to refuse the images: sentences. None: they pass. */
  readonly objections: readonly string[];
  /** Originality, structure and nearest training image of each assessed image. */
  readonly scores: readonly MetricScore[];
}

/** How near images stand inside a region. */
interface RegionNearness {
  readonly region: string;
  readonly assessed: Summary;
  readonly heldOut: Summary;
}

/** Images are compared with training images of all classes: which class an image is of is what its maker says. */
const ANY_CLASS = [undefined];

/**
 * Measures what the images reveal of their training images.
 *
 * @throws {Error} if there are fewer than 20 held-out images that are no duplicates of training images, or if the runner is stopped
 */
export async function assessPrivacy(runner: Runner, request: AssessmentRequest): Promise<Privacy> {
  const { plan, data, set, classes } = request;
  const heldOut = sampled(data.test, classes, MOST);
  requireHeldOut(heldOut.images.count, data);
  const members = membersLike(heldOut, data.train, classes), numbers = numbersOfClasses(set, classes);
  const assessed = numbers.length === set.images.count ? set : pick(set, numbers);
  const bar = runner.progress("Comparing images");
  const measured = async (generated: LabelledImages, training: LabelledImages, part: number) => {
    const input = { plan, generated, training, classes: ANY_CLASS };
    return await runMetrics(runner, input, METRICS, (done) => bar.update((part + done) / PARTS));
  };
  try {
    const ofAssessed = await measured(assessed, data.train, 0);
    const ofHeldOut = await measured(heldOut, data.train, 1);
    const attackedMembers = await measured(members, assessed, 2);
    const attackedOthers = await measured(heldOut, assessed, 3);
    const attacks = [
      attackBy("distance", distances(attackedMembers).map((d) => -d), distances(attackedOthers).map((d) => -d)),
      attackBy("structure", valuesOf(attackedMembers[1]), valuesOf(attackedOthers[1])),
    ];
    const moved = async (from: LabelledImages, all: MetricScore, most: number, part: number) => {
      const sample = sampledNumbers(from, classes, most).sort((a, b) => a - b),
        isAll = sample.length === from.images.count;
      const generated = isAll ? from : pick(from, sample);
      const still = isAll ? all : (await measured(generated, data.train, part))[1];
      const step = (done: number) => bar.update((part + 1 + MOVED * done) / PARTS);
      return numbered(await movedStructure(runner, request, { generated, training: data.train }, still, step), sample);
    };
    const movedAssessed = await moved(assessed, ofAssessed[1], MOST, 4);
    const movedHeldOut = await moved(heldOut, ofHeldOut[1], MAX_MOVED, 5 + MOVED);
    const scores = ofAssessed.map((score) => numbered(score, numbers));
    const nearness = [
      originalityOf(scores[0], ofHeldOut[0]),
      structureOf("structure", scores[1], ofHeldOut[1]),
      structureOf("moved structure", numbered(movedAssessed, numbers), movedHeldOut),
    ];
    requireHeldOut(heldOut.images.count - Math.max(...nearness.map(({ duplicates }) => duplicates)), data);
    const found = {
      heldOut: heldOut.images.count,
      attacks,
      nearness,
      authenticity: { assessed: authenticity(scores[0]), heldOut: authenticity(ofHeldOut[0]) },
      copyingScore: copyingScore(classes.map((label) => ({
        generated: distancesOfClass(ofAssessed, assessed, label),
        heldOut: distancesOfClass(ofHeldOut, heldOut, label),
      }))),
      regions: regionsOf(request, scores[1], ofHeldOut[1]),
    };
    return { ...request, ...found, scores, objections: objectionsTo(found, numbers.length) };
  } finally {
    bar.end();
  }
}

/** The numbers of the images of some classes, ascending. */
function numbersOfClasses(
  { labels, images: { count } }: LabelledImages,
  classes: readonly (number | undefined)[],
): number[] {
  return classes.flatMap((label) => [...numbersOfClass(labels, label, count)]).sort((a, b) => a - b);
}

/** The score of images that were picked from others: image i is number `numbers[i]` of these. */
function numbered(score: MetricScore, numbers: readonly number[]): MetricScore {
  return { ...score, images: score.images.map((places) => places.map((place) => numbers[place])) };
}

/** The distances to training images of the images of a class. */
function distancesOfClass(
  [{ results: [{ result }], images: [places] }]: readonly MetricScore[],
  { labels }: LabelledImages,
  label: number | undefined,
): Float64Array {
  return known(result.series.dG.filter((_, i) => label === undefined || labels?.[places[i]] === label) as Float64Array);
}

/** With fewer held-out images, the intervals are too wide for any verdict. */
const FEWEST = 20;

function requireHeldOut(count: number, { name }: DataSet): void {
  if (count >= FEWEST) return;
  throw new Error(
    `Cannot assess privacy with ${name}: expected at least ${FEWEST} held-out images of the same kind that are not among ` +
      `the training images, got ${count}`,
  );
}

/** Takes at most `most` images of some classes, evenly spaced, as many of each as there are in proportion. */
function sampled(set: LabelledImages, classes: readonly (number | undefined)[], most: number): LabelledImages {
  return pick(set, sampledNumbers(set, classes, most));
}

function sampledNumbers(
  { labels, images: { count } }: LabelledImages,
  classes: readonly (number | undefined)[],
  most: number,
): number[] {
  const each = Math.ceil(most / classes.length);
  return classes.flatMap((label) => {
    const ofClass = numbersOfClass(labels, label, count);
    return Array.from(evenlySpaced(ofClass.length, each), (i) => ofClass[i]);
  });
}

/** Takes as many training images of each class as there are held-out images of it. */
function membersLike(
  heldOut: LabelledImages,
  train: LabelledImages,
  classes: readonly (number | undefined)[],
): LabelledImages {
  return pick(
    train,
    classes.flatMap((label) => {
      const count = numbersOfClass(heldOut.labels, label, heldOut.images.count).length;
      const ofClass = numbersOfClass(train.labels, label, train.images.count);
      return Array.from(evenlySpaced(ofClass.length, count), (i) => ofClass[i]);
    }),
  );
}

/** The distances of images to the nearest of the set that they were compared with. */
function distances([{ results }]: readonly MetricScore[]): Float64Array {
  return Float64Array.from(results.flatMap(({ result }) => [...result.series.dG]));
}

/** Tells members from others by a score. */
export function attackBy(by: Attack["by"], members: Float64Array, others: Float64Array): Attack {
  const area = areaUnderCurve(members, others);
  const found = truePositives(members, others, FALSE_POSITIVES);
  const wrong = proportion(Math.round(found.falsePositives * others.length), others.length);
  const error = (area.interval[1] - area.interval[0]) / (2 * NORMAL);
  const succeeds = area.value - SURE * error > 0.5 || found.interval[0] > Math.max(wrong.interval[1], FALSE_POSITIVES);
  return { by, attacked: members.length, area, found, succeeds };
}

/** The part of images whose originality is above 1. */
function authenticity(score: MetricScore): Estimate {
  const values = valuesOf(score);
  return proportion(values.filter((value) => value > 1).length, values.length);
}

/** How near images stand inside the regions of the profile. */
function regionsOf({ plan }: AssessmentRequest, score: MetricScore, heldOut: MetricScore): RegionNearness[] {
  const inRegion = ({ results }: MetricScore, region: string) => {
    return summaryOf(known(Float64Array.from(results.flatMap(({ result }) => [...result.series[region]]))));
  };
  return (plan.regions ?? []).map(({ name }) => {
    return { region: name, assessed: inRegion(score, name), heldOut: inRegion(heldOut, name) };
  });
}

/** A larger part of images that are nearer by structure than all but 5 % of held-out images are is an objection. */
const MAX_RAISED = 0.25;

/** Says why images should be refused: copies, and attacks that succeed. */
export function objectionsTo({ attacks, nearness }: Pick<Privacy, "attacks" | "nearness">, count: number): string[] {
  const [byDistance, byStructure, byMoved] = nearness;
  const movedOnly = byMoved.copies.filter((image) => !byStructure.copies.includes(image));
  const hasCopies = byStructure.copies.length + byMoved.copies.length > 0;
  const raised = [byStructure, byMoved].find((one) => !hasCopies && one.raised!.interval[0] > MAX_RAISED);
  const images = (some: readonly number[]) => `${some.length} of ${count} images`;
  return [
    ...byDistance.copies.length > 0
      ? [`${images(byDistance.copies)} are copies by distance: nearer to a training image than any held-out image`]
      : [],
    ...byStructure.copies.length > 0
      ? [
        `${images(byStructure.copies)} are copies by structure, perhaps in another light: they share up to ` +
        `${byStructure.assessed.greatest.toFixed(2)} with a training image, held-out images ` +
        `${byStructure.heldOut.greatest.toFixed(2)}`,
      ]
      : [],
    ...movedOnly.length > 0
      ? [
        `${
          images(movedOnly)
        } are copies by structure when they are mirrored, turned, transposed, shifted, scaled or inverted: they ` +
        `share up to ${byMoved.assessed.greatest.toFixed(2)} then, held-out images ${
          byMoved.heldOut.greatest.toFixed(2)
        }`,
      ]
      : [],
    // None of them is a copy by itself.
    ...raised
      ? [
        `${
          (100 * raised.raised!.value).toFixed(0)
        } % of the images share more ${raised.by} with a training image than all but ` +
        "5 % of the held-out images do",
      ]
      : [],
    ...attacks.filter(({ succeeds }) => succeeds).map(({ by, area, found }) => {
      return `training images can be told from held-out images by ${by}: area under the curve ` +
        `${area.value.toFixed(2)}, ${(100 * found.value).toFixed(1)} % found with ` +
        `${(100 * found.falsePositives).toFixed(1)} % false positives`;
    }),
  ];
}
