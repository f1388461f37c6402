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

/** A seed image while blocks are placed on it; empty at first. */
export class Canvas {
  /** channels x height x width values; 0 where nothing is placed yet. */
  readonly out: Float32Array;
  readonly #exemplars: Exemplars;
  readonly #size: Size;
  readonly #tile: Tile | undefined;
  /** The index of each pixel's first value in the exemplars; -1 where nothing is placed yet. */
  readonly #sources: Int32Array;
  /** The number of values in a channel of the seed image, and of the exemplars. */
  readonly #area: number;
  readonly #plane: number;

  /** @param tile the directions in which its edges meet */
  constructor(exemplars: Exemplars, size: Size, tile: Tile | undefined) {
    this.#exemplars = exemplars;
    this.#size = size;
    this.#tile = tile;
    this.#area = areaOf(size);
    this.#plane = areaOf(exemplars);
    this.out = new Float32Array(exemplars.channels * this.#area);
    this.#sources = new Int32Array(this.#area).fill(-1);
  }

  /** Returns how far blocks are from what is placed; undefined where nothing is. */
  misfitAt(place: Place): ((block: number) => number) | undefined {
    const { channels, width, values } = this.#exemplars;
    const { down, across } = place;
    const shared: number[] = [];
    for (let channel = 0; channel < channels; channel++) {
      for (let y = 0; y < down.length; y++) {
        for (let x = 0; x < across.length; x++) {
          if (!isShared(down, y) && !isShared(across, x)) continue;
          shared.push(channel * this.#plane + y * width + x, channel * this.#area + this.#pixelAt(place, y, x));
        }
      }
    }
    return shared.length > 0 ? misfitOf(values, this.out, shared) : undefined;
  }

  /** Cuts a block along the paths on which it differs least from what is placed. */
  cut(place: Place, block: number): Pixels {
    const { width } = this.#exemplars;
    const sourceAt = (y: number, x: number) => block + y * width + x;
    const isTaken = insideBoundary(place, (y, x) => this.#difference(sourceAt(y, x), this.#pixelAt(place, y, x)));
    const to: number[] = [];
    const sources: number[] = [];
    for (let y = 0; y < place.down.length; y++) {
      for (let x = 0; x < place.across.length; x++) {
        if (!isTaken(y, x)) continue;
        to.push(this.#pixelAt(place, y, x));
        sources.push(sourceAt(y, x));
      }
    }
    return { to, sources };
  }

  /** Returns what is placed. */
  placed(to: readonly number[]): Pixels {
    return { to, sources: to.map((pixel) => this.#sources[pixel]) };
  }

  /** Places pixels. */
  put({ to, sources }: Pixels): void {
    const { channels, values } = this.#exemplars;
    for (let p = 0; p < to.length; p++) {
      this.#sources[to[p]] = sources[p];
      for (let channel = 0; channel < channels; channel++) {
        this.out[channel * this.#area + to[p]] = values[sources[p] + channel * this.#plane];
      }
    }
  }

  /**
   * Sums up how visible the boundaries at a place are: where two pixels are no neighbours in an exemplar, the squared differences between
   * each and the pixel that lies there beside the other one.
   */
  errorIn(place: Place): number {
    const { down, across } = place;
    const { width, height } = this.#size;
    const aroundX = tilesAlong("x", this.#tile);
    const aroundY = tilesAlong("y", this.#tile);
    let sum = 0;
    for (let y = 0; y < down.length; y++) {
      for (let x = 0; x < across.length; x++) {
        const pixel = this.#pixelAt(place, y, x);
        const isRight = (across.start + x) % width === width - 1;
        const isBottom = (down.start + y) % height === height - 1;
        if (aroundX || !isRight) sum += this.#errorBetween(pixel, this.#pixelAt(place, y, x + 1), true);
        if (aroundY || !isBottom) sum += this.#errorBetween(pixel, this.#pixelAt(place, y + 1, x), false);
      }
    }
    return sum;
  }

  /** The number of the pixel at (y, x) of a place. */
  #pixelAt({ down, across }: Place, y: number, x: number): number {
    const { width, height } = this.#size;
    return (down.start + y) % height * width + (across.start + x) % width;
  }

  /** The squared difference of a pixel of the exemplars and one of the seed image. */
  #difference(source: number, pixel: number): number {
    const { channels, values } = this.#exemplars;
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) {
      sum += (values[source + channel * this.#plane] - this.out[channel * this.#area + pixel]) ** 2;
    }
    return sum;
  }

  /** The error between a pixel and the next one, to the right or below. */
  #errorBetween(pixel: number, next: number, isRight: boolean): number {
    const { width, height } = this.#exemplars;
    const source = this.#sources[pixel];
    const nextSource = this.#sources[next];
    if (source < 0 || nextSource < 0) return 0;
    const step = isRight ? 1 : width;
    const at = (source: number) => isRight ? source % width : Math.floor(source / width) % height;
    const hasNext = at(source) < (isRight ? width : height) - 1;
    if (hasNext && nextSource === source + step) return 0;
    return (hasNext ? this.#difference(source + step, next) : 0) +
      (at(nextSource) > 0 ? this.#difference(nextSource - step, pixel) : 0);
  }
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
