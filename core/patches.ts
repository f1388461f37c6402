/**
 * Reads patches as numbers, for priors that compare them in TypeScript: the LR and HR patches of a training image (the pair
 * that section "Building Example Dictionaries" puts into the dictionaries) and the LR patch of an image that is being
 * synthesized, and measures their distance with contexts; and reads whole images, for metrics. A plugin that uses them needs to know nothing of how images lie in kernel
 * memory.
 */
import type { Kernels } from "./kernels.ts";
import type { PatchPosition } from "./locations.ts";
import { halfOf, lengthOf, type Shape, type Size } from "./shape.ts";
import type { ContextPixel, LayerData, Location, Measurements, Rows } from "./types.ts";

/** Numbers to write a patch to. Float64Array keeps bytes / 255 exactly as computed, Float32Array is what `draw` fills. */
export type PatchValues = Float32Array | Float64Array;

/**
 * Reads R_i V_j: the HR patch of a training image. Value (channel, row, column) of the patch is
 * `out[(channel * n + row) * n + column]`, where n is the side of a patch, `layer.patch`.
 *
 * @example Squared distance of a training image's patch to R_i X + u_i of the batch's first image, in a prior's `draw`
 * ```ts
 * import { type LayerData, type Location, type Measurements, readPatch } from "@patchloom/patchloom";
 *
 * function distance(layer: LayerData, image: number, location: Location, measurements: Measurements): number {
 *   const example = readPatch(layer, image, location, new Float64Array(layer.channels * layer.patch ** 2));
 *   return example.reduce((sum, value, p) => sum + (value - measurements.patches[p]) ** 2, 0);
 * }
 * ```
 *
 * @param layer The layer that the prior was fitted to.
 * @param image Number of the training image, 0 .. `layer.hr.count` - 1.
 * @param position First pixel of the patch in the HR training image.
 * @param out Room for `channels` x n^2 values; they will be in [0, 1].
 * @returns `out`
 * @throws RangeError where there is no such patch, or no room for it.
 */
export function readPatch<T extends PatchValues>(layer: LayerData, image: number, position: PatchPosition, out: T): T {
  const { kernels, hr, patch } = layer;
  const length = lengthOf(hr);
  checkPatch("an HR patch", hr, patch, position.y, position.x, image, hr.count, out);
  copyPatch(kernels.u8(hr.at + image * length, length), hr, patch, position.y, position.x, 255, out);
  return out;
}

/**
 * Reads Q_(i/2) V_j: the LR patch of a training image under the HR patch at `position`, without context: `lrDistance` compares
 * with it. Its first pixel is
 * (floor(y / 2), floor(x / 2)) of the LR training image, its side is m = n / 2. Value (channel, row, column) is
 * `out[(channel * m + row) * m + column]`.
 *
 * @param layer The layer that the prior was fitted to.
 * @param image Number of the training image, 0 .. `layer.lr.count` - 1.
 * @param position First pixel of the HR patch.
 * @param out Room for `channels` x m^2 values; they will be in [0, 1].
 * @returns `out`
 * @throws RangeError where there is no such patch, or no room for it.
 */
export function readLrPatch<T extends PatchValues>(
  layer: LayerData,
  image: number,
  position: PatchPosition,
  out: T,
): T {
  const { kernels, lr, patch } = layer;
  const length = lengthOf(lr);
  const y = position.y >> 1;
  const x = position.x >> 1;
  checkPatch("an LR patch", lr, patch / 2, y, x, image, lr.count, out);
  copyPatch(kernels.u8(lr.rows + image * length, length), lr, patch / 2, y, x, 255, out);
  return out;
}

/**
 * Reads Q_(i/2) X_(l+1): the LR patch of an image that is being synthesized, under the HR patch at `position`, without context.
 * It is laid out as `readLrPatch` lays out that of a training image. `lrDistance` compares the two with their contexts.
 *
 * @param layer The layer that the prior was fitted to.
 * @param measurements What `draw` was given.
 * @param b Number of the image within the batch, 0 .. `measurements.batch` - 1.
 * @param position First pixel of the HR patch: the location that `draw` was given.
 * @param out Room for `channels` x (n/2)^2 values; they will be in [0, 1].
 * @returns `out`
 * @throws RangeError where there is no such patch, or no room for it.
 */
export function readLrQuery<T extends PatchValues>(
  layer: LayerData,
  measurements: Measurements,
  b: number,
  position: PatchPosition,
  out: T,
): T {
  const { channels, patch } = layer;
  const shape = { ...halfOf(layer), channels };
  const length = lengthOf(shape);
  const y = position.y >> 1;
  const x = position.x >> 1;
  checkPatch("an LR patch", shape, patch / 2, y, x, b, measurements.batch, out);
  copyPatch(measurements.lr.subarray(b * length, (b + 1) * length), shape, patch / 2, y, x, 1, out);
  return out;
}

/**
 * The squared distance of equation (local prior) between the LR patch of a training image and that of an image that is being
 * synthesized, each together with its context (section "Patch with Context"): the sum over all channels of
 * weight x difference^2, where pixels are in [0, 1], those of the patch have weight 1 and those of the contexts their own. A
 * pixel of a context that lies outside one of the two images is left out.
 *
 * @example The training image that fits the batch's first image best, in a prior's `draw`
 * ```ts
 * import { type LayerData, type Location, lrDistance, type Measurements } from "@patchloom/patchloom";
 *
 * function nearest(layer: LayerData, measurements: Measurements, location: Location): number {
 *   const images = Array.from({ length: layer.lr.count }, (_, image) => image);
 *   const distances = images.map((image) => lrDistance(layer, measurements, 0, location, image));
 *   return distances.indexOf(Math.min(...distances));
 * }
 * ```
 *
 * @param layer The layer that the prior was fitted to.
 * @param measurements What `draw` was given.
 * @param b Number of the image within the batch, 0 .. `measurements.batch` - 1.
 * @param location First pixel of the HR patch in the image that is being synthesized.
 * @param image Number of the training image, 0 .. `layer.lr.count` - 1.
 * @param position First pixel of the HR patch in the training image; `location` where it is left out.
 * @returns the distance, at least 0.
 * @throws RangeError where there is no such patch.
 */
export function lrDistance(
  layer: LayerData,
  measurements: Measurements,
  b: number,
  location: Pick<Location, "y" | "x">,
  image: number,
  position: PatchPosition = location,
): number {
  const { kernels, lr, patch, channels, context } = layer, side = patch / 2;
  const size = halfOf(layer), area = size.height * size.width, length = channels * area, lrLength = lengthOf(lr);
  const y = location.y >> 1, x = location.x >> 1, exampleY = position.y >> 1, exampleX = position.x >> 1;
  checkPatch("an LR patch", { ...size, channels }, side, y, x, b, measurements.batch);
  checkPatch("an LR patch", lr, side, exampleY, exampleX, image, lr.count);
  const query = measurements.lr.subarray(b * length, (b + 1) * length);
  const example = kernels.u8(lr.rows + image * lrLength, lrLength);
  let sum = 0;
  const add = (pixel: ContextPixel) => {
    if (!isInside(pixel, y, x, size) || !isInside(pixel, exampleY, exampleX, lr)) return;
    const at = (y + pixel.dy) * size.width + columnOf(pixel, x, size.width);
    const exampleAt = (exampleY + pixel.dy) * lr.width + columnOf(pixel, exampleX, lr.width);
    for (let channel = 0; channel < channels; channel++) {
      const difference = query[channel * area + at] - example[channel * lr.height * lr.width + exampleAt] / 255;
      sum += pixel.weight * difference ** 2;
    }
  };
  for (let dy = 0; dy < side; dy++) for (let dx = 0; dx < side; dx++) add({ dx, dy, weight: 1 });
  for (const pixel of context) add(pixel);
  return sum;
}

/** The column of a pixel of a context in an LR image of that width, for a patch whose first pixel is in column `x`. */
export function columnOf({ dx, mirrored }: ContextPixel, x: number, width: number): number {
  return mirrored ? width - 1 - (x + dx) : x + dx;
}

/** Whether a pixel of a context lies inside an LR image of that size, for a patch whose first pixel is (y, x). */
export function isInside(pixel: ContextPixel, y: number, x: number, { height, width }: Size): boolean {
  const row = y + pixel.dy;
  const column = columnOf(pixel, x, width);
  return row >= 0 && row < height && column >= 0 && column < width;
}

/**
 * Reads one image of a set: channels x height x width bytes, for metrics that look at pixels. Value (channel, y, x) is
 * `bytes[(channel * height + y) * width + x]`.
 *
 * @param kernels The kernels whose memory holds the set: `input.kernels` of a metric.
 * @param images The set: `input.generated`, `input.training` or `input.heldOut` of a metric.
 * @param image Number of the image, 0 .. `images.count` - 1.
 * @returns A view of kernel memory, to read only; the next allocation may detach it.
 * @throws RangeError where there is no such image.
 */
export function readImage(kernels: Kernels, images: Rows, image: number): Uint8Array {
  const length = lengthOf(images);
  if (!isBelow(image, images.count)) fail("an image", `a number from 0 to ${images.count - 1}`, `${image}`);
  return kernels.u8(images.at + image * length, length);
}

/** Copies a square of one image, channel by channel and row by row, divided by `unit`. */
function copyPatch(
  image: ArrayLike<number>,
  { height, width, channels = 1 }: Shape,
  side: number,
  y: number,
  x: number,
  unit: number,
  out: PatchValues,
): void {
  let p = 0;
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < side; row++) {
      const first = (channel * height + y + row) * width + x;
      for (let column = 0; column < side; column++) out[p++] = image[first + column] / unit;
    }
  }
}

/** Memory beyond an image is another image, not an error: a patch that is partly outside would be read without complaint. */
function checkPatch(
  what: string,
  shape: Shape,
  side: number,
  y: number,
  x: number,
  image: number,
  count: number,
  out?: PatchValues,
): void {
  const room = side * side * (shape.channels ?? 1);
  if (!isBelow(image, count)) fail(what, `an image from 0 to ${count - 1}`, `${image}`);
  if (!isBelow(y, shape.height - side + 1) || !isBelow(x, shape.width - side + 1)) {
    fail(what, `a square of ${side} inside ${shape.width}x${shape.height} pixels`, `one at (${x}, ${y})`);
  }
  if (out && out.length < room) fail(what, `room for ${room} values`, `${out.length}`);
}

function isBelow(index: number, end: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < end;
}

function fail(what: string, expected: string, got: string): never {
  throw new RangeError(`Cannot read ${what}: expected ${expected}, got ${got}`);
}
