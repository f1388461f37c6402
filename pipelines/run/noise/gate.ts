/** Measures images from noise against the limits that they have to keep, or else are made again. */
import { type CorrelationSet, highestCorrelations, withMoments } from "../../../core/correlation.ts";
import { borrowing, borrowingSteps, type Kernels } from "../../../core/kernels.ts";
import type { Region } from "../../../core/metric.ts";
import type { Halves } from "../../../core/mutual_information.ts";
import { type Nearest, nearestTraining, rowsOf } from "../../../core/nearest.ts";
import { lengthOf, type Shape } from "../../../core/shape.ts";
import { regionRows, structureRows } from "../../../core/structure.ts";
import type { Steps } from "../../../core/steps.ts";
import type { Images, Rows } from "../../../core/types.ts";
import { trainingStructures } from "../training_structures.ts";
import { informationOf, type QuantileLimit, trainingHalves } from "./halves.ts";

/** Which structure images from noise may have, as a whole or inside a region. */
export interface StructureLimits {
  /** Images that share more structure with a training image are made again; 1: none. */
  readonly maxStructure: number;
  /** Images whose `TYPICAL` highest structures have a lower mean are made again; -1: none. */
  readonly leastTypicality: number;
  /** The median of training images, where there is a least one. */
  readonly medianTypicality?: number;
}

/** How many of the highest structures say how typical an image is. */
export const TYPICAL = 20;

/** What images from noise are held against. */
export interface NoiseLimits extends StructureLimits {
  /** Images that are nearer to a training image are made again; 0: none. */
  readonly minOriginality: number;
  /** The same inside each region that the plan names, in its order. */
  readonly inRegions: readonly StructureLimits[];
  /** What the mutual information of the halves is held against; undefined: nothing. */
  readonly information?: QuantileLimit;
  /** Images that lack more of what is typical are made again: see `Measured.shortfall`. */
  readonly maxShortfall: number;
}

/** Limits that all images keep. */
export const NO_LIMITS: NoiseLimits = {
  minOriginality: 0,
  maxStructure: 1,
  leastTypicality: -1,
  inRegions: [],
  maxShortfall: 0,
};

/** Limits, and what they are measured with. */
export interface NoiseGate {
  readonly limits: NoiseLimits;
  readonly training: Rows;
  /** Which structure images may have: as a whole first, then inside regions; only what is limited. */
  readonly structures: readonly LimitedStructure[];
  /** The Gaussian of the two halves, where their mutual information is limited. */
  readonly halves?: Halves;
  readonly regions: readonly Region[];
}

/** Which structure images from noise may have, as a whole or inside a region. */
interface LimitedStructure extends StructureLimits {
  /** The whole image where it is left out. */
  readonly region?: Region;
  /** The structure of the training images there. */
  readonly training: CorrelationSet;
}

/** How an image from noise keeps its limits. */
interface Measured {
  /** The nearest training image, where originality is limited. */
  readonly nearest?: Nearest;
  /**
   * At least 1 if it is not too near to a training image: the least of its originality over the least one, and of what its structure
   * leaves to 1 over what it must leave.
   */
  readonly newness: number;
  /**
   * How much it lacks of what is typical, from 0 to 1: the mean of what its structures lack, or of that and of what the mutual
   * information of its halves lacks. Each is a half where a value is as far below its limit as the limit is from the median.
   */
  readonly shortfall: number;
}

/** Fits the Gaussian of the two halves, if limits need it. */
export function* halvesFor(
  kernels: Kernels,
  training: Rows,
  { information }: NoiseLimits,
  regions?: readonly Region[],
): Steps<Halves | undefined> {
  return information && (yield* trainingHalves(kernels, training, regions));
}

/**
 * Prepares to measure images by limits and what `halvesFor` returns for them. Allocates kernel memory, which the caller frees.
 *
 * @param known the structure of the training images, if it is known
 */
export function* openGate(
  kernels: Kernels,
  training: Rows,
  limits: NoiseLimits,
  halves: Halves | undefined,
  regions: readonly Region[] = [],
  known?: Rows,
): Steps<NoiseGate> {
  const structures = yield* limitedStructures(kernels, training, limits, regions, known);
  return { limits, training, structures, ...halves && { halves }, regions };
}

/** Whether the structure of images is limited, as a whole or in a region. */
export function limitsStructures(limits: NoiseLimits): boolean {
  return [limits, ...limits.inRegions].some(isLimited);
}

function isLimited({ maxStructure, leastTypicality }: StructureLimits): boolean {
  return maxStructure < 1 || leastTypicality > -1;
}

/** What the structure of images is held against: as a whole, and in the regions of a plan. Only what is limited. */
function* limitedStructures(
  kernels: Kernels,
  training: Rows,
  limits: NoiseLimits,
  regions: readonly Region[],
  known?: Rows,
): Steps<LimitedStructure[]> {
  if (!limitsStructures(limits)) return [];
  const { inRegions, maxStructure, leastTypicality } = limits, whole = { maxStructure, leastTypicality };
  const structures = known ?? (yield* trainingStructures(kernels, training));
  const areas = inRegions.map((limits, r): LimitedStructure => {
    return { ...limits, region: regions[r], training: regionRows(kernels, structures, regions[r]) };
  });
  const limited = [{ ...whole, training: structures }, ...areas].filter(isLimited);
  return limited.map((area) => ({ ...area, training: withMoments(kernels, area.training) }));
}

/** The least quotient of an image that is untypical, but not too near to a training image, and of one that is only unlikely. */
const UNTYPICAL = 0.5, UNLIKELY = 0.75;

/**
 * Orders images by how well they keep their limits: at least 1 if they do. If every try misses a limit, an untypical image is better
 * than one that is too near to a training image.
 */
export function quotientOf({ newness, shortfall }: Pick<Measured, "newness" | "shortfall">, maxShortfall = 0): number {
  if (newness < 1) return newness * UNTYPICAL;
  return shortfall > maxShortfall ? UNTYPICAL + (1 - shortfall) * (UNLIKELY - UNTYPICAL) : newness;
}

/** The quotient of an image that keeps the other limits, by how much it lacks of the least likelihood: at least 0.75. */
export function likelyQuotient(shortfall: number): number {
  return shortfall > 0 ? UNLIKELY + (1 - shortfall) * (1 - UNLIKELY) : Infinity;
}

/** Measures images, which lie one after another in `pixels`. */
export function* measured(kernels: Kernels, gate: NoiseGate, pixels: Uint8Array): Steps<Measured[]> {
  const { limits, training, structures } = gate, images = Array.from({ length: pixels.length / lengthOf(training) });
  const isNearLimited = limits.minOriginality > 0;
  const nearest = isNearLimited ? nearestTraining(kernels, { hr: [training] }, pixels) : undefined;
  const newness = images.map((_, n) => {
    if (!nearest) return Infinity;
    const { distance, trainingDistance } = nearest[n];
    return (distance / trainingDistance || 0) / limits.minOriginality;
  });
  const shortfall = images.map(() => 0);
  structuresOf(kernels, gate, pixels).forEach(({ highest, typicality }, area) => {
    const { maxStructure, leastTypicality, medianTypicality = leastTypicality } = structures[area];
    images.forEach((_, n) => {
      if (maxStructure < 1) newness[n] = Math.min(newness[n], (1 - highest[n]) / (1 - maxStructure));
      shortfall[n] += lacking(typicality[n], leastTypicality, medianTypicality) / structures.length;
    });
  });
  if (gate.halves) {
    const missing = yield* informationShortfalls(kernels, gate, pixels);
    missing.forEach((value, n) => shortfall[n] = (shortfall[n] + value) / 2);
  }
  return images.map((_, n) => ({ nearest: nearest?.[n], newness: newness[n], shortfall: shortfall[n] }));
}

/** How much mutual information the halves of images lack. */
function informationShortfalls(
  kernels: Kernels,
  { halves, limits, training, regions }: NoiseGate,
  pixels: Uint8Array,
): Steps<number[]> {
  const { least, median } = limits.information!;
  return borrowingSteps(kernels, function* () {
    const values = yield* informationOf(kernels, halves!, rowsOf(kernels, imagesOf(pixels, training)), regions);
    return Array.from(values, (value) => lacking(value, least, median));
  });
}

/** Images of a shape, which lie one after another in `pixels`. */
function imagesOf(pixels: Uint8Array, shape: Shape): Images {
  return { ...shape, count: pixels.length / lengthOf(shape), pixels };
}

/** How much a value lacks, from 0 to 1: 0 from its limit on, a half where it is as far below the limit as that is from the median. */
export function lacking(value: number, least: number, median: number): number {
  const missing = Math.max(least - value, 0);
  return missing > 0 ? missing / (missing + Math.abs(median - least)) : 0;
}

/**
 * The structure that each image shares with the training image whose structure is nearest, and the mean of the highest ones, as a
 * whole and inside regions, as far as they are limited; 0 where it is flat.
 */
function structuresOf(kernels: Kernels, { training, structures }: NoiseGate, pixels: Uint8Array) {
  if (structures.length === 0) return [];
  const numbers = (values: Float64Array) => Array.from(values, (value) => Number.isNaN(value) ? 0 : value);
  return borrowing(kernels, () => {
    const whole = structureRows(kernels, rowsOf(kernels, imagesOf(pixels, training)));
    return structures.map(({ region, training }) => {
      const queries = region ? regionRows(kernels, whole, region) : whole;
      const { highest, means } = highestCorrelations(kernels, queries, training, TYPICAL);
      return { highest: numbers(highest), typicality: numbers(means) };
    });
  });
}
