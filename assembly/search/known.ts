// The distances of all examples over the pixels that many locations share: summed once, then given to `search` as known.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Comparison } from "../descriptors";
import { writeFeatures } from "./bounds";
import { scan } from "./scan";
import { distancesOf, layOut, padded, queryAt } from "./state";

/**
 * Writes the distances of all examples to `out`, `batch` x `segments` x `count` i32: the sums over planes of
 * (scale * example - query)^2 and what is known of the distance. `given.runs` is 0.
 */
export function addDistances(given: Comparison, out: usize): void {
  const search = layOut(given, given.planes, false, 0);
  search.writesAll = true;
  for (let b = 0; b < padded(given); b++) {
    const query = queryAt(search, b);
    query.out = distancesOf(given, out, b);
    writeFeatures(search, b, query);
  }
  const blocks = search.blocksInSegment * given.segments;
  for (let block = 0; block < blocks; block++) scan(search, block);
}

/**
 * Writes the distances over all parts but a stretch of them: out = all - (to - from), `length` i32 each. `from` (0: nothing) and
 * `to` are the distances over the parts before the stretch and over those up to its end.
 */
export function leaveOut(all: usize, from: usize, to: usize, length: i32, out: usize): void {
  const end = <usize> length << 2, whole = end & ~15;
  let i: usize = 0;
  for (; i < whole; i += 16) {
    const before = from == 0 ? i32x4.splat(0) : v128.load(from + i);
    v128.store(out + i, i32x4.add(i32x4.sub(v128.load(all + i), v128.load(to + i)), before));
  }
  for (; i < end; i += 4) {
    const before = from == 0 ? 0 : load<i32>(from + i);
    store<i32>(out + i, load<i32>(all + i) - load<i32>(to + i) + before);
  }
}
