/** Queries of a batch that are alike, which are searched for once. */

/**
 * Moves the queries that differ from the one before to the front of `queries`, one of each of `batch` images, and returns for each
 * image which of them is its query. Samples of one seed image follow each other and are equal in the coarsest layer; of a black
 * ground most patches are equal.
 */
export function moveDistinctToFront(queries: Int16Array, batch: number): number[] {
  const length = queries.length / batch;
  const queryOf: number[] = [];
  for (let b = 0, next = 0; b < batch; b++) {
    if (b === 0 || differ(queries, b * length, (next - 1) * length, length)) {
      queries.copyWithin(next++ * length, b * length, (b + 1) * length);
    }
    queryOf.push(next - 1);
  }
  return queryOf;
}

/** Whether `length` values at two places differ. */
function differ(values: Int16Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (values[a + i] !== values[b + i]) return true;
  return false;
}

/** Copies each query's list to the images that it was searched for. `lists`: the bytes of a list for each image. */
export function copyLists(lists: Uint8Array, queryOf: readonly number[]): void {
  const length = lists.length / queryOf.length;
  // From the last image on, as lists move towards the end only.
  for (let b = queryOf.length - 1; queryOf[b] < b; b--) {
    lists.copyWithin(b * length, queryOf[b] * length, (queryOf[b] + 1) * length);
  }
}
