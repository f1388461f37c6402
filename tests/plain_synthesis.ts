/** The method's rules written out once more, slowly and in float64: what the engine is compared with. */
import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { locations } from "../core/locations.ts";
import type { Plan } from "../core/plan.ts";
import { philox, seedKey, toUniform } from "../core/random.ts";
import type { ContextPixel, Images } from "../core/types.ts";

/** H from its definition, as a matrix: 3x3 Gaussian of sigma 1, the border repeated, then every second pixel. */
export function halving(size: number): Matrix {
  const half = size / 2, matrix = Matrix.zeros(half * half, size * size);
  const sum = 1 + 2 * Math.exp(-1 / 2), inside = (at: number) => Math.min(Math.max(at, 0), size - 1);
  for (let row = 0; row < half * half; row++) {
    for (const dy of [-1, 0, 1]) {
      for (const dx of [-1, 0, 1]) {
        const y = inside(2 * Math.floor(row / half) + dy), x = inside(2 * (row % half) + dx), column = y * size + x;
        const weight = Math.exp(-(dy * dy + dx * dx) / 2) / (sum * sum);
        matrix.set(row, column, matrix.get(row, column) + weight);
      }
    }
  }
  return matrix;
}

/** V^0 .. V^L of one image in [0, 1]: each H times the one before, never rounded. */
export function pyramid(image: readonly number[], sizes: readonly number[]): number[][] {
  const levels = [[...image]];
  for (const size of sizes.slice(0, -1)) {
    levels.push(halving(size).mmul(Matrix.columnVector(levels.at(-1)!)).to1DArray());
  }
  return levels;
}

/** The pixels of an LR patch and its context with the integer scales of the prior: see `quantize` in core/example_prior.ts. */
export function scaled(side: number, context: readonly ContextPixel[]) {
  const own = Array.from({ length: side * side }, (_, i) => ({ dy: Math.floor(i / side), dx: i % side, weight: 1 }));
  const all = [...own, ...context];
  for (let unit = 64;; unit--) {
    const pixels = all.map(({ dy, dx, weight }) => ({ dy, dx, scale: Math.max(1, Math.round(unit * weight ** 0.5)) }));
    if (pixels.reduce((sum, { scale }) => sum + (scale * 255) ** 2, 0) < 2 ** 31 - 1) return { pixels, unit };
  }
}

/** An example of a location: its place in the training images, and its LR distance in [0, 1] units. */
export interface Example {
  readonly image: number;
  readonly y: number;
  readonly x: number;
  readonly distance: number;
}

/**
 * All examples of a location, the nearest first, from every training image in turn. `lows` are the LR
 * training images in grey levels, `query` is the LR image in grey levels.
 */
export function examplesAt(
  { size, patch, window, context }: { size: number; patch: number; window: number; context: readonly ContextPixel[] },
  lows: readonly ArrayLike<number>[],
  query: ArrayLike<number>,
  at: { readonly y: number; readonly x: number },
): Example[] {
  const half = size / 2, side = patch / 2, y = Math.floor(at.y / 2), x = Math.floor(at.x / 2);
  const reach = Math.max(Math.ceil(window) - 1, 0), line = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  const within = (first: number, length: number, all: number) => first >= 0 && first + length <= all;
  const offsets = line.flatMap((dy) => line.map((dx) => ({ dy, dx }))).filter(({ dy, dx }) =>
    within(y + dy, side, half) && within(x + dx, side, half) &&
    within(at.y + 2 * dy, patch, size) && within(at.x + 2 * dx, patch, size)
  );
  const { pixels, unit } = scaled(side, context);
  const counted = pixels.filter((pixel) =>
    offsets.every(({ dy, dx }) => within(y + dy + pixel.dy, 1, half) && within(x + dx + pixel.dx, 1, half))
  );
  return offsets.flatMap(({ dy, dx }) =>
    lows.map((low, image) => {
      const sum = counted.reduce((sum, pixel) => {
        const there = low[(y + dy + pixel.dy) * half + x + dx + pixel.dx];
        return sum + (pixel.scale * (there - query[(y + pixel.dy) * half + x + pixel.dx])) ** 2;
      }, 0);
      return { image, y: at.y + 2 * dy, x: at.x + 2 * dx, distance: sum / (unit * 255) ** 2 };
    })
  ).sort((a, b) => a.distance - b.distance);
}

/** The patch of a square image at a place. */
export function patchAt(image: ArrayLike<number>, size: number, patch: number, y: number, x: number): number[] {
  return Array.from({ length: patch * patch }, (_, i) => image[(y + Math.floor(i / patch)) * size + x + i % patch]);
}

/** Sum of squared differences. */
export function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0);
}

/** The number that decides a draw: of the seed, the image, where the computation stands, and the draw's number. */
export function uniform(
  seed: number,
  [image, layer, iteration, y, x, draw]: readonly [number, number, number, number, number, number],
): number {
  const block = philox([image, layer * 65536 + iteration, y * 65536 + x, draw], seedKey(seed), new Uint32Array(4));
  return toUniform(block[0], block[1]);
}

/**
 * Algorithms 1 and 2 in plain loops: one image after every iteration, and the sources of the last. The context is a ring of
 * one pixel at 0.5 and the rows across the image at 0.2.
 */
export function plainSynthesis(
  { sizes, layers, patch, prior }: Plan,
  training: Images,
  work: { seed: number; image: number; seedImage: readonly number[] },
): { steps: number[][]; sources: number[] } {
  const levels = Array.from({ length: training.count }, (_, i) => {
    const pixels = training.pixels.subarray(i * sizes[0] ** 2, (i + 1) * sizes[0] ** 2);
    return pyramid([...pixels].map((byte) => byte / 255), sizes).map((level) => level.map((v) => Math.round(v * 255)));
  });
  const k = prior.values.neighbours as number, steps: number[][] = [];
  let low = work.seedImage, sources: number[] = [];
  for (const { layer, size, window, overlap, iterations } of [...layers].reverse()) {
    const blur = halving(size), half = size / 2, last = half - 1;
    // X^0: bilinear; even pixels are those of Y, odd ones lie between two, the last odd one repeats the border.
    let x = Array.from({ length: size * size }, (_, p) => {
      const y = Math.floor(p / size) / 2, across = p % size / 2, at = (v: number) => Math.min(v, last);
      const rows = [at(Math.floor(y)), at(Math.ceil(y))], columns = [at(Math.floor(across)), at(Math.ceil(across))];
      return rows.flatMap((row) => columns.map((column) => low[row * half + column])).reduce((a, b) => a + b) / 4;
    });
    const query = low.map((value) => value * 255), lows = levels.map((level) => level[layer + 1]);
    const context = ringAndRows(patch / 2, half);
    let u: number[][] = [], before = "";
    iterations.forEach(({ h, lambda, rho, offset }, iteration) => {
      const places = locations(size, patch, overlap, offset);
      if (String(offset) !== before) u = places.map(() => new Array(patch * patch).fill(0));
      before = String(offset);
      sources = [];
      const z = places.map((at, i) => {
        const measured = patchAt(x, size, patch, at.y, at.x).map((value, n) => value + u[i][n]);
        const near = examplesAt({ size, patch, window, context }, lows, query, at).slice(0, k);
        const patches = near.map(({ image, y, x }) =>
          patchAt(levels[image][layer], size, patch, y, x).map((v) => v / 255)
        );
        const logs = near.map(({ distance }, c) => -distance / h - rho / 2 * squaredDistance(measured, patches[c]));
        const weights = logs.map((log) => Math.exp(log - Math.max(...logs)));
        let aim = uniform(work.seed, [work.image, layer, iteration, at.y, at.x, 0]) * weights.reduce((a, b) => a + b),
          c = 0;
        while (c < near.length - 1 && (aim -= weights[c]) >= 0) c++;
        sources.push(near[c].image, near[c].y, near[c].x);
        return patches[c];
      });
      // X-step: (lambda H^T H + rho sum R^T R) X = lambda H^T Y + rho sum R^T (z - u).
      const left = blur.transpose().mmul(blur).mul(lambda);
      const right = blur.transpose().mmul(Matrix.columnVector([...low])).mul(lambda);
      places.forEach((at, i) => {
        for (let n = 0; n < patch * patch; n++) {
          const p = (at.y + Math.floor(n / patch)) * size + at.x + n % patch;
          left.set(p, p, left.get(p, p) + rho);
          right.set(p, 0, right.get(p, 0) + rho * (z[i][n] - u[i][n]));
        }
      });
      x = new CholeskyDecomposition(left).solve(right).to1DArray();
      places.forEach((at, i) => {
        patchAt(x, size, patch, at.y, at.x).forEach((value, n) => u[i][n] += value - z[i][n]);
      });
      steps.push([...x]);
    });
    low = x.map((value) => Math.min(Math.max(value, 0), 1));
  }
  return { steps, sources };
}

function ringAndRows(side: number, lrSize: number): ContextPixel[] {
  const line = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const inside = (at: number, first: number, last: number) => at >= first && at <= last;
  return line(-1, side).flatMap((dy) =>
    line(1 - lrSize, lrSize - 1).flatMap((dx) => {
      const rows = inside(dy, 0, side - 1), ring = inside(dx, -1, side);
      if (rows && inside(dx, 0, side - 1)) return [];
      return ring ? [{ dy, dx, weight: 0.5 }] : rows ? [{ dy, dx, weight: 0.2 }] : [];
    })
  );
}
