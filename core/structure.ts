/**
 * The structure of an image: what is left when local mean and local contrast are taken out. Shading, brightness and contrast
 * do not change it, so a relit copy of a photograph has the structure of the photograph.
 */
import type { Kernels } from "./kernels.ts";
import { areaOf, lengthOf, type Size } from "./shape.ts";
import type { Region } from "./metric.ts";
import { finish, PROGRESS, stepCounter, type Steps } from "./steps.ts";
import type { Rows } from "./types.ts";

/** Standard deviation of the local window, as a part of the longer side: 6 pixels of 128. */
const DEVIATION = 6 / 128;
/** Grey levels that are added to the local standard deviation: without them the noise of flat regions would decide. */
const FLAT = 4;
/** Images whose longer side is at most this keep their size: half of it would leave little to compare. */
const SMALL = 32;
/** The structure of a value takes some 50 nanoseconds. */
const PER_STRUCTURE = 500;
/** Steps of a byte for each local standard deviation, with 0 at 128: up to 3.5 of them are kept apart. */
const STEPS = 36;

/**
 * Computes the structure of images in new kernel memory, as bytes. From each value the local mean is taken; what is left is
 * divided by its local standard deviation plus 4 grey levels, channel by channel. Then H reduces an image larger than 32 pixels
 * to half its height and width, rounded up; a smaller one keeps its size. The local window is a Gaussian of 6 pixels of 128,
 * computed as three box filters in a row. The mean is computed in whole numbers and all sums in one order, so the bytes are the
 * same on every engine. The work is counted, and can pause between channels of images.
 */
export function* structureSteps(kernels: Kernels, rows: Rows): Steps<Rows> {
  const { count, height, width, channels } = rows;
  const size = structureSize(rows);
  const plane = height * width;
  const area = areaOf(size);
  const at = kernels.allocate(count * channels * area);
  const normalize = normalizer(height, width);
  const mark = kernels.mark(), isStep = stepCounter(kernels);
  try {
    const reduce = size.height === height ? undefined : halver(kernels, rows);
    for (let p = 0; p < count * channels; p++) {
      const normalized = normalize(kernels.u8(rows.at + p * plane, plane));
      toBytes(reduce?.(normalized) ?? normalized, kernels.u8(at + p * area, area));
      kernels.addWork(structureWork(plane));
      if (isStep()) yield PROGRESS;
    }
  } finally {
    kernels.release(mark);
  }
  return { ...rows, ...size, count, at };
}

/** Does the same in one piece. */
export function structureRows(kernels: Kernels, rows: Rows): Rows {
  return finish(structureSteps(kernels, rows));
}

/** The work of the structure of images that have so many values together. */
export function structureWork(values: number): number {
  return PER_STRUCTURE * values;
}

/** Copies a region of images to new kernel memory. It has at least one pixel. */
export function regionRows(kernels: Kernels, rows: Rows, region: Region): Rows {
  const { count, height, width, channels } = rows;
  const along = (side: number, from: number, part: number) => {
    const first = Math.min(Math.round(from * side), side - 1);
    return { first, length: Math.max(Math.min(Math.round((from + part) * side), side) - first, 1) };
  };
  const down = along(height, region.y, region.height);
  const across = along(width, region.x, region.width);
  const size = { height: down.length, width: across.length, channels };
  const at = kernels.allocate(count * lengthOf(size));
  const source = kernels.u8(rows.at, count * lengthOf(rows)), target = kernels.u8(at, count * lengthOf(size));
  for (let plane = 0, to = 0; plane < count * channels; plane++) {
    for (let y = down.first; y < down.first + size.height; y++) {
      const row = (plane * height + y) * width;
      for (let x = across.first; x < across.first + size.width; x++) target[to++] = source[row + x];
    }
  }
  return { ...rows, ...size, at };
}

/** The size of the structure of images of a size. */
export function structureSize({ height, width }: Size): Size {
  if (Math.max(height, width) <= SMALL) return { height, width };
  return { height: Math.ceil(height / 2), width: Math.ceil(width / 2) };
}

/** Returns a function that reduces a channel to half its size by H. It returns the same kernel memory each time. */
function halver(kernels: Kernels, { height, width }: Size): (values: Float64Array) => Float32Array {
  const half = { height: Math.ceil(height / 2), width: Math.ceil(width / 2) };
  const even = { height: 2 * half.height, width: 2 * half.width };
  const wholeAt = kernels.allocate(4 * areaOf(even));
  const halfAt = kernels.allocate(4 * areaOf(half));
  return (values) => {
    padTo(even, values, { height, width }, kernels.f32(wholeAt, areaOf(even)));
    kernels.down(wholeAt, halfAt, even.height, even.width, 1);
    return kernels.f32(halfAt, areaOf(half));
  };
}

/**
 * Returns a function that takes local mean and local contrast out of a channel of grey levels. It returns the same array each time.
 *
 * @param deviationOfWindow the standard deviation of the local window, in pixels
 */
export function normalizer(
  height: number,
  width: number,
  deviationOfWindow = DEVIATION * Math.max(height, width),
): (values: ArrayLike<number>) => Float64Array {
  const plane = height * width;
  const blur = blurrer(height, width, boxWidths(deviationOfWindow));
  const mean = new Float64Array(plane);
  const deviation = new Float64Array(plane);
  const variance = new Float64Array(plane);
  return (values) => {
    mean.set(values);
    blur(mean);
    for (let i = 0; i < plane; i++) {
      deviation[i] = values[i] - mean[i];
      variance[i] = deviation[i] * deviation[i];
    }
    blur(variance);
    // Running sums can leave a variance of 0 a little below it.
    for (let i = 0; i < plane; i++) deviation[i] /= Math.sqrt(Math.max(variance[i], 0)) + FLAT;
    return deviation;
  };
}

/** Copies a channel to one of even sides: the last row and column stand for the missing ones. */
function padTo(even: Size, values: Float64Array, { height, width }: Size, out: Float32Array): void {
  for (let y = 0; y < even.height; y++) {
    const row = Math.min(y, height - 1) * width;
    for (let x = 0; x < even.width; x++) out[y * even.width + x] = values[row + Math.min(x, width - 1)];
  }
}

/** Rounds local standard deviations to bytes: 0 becomes 128. */
function toBytes(values: Float32Array | Float64Array, out: Uint8Array): void {
  for (let i = 0; i < values.length; i++) {
    out[i] = Math.min(Math.max(Math.floor(128.5 + STEPS * values[i]), 0), 255);
  }
}

/** The odd widths of three box filters whose variances together come nearest to that of a Gaussian. */
export function boxWidths(deviation: number): number[] {
  const variance = deviation * deviation;
  const narrow = 2 * Math.floor((Math.sqrt(4 * variance + 1) - 1) / 2) + 1;
  const wider = [0, 1, 2, 3].map((count) => [0, 1, 2].map((box) => box < count ? narrow + 2 : narrow));
  const error = (widths: number[]) => {
    return Math.abs(widths.reduce((sum, width) => sum + (width * width - 1) / 12, 0) - variance);
  };
  return wider.reduce((best, widths) => error(widths) < error(best) ? widths : best);
}

/**
 * Returns a function that filters an image in place along both axes by box filters of these odd widths, one after another. Beyond
 * its border the image is its mirror image.
 */
export function blurrer(height: number, width: number, widths: readonly number[]): (image: Float64Array) => void {
  const turned = new Float64Array(height * width);
  const alongRows = rowBlurrer(width, height, widths);
  const alongColumns = rowBlurrer(height, width, widths);
  return (image) => {
    alongRows(image, turned);
    alongColumns(turned, image);
  };
}

/** Returns a function that filters `rows` rows of `length` values and writes them transposed. */
function rowBlurrer(length: number, rows: number, widths: readonly number[]) {
  const margin = widths.reduce((sum, width) => sum + (width - 1) / 2, 0);
  const padded = length + 2 * margin;
  const total = widths.reduce((product, width) => product * width, 1);
  let source = new Float64Array(padded);
  let target = new Float64Array(padded);
  const places = Int32Array.from({ length: padded }, (_, i) => mirrored(i - margin, length));
  return (image: Float64Array, turned: Float64Array) => {
    for (let row = 0; row < rows; row++) {
      for (let i = 0; i < padded; i++) source[i] = image[row * length + places[i]];
      let left = padded;
      for (const width of widths) {
        let sum = 0;
        for (let i = 0; i < width; i++) sum += source[i];
        left -= width - 1;
        target[0] = sum;
        for (let i = 1; i < left; i++) target[i] = sum += source[i + width - 1] - source[i - 1];
        [source, target] = [target, source];
      }
      for (let i = 0; i < length; i++) turned[i * rows + row] = source[i] / total;
    }
  };
}

/** The place inside 0 .. `length` - 1 that a place beyond the border mirrors; the border's own value stands there twice. */
function mirrored(place: number, length: number): number {
  const at = ((place % (2 * length)) + 2 * length) % (2 * length);
  return at < length ? at : 2 * length - 1 - at;
}
