/** Compares images with training images, some at a time: how near they come, and how typical they are. */
import { evenlySpaced } from "../../../core/numbers.ts";
import { closestCorrelations, meanHighestCorrelations } from "../../../core/correlation.ts";
import type { Kernels } from "../../../core/kernels.ts";
import { gather, originalityDistances } from "../../../core/nearest.ts";
import type { Region } from "../../../core/metric.ts";
import type { PlanNoise } from "../../../core/plan.ts";
import { lengthOf, type Shape } from "../../../core/shape.ts";
import { structureSize } from "../../../core/structure.ts";
import { PROGRESS, type Steps } from "../../../core/steps.ts";
import type { Rows } from "../../../core/types.ts";
import { type StructureLimits, TYPICAL } from "./gate.ts";
import { regionArea } from "./halves.ts";
import { MAX_LEFT_OUT } from "./left_out.ts";

/** How near images lie to training images. */
export interface Nearness {
  readonly originality: readonly number[];
  readonly structure: readonly number[];
}

/** Training images whose typicality is measured. */
const MEASURED = 256;

/** Images that are compared at a time: a server can pause between two parts. */
const COMPARED = 16;

/** Measures images some at a time. */
export function* inParts(images: Rows, measure: (part: Rows, first: number) => Float64Array): Steps<number[]> {
  const values: number[] = [], length = lengthOf(images);
  for (let first = 0; first < images.count; first += COMPARED) {
    const count = Math.min(COMPARED, images.count - first);
    const measured = measure({ ...images, at: images.at + first * length, count }, first);
    values.push(...measured);
    yield PROGRESS;
  }
  return values;
}

/** Images and their structures, in the same order. */
interface Structured {
  readonly images: Rows;
  readonly structures: Rows;
}

/** How near images come to a set. */
export function* nearness(kernels: Kernels, queries: Structured, set: Structured): Steps<Nearness> {
  const originality = yield* inParts(queries.images, (part) => {
    const { dG, dT } = originalityDistances(kernels, part, set.images);
    return dG.map((distance, i) => distance / dT[i]);
  });
  const structure = yield* inParts(queries.structures, (part) => {
    return closestCorrelations(kernels, part, set.structures).correlation;
  });
  return { originality: originality.map(orNone), structure: structure.map(orNone) };
}

/**
 * The work of limits of the structure of images from noise, as a whole and in regions: to measure what training images have
 * (`limit`), and to compare an image with them (`image`).
 *
 * @param shape of the images
 */
export function structureCost(
  { maxStructure, minTypicality }: PlanNoise,
  shape: Required<Shape>,
  regions: readonly Region[],
  training: number,
): { limit: number; image: number } {
  const size = { ...structureSize(shape), channels: shape.channels };
  const inRegions = size.channels * regions.reduce((sum, region) => sum + regionArea(size, region), 0);
  const areas = (minTypicality > 0 || (maxStructure ?? 0) < 1 ? lengthOf(size) : 0) +
    (minTypicality > 0 || maxStructure === undefined ? inRegions : 0);
  // With each part that is compared, the moments of all training images are measured by two more images.
  const compared = (images: number) => training * (images + 2 * Math.ceil(images / COMPARED));
  const typical = minTypicality > 0 ? areas * compared(Math.min(training, MEASURED)) : 0;
  const greatest = maxStructure === undefined ? inRegions * compared(Math.min(training, MAX_LEFT_OUT)) : 0;
  return { limit: typical + greatest, image: training * areas };
}

/** The typicality that a part of the training images does not reach, and the median. Where there are many, some of them are measured. */
export function* typicalityAt(
  kernels: Kernels,
  structures: Rows,
  part: number,
): Steps<Omit<StructureLimits, "maxStructure">> {
  const numbers = evenlySpaced(structures.count, MEASURED);
  const mark = kernels.mark();
  const own = yield* inParts(gather(kernels, structures, numbers), (part, first) => {
    return meanHighestCorrelations(kernels, part, structures, TYPICAL, (query) => numbers[first + query]);
  });
  kernels.release(mark);
  const known = own.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return { leastTypicality: -1 };
  return { leastTypicality: quantile(known, part), medianTypicality: quantile(known, 0.5) };
}

/** A value that may be none, such as the correlation of a flat image: 0. */
export function orNone(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

/** The value that a part of some values lies below. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b), last = sorted.length - 1;
  return part < 0.5 ? sorted[Math.floor(part * sorted.length)] : sorted[last - Math.floor((1 - part) * sorted.length)];
}
