import { assertEquals } from "@std/assert";
import { copyLists, moveDistinctToFront } from "../../core/distinct_queries.ts";

Deno.test("moveDistinctToFront, copyLists: each image gets the list of its query; queries like the one before are left out", () => {
  for (const batch of [[[1, 2]], [[1, 2], [1, 2]], [[0, 0], [0, 0], [0, 1], [3, 1], [3, 1], [0, 0]]]) {
    const queries = Int16Array.from(batch.flat()), queryOf = moveDistinctToFront(queries, batch.length);
    batch.forEach((query, b) => {
      assertEquals([...queries.subarray(2 * queryOf[b], 2 * queryOf[b] + 2)], query);
      if (b > 0) assertEquals(queryOf[b] === queryOf[b - 1], String(query) === String(batch[b - 1]));
    });
    // A list of three bytes for each query.
    const lists = new Uint8Array(3 * batch.length);
    for (let q = 0; q <= queryOf[batch.length - 1]; q++) lists.fill(q + 1, 3 * q, 3 * q + 3);
    copyLists(lists, queryOf);
    assertEquals([...lists], queryOf.flatMap((q) => [q + 1, q + 1, q + 1]));
  }
});
