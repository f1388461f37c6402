/** A seed image on which blocks of exemplars are placed one after another. Each is cut where it differs least from what is there. */
import { areaOf, type Size } from "../../core/shape.ts";
import { type Tile, tilesAlong } from "../../core/tiling.ts";
import { boundaryCut } from "./boundary_cut.ts";
import { misfitOf } from "./exemplar_blocks.ts";
import type { Exemplars } from "./exemplars.ts";

/** The pixels of a block in one direction. */
export interface Span {
  /** The first one; those beyond the edge continue at the other edge. */
  readonly start: number;
  readonly length: number;
  /** How many of the first pixels were placed before with another block, and of the last ones, where the image tiles. */
  readonly before: number;
  readonly after: number;
}

/** Where a block lies. */
export interface Place {
  readonly down: Span;
  readonly across: Span;
}

/** Pixels of the exemplars for pixels of a seed image. */
export interface Pixels {
  /** The numbers of the seed image's pixels in a channel. */
  readonly to: readonly number[];
  /** The index of each one's first value in the exemplars. */
  readonly sources: readonly number[];
}

/** A seed image while blocks are placed on it. */
export interface Canvas {
  /** channels x height x width values; 0 where nothing is placed yet. */
  readonly out: Float32Array;
  /** Returns how far blocks are from what is placed; undefined where nothing is. */
  misfitAt(place: Place): ((block: number) => number) | undefined;
  /** Cuts a block along the paths on which it differs least from what is placed. */
  cut(place: Place, block: number): Pixels;
  /** Returns what is placed. */
  placed(to: readonly number[]): Pixels;
  /** Places pixels. */
  put(pixels: Pixels): void;
  /**
   * Sums up how visible the boundaries at a place are: where two pixels are no neighbours in an exemplar, the squared differences between
   * each and the pixel that lies there beside the other one.
   */
  errorIn(place: Place): number;
}

/** Opens an empty seed image. `tile`: the directions in which its edges meet. */
export function openCanvas({ channels, height, width, values }: Exemplars, size: Size, tile: Tile | undefined): Canvas {
  const area = areaOf(size), plane = height * width;
  const out = new Float32Array(channels * area), sources = new Int32Array(area).fill(-1);
  const pixelAt = ({ down, across }: Place, y: number, x: number) => {
    return (down.start + y) % size.height * size.width + (across.start + x) % size.width;
  };
  /** The squared difference of a pixel of the exemplars and one of the seed image. */
  const difference = (source: number, pixel: number) => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) {
      sum += (values[source + channel * plane] - out[channel * area + pixel]) ** 2;
    }
    return sum;
  };
  /** The error between a pixel and the next one, to the right or below. */
  const errorBetween = (pixel: number, next: number, isRight: boolean) => {
    const step = isRight ? 1 : width, source = sources[pixel], nextSource = sources[next];
    if (source < 0 || nextSource < 0) return 0;
    const at = (source: number) => isRight ? source % width : Math.floor(source / width) % height;
    const hasNext = at(source) < (isRight ? width : height) - 1;
    if (hasNext && nextSource === source + step) return 0;
    return (hasNext ? difference(source + step, next) : 0) +
      (at(nextSource) > 0 ? difference(nextSource - step, pixel) : 0);
  };
  return {
    out,
    misfitAt(place) {
      const { down, across } = place, shared: number[] = [];
      for (let channel = 0; channel < channels; channel++) {
        for (let y = 0; y < down.length; y++) {
          for (let x = 0; x < across.length; x++) {
            if (!isShared(down, y) && !isShared(across, x)) continue;
            shared.push(channel * plane + y * width + x, channel * area + pixelAt(place, y, x));
          }
        }
      }
      return shared.length > 0 ? misfitOf(values, out, shared) : undefined;
    },
    cut(place, block) {
      const to: number[] = [], sources: number[] = [];
      const isTaken = insideBoundary(place, (y, x) => difference(block + y * width + x, pixelAt(place, y, x)));
      for (let y = 0; y < place.down.length; y++) {
        for (let x = 0; x < place.across.length; x++) {
          if (!isTaken(y, x)) continue;
          to.push(pixelAt(place, y, x));
          sources.push(block + y * width + x);
        }
      }
      return { to, sources };
    },
    placed: (to) => ({ to, sources: to.map((pixel) => sources[pixel]) }),
    put({ to, sources: from }) {
      for (let p = 0; p < to.length; p++) {
        sources[to[p]] = from[p];
        for (let channel = 0; channel < channels; channel++) {
          out[channel * area + to[p]] = values[from[p] + channel * plane];
        }
      }
    },
    errorIn(place) {
      const { down, across } = place, aroundX = tilesAlong("x", tile), aroundY = tilesAlong("y", tile);
      let sum = 0;
      for (let y = 0; y < down.length; y++) {
        for (let x = 0; x < across.length; x++) {
          const pixel = pixelAt(place, y, x), isRight = (across.start + x) % size.width === size.width - 1;
          const isBottom = (down.start + y) % size.height === size.height - 1;
          if (aroundX || !isRight) sum += errorBetween(pixel, pixelAt(place, y, x + 1), true);
          if (aroundY || !isBottom) sum += errorBetween(pixel, pixelAt(place, y + 1, x), false);
        }
      }
      return sum;
    },
  };
}

function isShared({ length, before, after }: Span, at: number): boolean {
  return at < before || at >= length - after;
}

/**
 * Finds the boundary of a block: on each side on which it overlaps others, the path of least error through the overlap. Returns whether
 * one of its pixels lies inside.
 *
 * @param errorAt how much the block differs at one of its pixels from what is placed there
 */
function insideBoundary(
  { down, across }: Place,
  errorAt: (y: number, x: number) => number,
): (y: number, x: number) => boolean {
  const cut = (lines: number, depth: number, at: (line: number, x: number) => number) => {
    // A path between two pixels is visible by both.
    return depth > 0
      ? boundaryCut(lines, depth, (line, pixel) => at(line, pixel) + at(line, Math.max(0, pixel - 1))).before
      : undefined;
  };
  const bottom = down.length - 1, right = across.length - 1;
  const left = cut(down.length, Math.min(across.before, across.length), errorAt);
  const above = cut(across.length, Math.min(down.before, down.length), (x, y) => errorAt(y, x));
  const after = cut(down.length, Math.min(across.after, across.length), (y, x) => errorAt(y, right - x));
  const below = cut(across.length, Math.min(down.after, down.length), (x, y) => errorAt(bottom - y, x));
  return (y, x) =>
    x >= (left?.[y] ?? 0) && right - x >= (after?.[y] ?? 0) && y >= (above?.[x] ?? 0) &&
    bottom - y >= (below?.[x] ?? 0);
}
