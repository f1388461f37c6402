/**
 * Histograms of oriented gradients (Dalal and Triggs, "Histograms of Oriented Gradients for Human Detection", 2005): what
 * edges and textures an image has at each place, whatever its brightness and contrast. Only additions, products and square
 * roots are used, which every host rounds alike, so that the bytes are the same everywhere.
 */
import { lengthOf } from "../../../core/shape.ts";
import type { Rows } from "../../../core/types.ts";

/** Directions of gradients, half a turn apart counted as one. */
const BINS = 8;
/** Cells along an image's side: 8 pixels each in a face of 128 pixels. */
const CELLS = 16;
/** The least side of a cell in pixels: smaller ones hold too few gradients for a histogram. Digits of 32 pixels have 8x8 cells. */
const MIN_SIDE = 4;
/** Gradient (in grey levels a pixel) that is added to a neighbourhood's mean, so that its noise is not taken for texture. */
const QUIET = 2;

// From square roots: the cosine of half an angle a is sqrt((1 + cos a) / 2), its sine sqrt((1 - cos a) / 2).
/** The cosine of an eighth of pi. */
const COS_EIGHTH = Math.sqrt((1 + Math.SQRT1_2) / 2);
/** The sine of an eighth of pi. */
const SIN_EIGHTH = Math.sqrt((1 - Math.SQRT1_2) / 2);
/** The cosine of the middle of each bin. */
const COSINES = [1, COS_EIGHTH, Math.SQRT1_2, SIN_EIGHTH, 0, -SIN_EIGHTH, -Math.SQRT1_2, -COS_EIGHTH];
/** The sine of the middle of each bin. */
const SINES = [0, SIN_EIGHTH, Math.SQRT1_2, COS_EIGHTH, 1, COS_EIGHTH, Math.SQRT1_2, SIN_EIGHTH];

/** The number of bytes that `gradientHistograms` gives an image. */
export function histogramsLength({ height, width }: Rows): number {
  const side = cellSide(height, width);
  return Math.ceil(height / side) * Math.ceil(width / side) * BINS;
}

function cellSide(height: number, width: number): number {
  return Math.max(MIN_SIDE, Math.floor(Math.max(height, width) / CELLS));
}

/**
 * Computes the histograms of images: `count` x rows of cells x columns of cells x 8 directions, in 0..255. A value is the
 * square root of the part that the cell and direction have in the gradients of the 3x3 cells around.
 *
 * As there, a pixel of a colour image has the gradient of the channel where it is longest: colours are seen by their edges, and
 * a grey image given as three equal channels has the histograms of the grey one.
 *
 * @param pixels the images of `rows`, one after another
 */
export function gradientHistograms(rows: Rows, pixels: Uint8Array): Uint8Array {
  const { count, height, width, channels } = rows;
  const area = height * width;
  const length = lengthOf(rows);
  const side = cellSide(height, width);
  const down = Math.ceil(height / side);
  const across = Math.ceil(width / side);
  const cells = new Float64Array(down * across * BINS);
  const sums = new Float64Array(down * across);
  const out = new Uint8Array(count * cells.length);
  for (let i = 0; i < count; i++) {
    const planes = Array.from({ length: channels }, (_, c) => {
      return pixels.subarray(i * length + c * area, i * length + (c + 1) * area);
    });
    addGradients(planes, height, width, side, across, cells.fill(0));
    for (let cell = 0; cell < sums.length; cell++) {
      sums[cell] = 0;
      for (let bin = 0; bin < BINS; bin++) sums[cell] += cells[cell * BINS + bin];
    }
    for (let y = 0; y < down; y++) {
      for (let x = 0; x < across; x++) {
        let around = 0;
        let least = 0;
        for (let v = Math.max(y - 1, 0); v <= Math.min(y + 1, down - 1); v++) {
          for (let u = Math.max(x - 1, 0); u <= Math.min(x + 1, across - 1); u++) {
            around += sums[v * across + u];
            least += QUIET * side * side;
          }
        }
        for (let bin = 0; bin < BINS; bin++) {
          const at = (y * across + x) * BINS + bin;
          out[i * cells.length + at] = Math.min(255, Math.round(510 * Math.sqrt(cells[at] / (around + least))));
        }
      }
    }
  }
  return out;
}

/**
 * Adds the length of each pixel's gradient, the longest of its channels, to its cell and direction. Beyond the border the last
 * pixel is repeated.
 */
function addGradients(
  planes: readonly Uint8Array[],
  height: number,
  width: number,
  side: number,
  across: number,
  cells: Float64Array,
): void {
  for (let y = 0; y < height; y++) {
    const above = Math.max(y - 1, 0) * width;
    const below = Math.min(y + 1, height - 1) * width;
    for (let x = 0; x < width; x++) {
      const right = y * width + Math.min(x + 1, width - 1);
      const left = y * width + Math.max(x - 1, 0);
      let dx = 0;
      let dy = 0;
      for (const plane of planes) {
        const inX = (plane[right] - plane[left]) / 2;
        const inY = (plane[below + x] - plane[above + x]) / 2;
        if (inX * inX + inY * inY <= dx * dx + dy * dy) continue;
        dx = inX;
        dy = inY;
      }
      if (dx === 0 && dy === 0) continue;
      let best = 0;
      let most = -1;
      for (let bin = 0; bin < BINS; bin++) {
        const along = Math.abs(dx * COSINES[bin] + dy * SINES[bin]);
        if (along <= most) continue;
        most = along;
        best = bin;
      }
      cells[(Math.floor(y / side) * across + Math.floor(x / side)) * BINS + best] += Math.sqrt(dx * dx + dy * dy);
    }
  }
}
