/** Says of images from noise whether their left and right half belong together, as those of training images do. */
import { borrowingSteps, type Kernels } from "../../../core/kernels.ts";
import type { Region } from "../../../core/metric.ts";
import {
  fitHalves,
  type Halves,
  halvesWork,
  informationWork,
  mutualInformation,
} from "../../../core/mutual_information.ts";
import { gather } from "../../../core/nearest.ts";
import { evenlySpaced, range } from "../../../core/numbers.ts";
import { regionRows } from "../../../core/structure.ts";
import type { Size } from "../../../core/shape.ts";
import type { Steps } from "../../../core/steps.ts";
import type { Rows } from "../../../core/types.ts";

/** Training images that are left out of the fit and measured, at most, and as a part of all. */
const MEASURED = 256, MEASURED_PART = 1 / 8;
/** Training images that are learned from, at most: more of them find no more, and take longer. */
const FITTED = 2048;
/** With fewer training images to measure nothing is limited. */
const FEWEST = 10;
/** How far the box around all regions reaches beyond them, as a part of the sides. */
const MARGIN = 1 / 16;

/** What a measure of images from noise is held against. */
export interface QuantileLimit {
  /** Images with less are made again. */
  readonly least: number;
  /** The median of left-out training images. */
  readonly median: number;
}

/** The part of an image whose halves are compared: the box around all regions and a margin, or the whole image. */
export function boxAround(regions: readonly Region[]): Region {
  if (regions.length === 0) return { name: "box", x: 0, y: 0, width: 1, height: 1 };
  const edges = (from: (region: Region) => number, part: (region: Region) => number) => {
    const first = Math.max(Math.min(...regions.map(from)) - MARGIN, 0);
    return { first, length: Math.min(Math.max(...regions.map((one) => from(one) + part(one))) + MARGIN, 1) - first };
  };
  const across = edges(({ x }) => x, ({ width }) => width);
  const down = edges(({ y }) => y, ({ height }) => height);
  return { name: "box", x: across.first, y: down.first, width: across.length, height: down.length };
}

/** How many pixels of images of a size a region has at most. */
export function regionArea({ height, width }: Size, region: Region): number {
  return Math.ceil(region.height * height + 1) * Math.ceil(region.width * width + 1);
}

/** How many of `count` training images are measured, and how many are learned from; none where there are too few to say. */
export function partsOf(count: number): { measured: number; fitted: number } {
  const measured = Math.min(MEASURED, Math.floor(count * MEASURED_PART));
  return measured < FEWEST ? { measured: 0, fitted: 0 } : { measured, fitted: Math.min(count - measured, FITTED) };
}

/** The training images that are measured and those that are learned from, by their numbers; evenly spread. */
export function parted({ count }: Rows): { measured: number[]; fitted: number[] } {
  const parts = partsOf(count), measured = [...evenlySpaced(count, parts.measured)], left = new Set(measured);
  const others = [...range(count)].filter((number) => !left.has(number));
  return { measured, fitted: Array.from(evenlySpaced(others.length, parts.fitted), (i) => others[i]) };
}

/** The work of `informationLimit`, and of measuring an image, for `count` training images of a size. */
export function informationCost(
  { height, width }: Size,
  regions: readonly Region[],
  count: number,
): { limit: number; image: number } {
  const { measured, fitted } = partsOf(count), area = measured && regionArea({ height, width }, boxAround(regions));
  return { limit: halvesWork(area, fitted) + measured * informationWork(area), image: informationWork(area) };
}

/** The last fit to training images: a server makes images of the same ones again and again. */
const halvesByImages = new WeakMap<Rows, { readonly box: string; readonly halves: Halves }>();

/** Fits the Gaussian of the halves of training images. The last fit is kept as long as these are. */
export function* trainingHalves(
  kernels: Kernels,
  training: Rows,
  regions: readonly Region[] = [],
): Steps<Halves> {
  const kept = halvesByImages.get(training), box = JSON.stringify(boxAround(regions));
  if (kept?.box === box) return kept.halves;
  const { fitted } = parted(training);
  const halves = yield* inBox(kernels, training, regions, (rows) => fitHalves(kernels, rows, fitted));
  halvesByImages.set(training, { box, halves });
  return halves;
}

/** The mutual information of the halves of images, inside the box around the regions. */
export function informationOf(
  kernels: Kernels,
  halves: Halves,
  rows: Rows,
  regions: readonly Region[] = [],
): Steps<Float64Array> {
  return inBox(kernels, rows, regions, (part) => mutualInformation(kernels, halves, part));
}

/** Does work on the box of images, which is in kernel memory meanwhile. */
function inBox<Result>(
  kernels: Kernels,
  rows: Rows,
  regions: readonly Region[],
  work: (part: Rows) => Steps<Result>,
): Steps<Result> {
  return borrowingSteps(kernels, () => work(regionRows(kernels, rows, boxAround(regions))));
}

/** The limit that a part of the training images does not reach; undefined where there are too few to say. */
export function* informationLimit(
  kernels: Kernels,
  training: Rows,
  regions: readonly Region[],
  part: number,
): Steps<QuantileLimit | undefined> {
  const { measured } = parted(training);
  if (measured.length === 0) return undefined;
  const halves = yield* trainingHalves(kernels, training, regions);
  const found = yield* borrowingSteps(kernels, () => {
    return informationOf(kernels, halves, gather(kernels, training, measured), regions);
  });
  return quantileLimit(found, part);
}

/** The value that a part of values does not reach, and their median. */
export function quantileLimit(values: Float64Array, part: number): QuantileLimit {
  const sorted = values.toSorted();
  const at = (quantile: number) => sorted[Math.min(Math.floor(quantile * sorted.length), sorted.length - 1)];
  return { least: at(part), median: at(0.5) };
}
