/** Places blocks of a picture in its hole where minimum cuts make boundaries less visible. */
import { areaOf } from "../../core/shape.ts";
import { PROGRESS } from "../../core/steps.ts";
import { bestOf, fitsAt } from "../quilting/block_search.ts";
import type { QuiltProgress } from "../quilting/quilt_progress.ts";
import { EMPTY, SourceMap, type Window } from "../quilting/source_map.ts";
import { type HoledPicture, missingBox } from "./holed_picture.ts";

/** Sides of windows, in blocks, after the whole hole; and how many blocks are tried in each, some pixels apart. */
const SIDES = [1.5, 1, 0.5], TRIED = 6, APART = 1 / 8;
/** The whole hole is compared with this part of a block around it. */
const AROUND = 0.25;
/** The least side of a window in pixels. */
const MIN_WINDOW = 4;
/** Of a picture whose shorter side has so many pixels or more, only blocks within half of them from a window are compared. */
export const MAX_PLACED = 100;

/**
 * Tries blocks in windows that cover a hole: those that fit best to what is known around it, then those that fit best to what fills it.
 *
 * @param map a filled picture of which `picture` is the hole; it is changed
 * @param side of a block in pixels
 */
export function* placeBlocks(
  map: SourceMap,
  picture: HoledPicture,
  side: number,
  part: number,
): Generator<QuiltProgress, void> {
  const known = new SourceMap(map.exemplars, map.size), { missing, usable } = picture;
  known.sources.set(map.sources.map((source, p) => missing[p] ? EMPTY : source));
  const windows = windowsOver(picture, side), isLarge = Math.min(picture.height, picture.width) >= MAX_PLACED;
  const reach = isLarge ? MAX_PLACED / 2 : Infinity;
  for (const target of windows) {
    const inside = map.errorIn(target) > 0 ? insideOf(target, picture) : []; // there are boundaries to mend
    const mayUse = (block: number) => inside.every((offset) => usable[block + offset] > 0);
    for (const from of inside.length > 0 ? [known, map] : []) {
      const fits = fitsAt(from, target, { mayUse, reach });
      if (!fits || fits.blocks.length === 0) continue;
      const choosing = { choices: TRIED, apart: Math.max(1, Math.floor(side * APART)), least: TRIED, most: Infinity };
      for (const block of bestOf(map, fits, choosing)) map.place(target, block);
    }
    yield { ...PROGRESS, part: part / windows.length };
  }
}

/** Which pixels of a block are missing in the window, counted from the block's first pixel. */
function insideOf(target: Window, { missing, width }: HoledPicture): number[] {
  const offsets = Array.from({ length: areaOf(target) }, (_, i) => {
    return Math.floor(i / target.width) * width + i % target.width;
  });
  return offsets.filter((offset) => missing[target.y * width + target.x + offset]);
}

/** The window around a whole hole, and smaller ones that cover it, each by half of its side from the last. */
function windowsOver(picture: HoledPicture, block: number): Window[] {
  const { height, width, missing } = picture, { top, left, bottom, right } = missingBox(picture, missing);
  const window = (y: number, x: number, endY: number, endX: number): Window => {
    const [row, column] = [Math.max(0, y), Math.max(0, x)];
    return { y: row, x: column, height: Math.min(height, endY) - row, width: Math.min(width, endX) - column };
  };
  const around = Math.round(block * AROUND);
  const windows = [window(top - around, left - around, bottom + around, right + around)];
  for (const side of SIDES.map((blocks) => Math.round(blocks * block))) {
    const step = Math.max(2, side >> 1);
    for (let y = top - step; y + step < bottom + step; y += step) {
      for (let x = left - step; x + step < right + step; x += step) windows.push(window(y, x, y + side, x + side));
    }
  }
  // A block of the picture's own size would be the picture itself.
  return windows.filter((one) => {
    return Math.min(one.height, one.width) >= MIN_WINDOW && one.height < height - 1 && one.width < width - 1;
  });
}
