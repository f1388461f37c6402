/** Cuts what surrounds the holes of a texture into exemplars, from which the holes are filled. */
import { lengthOf, shapeText, type Size } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { type Crop, cutOut } from "../../datasets/crops.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";

/** Sides and places of crops are multiples of it, in pixels. */
const UNIT = 4;
/**
 * The part of the windows without missing pixels that lie in squares, at least. On a wall and on stones, larger squares with 0.7 kept
 * mortar and outlines better than smaller ones with 0.9; with 0.5 there was less to choose from.
 */
const COVERED = 0.7;

/**
 * Cuts squares without missing pixels out of textures. Most windows of `least` x `least` pixels without missing ones lie in a square
 * as a whole. The label of a square is the number of its image.
 *
 * @param known height x width: 0 where a pixel is missing, the same for all images
 * @param least the least side of an exemplar in pixels
 * @throws {Error} if there is no such square
 */
export function exemplarsAround(images: Images, known: ArrayLike<number>, least: number): LabelledImages {
  const { count, height, width } = images, missing = countsOf(images, (p) => Number(known[p] === 0));
  /** For each place of a grid, whether a square of a side that begins there has no missing pixel. */
  const whole = (side: number): Grid => {
    const along = (length: number) => Math.max(0, Math.floor((length - side) / UNIT) + 1);
    const size = { height: along(height), width: along(width) };
    const isWhole = (p: number) => {
      const y = Math.floor(p / size.width) * UNIT, x = p % size.width * UNIT;
      return Number(missing(y, x, y + side, x + side) === 0);
    };
    return { ...size, has: Uint8Array.from({ length: size.height * size.width }, (_, p) => isWhole(p)) };
  };
  const windows = whole(least), all = sumOf(windows.has);
  if (all === 0) {
    const expected = `expected a place of ${least}x${least} without missing ones to copy from`;
    throw new Error(`Cannot fill the missing pixels of ${shapeText({ height, width })}: ${expected}`);
  }
  let side = least + Math.floor((Math.min(height, width) - least) / UNIT) * UNIT;
  const insideOf = (side: number) => within(windows, whole(side), (side - least) / UNIT);
  while (side > least && sumOf(insideOf(side)) < COVERED * all) side -= UNIT;
  const places = covering({ ...windows, has: insideOf(side) }, whole(side), (side - least) / UNIT);
  const crops = Array.from({ length: count }, (_, image) => places.map((place): Crop => ({ image, ...place }))).flat();
  const singles = Array.from({ length: count }, (_, i): Images => {
    const length = lengthOf(images);
    return { ...images, count: 1, pixels: images.pixels.subarray(i * length, (i + 1) * length) };
  });
  return {
    images: cutOut(singles, crops, { height: side, width: side }),
    labels: Uint8Array.from(crops, ({ image }) => image),
  };
}

/** Places at distances of `UNIT` pixels, and whether there is something at each. */
interface Grid extends Size {
  readonly has: Uint8Array;
}

type Place = Omit<Crop, "image">;

function sumOf(values: Uint8Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Which windows lie in a square as a whole: one that begins at most `reach` places above and on the left of them. */
function within(windows: Grid, squares: Grid, reach: number): Uint8Array {
  const squaresIn = countsOf(squares, (p) => squares.has[p]);
  return windows.has.map((is, p) => {
    const y = Math.floor(p / windows.width), x = p % windows.width;
    const end = (at: number, length: number) => Math.min(at + 1, length);
    const from = [Math.max(0, y - reach), Math.max(0, x - reach)];
    return Number(is > 0 && squaresIn(from[0], from[1], end(y, squares.height), end(x, squares.width)) > 0);
  });
}

/** Chooses squares, each time the one that covers most windows that are open among those around the first such window. */
function covering(windows: Grid, squares: Grid, reach: number): Place[] {
  const open = windows.has.slice(), chosen: Place[] = [];
  for (let first = open.indexOf(1); first >= 0; first = open.indexOf(1, first)) {
    const openIn = countsOf(windows, (p) => open[p]);
    const y0 = Math.floor(first / windows.width), x0 = first % windows.width;
    let best = { y: 0, x: 0, gain: 0 };
    for (let y = Math.max(0, y0 - reach); y <= Math.min(y0, squares.height - 1); y++) {
      for (let x = Math.max(0, x0 - reach); x <= Math.min(x0, squares.width - 1); x++) {
        const gain = squares.has[y * squares.width + x] && openIn(y, x, y + reach + 1, x + reach + 1);
        if (gain > best.gain) best = { y, x, gain };
      }
    }
    chosen.push({ y: best.y * UNIT, x: best.x * UNIT });
    for (let y = best.y; y <= best.y + reach; y++) {
      open.fill(0, y * windows.width + best.x, y * windows.width + best.x + reach + 1);
    }
  }
  return chosen;
}

/** Returns what adds up the values of a rectangle, from a row and a column up to, but without, others. */
function countsOf(
  { height, width }: Size,
  value: (p: number) => number,
): (top: number, left: number, bottom: number, right: number) => number {
  const wide = width + 1, sums = new Uint32Array((height + 1) * wide);
  for (let y = 0; y < height; y++) {
    for (let x = 0, row = 0; x < width; x++) {
      row += value(y * width + x);
      sums[(y + 1) * wide + x + 1] = sums[y * wide + x + 1] + row;
    }
  }
  return (top, left, bottom, right) => {
    return sums[bottom * wide + right] - sums[top * wide + right] - sums[bottom * wide + left] +
      sums[top * wide + left];
  };
}
