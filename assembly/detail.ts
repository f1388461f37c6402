// Detail transfer: what an example adds to its own LR patch is put on top of the interpolated LR patch of the image.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { DetailCandidates } from "./descriptors";
import { distance, inverseOf, normOf, totalWeight, variance } from "./correlate";

/**
 * Writes the candidates of each image and log T of each, -(LR distance d) * perLow - (squared HR distance) * perHigh:
 *
 *   z = (U Y)(patch) + gain r (x_j - U y_j)(patch) + lrShare (r (U y_j - m_j)(patch) - (U Y - m)(patch)), clamped to [0, 1],
 *
 * r = min(2, max(1/2, s / s_j)); m_j and m are here the means of U y_j and U Y over the patch, channel by channel.
 *
 * An index of -1 stands for no candidate: its log T is -Infinity.
 */
export function transferDetail(given: DetailCandidates, gain: f32, lrShare: f32, perLow: f64, perHigh: f64): void {
  const capacity = given.capacity, count = given.count, planes = given.planes, total = totalWeight(given);
  const length = given.channels * given.patch * given.patch, base = given.scratch;
  for (let b = 0; b < given.batch; b++) {
    const deviation = load<f32>(given.contrasts + (<usize> b << 3)),
      energy = load<f32>(given.contrasts + (<usize> b << 3), 4);
    const query = given.queries + (<usize> (b * planes) << 1);
    interpolate(given, given.images + (<usize> (b * given.pixels) << 2), base);
    for (let c = 0; c < capacity; c++) {
      const slot = b * capacity + c, index = load<i32>(given.indices + (<usize> slot << 2));
      const weight = given.weights + (<usize> slot << 3);
      if (index < 0) {
        store<f64>(weight, -Infinity);
        continue;
      }
      const segment = index / count, example = index - segment * count;
      const numbers = given.numbers + (<usize> (segment * planes) << 2);
      const row = given.rows + <usize> example * <usize> given.pixels;
      let product = 0, sum = 0, squares = 0;
      for (let p = 0; p < planes; p++) {
        const byte = <i32> load<u8>(row + load<u32>(numbers + (<usize> p << 2)));
        const weighted = byte * <i32> load<i16>(given.pixelWeights + (<usize> p << 1));
        product += byte * <i32> load<i16>(query + (<usize> p << 1));
        sum += weighted;
        squares += weighted * byte;
      }
      const v = variance(sum, squares, total), inverse = inverseOf(v);
      const low = distance(product, inverse, normOf(v, total), deviation, energy);
      const ratio: f32 = min<f32>(max<f32>(deviation * inverse, 0.5), 2.0), factor: f32 = gain * ratio / 1020.0;
      const patch = given.patches + (<usize> (slot * length) << 2);
      addDetail(given, segment, example, factor, base, patch);
      if (lrShare > 0) shareLr(given, segment, example, lrShare, ratio / 1020.0, base, patch);
      clamp(patch, length);
      const want = given.measurements + (<usize> (b * length) << 2);
      let high = 0.0;
      for (let i: usize = 0; i < <usize> length << 2; i += 4) {
        const difference = load<f32>(patch + i) - load<f32>(want + i);
        high += <f64> (difference * difference);
      }
      store<f64>(weight, -(<f64> low * perLow) - high * perHigh);
    }
  }
}

/** (U Y)(patch): the pixels of the location's patch in an LR image, interpolated as by `up`. */
function interpolate(given: DetailCandidates, image: usize, to: usize): void {
  const high = given.height >> 1, wide = given.width >> 1, patch = given.patch;
  for (let channel = 0; channel < given.channels; channel++) {
    for (let row = 0; row < patch; row++) {
      const y = given.y + row, y0 = y >> 1, y1 = min(y0 + (y & 1), high - 1);
      const row0 = image + (<usize> ((channel * high + y0) * wide) << 2);
      const row1 = image + (<usize> ((channel * high + y1) * wide) << 2);
      for (let column = 0; column < patch; column++, to += 4) {
        const x = given.x + column, x0 = <usize> (x >> 1) << 2, x1 = <usize> min((x >> 1) + (x & 1), wide - 1) << 2;
        const value: f32 = 0.25 *
          ((load<f32>(row0 + x0) + load<f32>(row0 + x1)) + (load<f32>(row1 + x0) + load<f32>(row1 + x1)));
        store<f32>(to, value);
      }
    }
  }
}

/** Clamps `length` f32 to [0, 1]. */
function clamp(values: usize, length: i32): void {
  for (let i: usize = 0; i < <usize> length << 2; i += 4) {
    store<f32>(values + i, min<f32>(max<f32>(load<f32>(values + i), 0.0), 1.0));
  }
}

/** Adds `factor` times 4 (x_j - U y_j), an integer in grey levels, to the interpolated patch. */
function addDetail(given: DetailCandidates, segment: i32, example: i32, factor: f32, base: usize, to: usize): void {
  const height = given.height, width = given.width, high = height >> 1, wide = width >> 1, patch = given.patch;
  const top = load<i32>(given.corners + (<usize> segment << 3)),
    left = load<i32>(given.corners + (<usize> segment << 3), 4);
  const hr = given.hr + <usize> example * <usize> (given.channels * height * width);
  const lr = given.rows + <usize> example * <usize> given.pixels;
  for (let channel = 0; channel < given.channels; channel++) {
    for (let row = 0; row < patch; row++) {
      const y = top + row, y0 = y >> 1, y1 = min(y0 + (y & 1), high - 1), x = hr + (channel * height + y) * width;
      const row0 = lr + (channel * high + y0) * wide, row1 = lr + (channel * high + y1) * wide;
      for (let column = left; column < left + patch; column++, base += 4, to += 4) {
        const x0 = column >> 1, x1 = min(x0 + (column & 1), wide - 1);
        const low = (<i32> load<u8>(row0 + x0) + <i32> load<u8>(row0 + x1)) +
          (<i32> load<u8>(row1 + x0) + <i32> load<u8>(row1 + x1));
        const difference = 4 * <i32> load<u8>(x + column) - low;
        store<f32>(to, load<f32>(base) + factor * <f32> difference);
      }
    }
  }
}

/** Adds `share` times the difference of both interpolated LR patches, each less its mean; `scale` times 4 U y_j has the contrast of U Y. */
function shareLr(
  given: DetailCandidates,
  segment: i32,
  example: i32,
  share: f32,
  scale: f32,
  base: usize,
  to: usize,
): void {
  const area = given.patch * given.patch, wide = given.width >> 1, pixels = (given.height >> 1) * wide;
  const corner = given.corners + (<usize> segment << 3), lr = given.rows + <usize> example * <usize> given.pixels;
  for (let channel = 0; channel < given.channels; channel++, base += <usize> area << 2, to += <usize> area << 2) {
    const plane = lr + channel * pixels, top = load<i32>(corner), left = load<i32>(corner, 4);
    let own = 0.0, others = 0;
    for (let p = 0; p < area; p++) {
      own += <f64> load<f32>(base + (<usize> p << 2));
      others += fourTimesLr(given, plane, top + p / given.patch, left + p % given.patch);
    }
    const mean = <f32> (own / <f64> area), meanOfExample = <f32> (<f64> others / <f64> area);
    for (let p = 0; p < area; p++) {
      const low = <f32> fourTimesLr(given, plane, top + p / given.patch, left + p % given.patch);
      const at = <usize> p << 2, other: f32 = scale * (low - meanOfExample);
      store<f32>(to + at, load<f32>(to + at) + share * (other - (load<f32>(base + at) - mean)));
    }
  }
}

/** 4 U y_j at an HR pixel, in grey levels. */
function fourTimesLr(given: DetailCandidates, plane: usize, y: i32, x: i32): i32 {
  const high = given.height >> 1, wide = given.width >> 1;
  const row0 = plane + (y >> 1) * wide, row1 = plane + min((y >> 1) + (y & 1), high - 1) * wide;
  const x0 = x >> 1, x1 = min(x0 + (x & 1), wide - 1);
  return (<i32> load<u8>(row0 + x0) + <i32> load<u8>(row0 + x1)) +
    (<i32> load<u8>(row1 + x0) + <i32> load<u8>(row1 + x1));
}
