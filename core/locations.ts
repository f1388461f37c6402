/** Patch locations and cycle spinning (section "Cycle-Spinning"). */
import type { Size } from "./shape.ts";
import type { LayerOutline } from "./types.ts";

/** The top left pixel of a patch. */
export interface PatchPosition {
  /** Row of the pixel. */
  readonly y: number;
  /** Column of the pixel. */
  readonly x: number;
}

/**
 * First pixels of patches of side `patch` along a line of `size` pixels: every `patch - overlap` from `offset` on, as far as
 * patches fit. With `cover`, the first and the last possible one are added if they are missing, so that patches cover all pixels.
 */
export function positions(size: number, patch: number, overlap: number, offset: number, cover: boolean): number[] {
  const firsts: number[] = [];
  for (let at = offset; at <= size - patch; at += patch - overlap) firsts.push(at);
  if (cover && firsts[0] !== 0) firsts.unshift(0);
  if (cover && firsts.at(-1) !== size - patch) firsts.push(size - patch);
  return firsts;
}

/** The order in which an iteration visits its locations: row by row, or each row from its centre outwards. */
export type Order = "rows" | "sweep";
/** The orders. */
export const ORDERS = ["rows", "sweep"] as const satisfies readonly Order[];

/**
 * Puts the locations of an iteration, given row by row, into an order: "rows" leaves them, "sweep" visits each row from its
 * centre outwards, of two locations as far from it the left one first. Aligned images are alike on both sides of their centre:
 * what is drawn there decides for both.
 *
 * @param patch n: side of a patch.
 * @param width Width of the images.
 */
export function inOrder<T extends PatchPosition>(
  places: readonly T[],
  order: Order,
  patch: number,
  width: number,
): T[] {
  const fromCentre = ({ x }: PatchPosition) => Math.abs(2 * x + patch - width);
  return order === "rows" ? [...places] : places.toSorted((a, b) => a.y - b.y || fromCentre(a) - fromCentre(b));
}

/**
 * First pixels of patches along a line that repeats after `period` pixels and has a margin before it: every `patch - overlap` from
 * `offset` on, once around.
 */
function positionsAround(
  period: number,
  patch: number,
  overlap: number,
  offset: number,
  margin: number,
): number[] {
  const step = patch - overlap;
  const count = Math.ceil(period / step);
  return Array.from({ length: count }, (_, k) => margin + offset + k * step);
}

/**
 * The set I_k of patch locations of an image: all pairs of `positions`, row by row. `offset` is (x, y), as in the paper's tables.
 * Where the image has a margin, it is a period of `size` pixels: then `positionsAround`.
 */
export function locations(
  { height, width }: Size,
  patch: number,
  overlap: number,
  offset: readonly [x: number, y: number],
  margin: { readonly y: number; readonly x: number } = { y: 0, x: 0 },
): PatchPosition[] {
  const along = (size: number, offset: number, margin: number) => {
    if (margin > 0) return positionsAround(size, patch, overlap, offset, margin);
    return positions(size, patch, overlap, offset, true);
  };
  const columns = along(width, offset[0], margin.x);
  return along(height, offset[1], margin.y).flatMap((y) => columns.map((x) => ({ y, x })));
}

/** Returns how many values an LR patch and its context have. */
export function comparedPixels({ patch, channels, context }: LayerOutline): number {
  return channels * ((patch / 2) ** 2 + context.length);
}

/** Returns the most offsets that lie in the neighbour window of a location. */
export function offsetsInWindow({ window }: LayerOutline): number {
  return (2 * Math.max(window, 1) - 1) ** 2;
}
