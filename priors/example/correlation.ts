/**
 * Finds the nearest LR examples by correlation: mean and contrast are taken out of both patches. `Correlation` in
 * core/kernel_functions.ts has the formula of the distance d. As in `search.ts`, lists are kept while the LR images stay.
 */
import type { Address, Correlation } from "../../core/kernel_arguments.ts";
import { correlationScratch } from "../../core/kernel_limits.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import type { LayerData, Location, Measurements } from "../../core/types.ts";
import { listCache } from "./list_cache.ts";
import { numberOf, scalePixels } from "./lr_pixels.ts";
import { aroundTheLocation, type Examples, expectedLists, listName } from "./neighbourhood.ts";

/** The nearest examples of each image of a batch at one location, in kernel memory until the next search. */
export interface NearestByCorrelation {
  /** What was compared. Kernels that weigh the examples compare the same. */
  readonly correlation: Correlation;
  /** The segment of the location itself. */
  readonly home: number;
  /** For each segment the row and column, i32, of its first pixel in the HR training images. */
  readonly corners: Address;
  /** `batch` x `capacity` u64, as `correlate` writes them: the nearest first. */
  readonly keys: Address;
  /** How many there are of each image. */
  readonly found: number;
}

/** The search of a layer by correlation. */
export interface CorrelationSearch {
  /** Weight 1 of a pixel as an integer: d counts in `unit` * 255^2. */
  readonly unit: number;
  /** The most examples that are found for an image: the wanted ones, or all examples if they are fewer. */
  readonly capacity: number;
  /** Finds the nearest examples of a location, or takes the list that was kept. */
  nearest(at: Location, measurements: Measurements): NearestByCorrelation;
}

/** The largest weight of a pixel as an integer: its product with a byte fits 16 bits. */
const MAX_WEIGHT = 64;
/** The sum of the weights times 255^2 stays below 2^31. */
const MAX_TOTAL = 33000;

/** Tables of what `correlate` compares, and the memory that it works in. */
interface CorrelationTables
  extends Pick<Correlation, "numbers" | "pixelWeights" | "queries" | "contrasts" | "scratch"> {
  /** For each segment the row and column, i32, of its first pixel in the HR training images. */
  readonly corners: Address;
}

/** Writes what is compared at a location, and the queries of the batch. `home` is the segment of the location itself. */
function writeCorrelation(
  { kernels, lr }: LayerData,
  tables: CorrelationTables,
  at: Location,
  measurements: Measurements,
  examples: Examples,
): { correlation: Correlation; home: number } {
  const { numbers, corners, pixelWeights, queries, contrasts, scratch } = tables;
  const used = examples.comparable();
  const planes = used.length + used.length % 2;
  const { dys, dxs } = examples;
  const segments = dys.length * dxs.length;
  const low = { y: at.y >> 1, x: at.x >> 1 };
  const numbersOf = kernels.u32(numbers, segments * planes);
  const cornersOf = kernels.i32(corners, segments * 2);
  const integers = kernels.i16(pixelWeights, planes).fill(0);
  used.forEach(({ scale }, p) => integers[p] = scale);
  for (let segment = 0; segment < segments; segment++) {
    const dy = dys[Math.floor(segment / dxs.length)];
    const dx = dxs[segment % dxs.length];
    for (let p = 0; p < planes; p++) {
      const pixel = used[Math.min(p, used.length - 1)];
      numbersOf[segment * planes + p] = numberOf(pixel, low.y + dy, low.x + dx, lr);
    }
    cornersOf.set([at.y + 2 * dy, at.x + 2 * dx], 2 * segment);
  }
  const home = dys.indexOf(0) * dxs.length + dxs.indexOf(0);
  const correlation = {
    lr: lr.at,
    stride: lr.stride,
    rows: lr.rows,
    pixels: lengthOf(lr),
    numbers,
    pixelWeights,
    planes,
    count: lr.count,
    segments,
    batch: measurements.batch,
    queries,
    contrasts,
    scratch,
  };
  kernels.toDeviations(correlation, measurements.lr.byteOffset, home);
  return { correlation, home };
}

/**
 * Prepares the search of a layer, in steps.
 *
 * @param name The prior's name, for error sentences.
 * @param wanted How many of the nearest examples are found for each image.
 * @throws RangeError where the context has more pixels than the kernel can sum; Error where a location has no examples.
 */
export function* correlationSearch(layer: LayerData, name: string, wanted: number): Steps<CorrelationSearch> {
  const { kernels, hr, batch, channels, patch } = layer;
  const inPatch = channels * patch * patch;
  const { examplesOf, mostRows, mostColumns } = aroundTheLocation(layer, name);
  const { pixels, unit } = scalePixels(layer, name, {
    most: MAX_TOTAL,
    maxUnit: MAX_WEIGHT,
    scaleOf: (weight) => weight,
    costOf: (scale) => scale,
  });
  const mostPlanes = pixels.length + 1;
  const { visits, mostOffsets } = yield* expectedLists(layer, { examplesOf }, pixels);
  const capacity = Math.min(wanted, hr.count * mostOffsets);
  const mostSegments = mostRows * mostColumns;
  const tables = {
    numbers: kernels.allocate(mostSegments * mostPlanes * 4),
    corners: kernels.allocate(mostSegments * 8),
    pixelWeights: kernels.allocate(mostPlanes * 2),
    queries: kernels.allocate(batch * mostPlanes * 2),
    contrasts: kernels.allocate(batch * 8),
    scratch: kernels.allocate(correlationScratch(mostPlanes, batch, capacity, inPatch)),
  };
  const lists = yield* listCache(kernels, visits, batch * capacity * 8);
  return {
    unit,
    capacity,
    nearest(at, measurements) {
      const examples = examplesOf(at, pixels);
      const list = listName(at, examples);
      const compared = writeCorrelation(layer, tables, at, measurements, examples);
      lists.useFor(measurements.lrKey);
      const keys = lists.address(list);
      let found = lists.found(list);
      if (found === undefined) {
        found = kernels.correlate(compared.correlation, capacity, keys);
        lists.keep(list, found);
      }
      return { ...compared, corners: tables.corners, keys, found };
    },
  };
}
