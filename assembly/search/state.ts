// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// The structures of a search and where they are in its scratch: a `Search`, then a `Query` for each query, then the arrays
// that both point to. `searchScratch` (core/kernel_limits.ts) adds up the same bytes.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Comparison } from "../descriptors";

/** Queries that are compared in one pass: eight accumulators, as many as sixteen 128-bit registers hold beside the data. */
export const TILE: i32 = 4;
/** Bytes of a block of packed examples: it stays in the first level cache. */
const BLOCK: i32 = 16384;
/** Examples that may wait for their comparison, plus four for each that is to be found. */
const WAITING: i32 = 96;

/** One search: what is compared, how it is packed, and where its arrays are. */
@unmanaged
export class Search {
  given: Comparison;
  /** Whether features bound distances from below. Otherwise each plane is a feature, and they give the distances themselves. */
  bounds: bool;
  /** Whether examples that the bounds do not rule out wait for their comparison. */
  waits: bool;
  /** Features of an example. An even number. */
  features: i32;
  /** Examples of a block. */
  blockLength: i32;
  /** Blocks of a segment. */
  blocksInSegment: i32;
  /** The number of nearest examples that a list is cut back to. */
  kept: i32;
  /** The most examples of a query that may wait for their comparison. */
  mostWaiting: i32;
  /** Whether all distances are written, and no lists. */
  writesAll: bool;
  /** A `Query` for each query, up to a whole tile. */
  queries: usize;
  /** The factor of each feature, i16; for sums only. */
  factors: usize;
  /** The queries' features, i16, tile by tile. */
  values: usize;
  /** Working memory for eight distances, i32. */
  eight: usize;
  /** The sums of a block's examples for a tile of queries: eight i32 for each in turn, then those of the next eight examples. */
  sums: usize;
  /** Where the groups of sixteen sums are that have one in reach, u32. */
  groups: usize;
  /** The scaled bytes of sixteen examples, i16; for projections only. */
  widened: usize;
  /** The indices of the first black examples, u32, at most `kept`; for projections only. */
  blacks: usize;
  /** How many there are. */
  blacksLength: i32;
  /** A block of packed examples. */
  packed: usize;
}

/**
 * One query. Examples are appended to its list. A long list is cut back, which lowers the bound. The scan compares
 * |x|^2 - 2 x q, without the query's own square, which is the same for all examples.
 */
@unmanaged
export class Query {
  /** Keys in the list. */
  length: i32;
  /** Only smaller distances may enter the list. */
  bound: i32;
  /** If the distance of an example is below the bound, its |x|^2 - 2 x q is below this. */
  reach: i32;
  /** The sum of the squares of the query's features. */
  square: i32;
  /** The distance of a black example. */
  fromBlack: i32;
  /** The list: u64 keys, distance << 32 | index. */
  keys: usize;
  /** The query's values in the order of the planes, i16. */
  values: usize;
  /** The query's values in the order of the runs, i16. */
  lanes: usize;
  /** The examples that wait for their comparison: u64, lower bound of the distance << 32 | index. */
  waiting: usize;
  /** How many examples wait. */
  waitingLength: i32;
  /** The known part of all its distances, i32, or 0. */
  known: usize;
  /** Where all its distances are written, i32. */
  out: usize;
}

/** Query `b` of a search. */
// @ts-ignore: decorator
@inline
export function queryAt(search: Search, b: i32): Query {
  return changetype<Query>(search.queries + <usize> b * offsetof<Query>());
}

/** The query `n` places after another. */
// @ts-ignore: decorator
@inline
export function after(query: Query, n: i32): Query {
  return changetype<Query>(changetype<usize>(query) + <usize> n * offsetof<Query>());
}

/** The number of queries, rounded up to whole tiles. The last query stands in for those beyond the batch. */
export function padded(given: Comparison): i32 {
  return (given.batch + TILE - 1) & ~(TILE - 1);
}

/** The address of the values of query `b`, or of the last one beyond the batch. */
export function valuesOf(given: Comparison, b: i32): usize {
  return given.queries + (<usize> (min(b, given.batch - 1) * (given.planes + 8 * given.runs)) << 1);
}

/** The part of the table with the addresses of a segment's planes and runs. */
// @ts-ignore: decorator
@inline
export function tableOf(given: Comparison, segment: i32): usize {
  return given.table + (<usize> (segment * (given.planes + given.runs)) << 2);
}

/** The part of an array of distances that belongs to query `b`, or to the last one beyond the batch; 0 if there is no array. */
export function distancesOf(given: Comparison, distances: usize, b: i32): usize {
  if (distances == 0) return 0;
  return distances + (<usize> min(b, given.batch - 1) * <usize> (given.segments * given.count) << 2);
}

/** Lays out the scratch for examples of so many features, which are bounds or the planes themselves, and lists of the `k` nearest. */
export function layOut(given: Comparison, features: i32, bounds: bool, k: i32): Search {
  const search = changetype<Search>(given.scratch), queries = <usize> padded(given);
  search.given = given;
  search.bounds = bounds;
  search.waits = bounds && given.axes == 0;
  search.features = features;
  search.blockLength = 16 * max<i32>(1, BLOCK / (64 + 32 * search.features));
  search.blocksInSegment = (given.count + search.blockLength - 1) / search.blockLength;
  search.mostWaiting = WAITING + 4 * k;
  search.writesAll = false;
  const width = <usize> search.features << 1, inList = <usize> (2 * k + 64) << 3;
  const inWaiting = search.waits ? <usize> search.mostWaiting << 3 : 0;
  search.queries = given.scratch + offsetof<Search>();
  search.factors = search.queries + queries * offsetof<Query>();
  search.values = search.factors + width;
  const lists = (search.values + queries * width + 15) & ~15, waiting = lists + queries * inList;
  search.eight = waiting + queries * inWaiting;
  search.sums = search.eight + 32;
  search.groups = search.sums + (<usize> (search.blockLength + 16) << 4);
  search.widened = (search.groups + (<usize> (search.blockLength + 16) >> 2) + 15) & ~15;
  search.blacks = search.widened + (given.axes == 0 ? 0 : <usize> given.planes << 5);
  search.blacksLength = 0;
  search.packed = search.blacks + (given.axes == 0 ? 0 : <usize> (k + 16) << 2);
  for (let b = 0; b < <i32> queries; b++) {
    const query = queryAt(search, b);
    query.keys = lists + <usize> b * inList;
    query.waiting = waiting + <usize> b * inWaiting;
    query.waitingLength = 0;
    query.known = distancesOf(given, given.known, b);
    query.values = valuesOf(given, b);
    query.lanes = query.values + (<usize> given.planes << 1);
  }
  return search;
}
