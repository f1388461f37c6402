/**
 * Quilts textures: images that are made of pieces of exemplars. Overlapping blocks are placed row by row, each drawn from the few that
 * fit best to what is placed (Efros and Freeman, "Image Quilting", 2001). The minimum cut decides which of a block's pixels are taken
 * (Kwatra et al., "Graphcut Textures", 2003), and blocks are placed again where boundaries are still visible. All that is done with
 * exemplars that were halved until they are small. Then each piece is moved and grown in exemplars twice as large, up to the whole ones.
 */
import { type Stream, stream } from "../../core/random.ts";
import { areaOf, type Size } from "../../core/shape.ts";
import { PROGRESS } from "../../core/steps.ts";
import { type Tile, tilesAlong } from "../../core/tiling.ts";
import { bestOf, blocksOf, fitsAt, takenBefore } from "./block_search.ts";
import { type Exemplars, halved } from "./exemplars.ts";
import { withFeatures } from "./features.ts";
import { growPieces } from "./grow_pieces.ts";
import type { QuiltProgress } from "./quilt_progress.ts";
import { doubled, SourceMap, type Window } from "./source_map.ts";
import { structureLength } from "./structure_length.ts";

/** Exemplars are halved while their shorter side keeps so many pixels. */
const MIN_SIDE = 40;
/** The least side of a block in pixels of the halved exemplars. */
const MIN_BLOCK = 14;
/** Sides of a block in lengths of the exemplars' structure: with one structure and a half, one lies in most blocks as a whole. */
const STRUCTURES = 1.5;
/** A block has at most this part of an exemplar's side: of a larger one there would be few to choose from. */
const MAX_PART = 0.6;
/** A block is drawn from this many that fit best. */
const CHOICES = 3;
/**
 * Choices are at least this part of a side apart: otherwise they would be one block and its neighbours. The misfit of a choice is at
 * most this factor above the best (Efros and Freeman use 1.1). In exemplars with much room it is at most that of the second best:
 * otherwise most blocks would continue as the exemplar does.
 */
const APART = 0.25, MAX_MISFIT = 1.25;
/** So many quilts are made of up to so many blocks; the one with the least visible boundaries is used. */
const ATTEMPTS = 2, FEW_BLOCKS = 150;
/**
 * Blocks whose pixels were taken more often than half the mean count as worse fits: of blocks taken as often as the mean, the misfit is
 * multiplied by `1 + TAKEN / 2`. Otherwise some are used again and again: a wall of flagstones became the inside of its largest stone.
 * The factor is larger for exemplars of at least `ROOMY` times the area of the image, of which few blocks need be used twice.
 */
const ROOMY = 1.5, TAKEN = { roomy: 1, small: 0.5 };
/** Blocks are tried again at places whose errors are above so many times the mean: so many of those that fit best. */
const VISIBLE = 1.3, TRIED = 4;
/** Keys the random numbers that choose blocks. */
const QUILT_STREAM = 0x7175696c;

/** A quilted image. */
export interface Quilted {
  /** channels x height x width values in [0, 1], each one of the exemplars'. */
  readonly values: Float32Array;
  /** height x width: the exemplars' pixel that each pixel is, numbered image after image, row by row. */
  readonly sources: Int32Array;
}

/** Which image is quilted. */
export interface QuiltRequest {
  /** The random seed. */
  readonly seed: number;
  /** The image's number. */
  readonly image: number;
  /** Another one quilts another image of the same number; 0 by default. */
  readonly attempt?: number;
  /** The directions in which the image continues at its other edge; none by default. */
  readonly tile?: Tile;
}

/** Quilts an image of any size. It is work that can pause: `finish` runs it to its end. */
export function* quilt(
  exemplars: Exemplars,
  size: Size,
  { seed, image, attempt: again = 0, tile }: QuiltRequest,
): Generator<QuiltProgress, Quilted> {
  const plain = levelsOf(exemplars), coarsest = plain.length - 1;
  const reach = Math.max(2, Math.round(blockSide(plain[coarsest]) / 6));
  const levels = plain.map((level, l) => withFeatures(level, reach * 2 ** (coarsest - l)));
  const sizes = levels.map((_, l): Size => ({ height: sideAt(size.height, l), width: sideAt(size.width, l) }));
  const layout = layoutOf(plain[coarsest], sizes[coarsest], tile);
  const attempts = layout.windows.length > FEW_BLOCKS ? 1 : ATTEMPTS;
  let map: SourceMap | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const random = stream(seed, QUILT_STREAM, image, again * ATTEMPTS + attempt);
    const next = yield* placeBlocks(levels[coarsest], sizes[coarsest], layout, random, PLACING / attempts);
    if (!map || next.errorIn() < map.errorIn()) map = next;
  }
  yield* mend(map!, layout.side, tile, MENDING / 2);
  yield* mend(map!, layout.side >> 1, tile, MENDING / 2);
  for (let level = coarsest - 1; level >= 0; level--) {
    map = doubled(map!, levels[level], sizes[level], tile);
    yield* growPieces(map, (1 - PLACING - MENDING) * 3 / 4 ** (level + 1));
  }
  return { values: valuesOf(exemplars, map!.sources), sources: map!.sources };
}

/** The parts of the work that placing and mending take, about. */
const PLACING = 0.4, MENDING = 0.3;

/** The exemplars, and halves of them, as long as they are not too small. */
function levelsOf(exemplars: Exemplars): Exemplars[] {
  const levels = [exemplars];
  for (let last = exemplars; Math.min(last.height, last.width) >> 1 >= MIN_SIDE; levels.push(last)) {
    last = halved(last);
  }
  return levels;
}

function sideAt(side: number, level: number): number {
  return Math.ceil(side / 2 ** level);
}

/** Where the blocks of an image lie. */
interface Layout {
  readonly side: number;
  readonly windows: readonly Window[];
  readonly tile: Tile | undefined;
}

/** The exemplars' values at sources: channels x height x width of an image. */
export function valuesOf({ channels, values, ...size }: Exemplars, sources: Int32Array): Float32Array {
  const area = areaOf(size), out = new Float32Array(channels * sources.length);
  for (let i = 0; i < out.length; i++) {
    const source = sources[i % sources.length], image = Math.floor(source / area);
    out[i] = values[(image * channels + Math.floor(i / sources.length)) * area + source % area];
  }
  return out;
}

/** The side of blocks that hold a structure as a whole, in pixels; not rounded. */
export function blockSide(exemplars: Exemplars): number {
  const shorter = Math.min(exemplars.height, exemplars.width);
  return Math.max(MIN_BLOCK, Math.min(Math.ceil(STRUCTURES * structureLength(exemplars)), MAX_PART * shorter));
}

function layoutOf(exemplars: Exemplars, size: Size, tile: Tile | undefined): Layout {
  const aroundX = tilesAlong("x", tile), aroundY = tilesAlong("y", tile);
  const shorter = Math.min(exemplars.height, exemplars.width);
  const wanted = blockSide(exemplars);
  const most = Math.min(shorter, aroundX ? size.width : Infinity, aroundY ? size.height : Infinity);
  const side = Math.max(1, Math.floor(Math.min(wanted, most)));
  return { side, windows: windowsOf(size, side, Math.max(1, side >> 1), aroundY, aroundX), tile };
}

/** Windows of `side` pixels, about `step` apart, that cover an image; without tiling, they end at its edges. */
function windowsOf(size: Size, side: number, step: number, aroundY: boolean, aroundX: boolean): Window[] {
  const along = (length: number, isAround: boolean) => {
    const count = Math.max(1, Math.ceil((isAround ? length : length - side) / step) + (isAround ? 0 : 1));
    return Array.from({ length: count }, (_, k) => {
      const start = isAround ? Math.floor(k * length / count) : k * step;
      return { start, length: isAround ? side : Math.min(side, length - start) };
    }).filter(({ length }) => length > 0);
  };
  const columns = along(size.width, aroundX);
  return along(size.height, aroundY).flatMap((down) => {
    return columns.map((across) => ({ y: down.start, x: across.start, height: down.length, width: across.length }));
  });
}

/** Places block after block. */
function* placeBlocks(
  exemplars: Exemplars,
  size: Size,
  { side, windows, tile }: Layout,
  random: Stream,
  part: number,
): Generator<QuiltProgress, SourceMap> {
  const map = new SourceMap(exemplars, size, tile), before = takenBefore(map);
  const isRoomy = exemplars.count * areaOf(exemplars) >= ROOMY * areaOf(size);
  const weight = isRoomy ? TAKEN.roomy : TAKEN.small;
  const choosing = { choices: CHOICES, apart: Math.ceil(side * APART), least: isRoomy ? 2 : 1, most: MAX_MISFIT };
  for (const target of windows) {
    const fits = fitsAt(map, target);
    before.sumUp();
    const overuse = (block: number) => Math.max(0, before.timesOfMean(block, target) - 0.5);
    const misfits = fits?.misfits.map((misfit, b) => misfit * (1 + weight * overuse(fits.blocks[b])));
    const blocks = fits ? bestOf(map, { ...fits, misfits: misfits! }, choosing) : blocksOf(map, target);
    before.add(target, -1);
    map.place(target, blocks[Math.floor(random.next() * blocks.length)]);
    before.add(target, 1);
    yield { ...PROGRESS, part: part / windows.length };
  }
  return map;
}

/** Places blocks again where boundaries are visible, the most visible first. */
function* mend(map: SourceMap, side: number, tile: Tile | undefined, part: number): Generator<QuiltProgress, void> {
  if (side < 4) return;
  const { exemplars, size } = map, least = Math.min(side, size.height, size.width, exemplars.height, exemplars.width);
  const windows = windowsOf(
    size,
    least,
    Math.max(1, Math.ceil(least / 3)),
    tilesAlong("y", tile),
    tilesAlong("x", tile),
  )
    .filter(({ height, width }) => height > 3 && width > 3);
  const errors = windows.map((target) => map.errorIn(inner(target)));
  const mean = errors.reduce((sum, error) => sum + error, 0) / windows.length;
  const visible = [...windows.keys()].filter((w) => errors[w] > VISIBLE * mean).sort((a, b) => errors[b] - errors[a]);
  for (const w of visible) {
    // A neighbour may have been mended meanwhile.
    if (map.errorIn(inner(windows[w])) > 0.8 * errors[w]) {
      const fits = fitsAt(map, windows[w])!;
      for (const block of bestOf(map, fits, { choices: TRIED, apart: 1, least: TRIED, most: Infinity })) {
        map.place(windows[w], block);
      }
    }
    yield { ...PROGRESS, part: part / visible.length };
  }
}

/** The middle of a window, which blocks in its place can change most. */
function inner({ y, x, height, width }: Window): Window {
  const [rows, columns] = [height >> 2, width >> 2];
  return { y: y + rows, x: x + columns, height: height - 2 * rows, width: width - 2 * columns };
}
