/**
 * Finds the nearest LR examples of the LR patches at a location (section "Sampling Process in Synthesis": patches are drawn from
 * the nearest neighbours of Q_(i/2) X_(l+1) alone). The search is exact. In the order of a draw: look up the location's
 * examples, use a kept list or else write what is compared, build the queries and search.
 */
import type { Address } from "../../core/kernel_arguments.ts";
import { searchScratch } from "../../core/kernel_limits.ts";
import { copyLists, moveDistinctToFront } from "../../core/distinct_queries.ts";
import { range } from "../../core/numbers.ts";
import { halfOf, lengthOf } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import type { LayerData, Location, Measurements } from "../../core/types.ts";
import { type ComparedPixels, type ExampleAddresses, exampleAddresses, type ExampleLayout } from "./addresses.ts";
import { listCache } from "./list_cache.ts";
import { AXES, axesPay, writePrincipalAxes } from "./principal_axes.ts";
import { quantize, type ScaledPixel } from "./lr_pixels.ts";
import { type Examples, expectedLists, listName, type Neighbourhood } from "./neighbourhood.ts";
import { type RowDistances, rowDistances } from "./row_distances.ts";
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
  /** Finds the nearest examples of a location, or takes the lists that were kept. */
  nearest(location: Location, measurements: Measurements): NearestExamples;
}

/** A layer that is searched, and the kernel memory that its searches share. */
interface SearchState {
  readonly layer: LayerData;
  readonly settings: ExampleSettings;
  /** The pixels of an LR patch and its context. */
  readonly pixels: readonly ScaledPixel[];
  /** The most examples that are found for an image. */
  readonly capacity: number;
  readonly addresses: ExampleAddresses;
  /** What the locations of a row share; undefined where they share nothing. */
  readonly rows?: RowDistances;
  readonly queries: Address;
  readonly axes: Address;
  readonly scratch: Address;
  /** The last search, mostly that of the neighbouring location: its lists are hints for the next one. */
  last?: { readonly keys: Address; readonly found: number; readonly batch: number };
}

/** What a search compares at a location. */
interface Compared extends ComparedPixels {
  /** The address of the sums that the locations of a row share; the pixels are what these leave out. 0 for none. */
  readonly shared: Address;
  /** Whether examples are projected on their principal axes first. */
  readonly projects: boolean;
}

/**
 * Prepares the search of a layer, in steps.
 *
 * @throws Error where the context has more pixels than the kernel can sum, and where a location has no examples.
 */
export function* exampleSearch(layer: LayerData, settings: ExampleSettings): Steps<ExampleSearch> {
  const { kernels, batch } = layer;
  const { name, alongRows = false, sharesRows = true, examplesOf } = settings;
  const { pixels, unit } = quantize(layer, name);
  const { visits, mostOffsets } = yield* expectedLists(layer, settings, pixels);
  // What is allocated for each neighbour would otherwise grow with the number that a request names.
  const capacity = Math.min(settings.neighbours, layer.hr.count * mostOffsets);
  const rows = sharesRows && !alongRows && mostOffsets === 1 ? rowDistances(layer, pixels) : undefined;
  const addresses = exampleAddresses(layer, pixels, pixelRuns(pixels), settings, alongRows);
  const state: SearchState = {
    layer,
    settings,
    pixels,
    capacity,
    addresses,
    rows,
    queries: kernels.allocate(batch * addresses.mostValues * 2),
    axes: kernels.allocate(AXES * addresses.mostPlanes * 2),
    scratch: kernels.allocate(searchScratch(addresses.mostPlanes, batch, capacity)),
  };
  const lists = yield* listCache(kernels, visits, batch * capacity * 8);
  return {
    unit,
    capacity,
    nearest(location, measurements) {
      const examples = examplesOf(location, pixels);
      const list = listName(location, examples);
      const layout = addresses.locate(location, examples);
      lists.useFor(measurements.lrKey);
      const keys = lists.address(list);
      let found = lists.found(list);
      if (found === undefined) {
        const compared = writeCompared(state, location, measurements, examples, layout);
        found = search(state, measurements, layout, compared, keys);
        lists.keep(list, found);
      }
      return { ...layout, found, keys, corners: addresses.corners };
    },
  };
}

/** Writes which pixels are compared, and where they lie. */
function writeCompared(
  { addresses, rows, settings, capacity }: SearchState,
  location: Location,
  measurements: Measurements,
  examples: Examples,
  layout: ExampleLayout,
): Compared {
  if (!rows) {
    const pixels = examples.comparable();
    const projects = !settings.alongRows && axesPay(layout.segments * layout.count, pixels.length, capacity);
    return { ...addresses.compare(location, layout, pixels, false), projects, shared: 0 };
  }
  const blocks = rows.ownBlocks(location.x >> 1);
  const pixels = settings.examplesOf(location, blocks.pixels).comparable();
  return {
    ...addresses.compare(location, layout, pixels, true),
    projects: false,
    shared: rows.sharedDistances(location.y >> 1, blocks, measurements),
  };
}

/** Searches for the lists of all images and writes them to `keys`. Returns how many candidates each has. */
function search(
  state: SearchState,
  measurements: Measurements,
  layout: ExampleLayout,
  compared: Compared,
  keys: Address,
): number {
  const { layer: { kernels }, addresses, queries, axes, scratch, capacity } = state;
  const queryOf = writeQueries(state, measurements, compared);
  const batch = 1 + (queryOf.at(-1) ?? -1);
  if (compared.projects) writeAxes(state, layout, compared);
  const comparison = {
    table: addresses.table,
    scale: addresses.scale,
    queries,
    planes: compared.planes,
    runs: compared.runs,
    stride: layout.lrStride,
    count: layout.count,
    segments: layout.segments,
    batch,
    known: compared.shared,
    axes: compared.projects ? axes : 0,
    features: AXES,
    scratch,
  };
  const found = kernels.search(comparison, capacity, hintsFor(state, batch, layout), keys);
  copyLists(kernels.u8(keys, queryOf.length * capacity * 8), queryOf);
  state.last = { keys, found, batch: measurements.batch };
  return found;
}

/**
 * Writes the queries: the compared pixels of each image's LR patch and context, as integers. Images that are alike are searched for
 * once. Returns for each image the number of its query.
 */
function writeQueries(
  { layer, layer: { kernels, channels }, addresses: { numbers, scale }, queries }: SearchState,
  { lr, batch }: Measurements,
  { values, shared }: Compared,
): number[] {
  const lrLength = lengthOf({ ...halfOf(layer), channels });
  kernels.toQueries(lr.byteOffset, lrLength, batch, numbers, scale, values, queries);
  // Images that are alike in what is compared here may differ in what the row has summed.
  if (shared !== 0) return [...range(batch)];
  return moveDistinctToFront(kernels.i16(queries, batch * values), batch);
}

/** Writes the principal axes of the examples of the middle segment. */
function writeAxes({ layer, addresses, axes }: SearchState, layout: ExampleLayout, compared: Compared): void {
  const { planes, runs } = compared;
  const middle = layout.segments >> 1;
  const planesAt = addresses.table + middle * (planes + runs) * 4;
  writePrincipalAxes(layer.kernels, { planesAt, scale: addresses.scale, planes, count: layout.count }, axes);
}

/** The keys of the last search where they are enough to be hints; 0 for none. */
function hintsFor({ last, capacity }: SearchState, batch: number, { segments, count }: ExampleLayout): Address {
  const isEnough = last && last.batch >= batch && last.found >= Math.min(capacity, segments * count);
  return isEnough ? last.keys : 0;
}
