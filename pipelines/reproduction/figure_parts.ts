/** What the figures of a reproduction share. */
import { byteOf } from "../../core/bytes.ts";
import { squareOf } from "../../core/shape.ts";
import type { Figure } from "../report/report.ts";
import { enlarged, type Framed } from "../report/sheet.ts";
import { sheetFigure } from "../report/sheet_figure.ts";

/** Images synthesized for a figure alone have numbers from here on, which no image of the experiment has. */
export const FIGURE_NUMBERS = 1_000_000;

/** A captioned contact sheet. */
interface PictureOptions {
  /** The figure's number in the paper. */
  readonly number: string;
  readonly caption: string;
  /** Groups of pictures of side `size`, `columns` groups in a row (1). */
  readonly groups: readonly (readonly Framed[])[];
  readonly size: number;
  readonly columns?: number;
  /** Describes the picture to readers who cannot see it. */
  readonly alt: string;
  /** Screen pixels per image pixel (images become about 64 wide). */
  readonly scale?: number;
}

/** Makes a figure of framed pictures. */
export function picture({ groups, size, columns = 1, scale, ...text }: PictureOptions): Figure {
  return sheetFigure(groups, squareOf(size), text, { columns, scale });
}

/** Repeats the pixels of an image of side `size`, values in [0, 1], to bytes of an image of side `to`. */
export function enlarge(values: Float32Array, size: number, to: number): Uint8Array {
  return enlarged(Uint8Array.from(values, byteOf), squareOf(size), squareOf(to));
}
