/** Describes images by histograms of the directions of their gradients, which hardly depend on light and contrast. */

/** A grey image with real values: row y, column x is `values[y * width + x]`. */
export interface Plane {
  readonly height: number;
  readonly width: number;
  readonly values: Float32Array;
}

/** Maps a place of a canvas to one of an image: (originX + stepX x - stepY y, originY + stepY x + stepX y). */
export interface Similarity {
  readonly originX: number;
  readonly originY: number;
  readonly stepX: number;
  readonly stepY: number;
}

/** Directions of a histogram: light to dark and dark to light count as two. */
export const DIRECTIONS = 8;

/** Samples an image at the pixels of a canvas, bilinearly; its border is repeated outside of it. */
export function sampled(image: Plane, map: Similarity, width: number, height: number): Plane {
  const { values } = image;
  const values2 = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const px = Math.min(image.width - 1, Math.max(0, map.originX + map.stepX * x - map.stepY * y));
      const py = Math.min(image.height - 1, Math.max(0, map.originY + map.stepY * x + map.stepX * y));
      const x0 = Math.floor(px);
      const y0 = Math.floor(py);
      const fx = px - x0;
      const fy = py - y0;
      const x1 = Math.min(image.width - 1, x0 + 1);
      const y1 = Math.min(image.height - 1, y0 + 1);
      const above = values[y0 * image.width + x0] * (1 - fx) + values[y0 * image.width + x1] * fx;
      const below = values[y1 * image.width + x0] * (1 - fx) + values[y1 * image.width + x1] * fx;
      values2[y * width + x] = above * (1 - fy) + below * fy;
    }
  }
  return { width, height, values: values2 };
}

/** Histograms of the gradients in each square cell of a canvas: cell after cell, `DIRECTIONS` values each. */
export interface Cells {
  readonly across: number;
  readonly down: number;
  readonly values: Float32Array;
}

/** @param side side of a cell in pixels of the canvas */
export function cellsOf({ width, height, values }: Plane, side: number): Cells {
  const across = Math.floor(width / side);
  const down = Math.floor(height / side);
  const cells = new Float32Array(across * down * DIRECTIONS);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const dx = values[y * width + x + 1] - values[y * width + x - 1];
      const dy = values[(y + 1) * width + x] - values[(y - 1) * width + x];
      const length = Math.sqrt(dx * dx + dy * dy);
      if (length === 0) continue;
      // The vote is shared by the two nearest directions and the four nearest cells, so that it moves smoothly.
      const turn = (Math.atan2(dy, dx) / (2 * Math.PI) + 1) * DIRECTIONS;
      const low = Math.floor(turn);
      const part = turn - low;
      const first = low % DIRECTIONS;
      const second = (low + 1) % DIRECTIONS;
      const cx = (x + 0.5) / side - 0.5;
      const cy = (y + 0.5) / side - 0.5;
      const x0 = Math.floor(cx);
      const y0 = Math.floor(cy);
      for (let j = 0; j < 2; j++) {
        const row = y0 + j;
        const wy = j ? cy - y0 : 1 - (cy - y0);
        if (row < 0 || row >= down) continue;
        for (let i = 0; i < 2; i++) {
          const column = x0 + i;
          const wx = i ? cx - x0 : 1 - (cx - x0);
          if (column < 0 || column >= across) continue;
          const at = (row * across + column) * DIRECTIONS;
          const vote = length * wx * wy;
          cells[at + first] += vote * (1 - part);
          cells[at + second] += vote * part;
        }
      }
    }
  }
  return { across, down, values: cells };
}

/**
 * Writes the description of a rectangle of cells: the root of each histogram's parts, where a cell's length is half its own and
 * half that of all cells, so that flat cells stay small.
 *
 * @param part its first cell, and how many there are
 */
export function describe(
  cells: Cells,
  part: { readonly x: number; readonly y: number; readonly across: number; readonly down: number },
  out: Float32Array,
  to = 0,
): void {
  const { values } = cells;
  const size = part.across * DIRECTIONS;
  const first = (row: number) => ((part.y + row) * cells.across + part.x) * DIRECTIONS;
  let total = 0;
  for (let row = 0; row < part.down; row++) {
    for (let i = first(row), end = i + size; i < end; i++) total += values[i];
  }
  const mean = total / (part.across * part.down) + 1e-6;
  for (let row = 0; row < part.down; row++) {
    for (let from = first(row), end = from + size; from < end; from += DIRECTIONS) {
      let own = 0;
      for (let d = 0; d < DIRECTIONS; d++) own += values[from + d];
      for (let d = 0; d < DIRECTIONS; d++) out[to++] = Math.sqrt(values[from + d] / (own + mean));
    }
  }
}
