/** A contact sheet as a figure of a report. */
import type { Size } from "../../core/shape.ts";
import { png } from "../../datasets/formats/write_png.ts";
import type { Figure } from "./report.ts";
import { type Framed, groupWidth, sheet } from "./sheet.ts";

/** Width of a sheet in pixels: no wider than the page on a screen of 1280. */
const SHEET_WIDTH = 1040;
/** Images are enlarged to about this width, in pixels. */
const IMAGE_WIDTH = 64;

/** What a sheet shows. */
interface SheetText {
  /** Replaces the next number, as in `Figure`. */
  readonly number?: string;
  readonly caption: string;
  /** Describes the picture to readers who cannot see it. */
  readonly alt: string;
}

/** How a sheet is laid out. */
interface SheetLayout {
  /** Groups of pictures in a row; by default as many as fit. */
  readonly columns?: number;
  /** Screen pixels per image pixel; by default images become about 64 wide. */
  readonly scale?: number;
}

/** Makes a figure of groups of framed pictures of one size. */
export function sheetFigure(
  groups: readonly (readonly Framed[])[],
  size: Size,
  text: SheetText,
  { scale = Math.max(1, Math.floor(IMAGE_WIDTH / size.width)), columns }: SheetLayout = {},
): Figure {
  const fitting = () => Math.floor(SHEET_WIDTH / groupWidth(groups[0]?.length ?? 1, size.width * scale));
  const bytes = png(sheet(groups, size, columns ?? Math.max(1, fitting()), scale));
  return { kind: "picture", ...text, png: bytes, pixelated: size.width <= IMAGE_WIDTH };
}
