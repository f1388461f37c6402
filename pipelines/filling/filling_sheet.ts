/** The contact sheet of a filled hole: the picture, the hole in it, and each filling. */
import { areaOf, type Size } from "../../core/shape.ts";
import type { Samples } from "../../datasets/formats/png.ts";
import type { Picture } from "../../datasets/formats/write_png.ts";
import { resized } from "../../datasets/resize.ts";
import { type Framed, groupWidth, type LegendEntry, sheet } from "../report/sheet.ts";
import { valuesOfSamples } from "./picture_samples.ts";

/** The sheet shows at most this many fillings. */
export const MAX_FILLINGS = 24;
/** The width that the sheet is kept to, and the longest side of a picture on it, in pixels. Smaller pictures are enlarged to `LEAST`. */
const SHEET_WIDTH = 1280, LONGEST = 400, LEAST = 96;
/** The hole is shown in this colour. */
const PAINT = [255, 0, 200] as const;

const LEGEND: readonly LegendEntry[] = [["green", "THE PICTURE"], ["grey", "THE HOLE IN IT"], ["blue", "FILLED"]];

/** A picture as the sheet shows it: planes of red, green and blue. */
interface ShownPicture extends Size {
  readonly pixels: Uint8Array;
}

/** A picture as the sheet shows it: in 8 bits, white where it is transparent, no side longer than `LONGEST`. `hole`: 1 in the hole. */
export function shownPicture(picture: Samples, hole?: Uint8Array): ShownPicture {
  const { channels, values, height, width } = valuesOfSamples(picture), area = areaOf(picture);
  const hasAlpha = channels % 2 === 0, colours = channels < 3 ? 1 : 3;
  const pixels = Uint8Array.from({ length: 3 * area }, (_, i) => {
    const p = i % area, c = Math.floor(i / area);
    if (hole?.[p]) return PAINT[c];
    const white = hasAlpha ? 1 - values[(channels - 1) * area + p] : 0;
    return Math.round(255 * (values[Math.min(c, colours - 1) * area + p] + white));
  });
  const part = Math.min(1, LONGEST / Math.max(height, width));
  const side = (length: number) => Math.max(1, Math.round(part * length));
  const size = { height: side(height), width: side(width) };
  return { ...size, pixels: resized({ count: 1, height, width, channels: 3, pixels }, size).pixels };
}

/** Draws the sheet. The fillings are in the order of their files. */
export function fillingSheet(picture: Samples, hole: Uint8Array, fillings: readonly ShownPicture[]): Picture {
  const whole = shownPicture(picture), scale = Math.max(1, Math.floor(LEAST / whole.width));
  const framed: Framed[] = [
    { pixels: whole.pixels, colour: "green" },
    { pixels: shownPicture(picture, hole).pixels, colour: "grey" },
    ...fillings.map(({ pixels }): Framed => ({ pixels, colour: "blue" })),
  ];
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / groupWidth(1, whole.width * scale)));
  return sheet(framed.map((one) => [one]), whole, Math.min(columns, framed.length), scale, LEGEND);
}
