/** An image whose pixels are copies of exemplars' pixels, and how visible the boundaries between pieces of it are. */
import { areaOf, type Size } from "../../core/shape.ts";
import { type Tile, tilesAlong } from "../../core/tiling.ts";
import type { Exemplars } from "./exemplars.ts";
import { gridCut, type GridGraph } from "./grid_cut.ts";

/** A rectangle of an image; where the image tiles, it may reach across its edges. */
export interface Window extends Size {
  readonly y: number;
  readonly x: number;
}

/** The source of a pixel where nothing is placed yet, and of one that lies outside the image. */
export const EMPTY = -1, OUTSIDE = -2;
/** What a pixel costs that must take one side: more than all boundaries of a window. */
const FORCED = 1e6;
/** The error between two pixels that lie at opposite edges of exemplars: neither says what comes next. */
const UNKNOWN = 0.5;

/** Which pixels of an image change, where it is its own exemplar, and which may be copied. */
interface Hole {
  /** height x width: 1 where a pixel is missing; the others stay what they are. */
  readonly missing: Uint8Array;
  /** height x width: 1 where a pixel may be copied. */
  readonly usable: Uint8Array;
}

/**
 * An image of exemplars' pixels. A source is the number of a pixel of the exemplars: image x height x width + y x width + x. A block
 * is named by the source of its first pixel.
 */
export class SourceMap {
  /** height x width sources. */
  readonly sources: Int32Array;
  /** The colours of the exemplars' pixels, the channels of each side by side. */
  readonly colours: Float32Array;
  /** The row and the column of each of the exemplars' pixels. */
  readonly #rows: Uint16Array;
  readonly #columns: Uint16Array;
  readonly #aroundX: boolean;
  readonly #aroundY: boolean;

  /** Opens an empty image. `tile`: the directions in which its edges meet. `hole`: of a picture, of which only that is filled. */
  constructor(readonly exemplars: Exemplars, readonly size: Size, tile?: Tile, readonly hole?: Hole) {
    const { channels, values } = exemplars, area = areaOf(exemplars);
    this.sources = new Int32Array(areaOf(size)).fill(EMPTY);
    this.#aroundX = tilesAlong("x", tile);
    this.#aroundY = tilesAlong("y", tile);
    this.#rows = Uint16Array.from(
      { length: values.length / channels },
      (_, p) => Math.floor(p % area / exemplars.width),
    );
    this.#columns = Uint16Array.from({ length: values.length / channels }, (_, p) => p % exemplars.width);
    this.colours = new Float32Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const plane = Math.floor(i / area);
      this.colours[(Math.floor(plane / channels) * area + i % area) * channels + plane % channels] = values[i];
    }
  }

  /** The number of a pixel; `OUTSIDE` if it is none. */
  pixelAt(y: number, x: number): number {
    const { height, width } = this.size;
    const row = this.#aroundY ? ((y % height) + height) % height : y;
    const column = this.#aroundX ? ((x % width) + width) % width : x;
    return row < 0 || row >= height || column < 0 || column >= width ? OUTSIDE : row * width + column;
  }

  /** Sums up the errors between the pixels of a window, by default of all pixels, and their neighbours on the right and below. */
  errorIn({ y, x, height, width }: Window = { y: 0, x: 0, ...this.size }): number {
    let sum = 0;
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) {
        const source = this.#sourceAt(row, column);
        if (source < 0) continue;
        const right = this.#sourceAt(row, column + 1), below = this.#sourceAt(row + 1, column);
        if (right >= 0) sum += this.errorBetween(source, right, true);
        if (below >= 0) sum += this.errorBetween(source, below, false);
      }
    }
    return sum;
  }

  /**
   * How visible a boundary is between a source and the one on its right, or below it: how much each differs from what lies there in
   * the exemplar of the other (Kwatra et al., "Graphcut Textures", 2003, equation (1)). 0 if they are neighbours there.
   */
  errorBetween(source: number, next: number, isRight: boolean): number {
    const { height, width } = this.exemplars, step = isRight ? 1 : width;
    const last = (isRight ? width : height) - 1, places = isRight ? this.#columns : this.#rows;
    const place = places[source], nextPlace = places[next];
    if (place < last && next === source + step) return 0;
    if (place < last && nextPlace > 0) return this.#distance(source + step, next) + this.#distance(source, next - step);
    if (place < last) return 2 * this.#distance(source + step, next);
    return nextPlace > 0 ? 2 * this.#distance(source, next - step) : UNKNOWN;
  }

  /**
   * Lets pixels of a window take those of a block where that makes boundaries less visible: the minimum cut decides which. Pixels of
   * the window that are empty take them in any case.
   *
   * @param block a block of the window's size inside an exemplar
   * @param mayTake for each pixel of the window, whether it may; by default all
   * @returns by how much the errors fell
   */
  place(target: Window, block: number, mayTake?: Uint8Array): number {
    const pixels = this.#pixelsIn(target), fresh = this.#blockSources(target, block);
    const graph = this.#graphOf(target, pixels, fresh, mayTake);
    if (!graph) return 0;
    const taken = gridCut(graph),
      around = { y: target.y - 1, x: target.x - 1, height: target.height + 1, width: target.width + 1 };
    const before = this.errorIn(around), earlier = this.sources;
    const changed: number[] = [], was: number[] = [];
    let isFilled = false;
    for (let i = 0; i < pixels.length; i++) {
      if (!taken[i] || pixels[i] < 0 || earlier[pixels[i]] === fresh[i]) continue;
      isFilled ||= earlier[pixels[i]] === EMPTY;
      changed.push(pixels[i]);
      was.push(earlier[pixels[i]]);
      this.sources[pixels[i]] = fresh[i];
    }
    if (changed.length === 0) return 0;
    const fall = before - this.errorIn(around);
    // Errors at the edges of exemplars are no distances, which the minimum cut expects.
    if (isFilled || fall > 1e-9) return fall;
    changed.forEach((pixel, i) => this.sources[pixel] = was[i]);
    return 0;
  }

  #sourceAt(y: number, x: number): number {
    const pixel = this.pixelAt(y, x);
    return pixel < 0 ? OUTSIDE : this.sources[pixel];
  }

  /** How far two colours are apart. */
  #distance(source: number, other: number): number {
    const { colours } = this, { channels } = this.exemplars;
    let sum = 0;
    for (let c = 0, a = source * channels, b = other * channels; c < channels; c++, a++, b++) {
      const difference = colours[a] - colours[b];
      sum += difference * difference;
    }
    return sum;
  }

  #pixelsIn({ y, x, height, width }: Window): Int32Array {
    return Int32Array.from(
      { length: height * width },
      (_, i) => this.pixelAt(y + Math.floor(i / width), x + i % width),
    );
  }

  #blockSources({ height, width }: Window, block: number): Int32Array {
    const stride = this.exemplars.width;
    return Int32Array.from({ length: height * width }, (_, i) => block + Math.floor(i / width) * stride + i % width);
  }

  /** The graph whose cut says which pixels take the block's; undefined if none may or would. */
  #graphOf(target: Window, pixels: Int32Array, fresh: Int32Array, mayTake?: Uint8Array): GridGraph | undefined {
    const { height, width } = target, area = height * width, terminals = new Float64Array(area);
    const capacities: GridGraph["capacities"] = [
      new Float64Array(area),
      new Float64Array(area),
      new Float64Array(area),
      new Float64Array(area),
    ];
    const before = Int32Array.from(pixels, (pixel) => pixel < 0 ? OUTSIDE : this.sources[pixel]);
    const { hole } = this, fits = (i: number) => !hole || hole.missing[pixels[i]] > 0 && hole.usable[fresh[i]] > 0;
    /** Whether a pixel chooses; the others stay what they are. */
    const isOpen = (i: number) =>
      before[i] !== OUTSIDE && before[i] !== fresh[i] && (!mayTake || mayTake[i] > 0) && fits(i);
    let open = 0;
    /** Adds the errors between two pixels; `at` and `next` are numbers in the window, -1 outside it. */
    const pair = (at: number, next: number, source: number, other: number, isRight: boolean) => {
      const isAtOpen = at >= 0 && isOpen(at), isNextOpen = next >= 0 && isOpen(next);
      if (source === OUTSIDE || other === OUTSIDE || !isAtOpen && !isNextOpen) return;
      const error = (a: number, b: number) => a < 0 || b < 0 ? 0 : this.errorBetween(a, b, isRight);
      if (!isNextOpen) return void (terminals[at] += error(fresh[at], other) - error(source, other));
      if (!isAtOpen) return void (terminals[next] += error(source, fresh[next]) - error(source, other));
      const stay = error(source, other), nextTakes = error(source, fresh[next]), takes = error(fresh[at], other);
      terminals[at] += takes - stay;
      terminals[next] -= takes;
      capacities[isRight ? 0 : 2][at] += Math.max(0, nextTakes + takes - stay);
    };
    for (let i = 0; i < area; i++) {
      if (isOpen(i)) open++;
      if (isOpen(i) && before[i] === EMPTY) terminals[i] -= FORCED;
      const y = Math.floor(i / width), x = i % width;
      const isLastColumn = x === width - 1, isLastRow = y === height - 1;
      const right = isLastColumn ? this.#sourceAt(target.y + y, target.x + x + 1) : before[i + 1];
      const below = isLastRow ? this.#sourceAt(target.y + y + 1, target.x + x) : before[i + width];
      pair(i, isLastColumn ? -1 : i + 1, before[i], right, true);
      pair(i, isLastRow ? -1 : i + width, before[i], below, false);
      if (x === 0) pair(-1, i, this.#sourceAt(target.y + y, target.x - 1), before[i], true);
      if (y === 0) pair(-1, i, this.#sourceAt(target.y - 1, target.x + x), before[i], false);
    }
    return open > 0 ? { height, width, terminals, capacities } : undefined;
  }
}

/** The same image in twice the size, of exemplars that were halved to those of `map`. */
export function doubled(map: SourceMap, finer: Exemplars, size: Size, tile: Tile | undefined): SourceMap {
  const out = new SourceMap(finer, size, tile);
  out.sources.set(doubledSources(map, finer, size));
  return out;
}

/** The sources of an image in twice the size. `finer`, `size`: the sizes of the exemplars and of the image. */
export function doubledSources(
  { exemplars, size: coarse, sources }: Pick<SourceMap, "size" | "sources"> & { readonly exemplars: Size },
  finer: Size,
  size: Size,
): Int32Array {
  const { height, width } = exemplars, last = areaOf(finer);
  return Int32Array.from({ length: areaOf(size) }, (_, p) => {
    const y = Math.floor(p / size.width), x = p % size.width;
    // Of an odd side the last pixel goes on as the one before it.
    const [up, left] = [Math.min(y >> 1, coarse.height - 1), Math.min(x >> 1, coarse.width - 1)];
    const source = sources[up * coarse.width + left], image = Math.floor(source / (height * width));
    const sourceY = Math.floor(source / width) % height * 2 + y - 2 * up, sourceX = source % width * 2 + x - 2 * left;
    const [row, column] = [Math.min(sourceY, finer.height - 1), Math.min(sourceX, finer.width - 1)];
    return image * last + row * finer.width + column;
  });
}
