// Exact nearest neighbours over planes, in integers. What makes it fast changes no key:
// - Examples are packed a block at a time (pack.ts), so that all queries of the batch share the cost of reading and scaling them.
// - A sample of the examples gives the bound below which the k nearest should lie, so that few others enter the lists
//   (lists.ts). Where the bound was too low, too few are found, and those queries are searched for again without a bound.
// - Where examples are also given as runs, and a few of them show that it pays, sums of eight planes are packed. They give
//   lower bounds (bounds.ts); what these leave is compared in full, the least bounds first (waiting.ts). What was near at the
//   neighbouring location bounds the distances from the start.
// - Where axes are given, projections on them are packed and give lower bounds (project.ts).
// - The part of the distances that many locations share is summed once (known.ts).
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Comparison } from "../descriptors";
import { GROUP, sumsPay, writeFactors, writeFeatures } from "./bounds";
import { cut, finish, open } from "./lists";
import { scan } from "./scan";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { layOut, padded, queryAt, Search } from "./state";
import { boundByHints, compareWaiting } from "./waiting";

/** One block in so many belongs to the sample, but at least so many blocks. */
const SAMPLE: i32 = 16;
const LEAST_SAMPLED: i32 = 4;

/**
 * For each query of a batch the `k` examples nearest by sum over planes of (scale * example - query)^2 and what is known of
 * the distance, as u64 keys distance << 32 | index in ascending order (ties go to the lower index); index = segment * count +
 * example. `hints`: keys as an earlier search wrote them, of as many queries and examples at least, which may be near (0:
 * none). `out` has room for `batch` x `k` keys. Returns how many keys each query got: min(k, segments * count).
 */
export function search(given: Comparison, k: i32, hints: usize, out: usize): i32 {
  const examples = given.segments * given.count, found = min<i32>(k, examples);
  if (found == 0) return 0;
  const sums = given.axes == 0 && given.runs > 0 && sumsPay(given, <f64> found / <f64> examples);
  const bounds = sums || given.axes != 0;
  const features = sums ? ((given.planes + GROUP - 1) / GROUP + 1) & ~1 : bounds ? given.features : given.planes;
  const search = layOut(given, features, bounds, k);
  search.kept = found;
  if (sums) writeFactors(search);
  for (let b = 0; b < padded(given); b++) {
    const query = queryAt(search, b);
    writeFeatures(search, b, query);
    open(search, query, b < given.batch ? i32.MAX_VALUE : 0); // the query that stands in beyond the batch gets nothing
  }
  if (search.waits) searchBySums(search, k, hints, out);
  else searchInOrder(search, k, out);
  return found;
}

/** Searches by lower bounds from sums of planes, then compares in full. */
function searchBySums(search: Search, k: i32, hints: usize, out: usize): void {
  const batch = search.given.batch, inList = <usize> k << 3;
  for (let b = 0; b < batch && hints != 0; b++) boundByHints(search, queryAt(search, b), hints + <usize> b * inList);
  scanAll(search);
  for (let b = 0; b < batch; b++) {
    const query = queryAt(search, b);
    compareWaiting(search, query, 0);
    finish(search, query, out + <usize> b * inList);
  }
}

/** Searches by the distances themselves, which may follow lower bounds at once, with a bound from a sample. */
function searchInOrder(search: Search, k: i32, out: usize): void {
  const batch = search.given.batch, found = search.kept, inList = <usize> k << 3;
  boundBySample(search);
  scanAll(search);
  let missed = false;
  for (let b = 0; b < batch; b++) {
    const query = queryAt(search, b);
    if (query.length >= found) {
      finish(search, query, out + <usize> b * inList);
      open(search, query, 0);
    } else {
      open(search, query, i32.MAX_VALUE);
      missed = true;
    }
  }
  if (!missed) return;
  scanAll(search);
  for (let b = 0; b < batch; b++) {
    const query = queryAt(search, b);
    if (query.length > 0) finish(search, query, out + <usize> b * inList);
  }
}

/** Bounds all queries' distances by the nearest examples of the sample, if there are enough blocks for one. */
function boundBySample(search: Search): void {
  const blocks = search.blocksInSegment * search.given.segments, found = search.kept;
  const every = min(SAMPLE, blocks / LEAST_SAMPLED);
  if (every < 2 || (blocks < 2 * SAMPLE && found < 64)) return;
  // The sample holds about its share of the nearest; four standard deviations more are hardly ever too few.
  const share = <f64> found / <f64> every;
  search.kept = min(found, <i32> (share + 4.0 * Math.sqrt(share) + 2.0));
  search.blacksLength = 0;
  for (let block = every >> 1; block < blocks; block += every) scan(search, block);
  for (let b = 0; b < search.given.batch; b++) {
    const query = queryAt(search, b), enough = query.length >= search.kept;
    if (enough) cut(search, query);
    open(search, query, enough ? query.bound + 1 : i32.MAX_VALUE);
  }
  search.kept = found;
}

/** Scans all blocks. */
function scanAll(search: Search): void {
  search.blacksLength = 0;
  const blocks = search.blocksInSegment * search.given.segments;
  for (let block = 0; block < blocks; block++) scan(search, block);
}
