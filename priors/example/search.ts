/**
 * Finds the nearest LR examples of the LR patches at a location (section "Sampling Process in Synthesis": patches are drawn from
 * the nearest neighbours of Q_(i/2) X_(l+1) alone). The search is exact. In the order of a draw: look up the location's
 * examples, use a kept list or else write what is compared, build the queries and search.
 */
import type { Address } from "../../core/kernel_functions.ts";
import { searchScratch } from "../../core/kernel_limits.ts";
import { halfOf, lengthOf } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import type { LayerData, Location, Measurements } from "../../core/types.ts";
import { type ComparedPixels, exampleAddresses, type ExampleLayout } from "./addresses.ts";
import { listCache } from "./list_cache.ts";
import { AXES, axesPay, writePrincipalAxes } from "./principal_axes.ts";
import { quantize } from "./lr_pixels.ts";
import { type Examples, expectedLists, listName, type Neighbourhood } from "./neighbourhood.ts";
import { rowDistances } from "./row_distances.ts";
import { pixelRuns } from "./runs.ts";

/** How a prior of example patches differs from another. */
export interface ExampleSettings extends Neighbourhood {
  /** The plugin's name, for error sentences. */
  readonly name: string;
  /** How many of the nearest examples are drawn from. */
  readonly neighbours: number;
  /** For each training image what is subtracted from log T (`hubPenalties`); nothing where it is left out. Not with `alongRows`. */
  readonly penalties?: Float64Array;
  /** What is added to log T of candidates from the training images of overlapping patches (`coherentImages`); 0 where it is left out. */
  readonly bonus?: number;
  /** See `exampleAddresses`; false where it is left out. */
  readonly alongRows?: boolean;
  /** Whether locations of a row may share distances (`rowDistances`); true where it is left out. No candidate depends on it. */
  readonly sharesRows?: boolean;
}

/** The nearest examples of each image of a batch at one location, in kernel memory until the next search. */
export interface NearestExamples extends ExampleLayout {
  /** How many there are of each image. */
  readonly found: number;
  /** `batch` x `capacity` u64: LR distance << 32 | segment * `count` + example, the nearest first. */
  readonly keys: Address;
  /** For each segment the u32 offset of its first example's first pixel in the HR training images. */
  readonly corners: Address;
}

/** The search of a layer. */
export interface ExampleSearch {
  /** LR distances are sums of squares of bytes times a scale; `unit` is the scale of a pixel of weight 1. */
  readonly unit: number;
  /** The most examples that are found for an image: the wanted neighbours, or all examples if they are fewer. */
  readonly capacity: number;
  nearest(at: Location, measurements: Measurements): NearestExamples;
}

/**
 * Prepares the search of a layer, in steps. Its parts stay inside: they share the kernel memory that it allocates.
 *
 * @throws Error where the context has more pixels than the kernel can sum, and where a location has no examples.
 */
export function* exampleSearch(layer: LayerData, settings: ExampleSettings): Steps<ExampleSearch> {
  const { kernels, channels, batch } = layer, { name, alongRows = false, sharesRows = true, examplesOf } = settings;
  const lrLength = lengthOf({ ...halfOf(layer), channels }), { pixels, unit } = quantize(layer, name);
  const { visits, mostOffsets } = yield* expectedLists(layer, settings, pixels);
  // What is allocated for each neighbour would otherwise grow with the number that a request names.
  const neighbours = Math.min(settings.neighbours, layer.hr.count * mostOffsets), inList = neighbours * 8;
  const rows = sharesRows && !alongRows && mostOffsets === 1 ? rowDistances(layer, pixels) : undefined;
  const addresses = exampleAddresses(layer, pixels, pixelRuns(pixels), settings, alongRows);
  const queries = kernels.allocate(batch * addresses.mostValues * 2);
  const axes = kernels.allocate(AXES * addresses.mostPlanes * 2);
  const scratch = kernels.allocate(searchScratch(addresses.mostPlanes, batch, neighbours));
  const lists = yield* listCache(kernels, visits, batch * inList);
  /** The last search, mostly that of the neighbouring location: its lists are hints for the next one. */
  let last: { keys: Address; found: number; batch: number } | undefined;

  /**
   * Writes which pixels are compared and where they lie. Locations of a row may share a part of their distances: then `shared`
   * is the address of those sums, and the pixels are what they leave out; otherwise it is 0. `projects`: whether the examples are
   * to be projected on their principal axes.
   */
  const writeCompared = (at: Location, measurements: Measurements, examples: Examples, layout: ExampleLayout) => {
    if (!rows) {
      const used = examples.comparable();
      const projects = !alongRows && axesPay(layout.segments * layout.count, used.length, neighbours);
      return { ...addresses.compare(at, layout, used, false), projects, shared: 0 };
    }
    const own = rows.ownBlocks(at.x >> 1), used = examplesOf(at, own.pixels).comparable();
    return {
      ...addresses.compare(at, layout, used, true),
      projects: false,
      shared: rows.sharedDistances(at.y >> 1, own, measurements),
    };
  };

  /**
   * Writes the queries: the compared pixels of each image's LR patch and context, as integers. Images that are alike are
   * searched for once: returns for each image the number of its query.
   */
  const buildQueries = (measurements: Measurements, { values, shared }: ComparedPixels & { shared: Address }) => {
    const { numbers, scale } = addresses;
    kernels.toQueries(measurements.lr.byteOffset, lrLength, measurements.batch, numbers, scale, values, queries);
    // Images that are alike in what is compared here may differ in what the row has summed.
    if (shared !== 0) return Array.from({ length: measurements.batch }, (_, b) => b);
    return moveDistinctToFront(kernels.i16(queries, measurements.batch * values), measurements.batch, values);
  };

  /** Searches for the lists of all images and writes them to `keys`; returns how many candidates each has. */
  const search = (
    at: Location,
    measurements: Measurements,
    examples: Examples,
    layout: ExampleLayout,
    keys: Address,
  ) => {
    const compared = writeCompared(at, measurements, examples, layout), queryOf = buildQueries(measurements, compared);
    const different = 1 + (queryOf.at(-1) ?? -1);
    if (compared.projects) {
      const { planes, runs } = compared, middle = layout.segments >> 1;
      const planesAt = addresses.table + middle * (planes + runs) * 4;
      writePrincipalAxes(kernels, { planesAt, scale: addresses.scale, planes, count: layout.count }, axes);
    }
    const found = kernels.search(
      {
        table: addresses.table,
        scale: addresses.scale,
        queries,
        planes: compared.planes,
        runs: compared.runs,
        stride: layout.lrStride,
        count: layout.count,
        segments: layout.segments,
        batch: different,
        known: compared.shared,
        axes: compared.projects ? axes : 0,
        features: AXES,
        scratch,
      },
      neighbours,
      last && last.batch >= different && last.found >= Math.min(neighbours, layout.segments * layout.count)
        ? last.keys
        : 0,
      keys,
    );
    // From the last image on, as lists move towards the end only.
    const bytes = kernels.u8(keys, measurements.batch * inList);
    for (let b = measurements.batch - 1; queryOf[b] < b; b--) {
      bytes.copyWithin(b * inList, queryOf[b] * inList, (queryOf[b] + 1) * inList);
    }
    last = { keys, found, batch: measurements.batch };
    return found;
  };

  return {
    unit,
    capacity: neighbours,
    nearest(at, measurements) {
      const examples = examplesOf(at, pixels), list = listName(at, examples), layout = addresses.locate(at, examples);
      lists.useFor(measurements.lrKey);
      const keys = lists.address(list);
      let found = lists.found(list);
      if (found === undefined) {
        found = search(at, measurements, examples, layout, keys);
        lists.keep(list, found);
      }
      return { ...layout, found, keys, corners: addresses.corners };
    },
  };
}

/**
 * Moves the queries that differ from the one before to the front of `queries` (`batch` x `length`), and returns for each image
 * which of them is its own. Samples of one seed image follow each other and are equal in the coarsest layer.
 */
function moveDistinctToFront(queries: Int16Array, batch: number, length: number): number[] {
  const queryOf: number[] = [];
  for (let b = 0, next = 0; b < batch; b++) {
    const query = queries.subarray(b * length, (b + 1) * length);
    const before = queries.subarray((next - 1) * length, next * length);
    if (b === 0 || query.some((value, i) => value !== before[i])) {
      queries.copyWithin(next++ * length, b * length, (b + 1) * length);
    }
    queryOf.push(next - 1);
  }
  return queryOf;
}
