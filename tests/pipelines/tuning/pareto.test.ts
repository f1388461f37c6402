import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { bestOf, dominates, paretoFronts } from "../../../pipelines/tuning/pareto.ts";

Deno.test("dominates: nowhere worse and somewhere better; NaN is worse than any number", () => {
  assert(dominates([1, 2], [1, 3]) && dominates([0, 0], [1, 1]));
  assert(!dominates([1, 2], [1, 2]) && !dominates([1, 3], [2, 1]) && !dominates([1, 3], [1, 2]));
  assert(dominates([1, 5], [1, NaN]) && !dominates([1, NaN], [1, 5]) && !dominates([NaN], [NaN]));
});

Deno.test("paretoFronts: a staircase, and what lies behind it", () => {
  assertEquals(paretoFronts([[0, 3], [1, 1], [3, 0], [2, 2], [4, 4], [1, 1]]), [[0, 1, 2, 5], [3], [4]]);
  assertEquals(paretoFronts([]), []);
  assertEquals(paretoFronts([[NaN, NaN]]), [[0]]);
});

const someLosses = fc.array(fc.tuple(fc.integer({ max: 9 }), fc.integer({ max: 9 }), fc.integer({ max: 9 })), {
  minLength: 1,
  maxLength: 20,
});

Deno.test("paretoFronts: each candidate once; none dominates another one of its front or of an earlier one", () => {
  fc.assert(fc.property(someLosses, (losses) => {
    const fronts = paretoFronts(losses);
    assertEquals(fronts.flat().sort((a, b) => a - b), [...losses.keys()]);
    fronts.forEach((front, f) => {
      for (const other of fronts.slice(0, f + 1).flat()) {
        assert(front.every((i) => !dominates(losses[i], losses[other])));
      }
    });
  }));
});

Deno.test("bestOf: whole fronts first, then the ends and the loneliest of a front", () => {
  assertEquals(bestOf([[9, 9], [0, 3], [1, 1], [3, 0]], 3), [1, 2, 3]);
  // On one front: both ends, then the one with the widest gap around it.
  assertEquals(bestOf([[0, 10], [1, 9], [2, 8], [6, 3], [10, 0]], 3), [0, 3, 4]);
  assertEquals(bestOf([[1, 1]], 5), [0]);
  fc.assert(fc.property(someLosses, fc.integer({ min: 1, max: 20 }), (losses, count) => {
    const best = bestOf(losses, count);
    assertEquals(best.length, Math.min(count, losses.length));
    assertEquals(best, [...new Set(best)].sort((a, b) => a - b));
    // A candidate that was left out dominates none that was chosen.
    const out = [...losses.keys()].filter((i) => !best.includes(i));
    for (const i of out) assert(best.every((j) => !dominates(losses[i], losses[j])));
  }));
});
