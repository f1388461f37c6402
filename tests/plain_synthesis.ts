/** A second, slow implementation of the method in float64, which tests compare `synthesize` with. */
import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { inOrder, locations } from "../core/locations.ts";
import type { Plan } from "../core/plan.ts";
import { philox, seedKey, toUniform } from "../core/random.ts";
import type { ContextPixel, Images, LayerData } from "../core/types.ts";
import type { Size } from "../core/shape.ts";

/** H from its definition, as a matrix: 3x3 Gaussian of sigma 1, the border repeated, then every second pixel. */
export function halving({ height, width }: Size): Matrix {
  const half = width / 2, low = height * width / 4, matrix = Matrix.zeros(low, height * width);
  const sum = 1 + 2 * Math.exp(-1 / 2), inside = (at: number, size: number) => Math.min(Math.max(at, 0), size - 1);
  for (let row = 0; row < low; row++) {
    for (const dy of [-1, 0, 1]) {
      for (const dx of [-1, 0, 1]) {
        const y = inside(2 * Math.floor(row / half) + dy, height), x = inside(2 * (row % half) + dx, width);
        const weight = Math.exp(-(dy * dy + dx * dx) / 2) / (sum * sum);
        matrix.set(row, y * width + x, matrix.get(row, y * width + x) + weight);
      }
    }
  }
  return matrix;
}

/** V^0 .. V^L of one grey image in [0, 1]: each H times the one before, never rounded. */
export function pyramid(image: readonly number[], sizes: readonly Size[]): number[][] {
  const levels = [[...image]];
  for (const size of sizes.slice(0, -1)) {
    levels.push(halving(size).mmul(Matrix.columnVector(levels.at(-1)!)).to1DArray());
  }
  return levels;
}

/** The pixels of an LR patch and its context, channel by channel, with the integer scales of the prior: see `quantize` in priors/example/lr_pixels.ts. */
export function scaled(side: number, context: readonly ContextPixel[], channels = 1) {
  const own = Array.from({ length: side * side }, (_, i) => ({ dy: Math.floor(i / side), dx: i % side, weight: 1 }));
  const all = Array.from(
    { length: channels },
    (_, channel) => [...own, ...context].map((pixel) => ({ ...pixel, channel })),
  )
    .flat();
  for (let unit = 64;; unit--) {
    const pixels = all.map(({ dy, dx, channel, weight }) => {
      return { dy, dx, channel, scale: Math.max(1, Math.round(unit * weight ** 0.5)) };
    });
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
  { height, width, channels, patch, window, context }: Pick<
    LayerData,
    "height" | "width" | "channels" | "patch" | "window" | "context"
  >,
  lows: readonly ArrayLike<number>[],
  query: ArrayLike<number>,
  at: { readonly y: number; readonly x: number },
): Example[] {
  const high = height / 2, wide = width / 2, side = patch / 2, y = Math.floor(at.y / 2), x = Math.floor(at.x / 2);
  const reach = Math.max(Math.ceil(window) - 1, 0), line = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  const within = (first: number, length: number, all: number) => first >= 0 && first + length <= all;
  const offsets = line.flatMap((dy) => line.map((dx) => ({ dy, dx }))).filter(({ dy, dx }) =>
    within(y + dy, side, high) && within(x + dx, side, wide) &&
    within(at.y + 2 * dy, patch, height) && within(at.x + 2 * dx, patch, width)
  );
  const { pixels, unit } = scaled(side, context, channels);
  const counted = pixels.filter((pixel) =>
    offsets.every(({ dy, dx }) => within(y + dy + pixel.dy, 1, high) && within(x + dx + pixel.dx, 1, wide))
  );
  return offsets.flatMap(({ dy, dx }) =>
    lows.map((low, image) => {
      const sum = counted.reduce((sum, pixel) => {
        const plane = pixel.channel * high, there = low[(plane + y + dy + pixel.dy) * wide + x + dx + pixel.dx];
        return sum + (pixel.scale * (there - query[(plane + y + pixel.dy) * wide + x + pixel.dx])) ** 2;
      }, 0);
      return { image, y: at.y + 2 * dy, x: at.x + 2 * dx, distance: sum / (unit * 255) ** 2 };
    })
  ).sort((a, b) => a.distance - b.distance);
}

/** The patch of a grey image of that width at a place. */
export function patchAt(image: ArrayLike<number>, width: number, patch: number, y: number, x: number): number[] {
  return Array.from({ length: patch * patch }, (_, i) => image[(y + Math.floor(i / patch)) * width + x + i % patch]);
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
  { sizes, channels, layers, prior }: Plan,
  training: Images,
  work: { seed: number; image: number; seedImage: readonly number[] },
): { steps: number[][]; sources: number[] } {
  const levels = Array.from({ length: training.count }, (_, i) => {
    const area = sizes[0].height * sizes[0].width;
    const planes = Array.from({ length: channels }, (_, channel) => {
      const pixels = training.pixels.subarray((i * channels + channel) * area, (i * channels + channel + 1) * area);
      return pyramid([...pixels].map((byte) => byte / 255), sizes);
    });
    return sizes.map((_, l) => planes.flatMap((levels) => levels[l].map((v) => Math.round(v * 255))));
  });
  const k = prior.values.neighbours as number, steps: number[][] = [];
  let low = work.seedImage, sources: number[] = [];
  for (const size of [...layers].reverse()) {
    const { layer, height, width, patch, order, window, overlap, iterations } = size, area = height * width;
    const blur = halving(size), wide = width / 2, high = height / 2;
    const planesOf = <T>(all: readonly T[]) => {
      const length = all.length / channels;
      return Array.from({ length: channels }, (_, c) => all.slice(c * length, (c + 1) * length));
    };
    const patchOf = (image: readonly number[], y: number, x: number) =>
      planesOf(image).flatMap((plane) => patchAt(plane, width, patch, y, x));
    // X^0: bilinear; even pixels are those of Y, odd ones lie between two, the last odd one repeats the border.
    let x = planesOf(low).flatMap((plane) =>
      Array.from({ length: area }, (_, p) => {
        const y = Math.floor(p / width) / 2, across = p % width / 2;
        const at = (v: number, size: number) => [Math.floor(v), Math.min(Math.ceil(v), size - 1)];
        const near = at(y, high).flatMap((row) => at(across, wide).map((column) => plane[row * wide + column]));
        return near.reduce((a, b) => a + b) / 4;
      })
    );
    const query = low.map((value) => value * 255), lows = levels.map((level) => level[layer + 1]);
    const context = ringAndRows(patch / 2, Math.max(high, wide));
    let u: number[][] = [], before = "";
    iterations.forEach(({ h, lambda, rho, offset }, iteration) => {
      const places = inOrder(locations(size, patch, overlap, offset), order, patch, width);
      if (String(offset) !== before) u = places.map(() => new Array(channels * patch * patch).fill(0));
      before = String(offset);
      sources = [];
      const z = places.map((at, i) => {
        const measured = patchOf(x, at.y, at.x).map((value, n) => value + u[i][n]);
        const near = examplesAt({ height, width, channels, patch, window, context }, lows, query, at).slice(0, k);
        const patches = near.map(({ image, y, x }) => patchOf(levels[image][layer], y, x).map((v) => v / 255));
        const logs = near.map(({ distance }, c) => -distance / h - rho / 2 * squaredDistance(measured, patches[c]));
        const weights = logs.map((log) => Math.exp(log - Math.max(...logs)));
        let aim = uniform(work.seed, [work.image, layer, iteration, at.y, at.x, 0]) * weights.reduce((a, b) => a + b),
          c = 0;
        while (c < near.length - 1 && (aim -= weights[c]) >= 0) c++;
        sources.push(near[c].image, near[c].y, near[c].x);
        return patches[c];
      });
      // X-step: (lambda H^T H + rho sum R^T R) X = lambda H^T Y + rho sum R^T (z - u).
      x = planesOf(low).flatMap((plane, channel) => {
        const left = blur.transpose().mmul(blur).mul(lambda);
        const right = blur.transpose().mmul(Matrix.columnVector([...plane])).mul(lambda);
        places.forEach((at, i) => {
          for (let n = 0; n < patch * patch; n++) {
            const p = (at.y + Math.floor(n / patch)) * width + at.x + n % patch, m = channel * patch * patch + n;
            left.set(p, p, left.get(p, p) + rho);
            right.set(p, 0, right.get(p, 0) + rho * (z[i][m] - u[i][m]));
          }
        });
        return new CholeskyDecomposition(left).solve(right).to1DArray();
      });
      places.forEach((at, i) => {
        patchOf(x, at.y, at.x).forEach((value, n) => u[i][n] += value - z[i][n]);
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
