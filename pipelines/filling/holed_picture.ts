/** Pictures with holes, and halves of them. */
import { areaOf, type Size } from "../../core/shape.ts";
import type { Exemplars } from "../quilting/exemplars.ts";

/** A picture of which some pixels are missing. */
export interface HoledPicture extends Omit<Exemplars, "count"> {
  /** channels x height x width values in [0, 1]; those of missing pixels mean nothing. */
  readonly values: Float32Array;
  /** height x width: 1 where a pixel is missing. */
  readonly missing: Uint8Array;
  /** height x width: 1 where a pixel may be copied; it is not missing then. */
  readonly usable: Uint8Array;
}

/**
 * Halves a picture: each pixel is the mean of the known ones among four. It is missing if at most one of them is known, and may be
 * copied if all four may. A last odd row or column is left out.
 */
export function halvedHole({ channels, height, width, values, missing, usable }: HoledPicture): HoledPicture {
  const half = { height: height >> 1, width: width >> 1 }, area = areaOf(half);
  const out = {
    values: new Float32Array(channels * area),
    missing: new Uint8Array(area),
    usable: new Uint8Array(area),
  };
  for (let p = 0; p < area; p++) {
    const first = 2 * Math.floor(p / half.width) * width + 2 * (p % half.width);
    const four = [first, first + 1, first + width, first + width + 1], known = four.filter((at) => !missing[at]);
    out.missing[p] = known.length < 2 ? 1 : 0;
    out.usable[p] = four.every((at) => usable[at]) ? 1 : 0;
    for (let c = 0; c < channels && known.length > 0; c++) {
      const sum = known.reduce((sum, at) => sum + values[c * height * width + at], 0);
      out.values[c * area + p] = sum / known.length;
    }
  }
  return { channels, ...half, ...out };
}

/** The distance of each pixel to the next known one, along rows and columns and diagonals; 0 of known pixels. */
export function depthsOf({ height, width, missing }: Pick<HoledPicture, "height" | "width" | "missing">): Uint16Array {
  const depths = Uint16Array.from(missing, (is) => is ? 0xffff : 0);
  /** Passes over all pixels, forwards or backwards, and looks at the four neighbours that were passed. */
  const pass = (from: number, step: 1 | -1) => {
    for (let n = 0, p = from; n < depths.length; n++, p += step) {
      if (depths[p] === 0) continue;
      const y = Math.floor(p / width), x = p % width;
      for (const [dy, dx] of [[0, -step], [-step, -step], [-step, 0], [-step, step]]) {
        if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width) continue;
        depths[p] = Math.min(depths[p], depths[p + dy * width + dx] + 1);
      }
    }
  };
  pass(0, 1);
  pass(depths.length - 1, -1);
  return depths;
}

/** The edges of the least box around missing pixels: its first row and column, and the first ones behind it. */
export function missingBox(
  { height, width }: Size,
  missing: Uint8Array,
): { top: number; left: number; bottom: number; right: number } {
  const box = { top: height, left: width, bottom: 0, right: 0 };
  missing.forEach((is, p) => {
    if (!is) return;
    const y = Math.floor(p / width), x = p % width;
    [box.top, box.bottom] = [Math.min(box.top, y), Math.max(box.bottom, y + 1)];
    [box.left, box.right] = [Math.min(box.left, x), Math.max(box.right, x + 1)];
  });
  return box;
}
