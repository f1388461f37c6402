/**
 * Images that tile without a seam, beyond the paper: an image is a period of a plane that repeats it. Algorithm 1 works on the
 * period with a margin that repeats what lies at the other edge, so that no kernel and no prior needs to know of it. Patches begin
 * within the period; what they add to the margin is added to the pixels that the margin repeats.
 */
import type { PatchPosition } from "./locations.ts";
import { areaOf, type Size } from "./shape.ts";

/** The directions in which an image tiles: "x" to its right and left, "y" up and down, or both. */
export type Tile = "x" | "y" | "both";
/** The directions, and their pairing. */
export const TILES = ["x", "y", "both"] as const satisfies readonly Tile[];

/** The pixels that repeat the other edge, on each of two sides: above and below; on the left and on the right. */
export interface Margin {
  /** Rows above the period, and as many below. */
  readonly y: number;
  /** Columns on the left of the period, and as many on the right. */
  readonly x: number;
}

/** The margin of images that do not tile. */
export const NO_MARGIN: Margin = { y: 0, x: 0 };

/** Whether an image tiles in one direction. */
export function tilesAlong(direction: "x" | "y", tile: Tile | undefined): boolean {
  return tile === direction || tile === "both";
}

/** The margin of an image that tiles, `pixels` wide in the directions in which it does. */
export function marginOf(tile: Tile | undefined, pixels: number): Margin {
  return { y: tilesAlong("y", tile) ? pixels : 0, x: tilesAlong("x", tile) ? pixels : 0 };
}

/** The size of an image with its margin. */
export function withMargin({ height, width }: Size, { y, x }: Margin): Size {
  return { height: height + 2 * y, width: width + 2 * x };
}

/** Whether images have a margin. */
export function hasMargin({ y, x }: Margin): boolean {
  return y > 0 || x > 0;
}

/**
 * For each pixel of an image with its margin, the number of the pixel of the period that it repeats, in the image with the margin;
 * a pixel of the period repeats itself.
 *
 * @param size of the period
 */
export function repeatedPixels(size: Size, margin: Margin): Uint32Array {
  const { height, width } = withMargin(size, margin);
  const wrap = (at: number, before: number, period: number) => before + ((at - before) % period + period) % period;
  const columns = Uint32Array.from({ length: width }, (_, x) => wrap(x, margin.x, size.width));
  const pixels = new Uint32Array(height * width);
  for (let y = 0; y < height; y++) {
    const row = wrap(y, margin.y, size.height) * width;
    for (let x = 0; x < width; x++) pixels[y * width + x] = row + columns[x];
  }
  return pixels;
}

/** Makes the margins of planes repeat their periods. */
export function repeat(planes: Float32Array, repeated: Uint32Array): void {
  const area = repeated.length;
  for (let plane = 0; plane < planes.length; plane += area) {
    for (let p = 0; p < area; p++) planes[plane + p] = planes[plane + repeated[p]];
  }
}

/** Adds the margins of planes to the pixels that they repeat, then makes them repeat the sums. */
export function fold(planes: Float32Array, repeated: Uint32Array): void {
  const area = repeated.length;
  for (let plane = 0; plane < planes.length; plane += area) {
    for (let p = 0; p < area; p++) if (repeated[p] !== p) planes[plane + repeated[p]] += planes[plane + p];
    for (let p = 0; p < area; p++) planes[plane + p] = planes[plane + repeated[p]];
  }
}

/** Copies planes of a period into planes with a margin, which repeats it. Without a margin, returns the planes themselves. */
export function addMargin(planes: Float32Array, size: Size, margin: Margin): Float32Array {
  if (!hasMargin(margin)) return planes;
  const area = areaOf(size);
  const whole = withMargin(size, margin);
  const count = planes.length / area;
  const out = new Float32Array(count * areaOf(whole));
  eachRow(count, size, margin, (period, at) => out.set(planes.subarray(period, period + size.width), at));
  repeat(out, repeatedPixels(size, margin));
  return out;
}

/** Copies the periods out of planes with a margin. Without a margin, returns the planes themselves. */
export function withoutMargin<T extends Float32Array | Uint8Array>(planes: T, size: Size, margin: Margin): T {
  if (!hasMargin(margin)) return planes;
  const count = planes.length / areaOf(withMargin(size, margin));
  const out = new (planes.constructor as new (length: number) => T)(count * areaOf(size));
  eachRow(count, size, margin, (period, at) => out.set(planes.subarray(at, at + size.width), period));
  return out;
}

/** Calls `each` with the first pixel of each row of each period: its number in planes of periods, and in planes with a margin. */
function eachRow(count: number, size: Size, margin: Margin, each: (period: number, at: number) => void): void {
  const whole = withMargin(size, margin);
  for (let plane = 0; plane < count; plane++) {
    for (let y = 0; y < size.height; y++) {
      each((plane * size.height + y) * size.width, (plane * whole.height + margin.y + y) * whole.width + margin.x);
    }
  }
}

/**
 * Takes the margin away from where a patch begins: returns the first pixels, in the period, of the patch and of those of its
 * repetitions that reach into the period. They may lie before its first pixel.
 */
export function inPeriod({ y, x }: PatchPosition, patch: number, size: Size, margin: Margin): PatchPosition[] {
  const along = (at: number, before: number, period: number) => {
    if (before === 0) return [at];
    const found: number[] = [];
    // From the last repetition that begins in the period on to those before it.
    for (let first = ((at - before) % period + period) % period; first > -patch; first -= period) found.push(first);
    return found;
  };
  const columns = along(x, margin.x, size.width);
  return along(y, margin.y, size.height).flatMap((y) => columns.map((x) => ({ y, x })));
}
