/**
 * Chooses how images from noise are made of a group of training images: the widest windows whose images lie as far from them as
 * images do that are left out, and the distance that every image has to keep. Wider windows make more coherent images and more of
 * them nearly copies; how wide they may be differs from set to set.
 */
import { cacheKey } from "../../../core/array_bytes.ts";
import { closestCorrelations } from "../../../core/correlation.ts";
import { borrowingSteps, type Kernels } from "../../../core/kernels.ts";
import { gather, rowsOf } from "../../../core/nearest.ts";
import type { PlanNoise } from "../../../core/plan.ts";
import { windowsUpTo } from "../../../core/schedule.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { Steps } from "../../../core/steps.ts";
import { regionRows, structureSteps } from "../../../core/structure.ts";
import type { Region } from "../../../core/metric.ts";
import type { Rows } from "../../../core/types.ts";
import { halvesFor, measured, type NoiseLimits, openGate, type StructureLimits } from "./gate.ts";
import { informationLimit } from "./halves.ts";
import { inParts, type Nearness, nearness, orNone, typicalityAt } from "./nearness.ts";
import { foldCount, type LeavingGroup, leftOutOf, MAX_TRAINING } from "./left_out.ts";
import { trialImages } from "./trials.ts";
import { trainingStructures } from "../training_structures.ts";

/** How images from noise are made of a group of training images, as far as it is not in the plan. */
export interface NoiseChoice extends NoiseLimits {
  /** Side of the window in each step, most noise first. */
  readonly windows: readonly number[];
  /** How the windows were chosen, where they were. */
  readonly search?: WindowSearch;
}

/** How windows were chosen. */
export interface WindowSearch {
  /** Radius of the widest window as a part of the longer side: see `windowsUpTo`. */
  readonly reach: number;
  /** How many training images were left out. */
  readonly leftOut: number;
  /** How many training images images were made of, and compared with. */
  readonly training: number;
  /** The least originality that images may have which are made of these. */
  readonly originality: number;
  /** The most structure that they may share with these. */
  readonly structure: number;
  /** What was tried, in its order. */
  readonly tried: readonly TriedReach[];
}

/** Windows that were tried. */
interface TriedReach {
  readonly reach: number;
  /** How many images were made. */
  readonly images: number;
  /** How many of them lie too near to a training image, by originality or by structure, and would be made again. */
  readonly near: number;
}

/** What is measured for a choice: on any thread, with the same result. */
export type NoiseQuestion =
  | { readonly type: "limits" }
  | { readonly type: "images"; readonly reach: number; readonly first: number; readonly count: number }
  | { readonly type: "shortfalls"; readonly choice: NoiseChoice; readonly first: number; readonly count: number };

/** What is measured of left-out images. */
export interface LeftOutLimits extends Omit<WindowSearch, "reach" | "tried">, Omit<NoiseLimits, "maxShortfall"> {
  /** The originality of the nearest left-out image. */
  readonly minOriginality: number;
  /** The structure of the most alike. */
  readonly maxStructure: number;
}

/** How much images lack of what is typical: see `Measured`. */
export interface Shortfalls {
  /** 1 for images that are too near to a training image. */
  readonly shortfall: readonly number[];
}

/** The answer to a question. */
export type NoiseAnswer = LeftOutLimits | Nearness | Shortfalls;

/** A group of training images whose choice is made. */
export interface ChoiceGroup extends LeavingGroup {
  readonly noise: PlanNoise;
  /** The regions that the plan names. */
  readonly regions: readonly Region[];
}

/** Parts of the longer side that are tried as radius of the widest window. */
const REACHES = [0.11, 0.14, 0.18, 0.22, 0.27, 0.33, 0.4, 0.5, 0.62, 0.8] as const;
/** Images that are made to try windows. */
const IMAGES = 32;
/** Images that are made together: enough for threads to share them. */
const TOGETHER = 8, REACHING_TOGETHER = 16;
/**
 * Images that are made to see what can be reached. Where fewer than `FEWEST_REACH` lack nothing, images may lack as much as the
 * `REACHED` best: they take some four tries then.
 */
export const REACHING = 32;
const FEWEST_REACH = 4, REACHED = 12;
/** So many of `IMAGES` may be too near. Those are made again: where half of all are too near, 1 in 256 still is after 8 tries. */
const MAX_NEAR = 16;
/**
 * Images may share as much structure as the left-out image of this rank, among those that are left out together. The second highest
 * is taken: in another sample of as many held-out images, the highest is below it as often as above it.
 */
const RANK = 2;
/** No image may have a lower originality, even where left-out images have: data sets hold near copies. */
const LEAST_ORIGINALITY = 0.6;
/** Chooses in one thread. */
export function* chosenNoise(kernels: Kernels, group: ChoiceGroup): Steps<NoiseChoice> {
  const questions = choosing(group);
  let next = questions.next([]);
  while (!next.done) {
    const answers: NoiseAnswer[] = [];
    for (const question of next.value) answers.push(yield* answered(kernels, group, question));
    next = questions.next(answers);
  }
  return next.value;
}

/** A round of questions and its answers. */
type Asking<Result> = Generator<NoiseQuestion[], Result, readonly NoiseAnswer[]>;

/** Asks round after round of questions, and returns the choice. The first answers that it is given do not count. */
export function* choosing({ noise, training: { height, width } }: ChoiceGroup): Asking<NoiseChoice> {
  const [limits] = (yield [{ type: "limits" }]) as readonly LeftOutLimits[];
  const { leastTypicality, medianTypicality, inRegions, information } = limits;
  const { minOriginality = limits.minOriginality, maxStructure = limits.maxStructure } = noise;
  const typical = { leastTypicality, ...medianTypicality !== undefined && { medianTypicality }, inRegions };
  const search = noise.areWindowsChosen && limits.leftOut > 0 ? yield* widest(limits) : undefined;
  const windows = search ? windowsUpTo(search.reach, noise.steps, Math.max(height, width)) : noise.windows;
  const choice = { windows, minOriginality, maxStructure, ...typical, maxShortfall: 0, ...search && { search } };
  if (!information) return choice;
  const held = { ...choice, information };
  return { ...held, maxShortfall: yield* reachable(held) };
}

/** Finds the widest windows whose images are new, by bisection. */
function* widest({ leftOut, training, originality, structure }: LeftOutLimits): Asking<WindowSearch> {
  const tried: TriedReach[] = [];
  // All up to `passed` pass, and none from `failed` on.
  let passed = -1, failed: number = REACHES.length;
  while (failed - passed > 1) {
    const middle = (passed + failed) >> 1, reach = REACHES[middle];
    const answers = (yield parts(IMAGES, TOGETHER).map((part) => ({ type: "images", reach, ...part }))) as Nearness[];
    const isNear = (answer: Nearness, i: number) => {
      return answer.originality[i] < originality || answer.structure[i] > structure;
    };
    const near = answers.flatMap((answer) => answer.originality.filter((_, i) => isNear(answer, i))).length;
    tried.push({ reach, images: IMAGES, near });
    if (near <= MAX_NEAR) passed = middle;
    else failed = middle;
  }
  return { reach: REACHES[Math.max(passed, 0)], leftOut, training, originality, structure, tried };
}

/**
 * The shortfall that images may have: 0, where this can be reached. Drawn images can be so alike on both sides that hardly any image
 * that is made of them is as typical as they are.
 */
function* reachable(choice: NoiseChoice): Asking<number> {
  const answers =
    (yield parts(REACHING, REACHING_TOGETHER).map((part) => ({ type: "shortfalls", choice, ...part }))) as Shortfalls[];
  const sorted = answers.flatMap(({ shortfall }) => shortfall).sort((a, b) => a - b);
  return sorted[FEWEST_REACH - 1] === 0 ? 0 : sorted[REACHED - 1];
}

/** Divides images into those that are made together. */
function parts(images: number, count: number): { first: number; count: number }[] {
  return Array.from({ length: images / count }, (_, part) => ({ first: part * count, count }));
}

/** Answers a question. */
export function answered(kernels: Kernels, group: ChoiceGroup, question: NoiseQuestion): Steps<NoiseAnswer> {
  return borrowingSteps(kernels, (): Steps<NoiseAnswer> => {
    if (question.type === "limits") return limitsOf(kernels, group);
    if (question.type === "images") return nearnessOf(kernels, group, question);
    return shortfallsOf(kernels, group, question);
  });
}

/** Measures how far left-out images lie from the others. */
function* limitsOf(kernels: Kernels, group: ChoiceGroup): Steps<LeftOutLimits> {
  const { noise, training, regions } = group, { leftOut, some, rest } = leftOutOf(group);
  const structures = yield* trainingStructures(kernels, training);
  const typicalityOf = function* (rows: Rows): Steps<Omit<StructureLimits, "maxStructure">> {
    const { minTypicality } = noise;
    return minTypicality > 0 ? yield* typicalityAt(kernels, rows, minTypicality) : { leastTypicality: -1 };
  };
  const whole = yield* typicalityOf(structures);
  const inRegions: StructureLimits[] = [];
  for (const region of regions) {
    const rows = regionRows(kernels, structures, region);
    // A structure that the plan limits is limited as a whole.
    const isAsked = noise.maxStructure === undefined && leftOut.length > 0;
    const maxStructure = isAsked ? yield* greatestStructure(kernels, rows, leftOut, rest) : 1;
    inRegions.push({ maxStructure, ...yield* typicalityOf(rows) });
  }
  const part = noise.minMutualInformation;
  const information = part > 0 ? yield* informationLimit(kernels, training, regions, part) : undefined;
  const typical = { ...whole, inRegions, ...information && { information } };
  const none = { leftOut: 0, training: rest.length, originality: 0, structure: 1, minOriginality: 0, maxStructure: 1 };
  const asked = noise.areWindowsChosen || noise.minOriginality === undefined || noise.maxStructure === undefined;
  if (leftOut.length === 0 || !asked) return { ...none, ...typical };
  const all = yield* nearnessOfLeftOut(kernels, group, structures, "rest");
  const isSame = rest.length === some.length || !noise.areWindowsChosen;
  const few = isSame ? all : yield* nearnessOfLeftOut(kernels, group, structures, "some");
  const rank = noise.areWindowsChosen ? RANK : 1;
  return {
    leftOut: all.structure.length,
    training: some.length,
    originality: leastOriginality(few, noise),
    structure: noise.maxStructure ?? highest(few.structure, rank / leftOut.length),
    minOriginality: leastOriginality(all, noise),
    maxStructure: noise.maxStructure ?? highest(all.structure, rank / leftOut.length),
    ...typical,
  };
}

/** How near left-out images come to the others, or to some of them. Where windows are chosen, more are left out in turn. */
function* nearnessOfLeftOut(
  kernels: Kernels,
  group: ChoiceGroup,
  structures: Rows,
  others: "rest" | "some",
): Steps<Nearness> {
  const chosen = (numbers: readonly number[]) => ({
    images: gather(kernels, group.training, numbers),
    structures: gather(kernels, structures, numbers),
  });
  const all: Nearness[] = [], folds = group.noise.areWindowsChosen ? foldCount(group) : 1;
  for (let fold = 0; fold < folds; fold++) {
    const parts = leftOutOf(group, fold);
    const near = () => nearness(kernels, chosen(parts.leftOut), chosen(parts[others]));
    all.push(yield* borrowingSteps(kernels, near));
  }
  return {
    originality: all.flatMap(({ originality }) => originality),
    structure: all.flatMap(({ structure }) => structure),
  };
}

/** The most structure that left-out images share with the others, by the structures of all of them. */
function greatestStructure(
  kernels: Kernels,
  structures: Rows,
  leftOut: readonly number[],
  rest: readonly number[],
): Steps<number> {
  return borrowingSteps(kernels, function* () {
    const set = gather(kernels, structures, rest), queries = gather(kernels, structures, leftOut);
    const correlations = yield* inParts(queries, (part) => closestCorrelations(kernels, part, set).correlation);
    return highest(correlations.map(orNone), 0);
  });
}

/** The originality that images must have: that of the nearest left-out image. Those that belong to the set do not count. */
function leastOriginality({ originality }: Nearness, { minOriginality, areWindowsChosen }: PlanNoise): number {
  const other = originality.filter((value) => value > 0), least = other.length > 0 ? Math.min(...other) : 0;
  return minOriginality ?? (areWindowsChosen ? Math.max(least, LEAST_ORIGINALITY) : least);
}

/** The structure that a part of those below 1 reaches, at least one of them: images that are the same do not count. 1 where there is none. */
function highest(structure: readonly number[], part: number): number {
  const unlike = structure.filter((value) => value < 1).sort((a, b) => b - a);
  return unlike[Math.max(Math.ceil(part * unlike.length), 1) - 1] ?? 1;
}

/** Makes images of the training images that are not left out, and measures how near they come to them. */
function* nearnessOf(
  kernels: Kernels,
  group: ChoiceGroup,
  { reach, ...part }: NoiseQuestion & { readonly type: "images" },
): Steps<Nearness> {
  const { noise, training, regions } = group, { some } = leftOutOf(group);
  const set = gather(kernels, training, some), { height, width } = training;
  const windows = windowsUpTo(reach, noise.steps, Math.max(height, width));
  const pixels = yield* trialImages(kernels, noise, { set, windows, regions, ...part });
  const images = rowsOf(kernels, { ...training, count: part.count, pixels }),
    all = yield* trainingStructures(kernels, training);
  const structures = yield* structureSteps(kernels, images);
  return yield* nearness(kernels, { images, structures }, { images: set, structures: gather(kernels, all, some) });
}

/** Makes images as they will be made, and measures how much they lack of what is typical. */
function* shortfallsOf(
  kernels: Kernels,
  { noise, training, regions }: ChoiceGroup,
  { choice, ...part }: NoiseQuestion & { readonly type: "shortfalls" },
): Steps<Shortfalls> {
  const trial = { set: training, windows: choice.windows, regions, ...part };
  const pixels = yield* trialImages(kernels, noise, trial);
  const halves = yield* halvesFor(kernels, training, choice, regions);
  const images = yield* measured(kernels, yield* openGate(kernels, training, choice, halves, regions), pixels);
  return { shortfall: images.map(({ newness, shortfall }) => newness < 1 ? 1 : shortfall) };
}

/** How many images are made for a choice, at most, and of how many training images. */
export function trialsOf(
  { areWindowsChosen, minMutualInformation }: PlanNoise,
  training: number,
): { readonly images: number; readonly training: number }[] {
  return [
    // Of ten rungs four are tried at most.
    ...areWindowsChosen ? [{ images: 4 * IMAGES, training: Math.min(training, MAX_TRAINING) }] : [],
    ...minMutualInformation > 0 ? [{ images: REACHING, training }] : [],
  ];
}

/** Estimates the work of a choice: its limits, and the images that are made. In images times the training images that they are made of. */
export function choiceImages({ noise, training: { count } }: ChoiceGroup): number {
  return trialsOf(noise, count).reduce((sum, { images, training }) => sum + images * training, TOGETHER * count);
}

/** The work of a question, as `choiceImages` counts it. */
export function questionImages({ training: { count } }: ChoiceGroup, question: NoiseQuestion): number {
  if (question.type === "limits") return TOGETHER * count;
  return question.count * (question.type === "images" ? Math.min(count, MAX_TRAINING) : count);
}

/** Everything that a choice depends on, except the code: the settings and the training images. */
export function choiceKey(kernels: Kernels, { noise, regions, training, copies, origins }: ChoiceGroup): Uint8Array {
  const { plugin, ...settings } = noise, { count, height, width, channels } = training;
  const shape = [count, height, width, channels, copies];
  const head = JSON.stringify([plugin.name, settings, regions, ...shape, ...origins ? [origins] : []]);
  return cacheKey(head, kernels.u8(training.at, count * lengthOf(training)));
}
