import { assert, assertAlmostEquals, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Matrix, SingularValueDecomposition } from "ml-matrix";
import { positions } from "../../../core/locations.ts";
import { stream } from "../../../core/random.ts";
import type { MetricInput } from "../../../core/metric.ts";
import { squareOf } from "../../../core/shape.ts";
import { likelihood } from "../../../plugins/metrics/likelihood.ts";
import { rankLikelihood, type RankLikelihoodAt } from "../../../plugins/metrics/rank_likelihood.ts";
import { assertClose, bytes, put, twin, wasm } from "../../kernels_under_test.ts";

const NATURAL = 1 / Math.sqrt(2 * Math.PI);

/** Square images of side `size`, one after another. */
interface Set {
  readonly size: number;
  readonly generated: Uint8Array;
  readonly training: Uint8Array;
  readonly patch?: number;
  readonly overlap?: number;
}

/** What `use` finds of the images in kernel memory, which is given back; asserts that it gave back its own. */
function within<T>(set: Set, use: (input: MetricInput) => T, kernels = wasm): T {
  const { size, patch = size, overlap = 0 } = set, height = kernels.mark();
  const rows = (pixels: Uint8Array) => ({
    count: pixels.length / size ** 2,
    ...squareOf(size),
    channels: 1,
    at: put(kernels, pixels),
  });
  try {
    const input = { generated: rows(set.generated), training: rows(set.training), patch, overlap, window: 1, kernels };
    const mine = kernels.mark(), result = use(input);
    assertEquals(kernels.mark(), mine);
    return result;
  } finally {
    kernels.release(height);
  }
}

const curves = (set: Set, at: RankLikelihoodAt, kernels = wasm) =>
  within(set, (input) => rankLikelihood(input, at), kernels);

/** Equation (patch pb with rank) as it stands, and the mean of (ll image). */
function direct({ size, generated, training, patch = size, overlap = 0 }: Set, at: Required<RankLikelihoodAt>) {
  const grid = positions(size, patch, overlap, 0, false);
  const cut = (images: Uint8Array, count: number, y: number, x: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        Array.from({ length: patch * patch }, (_, p) =>
          images[(i * size + y + Math.floor(p / patch)) * size + x + p % patch] / 255),
    );
  const distance = (a: number[], b: number[]) => a.reduce((sum, value, p) => sum + (value - b[p]) ** 2, 0);
  const { sigmas, tolerances, perplexity, dictionary, images } = at;
  const means = tolerances.map(() => sigmas.map(() => 0));
  for (const [y, x] of grid.flatMap((y) => grid.map((x) => [y, x]))) {
    const ys = cut(training, dictionary, y, x), xs = cut(generated, images, y, x);
    const spectra = ys.map((center, j) => {
      const others = ys.filter((_, k) => k !== j), p = tsneWeights(others.map((z) => distance(z, center)), perplexity);
      // The covariance is A^T A of these rows: its eigenvalues are the squares of A's singular values.
      const rows = others.map((z, k) => z.map((value, q) => Math.sqrt(p[k]) * (value - center[q])));
      return new SingularValueDecomposition(new Matrix(rows), { autoTranspose: true }).diagonal.map((v) => v * v);
    });
    tolerances.forEach((tolerance, t) =>
      sigmas.forEach((sigma, s) => {
        for (const x of xs) {
          const density = ys.reduce((sum, center, j) => {
            const rank = spectra[j].filter((value) => value > tolerance).length;
            return sum +
              Math.exp(-distance(x, center) / (2 * sigma ** 2)) / (2 * Math.PI * sigma ** 2) ** (rank / 2) / dictionary;
          }, 0);
          means[t][s] += size ** 2 / (grid.length ** 2 * patch ** 2) * Math.log(density) / images;
        }
      })
    );
  }
  return means;
}

/** p(z | y) by bisection of sigma_i itself. */
function tsneWeights(squared: number[], perplexity: number): number[] {
  const least = Math.min(...squared);
  let low = 1e-4, high = 1e4, p: number[] = [];
  for (let step = 0; step < 200; step++) {
    const sigma = Math.sqrt(low * high), terms = squared.map((d) => Math.exp((least - d) / (2 * sigma * sigma)));
    const sum = terms.reduce((a, b) => a + b);
    p = terms.map((term) => term / sum);
    const entropy = -p.reduce((total, weight) => total + (weight > 0 ? weight * Math.log(weight) : 0), 0);
    if (entropy > Math.log(perplexity)) high = sigma;
    else low = sigma;
  }
  return p;
}

const random: Set = { size: 8, patch: 4, overlap: 2, generated: bytes(1, 5 * 64), training: bytes(2, 30 * 64) };

Deno.test("rankLikelihood: equation (patch pb with rank), over the first training and generated images", () => {
  const at = {
    sigmas: [0.2, NATURAL, 0.7],
    tolerances: [1e-3, 0.05, 0.1, 0.3],
    perplexity: 6,
    dictionary: 25,
    images: 3,
  };
  const { means, settings, warnings } = curves(random, at), wanted = direct(random, at);
  means.forEach((curve, t) => assertClose(curve, wanted[t], 1e-9, `tolerance ${at.tolerances[t]}, sigma`));
  assertEquals(settings, { perplexity: 6, dictionary: 25, images: 3, window: "+-0", locations: 9 });
  assertEquals(warnings, []);
  // The tolerances are apart, or this test would say little.
  assertEquals(new Set(means.map(([first]) => first.toFixed(3))).size, at.tolerances.length);
});

Deno.test("rankLikelihood: the same by the twin of the kernels", () => {
  const at = { sigmas: [0.2], tolerances: [0.1], perplexity: 6 };
  assertEquals(curves(random, at, twin), curves(random, at));
});

Deno.test("rankLikelihood: at sigma 1/sqrt(2 pi) the likelihood over the same dictionary, whatever the tolerance", () => {
  const { means } = curves(random, { sigmas: [NATURAL], tolerances: [1e-9, 0.1, 10], dictionary: 20, images: 4 });
  const { values } = within(random, (input) =>
    likelihood.create({ sigma: NATURAL }).measure({
      ...input,
      training: { ...input.training, count: 20 },
      generated: { ...input.generated, count: 4 },
    }));
  for (const [mean] of means) assertAlmostEquals(mean, values.reduce((a, b) => a + b) / 4, 1e-9);
});

/** The rank that all patches of a dictionary have: one patch covers an image, so it is what sigma multiplies. */
function rank(size: number, training: Uint8Array, tolerance: number, perplexity = 3): number {
  const set = { size, generated: training.subarray(0, size * size), training }, sigma = 0.1;
  // No eigenvalue is above 1000: without a rank.
  const { means: [[ranked], [plain]] } = curves(set, { sigmas: [sigma], tolerances: [tolerance, 1000], perplexity });
  return (plain - ranked) / Math.log(2 * Math.PI * sigma ** 2) * 2;
}

/** `count` images of 2x2 pixels. */
const images = (count: number, pixels: (random: () => number) => number[], seed = 3) => {
  const numbers = stream(seed);
  return Uint8Array.from(Array.from({ length: count }, () => pixels(() => 255 * numbers.next())).flat());
};

Deno.test("rankLikelihood: ranks of patches that are flat, vary in one pixel, in one direction, in all", () => {
  const one = (random: () => number) => [40, random(), 40, 40];
  const together = (random: () => number) => {
    const level = Math.floor(random());
    return [level, 9, level, 255 - level];
  };
  const all = (random: () => number) => [random(), random(), random(), random()];
  for (const [pixels, wanted] of [[() => [7, 7, 7, 7], 0], [one, 1], [together, 1], [all, 4]] as const) {
    assertAlmostEquals(rank(2, images(20, pixels), 1e-6), wanted, 1e-9);
  }
});

Deno.test("rankLikelihood: only eigenvalues above the tolerance count", () => {
  // Two images at a distance: around each of them, one neighbour in one direction, with the eigenvalue 4 (51 / 255)^2.
  const pair = Uint8Array.of(0, 0, 0, 0, 51, 51, 51, 51);
  assertAlmostEquals(rank(2, pair, 0.1599999), 1, 1e-9);
  assertAlmostEquals(rank(2, pair, 0.1600001), 0, 1e-9);
});

Deno.test("rankLikelihood: the covariance is local", () => {
  // Flat patches of eight levels, three of each: two equal neighbours are more than 1.5 that count, and less than 7.
  const levels = Uint8Array.from({ length: 24 * 4 }, (_, p) => 30 * Math.floor(p / 12));
  assertAlmostEquals(rank(2, levels, 1e-6, 1.5), 0, 1e-9);
  assertAlmostEquals(rank(2, levels, 1e-6, 7), 1, 1e-9);
});

Deno.test("rankLikelihood: P is 1 for a flat patch in a flat ground, at every sigma", () => {
  const flat = new Uint8Array(20 * 16).fill(30), set = { size: 4, patch: 2, generated: flat, training: flat };
  assertEquals(curves(set, { sigmas: [0.01, 0.1, 3], tolerances: [1e-12, 1] }).means, [[0, 0, 0], [0, 0, 0]]);
});

Deno.test("rankLikelihood: neighbours whose weight is next to nothing", () => {
  // Around the first patch the weight of the one that is lighter falls from 1e-5 to 0, through numbers that underflow.
  for (let level = 20; level < 120; level++) {
    const training = Uint8Array.from([4, 0, 0, 0, 4, 0, 0, 0, ...new Array(40).fill(0), level, 8, 0, 0, 0, 0, 5, 0]);
    assertAlmostEquals(rank(2, training, 0.9, 1.5), 0, 1e-9);
  }
});

Deno.test("rankLikelihood: tells progress location by location", () => {
  const told: number[] = [];
  within(random, (input) => rankLikelihood(input, { sigmas: [1], tolerances: [1] }, (done) => told.push(done)));
  assertClose(told, Array.from({ length: 9 }, (_, i) => (i + 1) / 9), 1e-15);
});

Deno.test("rankLikelihood: gives its memory back where what hears of the progress throws", () => {
  const stop = () => {
    throw new Error("stopped");
  };
  within(random, (input) => {
    assertThrows(() => rankLikelihood(input, { sigmas: [1], tolerances: [1] }, stop), Error, "stopped");
  });
});

Deno.test("rankLikelihood: takes what there is, and a perplexity that it allows", () => {
  const { settings, warnings } = curves(random, { sigmas: [1], tolerances: [1], dictionary: 13 });
  assertEquals(settings, { perplexity: 4, dictionary: 13, images: 5, window: "+-0", locations: 9 });
  assertEquals(warnings, ["12 neighbours are too few for perplexity 10: 4.0 is used"]);
});

Deno.test("rankLikelihood: tells in a sentence what it cannot use", () => {
  const good = { sigmas: [1], tolerances: [1] }, none = new Uint8Array();
  const cases: [Partial<RankLikelihoodAt>, Partial<Set>, string][] = [
    [{}, { generated: none }, "at least 1 generated image, got 0"],
    [{}, { training: none }, "at least 2 training images"],
    [{}, { training: random.training.subarray(0, 64) }, "neighbours), got 1"],
    [{ sigmas: [] }, {}, "at least one sigma, got none"],
    [{ tolerances: [] }, {}, "at least one tolerance, got none"],
    [{ perplexity: 0.5 }, {}, "a perplexity of at least 1, got 0.5"],
    [{ dictionary: 1 }, {}, "a dictionary of at least 2 images, got 1"],
    [{ dictionary: 2.5 }, {}, "a dictionary of at least 2 images, got 2.5"],
    [{ images: 0 }, {}, "at least 1 image to average, got 0"],
    ...[0, -1, NaN, Infinity].flatMap((value): [Partial<RankLikelihoodAt>, Partial<Set>, string][] => [
      [{ sigmas: [1, value] }, {}, `every sigma above 0, got ${value}`],
      [{ tolerances: [1, value] }, {}, `every tolerance above 0, got ${value}`],
    ]),
  ];
  for (const [at, set, message] of cases) {
    const error = assertThrows(() => curves({ ...random, ...set }, { ...good, ...at }), Error);
    assert(error.message.startsWith("Cannot compute the likelihood with ranks: expected "));
    assertStringIncludes(error.message, message);
  }
});
