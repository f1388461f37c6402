/**
 * Chooses how images from noise are made of a group of training images: the widest windows whose images lie as far from them as
 * images do that are left out, and the distance that every image has to keep. Wider windows make more coherent images and more of
 * them nearly copies; how wide they may be differs from set to set.
 */
import { closestCorrelations, meanHighestCorrelations } from "../../core/correlation.ts";
import { diffuse, fitDiffusion } from "../../core/diffuse.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { gather, originalityDistances } from "../../core/nearest.ts";
import type { PlanNoise } from "../../core/plan.ts";
import { windowsUpTo } from "../../core/schedule.ts";
import { lengthOf } from "../../core/shape.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import { regionRows, structureRows } from "../../core/structure.ts";
import type { Region } from "../../core/metric.ts";
import type { Rows } from "../../core/types.ts";
import { type InformationLimit, informationLimit } from "./noise_halves.ts";
import { foldCount, type LeavingGroup, leftOutOf, MAX_TRAINING } from "./noise_left_out.ts";
import { saturate, saturatedRows } from "./saturation.ts";

/** Which structure images from noise may have, as a whole or inside a region. */
export interface StructureLimits {
  /** Images that share more structure with a training image are made again; 1: none. */
  readonly maxStructure: number;
  /** Images whose `TYPICAL` highest structures have a lower mean are made again; -1: none. */
  readonly leastTypicality: number;
}

/** How images from noise are made of a group of training images, as far as it is not in the plan. */
export interface NoiseChoice extends StructureLimits {
  /** Side of the window in each step, most noise first. */
  readonly windows: readonly number[];
  /** Images that are nearer to a training image are made again; 0: none. */
  readonly minOriginality: number;
  /** The same inside each region that the plan names, in its order. */
  readonly inRegions: readonly StructureLimits[];
  /** What the mutual information of the halves is held against; undefined: nothing. */
  readonly information?: InformationLimit;
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
export interface TriedReach {
  readonly reach: number;
  /** How many images were made. */
  readonly images: number;
  /** How many of them lie too near to a training image, by originality or by structure, and would be made again. */
  readonly near: number;
}

/** What is measured for a choice: on any thread, with the same result. */
export type NoiseQuestion =
  | { readonly type: "limits" }
  | { readonly type: "images"; readonly reach: number; readonly first: number; readonly count: number };

/** What is measured of left-out images. */
export interface LeftOutLimits extends Omit<WindowSearch, "reach" | "tried"> {
  /** The originality of the nearest left-out image, and the structure of the most alike. */
  readonly minOriginality: number;
  readonly maxStructure: number;
  readonly leastTypicality: number;
  readonly inRegions: readonly StructureLimits[];
  readonly information?: InformationLimit;
}

/** How near images lie to training images. */
export interface Nearness {
  readonly originality: readonly number[];
  readonly structure: readonly number[];
}

/** The answer to a question. */
export type NoiseAnswer = LeftOutLimits | Nearness;

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
/** Images that are made together. */
const TOGETHER = 8;
/** So many of `IMAGES` may be too near. Those are made again: where half of all are too near, 1 in 256 still is after 8 tries. */
const MAX_NEAR = 16;
/**
 * Images may share as much structure as the left-out image of this rank, among those that are left out together. It is not the first: as many held-out images as are left
 * out share less than that as often as more.
 */
const RANK = 2;
/** No image may have a lower originality, even where left-out images have: data sets hold near copies. */
const LEAST_ORIGINALITY = 0.6;
/** How many of the highest structures say how typical an image is. */
export const TYPICAL = 20;
/** Training images whose typicality is measured. */
const MEASURED = 256;
/** The random seed of the search. */
const SEARCH_SEED = 0;

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

/** Asks round after round of questions, and returns the choice. The first answers that it is given do not count. */
export function* choosing(
  { noise, training: { height, width } }: ChoiceGroup,
): Generator<NoiseQuestion[], NoiseChoice, readonly NoiseAnswer[]> {
  const [limits] = (yield [{ type: "limits" }]) as readonly LeftOutLimits[];
  const { leastTypicality, inRegions, information, leftOut, training, originality, structure } = limits;
  const { minOriginality = limits.minOriginality, maxStructure = limits.maxStructure } = noise;
  const held = { minOriginality, maxStructure, leastTypicality, inRegions, ...information && { information } };
  const choice = { windows: noise.windows, ...held };
  if (!noise.areWindowsChosen || leftOut === 0) return choice;
  const tried: TriedReach[] = [];
  // Bisection: all up to `passed` pass, and none from `failed` on.
  let passed = -1, failed: number = REACHES.length;
  while (failed - passed > 1) {
    const middle = (passed + failed) >> 1, reach = REACHES[middle];
    const parts = Array.from({ length: IMAGES / TOGETHER }, (_, part) => part * TOGETHER);
    const answers = (yield parts.map((first) => ({ type: "images", reach, first, count: TOGETHER }))) as Nearness[];
    const isNear = (answer: Nearness, i: number) => {
      return answer.originality[i] < originality || answer.structure[i] > structure;
    };
    const near = answers.flatMap((answer) => answer.originality.filter((_, i) => isNear(answer, i))).length;
    tried.push({ reach, images: IMAGES, near });
    if (near <= MAX_NEAR) passed = middle;
    else failed = middle;
  }
  const reach = REACHES[Math.max(passed, 0)];
  const windows = windowsUpTo(reach, noise.steps, Math.max(height, width));
  return { ...choice, windows, search: { reach, leftOut, training, originality, structure, tried } };
}

/** Answers a question. */
export function* answered(kernels: Kernels, group: ChoiceGroup, question: NoiseQuestion): Steps<NoiseAnswer> {
  const mark = kernels.mark();
  try {
    return question.type === "limits" ? yield* limitsOf(kernels, group) : yield* nearnessOf(kernels, group, question);
  } finally {
    kernels.release(mark);
  }
}

/** Measures how far left-out images lie from the others. */
function* limitsOf(kernels: Kernels, group: ChoiceGroup): Steps<LeftOutLimits> {
  const { noise, training, regions } = group, { leftOut, some, rest } = leftOutOf(group);
  const structures = structureRows(kernels, training);
  const typicalityOf = (rows: Rows) => noise.minTypicality > 0 ? typicalityAt(kernels, rows, noise.minTypicality) : -1;
  const leastTypicality = typicalityOf(structures);
  yield PROGRESS;
  const inRegions: StructureLimits[] = [];
  for (const region of regions) {
    const rows = regionRows(kernels, structures, region);
    // A structure that the plan limits is limited as a whole.
    const isAsked = noise.maxStructure === undefined && leftOut.length > 0;
    const maxStructure = isAsked ? greatestStructure(kernels, rows, leftOut, rest) : 1;
    inRegions.push({ maxStructure, leastTypicality: typicalityOf(rows) });
    yield PROGRESS;
  }
  const part = noise.minMutualInformation;
  const information = part > 0 ? informationLimit(kernels, training, regions, part) : undefined;
  const typical = { leastTypicality, inRegions, ...information && { information } };
  const none = { leftOut: 0, training: rest.length, originality: 0, structure: 1, minOriginality: 0, maxStructure: 1 };
  const asked = noise.areWindowsChosen || noise.minOriginality === undefined || noise.maxStructure === undefined;
  if (leftOut.length === 0 || !asked) return { ...none, ...typical };
  const all = yield* nearnessOfLeftOut(kernels, group, "rest");
  const isSame = rest.length === some.length || !noise.areWindowsChosen;
  const few = isSame ? all : yield* nearnessOfLeftOut(kernels, group, "some");
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
function* nearnessOfLeftOut(kernels: Kernels, group: ChoiceGroup, others: "rest" | "some"): Steps<Nearness> {
  const measured: Nearness[] = [], folds = group.noise.areWindowsChosen ? foldCount(group) : 1;
  for (let fold = 0; fold < folds; fold++) {
    const parts = leftOutOf(group, fold);
    measured.push(borrowing(kernels, () => {
      const queries = gather(kernels, group.training, parts.leftOut);
      return nearness(kernels, queries, gather(kernels, group.training, parts[others]));
    }));
    yield PROGRESS;
  }
  return {
    originality: measured.flatMap(({ originality }) => originality),
    structure: measured.flatMap(({ structure }) => structure),
  };
}

/** The most structure that left-out images share with the others, by the structures of all of them. */
function greatestStructure(
  kernels: Kernels,
  structures: Rows,
  leftOut: readonly number[],
  rest: readonly number[],
): number {
  return borrowing(kernels, () => {
    const set = gather(kernels, structures, rest), queries = gather(kernels, structures, leftOut);
    const { correlation } = closestCorrelations(kernels, queries, set);
    return highest(Array.from(correlation, (value) => Number.isNaN(value) ? 0 : value), 0);
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
  { reach, first, count }: NoiseQuestion & { readonly type: "images" },
): Steps<Nearness> {
  const { noise, training } = group, { some } = leftOutOf(group);
  const set = gather(kernels, training, some), { height, width } = training;
  const settings = { ...noise, windows: windowsUpTo(reach, noise.steps, Math.max(height, width)) };
  const vivid = saturatedRows(kernels, set, noise.saturation);
  const model = fitDiffusion({ kernels, ...noise, settings, training: vivid, batch: count });
  try {
    const images = Array.from({ length: count }, (_, i) => first + i);
    const steps = diffuse(model, { seed: SEARCH_SEED, images });
    let next = steps.next();
    for (; !next.done; next = steps.next()) yield PROGRESS;
    const { pixels } = next.value;
    saturate(pixels, training, 1 / noise.saturation);
    const at = kernels.allocate(pixels.length);
    kernels.u8(at, pixels.length).set(pixels);
    return nearness(kernels, { ...training, count, at }, set);
  } finally {
    model.dispose();
  }
}

/** How near images come to a set. */
function nearness(kernels: Kernels, queries: Rows, set: Rows): Nearness {
  const { dG, dT } = originalityDistances(kernels, queries, set);
  const { correlation } = closestCorrelations(kernels, structureRows(kernels, queries), structureRows(kernels, set));
  return {
    originality: Array.from(dG, (distance, i) => distance / dT[i] || 0),
    structure: Array.from(correlation, (value) => Number.isNaN(value) ? 0 : value),
  };
}

/** The typicality that a part of the training images does not reach. Where there are many, some of them are measured. */
function typicalityAt(kernels: Kernels, structures: Rows, part: number): number {
  const measured = Math.min(structures.count, MEASURED);
  const numbers = Array.from({ length: measured }, (_, i) => Math.floor(i * structures.count / measured));
  const own = borrowing(kernels, () => {
    const queries = gather(kernels, structures, numbers);
    return meanHighestCorrelations(kernels, queries, structures, TYPICAL, (query) => numbers[query]);
  });
  const known = Array.from(own).filter((value) => !Number.isNaN(value));
  return known.length === 0 ? -1 : quantile(known, part);
}

/** The value that a part of some values lies below. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b), last = sorted.length - 1;
  return part < 0.5 ? sorted[Math.floor(part * sorted.length)] : sorted[last - Math.floor((1 - part) * sorted.length)];
}

/** How many training images images are made of, at most, while windows are chosen, and how many images. */
export function searchSize({ areWindowsChosen }: PlanNoise, training: number): { images: number; training: number } {
  // Of ten rungs four are tried at most.
  return { images: areWindowsChosen ? 4 * IMAGES : 0, training: Math.min(training, MAX_TRAINING) };
}

/** Everything that a choice depends on, except the code: the settings and the training images. */
export function choiceKey(kernels: Kernels, { noise, regions, training, copies, origins }: ChoiceGroup): Uint8Array {
  const { plugin, ...settings } = noise, { count, height, width, channels } = training;
  const shape = [count, height, width, channels, copies];
  const text = new TextEncoder().encode(
    JSON.stringify([plugin.name, settings, regions, ...shape, ...origins ? [origins] : []]),
  );
  const length = count * lengthOf(training), key = new Uint8Array(text.length + length);
  key.set(text);
  key.set(kernels.u8(training.at, length), text.length);
  return key;
}
