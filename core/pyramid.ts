/** The Gaussian pyramid (section "Building Example Dictionaries"): V^0 is the image, V^l = H V^(l-1). */
import { PER_MOVED_VALUE } from "./kernel_work.ts";
import { borrowing, type Kernels } from "./kernels.ts";
import { range } from "./numbers.ts";
import { areaOf, lengthOf, shapeText, type Size } from "./shape.ts";
import { MIN_STEP, PROGRESS, type Steps } from "./steps.ts";
import type { Images, Planes, Rows } from "./types.ts";

/** The training images of every layer in kernel memory. */
export interface TrainingPyramid {
  /** Number of training images. */
  readonly count: number;
  /** HR images of layer l, l = 0 .. L-1, and as the last those of the size of seed images. */
  readonly hr: readonly Rows[];
  /** LR images of layer l: V^(l+1), l = 0 .. L-1. */
  readonly lr: readonly Planes[];
}

/** Sizes of X_0 .. X_L for images of this size: halved `depth` times. */
export function pyramidSizes({ height, width }: Size, depth: number): Size[] {
  return Array.from({ length: depth + 1 }, (_, l) => ({ height: height / 2 ** l, width: width / 2 ** l }));
}

/**
 * Builds the Gaussian pyramid of training images. Images smaller than the first size are padded with zeros around; they keep
 * their channels. It is work that can pause: `finish` runs it to its end. Allocates kernel memory, which the caller frees.
 *
 * @param sizes Of V^0 .. V^L, as `pyramidSizes` gives them.
 * @param chosen Numbers of the images to take; all by default.
 * @throws RangeError where an image is larger than the first size.
 */
export function trainingPyramid(
  kernels: Kernels,
  images: Images,
  sizes: readonly Size[],
  chosen: ArrayLike<number> = range(images.count),
): Steps<TrainingPyramid> {
  const { channels = 1 } = images;
  const write = (i: number, out: Uint8Array) => void pad(images, chosen[i], sizes[0], out);
  return pyramidOf(kernels, sizes, { count: chosen.length, channels, write });
}

/** Training images that are made or read one at a time, so that only the pyramid holds all of them. */
interface ImageSource {
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** Fills `out` with image `i`: channels x height x width bytes of the pyramid's first size, 0 at first. Called once for each, in order. */
  write(i: number, out: Uint8Array): void;
}

/** Builds the pyramid of images of a source; `sizes` as in `trainingPyramid`. */
export function* pyramidOf(
  kernels: Kernels,
  sizes: readonly Size[],
  { count, channels, write }: ImageSource,
): Steps<TrainingPyramid> {
  const depth = sizes.length - 1;
  const stride = Math.ceil(count / 16) * 16;
  const lengths = sizes.map((size) => lengthOf({ ...size, channels }));
  const rowsOf = (size: Size, l: number): Rows => {
    return { count, ...size, channels, at: kernels.allocate(count * lengths[l]) };
  };
  const hr = sizes.map(rowsOf);
  const lr = sizes.slice(1).map((size, l): Planes => {
    return { count, ...size, channels, at: kernels.allocate(stride * lengths[l + 1]), stride, rows: hr[l + 1].at };
  });
  const mark = kernels.mark();
  const scratch = lengths.map((length) => kernels.allocate(length * 4));
  // A multiple of 16, as `toPlanes` likes it, of images that are a step together.
  const together = 16 * Math.ceil(MIN_STEP / (16 * PER_MOVED_VALUE * lengths[0]));
  for (let i = 0; i < count; i++) {
    write(i, kernels.u8(hr[0].at + i * lengths[0], lengths[0]));
    kernels.toUnit(hr[0].at + i * lengths[0], scratch[0], lengths[0]);
    for (let l = 1; l <= depth; l++) {
      kernels.down(scratch[l - 1], scratch[l], sizes[l - 1].height, sizes[l - 1].width, channels);
      kernels.toBytes(scratch[l], hr[l].at + i * lengths[l], lengths[l]);
    }
    if ((i + 1) % together !== 0 && i + 1 < count) continue;
    const first = i - i % together;
    const taken = i + 1 - first;
    for (let l = 1; l <= depth; l++) {
      kernels.toPlanes(hr[l].at + first * lengths[l], taken, lengths[l], lr[l - 1].at + first, stride);
    }
    yield PROGRESS;
  }
  kernels.release(mark);
  return { count, hr, lr };
}

/**
 * Makes seed images: the chosen images brought down by H to the last size.
 *
 * @returns `chosen.length` x channels x height x width values in [0, 1].
 * @throws RangeError where an image is larger than the first size.
 */
export function seedImages(
  kernels: Kernels,
  images: Images,
  sizes: readonly Size[],
  chosen: ArrayLike<number>,
): Float32Array {
  return borrowing(kernels, () => {
    const depth = sizes.length - 1;
    const { channels = 1 } = images;
    const lengths = sizes.map((size) => lengthOf({ ...size, channels }));
    const last = lengths[depth];
    const bytes = kernels.allocate(lengths[0]);
    const scratch = lengths.map((length) => kernels.allocate(length * 4));
    const seeds = new Float32Array(chosen.length * last);
    for (let i = 0; i < chosen.length; i++) {
      pad(images, chosen[i], sizes[0], kernels.u8(bytes, lengths[0]));
      kernels.toUnit(bytes, scratch[0], lengths[0]);
      for (let l = 1; l <= depth; l++) {
        kernels.down(scratch[l - 1], scratch[l], sizes[l - 1].height, sizes[l - 1].width, channels);
      }
      seeds.set(kernels.f32(scratch[depth], last), i * last);
    }
    return seeds;
  });
}

/** Copies one image, with all its channels, to the middle of a larger size; the rest of `out` becomes 0. */
export function pad(
  images: Images,
  index: number,
  size: Size,
  out: Uint8Array = new Uint8Array(lengthOf({ ...size, channels: images.channels })),
): Uint8Array {
  const { height, width, channels = 1, pixels } = images;
  if (height > size.height || width > size.width) {
    throw new RangeError(`Cannot use images: expected at most ${shapeText(size)} pixels, got ${width}x${height}`);
  }
  if (height === size.height && width === size.width) {
    // Most images are as large: row by row, 1200 of 128x128 took 30 ms.
    out.set(pixels.subarray(index * lengthOf(images), (index + 1) * lengthOf(images)));
    return out;
  }
  const { top, left } = paddingOf(images, size);
  out.fill(0);
  for (let channel = 0; channel < channels; channel++) {
    for (let y = 0; y < height; y++) {
      const from = ((index * channels + channel) * height + y) * width;
      out.set(pixels.subarray(from, from + width), (channel * size.height + top + y) * size.width + left);
    }
  }
  return out;
}

/** Cuts the middle out of every image; `size` is not larger than theirs. */
export function crop(images: Images, size: Size): Images {
  const { count, channels = 1, height, width } = images;
  const { top, left } = paddingOf(images, size);
  const area = areaOf(size);
  const pixels = new Uint8Array(count * channels * area);
  for (let plane = 0; plane < count * channels; plane++) {
    for (let y = 0; y < size.height; y++) {
      const from = (plane * height + y - top) * width - left;
      pixels.set(images.pixels.subarray(from, from + size.width), plane * area + y * size.width);
    }
  }
  return { ...images, ...size, pixels };
}

/**
 * Where `pad` puts the first pixel of an image; for a smaller `size`, below 0, where `crop` takes it from. Both round towards 0, so that
 * `crop` takes back what `pad` has put, also where the difference is odd.
 */
export function paddingOf({ height, width }: Size, size: Size): { top: number; left: number } {
  const half = (difference: number) => difference < 0 ? -(-difference >> 1) : difference >> 1;
  return { top: half(size.height - height), left: half(size.width - width) };
}
