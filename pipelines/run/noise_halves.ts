/** Says of images from noise whether their left and right half belong together, as those of training images do. */
import { borrowing, type Kernels } from "../../core/kernels.ts";
import type { Region } from "../../core/metric.ts";
import { fitHalves, type Halves, mutualInformation } from "../../core/mutual_information.ts";
import { gather } from "../../core/nearest.ts";
import { regionRows } from "../../core/structure.ts";
import type { Rows } from "../../core/types.ts";

/** Training images that are left out of the fit and measured, at most, and as a part of all. */
const MEASURED = 256, MEASURED_PART = 1 / 8;
/** Training images that are learned from, at most: more of them find no more, and take longer. */
const FITTED = 2048;
/** With fewer training images to measure nothing is limited. */
const FEWEST = 10;
/** How far the box around all regions reaches beyond them, as a part of the sides. */
const MARGIN = 1 / 16;

/** What the mutual information of the halves of images from noise is held against. */
export interface InformationLimit {
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

/** The training images that are measured and those that are learned from, by their numbers; evenly spread. */
function parted({ count }: Rows): { measured: number[]; fitted: number[] } {
  const spread = (all: number, some: number) => Array.from({ length: some }, (_, i) => Math.floor(i * all / some));
  const measured = spread(count, Math.min(MEASURED, Math.floor(count * MEASURED_PART))), left = new Set(measured);
  const others = Array.from({ length: count }, (_, number) => number).filter((number) => !left.has(number));
  return { measured, fitted: spread(others.length, Math.min(others.length, FITTED)).map((i) => others[i]) };
}

/** Fits the Gaussian of the halves of training images. */
export function trainingHalves(kernels: Kernels, training: Rows, regions: readonly Region[] = []): Halves {
  return borrowing(kernels, () => {
    return fitHalves(kernels, regionRows(kernels, training, boxAround(regions)), parted(training).fitted);
  });
}

/** The mutual information of the halves of images, inside the box around the regions. */
export function informationOf(
  kernels: Kernels,
  halves: Halves,
  rows: Rows,
  regions: readonly Region[] = [],
): Float64Array {
  return borrowing(kernels, () => mutualInformation(kernels, halves, regionRows(kernels, rows, boxAround(regions))));
}

/** The limit that a part of the training images does not reach; undefined where there are too few to say. */
export function informationLimit(
  kernels: Kernels,
  training: Rows,
  regions: readonly Region[],
  part: number,
): InformationLimit | undefined {
  const { measured } = parted(training);
  if (measured.length < FEWEST) return undefined;
  const halves = trainingHalves(kernels, training, regions);
  const values = borrowing(kernels, () => {
    return informationOf(kernels, halves, gather(kernels, training, measured), regions).toSorted();
  });
  const at = (quantile: number) => values[Math.min(Math.floor(quantile * values.length), values.length - 1)];
  return { least: at(part), median: at(0.5) };
}
