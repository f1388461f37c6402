/**
 * Every kernel with its arguments: what `assembly/` implements in WebAssembly, and the twin (`reference/`) in plain TypeScript
 * over the same memory, byte for byte. Kernels take addresses in kernel memory and plain numbers. Arguments that travel
 * together are one plain object (`kernel_arguments.ts`).
 */
import type {
  Address,
  CandidateLists,
  Comparison,
  Correlation,
  DetailCandidates,
  LocalScore,
  MergeSystem,
  ParzenWindow,
  WeightLists,
} from "./kernel_arguments.ts";

/** Every kernel, as `assembly/index.ts` exports it. */
export interface KernelFunctions {
  /** Replaces `length` f64 by their e^x. */
  expInPlace(values: Address, length: number): void;
  /** Replaces `length` f64 by their natural logarithm. */
  logInPlace(values: Address, length: number): void;
  /**
   * Writes one uniform number in [0, 1) for each image of a batch, `batch` f64: Philox with the counter (image, stage, location,
   * draw) under the seed's key. `numbers`: those of the images, `batch` u32.
   */
  uniforms(
    seedLow: number,
    seedHigh: number,
    numbers: Address,
    batch: number,
    stage: number,
    location: number,
    draw: number,
    out: Address,
  ): void;
  /** Applies H to `count` images of `height` x `width` f32; writes images of half of both. */
  down(source: Address, target: Address, height: number, width: number, count: number): void;
  /** Applies the transpose of H to `count` images of half of `height` x `width`; writes images of the whole. */
  downTransposed(source: Address, target: Address, height: number, width: number, count: number): void;
  /** Interpolates `count` images of half of `height` x `width` bilinearly to the whole. */
  up(source: Address, target: Address, height: number, width: number, count: number): void;
  /** Converts `length` bytes to f32 in [0, 1]. */
  toUnit(source: Address, target: Address, length: number): void;
  /** Converts `length` f32 in [0, 1] to bytes, rounded half up and clamped. */
  toBytes(source: Address, target: Address, length: number): void;
  /** Clamps `length` f32 to [0, 1], in place. */
  clamp(values: Address, length: number): void;
  /** Copies `count` images of `pixels` bytes to `pixels` planes, `stride` bytes apart. */
  toPlanes(rows: Address, count: number, pixels: number, planes: Address, stride: number): void;
  /** Copies `count` bytes of each of `planes` planes to `rows`, image by image one byte of each. `table`: the planes' u32 addresses. */
  toRows(table: Address, planes: number, count: number, rows: Address): void;
  /**
   * Rounds the queries of a batch to the integers that `search` compares: 255 * scale * value, rounded half up. `images`:
   * `batch` x `pixels` f32, clamped to [0, 1]; `numbers`: the u32 pixel number of each plane; `scale`: i16 for each plane; `out`:
   * `batch` x `planes` i16.
   */
  toQueries(
    images: Address,
    pixels: number,
    batch: number,
    numbers: Address,
    scale: Address,
    planes: number,
    out: Address,
  ): void;
  /**
   * Finds the `k` nearest examples of each query, exactly. Writes `batch` x `k` u64 to `out`: distance << 32 | index, the nearest
   * first, of two as near the lower index. `hints` (0: none) holds the keys that an earlier search wrote of as many queries and
   * examples at least: the nearer they are, the faster is the search; they do not change the result.
   * @returns how many keys each query got: min(k, segments * count)
   */
  search(comparison: Comparison, k: number, hints: Address, out: Address): number;
  /** Writes the distances of all examples to `out`: `batch` x `segments` x `count` i32. Takes no runs. */
  addDistances(comparison: Comparison, out: Address): void;
  /**
   * Writes the distances over all parts but a stretch of them: all - (to - from), `length` i32 each. `from` (0: nothing) and
   * `to` are the distances over the parts before the stretch and over those up to its end.
   */
  leaveOut(all: Address, from: Address, to: Address, length: number, out: Address): void;
  /**
   * Writes log T of equation (posterior example based), up to a constant, to `lists.weights`:
   * -(LR distance) * perLow - (HR distance) * perHigh, the LR distance in the units of `search` and the HR distance in grey levels
   * squared, less the penalty. `measurements`: R_i X + u_i, `batch` x channels x n^2 f32, readable 32 bytes beyond the end.
   */
  logPosterior(lists: CandidateLists, measurements: Address, perLow: number, perHigh: number): void;
  /**
   * Draws one entry for each image with probability proportional to exp(log weight). Replaces the log weights by the weights
   * relative to the largest. `uniform`: `batch` f64 in [0, 1); `drawn`: `batch` i32.
   */
  categorical(lists: WeightLists, uniform: Address, drawn: Address): void;
  /**
   * Draws one candidate for each image with probability T: what `logPosterior` and `categorical` draw, faster. Leaves any numbers in
   * the weights. `scratch`: `sampleScratch` bytes.
   */
  sample(
    lists: CandidateLists,
    measurements: Address,
    perLow: number,
    perHigh: number,
    uniform: Address,
    scratch: Address,
    drawn: Address,
  ): void;
  /** Writes the entry of each image with the largest log weight, the first of equal ones, to `drawn`: `batch` i32. */
  likeliest(lists: WeightLists, drawn: Address): void;
  /**
   * Writes the mean of all candidates' HR patches, weighted by exp(log weight), to `patches`: `batch` x channels x n^2 f32 in
   * [0, 1]. Replaces the log weights as `categorical` does.
   */
  meanPatches(lists: CandidateLists, patches: Address): void;
  /**
   * Copies the drawn candidates' HR patches to `patches`, `batch` x channels x n^2 f32 in [0, 1], and writes where they are to
   * `sources`: `batch` x (example, segment) i32.
   */
  takePatches(lists: CandidateLists, drawn: Address, patches: Address, sources: Address): void;
  /**
   * Writes R X + u at one location: `batch` x n^2 f32. `images`: `batch` x `height` x `width` f32; `corner`: the number of the
   * patch's first pixel in an image; `patch`: n; `dual`: u, `batch` x n^2 f32. Each channel counts as one of the batch.
   */
  measurements(
    images: Address,
    height: number,
    width: number,
    batch: number,
    corner: number,
    patch: number,
    dual: Address,
    out: Address,
  ): void;
  /**
   * Adds R^T M (z - u) at one location to `sums`, which has the form of images. `weights`: the diagonal of M, n^2 f32, 1 for a
   * plain sum; the rest is as in `measurements`.
   */
  merge(
    sums: Address,
    height: number,
    width: number,
    batch: number,
    corner: number,
    patch: number,
    patches: Address,
    dual: Address,
    weights: Address,
  ): void;
  /** Adds R X - z at one location to `dual`; the rest is as in `measurements`. */
  updateDual(
    images: Address,
    height: number,
    width: number,
    batch: number,
    corner: number,
    patch: number,
    patches: Address,
    dual: Address,
  ): void;
  /**
   * Solves the X-step by conjugate gradients, in place, from the present images. Stops when the residual's norm is below
   * `tolerance` times the right side's, or after `maxSteps` steps.
   * @param ratio lambda / rho
   * @returns the largest relative residual of the batch
   */
  solve(system: MergeSystem, ratio: number, tolerance: number, maxSteps: number): number;
  /**
   * Writes `queries` and `contrasts` of a batch. `images`: `batch` x `pixels` f32, clamped to [0, 1]; `home`: the segment whose
   * numbers are those of the queries' pixels.
   */
  toDeviations(correlation: Correlation, images: Address, home: number): void;
  /**
   * Finds the `k` >= 1 examples of the least distance d to each query, exactly as f32 arithmetic on the exact integer sums gives
   * it. Writes `batch` x `k` u64 to `out`: (bits of d as f32) << 32 | index, the nearest first, of two as near the lower index.
   * @returns how many keys each query got: min(k, segments * count)
   */
  correlate(correlation: Correlation, k: number, out: Address): number;
  /**
   * Writes the candidates z_j of each image to `patches` and log T of each, up to a constant, to `weights`. With U the bilinear
   * interpolation, x_j and y_j the HR and LR image of the example, r = min(2, max(1/2, s / s_j)), and m and m_j the means of U Y and
   * U y_j over the patch, channel by channel:
   *
   * z_j = (U Y)(patch) + gain r (x_j - U y_j)(patch) + lrShare (r (U y_j - m_j) - (U Y - m))(patch), clamped to [0, 1];
   * log T = -d * perLow - |z_j - (R_i X + u_i)|^2 * perHigh, -Infinity for no candidate.
   */
  transferDetail(candidates: DetailCandidates, gain: number, lrShare: number, perLow: number, perHigh: number): void;
  /** Writes the squared distances of `batch` query images to `count` images of `length` bytes: `batch` x `count` f64. */
  distances(queries: Address, batch: number, rows: Address, count: number, length: number, out: Address): void;
  /**
   * Writes the squared distances of one image to all examples over one mask for each value, `values` x `stride` f32: the sum over
   * the mask of (x - scale * byte)^2. Masks that overlap share their sums.
   *
   * `image`: x, `values` f32; `planes`: for each value the bytes of all examples, `stride` of them, a multiple of 16; `masks`: see
   * `maskChanges`; `scratch`: `values` x 128 bytes.
   */
  maskedDistances(
    image: Address,
    planes: Address,
    stride: number,
    values: number,
    scale: number,
    masks: Address,
    scratch: Address,
    out: Address,
  ): void;
  /**
   * Writes the log of the sum of exp(-perDistance * distance) over all examples for each image of a batch, `batch` f64. -Infinity if
   * there are no examples.
   */
  parzen(window: ParzenWindow, perDistance: number, out: Address): void;
  /**
   * Denoises a batch by windows: writes sum_n w_n(p) x_n(p) for each pixel p (Kamb and Ganguli 2025, local score machine).
   * `signal`: s > 0; `variance`: b > 0.
   */
  localScore(score: LocalScore, signal: number, variance: number): void;
  /**
   * Writes the weights of all candidates in the window around one pixel of an image of the batch:
   * `count` x (2 shift + 1)^2 f32 that sum to 1.
   */
  localScoreWeights(
    score: LocalScore,
    signal: number,
    variance: number,
    image: number,
    y: number,
    x: number,
    out: Address,
  ): void;
  /**
   * Writes, for each pixel of a batch of images of bytes, the number of the candidate whose window around it is nearest, by the exact
   * sum of squared differences; of equal ones the first. `score.images`: (byte - 127.5) / 127.5. A window holds at most 32768 values;
   * only the images, the examples and the window are read of `score`. `out`: `batch` x height x width i32.
   */
  nearestWindows(score: LocalScore, out: Address): void;
}
