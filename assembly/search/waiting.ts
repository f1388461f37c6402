// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// The examples that a lower bound does not rule out. They wait, and those with the least lower bounds are compared in full first:
// they lower the query's bound, which then rules out most of the others.
import { multiplyAdd } from "../lanes";
import { append, cut, open } from "./lists";
import { select } from "./select";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Query, Search, tableOf } from "./state";

/** Runs that are compared before the sum is checked against the bound. */
const RUNS: usize = 20;

/** Lets an example wait; `bound` is the lower bound of its distance. */
export function postpone(search: Search, query: Query, bound: i32, index: i32): void {
  const length = query.waitingLength + 1;
  store<u64>(query.waiting + (<usize> length << 3) - 8, (<u64> <u32> bound << 32) | <u64> <u32> index);
  query.waitingLength = length;
  if (length == search.mostWaiting) compareWaiting(search, query, length >> 1);
}

/** Compares the examples that wait, those with the least lower bounds first, until at most `left` of them are not ruled out. */
export function compareWaiting(search: Search, query: Query, left: i32): void {
  const waiting = query.waiting, kept = search.kept;
  let length = query.waitingLength;
  while (length > left) {
    const now = min(kept, length);
    select(waiting, length, now);
    for (let i = 0; i < now; i++) compare(search, query, <i32> load<u32>(waiting + (<usize> i << 3)));
    if (query.length >= kept) cut(search, query);
    const reach = <i64> query.reach + <i64> query.square;
    let stay = 0;
    for (let i = now; i < length; i++) {
      const key = load<u64>(waiting + (<usize> i << 3));
      store<u64>(waiting + (<usize> stay << 3), key);
      stay += <i32> (<i64> (key >> 32) < reach);
    }
    length = stay;
  }
  query.waitingLength = length;
}

/** Bounds a query's distances by those of `kept` examples that may be near: `hints` holds their keys, maybe of another query. */
export function boundByHints(search: Search, query: Query, hints: usize): void {
  const examples = <u32> (search.given.segments * search.given.count), kept = search.kept;
  for (let i = 0; i < kept; i++) {
    const index = load<u32>(hints + (<usize> i << 3));
    if (index < examples) compare(search, query, <i32> index);
  }
  if (query.length < kept) return open(search, query, i32.MAX_VALUE);
  cut(search, query);
  open(search, query, query.bound);
}

/** Compares an example with a query in full, run by run, and appends it to the list if it is below the bound. */
function compare(search: Search, query: Query, index: i32): void {
  const given = search.given, bound = query.bound, segment = index / given.count;
  const from = (index - segment * given.count) * given.stride;
  let run = tableOf(given, segment) + (<usize> given.planes << 2);
  let by = given.scale + (<usize> given.planes << 1), lanes = query.lanes;
  let distance = query.known == 0 ? 0 : load<i32>(query.known + (<usize> index << 2));
  for (const end = run + (<usize> given.runs << 2); run < end;) {
    let sum = i32x4.splat(0);
    for (const stop = min(run + 4 * RUNS, end); run < stop; run += 4) {
      const bytes = v128.load8x8_u(load<u32>(run) + from);
      const difference = i16x8.sub(i16x8.mul(bytes, v128.load(by)), v128.load(lanes));
      sum = multiplyAdd(sum, difference, difference);
      by += 16;
      lanes += 16;
    }
    sum = i32x4.add(sum, i32x4.shuffle(sum, sum, 2, 3, 0, 1));
    distance += i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1);
    if (distance >= bound) return;
  }
  append(search, query, distance, index);
}
