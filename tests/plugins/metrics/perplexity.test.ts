import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { precisionFor } from "../../../plugins/metrics/perplexity.ts";

/** Squared distances from `low` to `low + width`, the least first, the same for the same seed. */
function distances(seed: number, count: number, low: number, width: number): Float64Array {
  const random = stream(seed);
  return Float64Array.from({ length: count }, () => low + width * random.next()).sort();
}

/** p_(j|i) of equation (tsne weight). */
function weights(squared: Float64Array, precision: number): Float64Array {
  const terms = squared.map((d) => Math.exp(-precision * (d - squared[0]))), sum = terms.reduce((a, b) => a + b);
  return terms.map((term) => term / sum);
}

Deno.test("precisionFor: the weights have the entropy of `perplexity` equal ones", () => {
  for (const [low, width] of [[0, 1], [40, 1e-4], [1e-3, 1e4], [0, 1e-6]]) {
    for (const perplexity of [1.5, 10, 30, 90]) {
      const squared = distances(perplexity, 100, low, width), p = weights(squared, precisionFor(squared, perplexity));
      const entropy = -p.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0);
      assertAlmostEquals(entropy, Math.log(perplexity), 2e-7, `${low} ${width} ${perplexity}`);
    }
  }
});

Deno.test("precisionFor: scales against the distances, and a constant added to all of them does not change it", () => {
  const squared = distances(1, 50, 2, 3), precision = precisionFor(squared, 8);
  assertAlmostEquals(precisionFor(squared.map((d) => 4 * d), 8) * 4 / precision, 1, 1e-5);
  assertAlmostEquals(precisionFor(squared.map((d) => d + 1), 8) / precision, 1, 1e-5);
  // More neighbours that count: a wider Gaussian.
  assert(precisionFor(squared, 20) < precision);
});

Deno.test("precisionFor: where more neighbours are equally near than should count, they alone do", () => {
  const squared = Float64Array.of(...new Array(12).fill(1e-6), 2e-6, 1);
  assertEquals([...weights(squared, precisionFor(squared, 10))], [...new Array(12).fill(1 / 12), 0, 0]);
  assertEquals([...weights(new Float64Array(5), precisionFor(new Float64Array(5), 3))], new Array(5).fill(1 / 5));
});

Deno.test("precisionFor: where there are fewer neighbours than should count, all do equally", () => {
  const squared = distances(2, 4, 0, 1);
  for (const weight of weights(squared, precisionFor(squared, 5))) assertAlmostEquals(weight, 1 / 4, 1e-12);
  assertEquals([...weights(Float64Array.of(7), precisionFor(Float64Array.of(7), 1))], [1]);
});
