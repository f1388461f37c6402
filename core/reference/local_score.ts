/** The local score machine: the posterior mean of each pixel given its window of a noisy image. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { LocalScore } from "../kernel_arguments.ts";
import type { Views } from "../views.ts";

const f = Math.fround;
const LOG2E = 1.4426950408889634;
/** A weight below 2^-24 of the largest so far is 0. */
const CUT = 24;
/** A factor and its rounding error fit 16 bits; a sum of products of a factor and a byte fits 30. */
const MAX_FACTOR = 32760, MAX_SUM = 8e6, MAX_REACH = 1e9;
/** Below every sum. */
const NONE = -1.06e9;
/** In the patch response the weights of a window sum to about this divided by its pixels, as integers. */
const UNIT = 2 ** 30;
/** Adding it rounds an f32 of small size to an integer, ties to even. */
const MAGIC = 12582912;
/** 2^r for |r| <= 1/2, within 2.9e-6 and 1 at 0: coefficients of r^4 to r^1. */
const EXP2 = [0.00958285299382343, 0.05590642474189896, 0.24024098612932826, 0.6931241933916186].map(f);
const word = new DataView(new ArrayBuffer(4));

/** 2^t for -24 <= t <= 0, by the operations of the kernel in f32. */
function exp2(t: number): number {
  const rounded = f(t + MAGIC), r = f(t - f(rounded - MAGIC));
  const polynomial = EXP2.reduce((sum, coefficient) => f(r * f(sum + coefficient)), 0);
  word.setFloat32(0, f(polynomial + 1));
  word.setInt32(0, word.getInt32(0) + (rounded - MAGIC) * 2 ** 23);
  return word.getFloat32(0);
}

/** How many values an answer has: the first channels of an image. */
function answeredOf({ channels, answered = channels, height, width }: LocalScore): number {
  return answered * height * width;
}

/** A noisy image in integers, so that sums are exact: the log weight of an example is `unit` times its sum. */
interface Query {
  /** For each value of the image 2 e Y, where x = s (Y + 1/2) / 127.5 and e = `step` / 128. */
  readonly factors: Int32Array;
  readonly step: number;
  /** Log2 of a weight per unit of a sum. */
  readonly unit: number;
  /** A sum further below the largest has no weight. */
  readonly reach: number;
}

/** Rounds one image of a batch. */
function query(image: Float32Array, given: LocalScore, signal: number, variance: number): Query {
  const doubled = Float64Array.from(image, (x) => {
    const value = 2 * (127.5 * (x === x ? x : 0) / signal - 0.5);
    return Math.min(Math.max(value, -(2 ** 20)), 2 ** 20);
  });
  const sizes = doubled.map((value) => Math.ceil(Math.abs(value)) + 128);
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0), total = sizes.reduce((a, b) => a + b, 0);
  const inWindow = Math.min(given.window * given.window * given.channels * largest, total);
  const fitting = Math.floor(128 * Math.min(MAX_FACTOR / largest, MAX_SUM / inWindow)), step = Math.max(fitting, 1);
  // An image whose values are so large that no step will do is not noise of this level: they are clamped.
  const most = fitting < 1 ? Math.min(MAX_FACTOR, Math.floor(MAX_SUM / image.length)) : MAX_FACTOR;
  const factor = (value: number) => Math.floor(value * step / 128 + 0.5);
  const perLevel = signal / 127.5, unit = f(LOG2E * perLevel * perLevel / (2 * variance) * (128 / step));
  return {
    factors: Int32Array.from(doubled, (value) => Math.min(Math.max(factor(value), -most), most)),
    step,
    unit,
    reach: Math.floor(Math.min(CUT / unit, MAX_REACH)),
  };
}

/** Bytes less 128 of an example that is moved by (dy, dx): what is moved in repeats the edge. */
function moved(memory: Views, given: LocalScore, candidate: number): Int32Array {
  const { channels, height, width, shift = 0 } = given, side = 2 * shift + 1, size = channels * height * width;
  const position = Math.floor(candidate / side ** 2), move = candidate % side ** 2;
  const number = given.numbers ? memory.u32(given.numbers, given.count)[position] : position;
  const bytes = memory.u8(given.rows + number * size, size);
  const dy = Math.floor(move / side) - shift, dx = move % side - shift;
  const inside = (at: number, length: number) => Math.min(Math.max(at, 0), length - 1);
  return Int32Array.from({ length: size }, (_, i) => {
    const x = i % width, y = Math.floor(i / width) % height, channel = Math.floor(i / width / height);
    return bytes[(channel * height + inside(y + dy, height)) * width + inside(x + dx, width)] - 128;
  });
}

/** Sums of the values in the window of each pixel, cut at the edges of the image, modulo 2^32. */
function boxes(values: Int32Array, { height, width, window }: LocalScore): Int32Array {
  const reach = window >> 1, rows = new Int32Array(values.length), sums = new Int32Array(values.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let u = Math.max(x - reach, 0); u <= Math.min(x + reach, width - 1); u++) {
        rows[y * width + x] += values[y * width + u];
      }
    }
  }
  for (let y = 0; y < height; y++) {
    for (let v = Math.max(y - reach, 0); v <= Math.min(y + reach, height - 1); v++) {
      for (let x = 0; x < width; x++) sums[y * width + x] += rows[v * width + x];
    }
  }
  return sums;
}

/** The sum of each window over u (2 e Y - e u), u the bytes of a candidate less 128. */
function boxedSums(
  candidate: Int32Array,
  { factors, step }: Pick<Query, "factors" | "step">,
  given: LocalScore,
): Int32Array {
  const products = new Int32Array(given.height * given.width);
  candidate.forEach((u, i) => products[i % products.length] += u * (factors[i] - ((u * step + 64) >> 7)));
  return boxes(products, given);
}

/** Which pixels need weights: for the mean of the centre those that differ between candidates, otherwise all. */
function weighted(given: LocalScore, candidates: readonly Int32Array[]): boolean[] {
  const inPlane = given.height * given.width, all = given.response === 1 || Boolean(given.uniform);
  const differs = new Array<boolean>(inPlane).fill(all);
  for (const candidate of candidates) candidate.forEach((u, i) => differs[i % inPlane] ||= u !== candidates[0][i]);
  return differs;
}

/** Of each pixel the largest sum, the sum of weights relative to it, and of each value the weighted sum of u - u_0. */
interface Posterior {
  readonly largest: Int32Array;
  readonly total: Float32Array;
  readonly sums: Float32Array;
}

/** Adds the candidates in their order; the largest sum so far is what weights are relative to. */
function posterior(given: LocalScore, query: Query, candidates: readonly Int32Array[], used: Uint8Array): Posterior {
  const { height, width, shift = 0 } = given, inPlane = height * width, moves = (2 * shift + 1) ** 2;
  const largest = new Int32Array(inPlane).fill(NONE), total = new Float32Array(inPlane);
  const sums = new Float32Array(answeredOf(given)), needed = weighted(given, candidates);
  used[0] = 1;
  candidates.forEach((candidate, c) => {
    boxedSums(candidate, query, given).forEach((sum, p) => {
      if (!needed[p] || sum < largest[p] - query.reach) return;
      const grown = Math.max(largest[p], sum);
      const factor = weightOf(largest[p], grown, query), weight = weightOf(sum, grown, query);
      largest[p] = grown;
      total[p] = f(f(total[p] * factor) + weight);
      for (let i = p; i < sums.length; i += inPlane) {
        sums[i] = f(f(sums[i] * factor) + f(weight * (candidate[i] - candidates[0][i])));
      }
      used[Math.floor(c / moves)] = 1;
    });
  });
  return { largest, total, sums };
}

/** The weight of a sum relative to that of the largest. */
function weightOf(sum: number, largest: number, { reach, unit }: Query): number {
  return sum < largest - reach ? 0 : exp2(f(f(sum - largest) * unit));
}

/** A level u, relative to 128, as a pixel in [-1, 1]. */
function pixel(level: number): number {
  return Math.min(Math.max(f(f(level + 0.5) / 127.5), -1), 1);
}

/** For each window the last candidate before which the weights sum to at most the uniform number times their total. */
function drawn(
  given: LocalScore,
  query: Query,
  { largest, total }: Posterior,
  candidates: readonly Int32Array[],
  uniform: Float64Array,
): Int32Array {
  const chosen = new Int32Array(total.length), before = new Float32Array(total.length);
  candidates.forEach((candidate, c) => {
    boxedSums(candidate, query, given).forEach((sum, p) => {
      const weight = weightOf(sum, largest[p], query);
      if (weight === 0) return;
      if (before[p] <= f(f(uniform[p]) * total[p])) chosen[p] = c;
      before[p] = f(before[p] + weight);
    });
  });
  return chosen;
}

/** The patch response: each pixel is the mean over the windows that hold it. */
function overlapped(
  given: LocalScore,
  query: Query,
  { largest, total }: Posterior,
  candidates: readonly Int32Array[],
): Float32Array {
  const inPlane = total.length, sums = new Float32Array(answeredOf(given)), weights = new Float32Array(inPlane);
  const unit = f(Math.floor(UNIT / given.window ** 2)), scale = total.map((weight) => f(unit / weight));
  for (const candidate of candidates) {
    const shares = boxedSums(candidate, query, given).map((sum, p) => {
      return Math.floor(f(f(weightOf(sum, largest[p], query) * scale[p]) + 0.5));
    });
    boxes(shares, given).forEach((share, p) => {
      weights[p] = f(weights[p] + f(share));
      for (let i = p; i < sums.length; i += inPlane) {
        sums[i] = f(sums[i] + f(f(share) * (candidate[i] - candidates[0][i])));
      }
    });
  }
  return sums.map((sum, i) => {
    const weight = weights[i % inPlane];
    return pixel(f(candidates[0][i] + (weight > 0 ? f(sum / weight) : 0)));
  });
}

/** The mean over the windows that hold a pixel of what was drawn for them. */
function overlappedDraws(given: LocalScore, chosen: Int32Array, candidates: readonly Int32Array[]): Float32Array {
  const { height, width, window } = given, reach = window >> 1;
  return Float32Array.from({ length: answeredOf(given) }, (_, i) => {
    const x = i % width, y = Math.floor(i / width) % height;
    let sum = 0, windows = 0;
    for (let v = Math.max(y - reach, 0); v <= Math.min(y + reach, height - 1); v++) {
      for (let u = Math.max(x - reach, 0); u <= Math.min(x + reach, width - 1); u++, windows++) {
        sum += candidates[chosen[v * width + u]][i];
      }
    }
    return pixel(f(f(sum) / f(windows)));
  });
}

type LocalScoreKernel = "localScore" | "localScoreWeights" | "nearestWindows";

/** The twin of assembly/local_score/local_score.ts. */
export function localScoreKernels(memory: Views): Pick<KernelFunctions, LocalScoreKernel> {
  const { u8, i32, f32, f64 } = memory;
  const all = (given: LocalScore) => {
    const moves = (2 * (given.shift ?? 0) + 1) ** 2;
    return Array.from({ length: given.count * moves }, (_, c) => moved(memory, given, c));
  };
  return {
    localScore(given, signal, variance) {
      const { count, channels, height, width, batch } = given, inPlane = height * width, size = channels * inPlane;
      const candidates = all(given), answered = answeredOf(given);
      for (let b = 0; b < batch; b++) {
        const rounded = query(f32(given.images + b * size * 4, size), given, signal, variance);
        const used = given.used ? u8(given.used + b * count, count) : new Uint8Array(count);
        const weights = posterior(given, rounded, candidates, used), out = f32(given.out + b * answered * 4, answered);
        if (given.uniform) {
          const uniform = f64(given.uniform + b * inPlane * 8, inPlane);
          const chosen = drawn(given, rounded, weights, candidates, uniform);
          if (given.drawn) i32(given.drawn + b * inPlane * 4, inPlane).set(chosen);
          if (given.response) out.set(overlappedDraws(given, chosen, candidates));
          else out.forEach((_, i) => out[i] = pixel(candidates[chosen[i % inPlane]][i]));
        } else if (given.response) {
          out.set(overlapped(given, rounded, weights, candidates));
        } else {
          const mean = (i: number) =>
            weights.total[i % inPlane] > 0 ? f(weights.sums[i] / weights.total[i % inPlane]) : 0;
          out.forEach((_, i) => out[i] = pixel(f(candidates[0][i] + mean(i))));
        }
      }
    },

    localScoreWeights(given, signal, variance, image, y, x, out) {
      const { channels, height, width } = given, size = channels * height * width, p = y * width + x;
      const rounded = query(f32(given.images + image * size * 4, size), given, signal, variance);
      const sums = all(given).map((candidate) => boxedSums(candidate, rounded, given)[p]);
      const largest = sums.reduce((a, b) => Math.max(a, b)),
        weights = sums.map((sum) => weightOf(sum, largest, rounded));
      const total = weights.reduce((a, b) => a + b);
      f32(out, weights.length).set(weights.map((weight) => weight / total));
    },

    nearestWindows(given, out) {
      const { channels, height, width, batch } = given, inPlane = height * width, size = channels * inPlane;
      const candidates = all(given);
      for (let b = 0; b < batch; b++) {
        const factors = Int32Array.from(f32(given.images + b * size * 4, size), (x) => Math.round(255 * x - 1));
        const nearest = i32(out + b * inPlane * 4, inPlane), largest = new Int32Array(inPlane).fill(-(2 ** 31));
        candidates.forEach((candidate, c) => {
          boxedSums(candidate, { factors, step: 128 }, given).forEach((sum, p) => {
            if (sum <= largest[p]) return;
            largest[p] = sum;
            nearest[p] = c;
          });
        });
      }
    },
  };
}
