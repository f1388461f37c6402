/**
 * Quilts seed images for textures, which have no test images, from the coarsest level of the exemplars (Efros and Freeman, "Image
 * Quilting for Texture Synthesis and Transfer", 2001). Blocks are placed row by row; each is drawn from the few that fit best to
 * the pixels that are already placed. The layers above remove the seams.
 */
import { type Stream, stream } from "../../core/random.ts";
import { areaOf, type Size } from "../../core/shape.ts";
import { type Tile, tilesAlong } from "../../core/tiling.ts";
import { anywhere, bestBlocks, takenBefore } from "./exemplar_blocks.ts";
import type { Exemplars } from "./exemplars.ts";
import { Canvas, type Span } from "./quilt_canvas.ts";
import { structureLength } from "./structure_length.ts";

/** The least side of a block in pixels of the coarsest level: four times that in a result of two layers. */
const MIN_BLOCK = 16;
/** Sides of a block in lengths of the exemplars' structure: with one structure and a half, one lies in most blocks as a whole. */
const STRUCTURES = 1.5;
/** A block has at most this part of an exemplar's side: of a larger one there would be few to choose from. */
const MAX_PART = 0.5, MAX_AROUND = 0.6;
/** A block is drawn from this many that fit best. */
const CHOICES = 3;
/**
 * Choices are at least this part of a side apart. Otherwise they would be one block and its neighbours, a few pixels off. The misfit
 * of a choice is at most this factor above the best (Efros and Freeman use 1.1): with larger factors, walls and weaves broke. In
 * exemplars with much room it is at most that of the second best: otherwise most blocks would continue as the exemplar does. Measured
 * on results of 2.3 to 4 times the area of twenty exemplars: the distance of windows of 24 pixels to the nearest window of the exemplar
 * was 0.15 of the variance (0.18 if measured by the second, 0.18 with adjacent choices and straight boundaries), and 0.18 of the
 * windows of 48 pixels lay twice in the result (0.07, 0.10).
 */
const APART = 0.25, MAX_MISFIT = 1.25;
/**
 * So many quilts are made; the one with the least visible boundaries is used. With 24 quilts of each of twenty exemplars, the error
 * of the best of four was 8 % below the mean, that of the best of eight 12 %, that of the best of all 15 %.
 */
const ATTEMPTS = 4;
/**
 * A block that was used before counts as a worse fit: used once as a whole, its misfit is multiplied by `1 + TAKEN`. The factor is
 * larger for exemplars of at least `ROOMY` times the area of the image. With it, the part of a quilt that lies twice in it fell from
 * 0.57 to 0.35 in eight exemplars of 1.5 to 3.5 times the area, and from 0.23 to 0.08 in nine larger ones, for a misfit 6 and 2 %
 * higher. In smaller exemplars nearly all blocks must be used twice. Without the factor some are used again and again: a wall of
 * flagstones was made of two stones. With 1 and 0.3 there, berries were cut and weaves broken.
 */
const ROOMY = 1.5, TAKEN = { roomy: 1, small: 0.15 };
/**
 * Side of the blocks that mend boundaries, and how often all places are visited. Blocks are tried where boundaries are more visible than
 * `MAX_USUAL` times the usual. Of thirteen exemplars 0.88 of the errors were left: 0.53 of those of berries, which had been cut, 0.77
 * of apples, 0.97 of bricks. With a side of 14, 0.70 of berries and 0.90 of apples.
 */
const MENDING = 10, MAX_USUAL = 1.5, SWEEPS = 2;
/** Keys the random numbers that choose blocks. */
const QUILT_STREAM = 0x7175696c;

/**
 * Quilts seed image number `image` under a random seed, of any size, in the exemplars' channels. In the directions of `tile` the
 * last blocks continue at the other edge and are chosen to fit there, too.
 */
export function quilt(exemplars: Exemplars, size: Size, seed: number, image: number, tile?: Tile): Float32Array {
  const pieces = layout(exemplars, size, tile);
  let best: Canvas | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const made = quiltOnce(exemplars, size, pieces, stream(seed, QUILT_STREAM, image, attempt));
    if (!best || errorOf(made, size) < errorOf(best, size)) best = made;
  }
  mend(exemplars, size, best!, pieces.side, tile);
  return best!.out;
}

/** Where the blocks of a seed image lie. */
interface Layout {
  /** Side of a block. */
  readonly side: number;
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
  readonly tile: Tile | undefined;
}

function layout(exemplars: Exemplars, size: Size, tile: Tile | undefined): Layout {
  const aroundX = tilesAlong("x", tile), aroundY = tilesAlong("y", tile);
  // Where the last block must fit on all sides, there must be blocks to choose from.
  const inside = Math.min(exemplars.height, exemplars.width) * (tile ? MAX_AROUND : 1);
  const most = Math.min(inside, aroundX ? size.width : Infinity, aroundY ? size.height : Infinity);
  const side = Math.max(1, Math.floor(Math.min(blockSide(exemplars), most))), overlap = Math.floor(side / 3);
  return {
    side,
    rows: spans(size.height, side, overlap, aroundY),
    columns: spans(size.width, side, overlap, aroundX),
    tile,
  };
}

function quiltOnce(exemplars: Exemplars, size: Size, { side, rows, columns, tile }: Layout, random: Stream): Canvas {
  const canvas = new Canvas(exemplars, size, tile), before = takenBefore(exemplars, side);
  const isRoomy = exemplars.count * areaOf(exemplars) >= ROOMY * areaOf(size);
  const weight = isRoomy ? TAKEN.roomy : TAKEN.small, apart = Math.ceil(side * APART);
  for (const down of rows) {
    for (const across of columns) {
      const place = { down, across }, misfit = canvas.misfitAt(place), takenPart = before.part();
      // On opposite sides few fit, and those do not continue the last block: the best is taken.
      const choices = down.after > 0 || across.after > 0 ? 1 : CHOICES;
      const weighed = misfit && ((block: number) => misfit(block) * (1 + weight * takenPart(block)));
      const found = weighed
        ? bestBlocks(exemplars, side, weighed, { choices, apart, least: isRoomy ? 2 : 1, most: MAX_MISFIT })
        : anywhere(exemplars, side);
      const cut = canvas.cut(place, found[Math.floor(random.next() * found.length)]);
      canvas.put(cut);
      before.take(cut.sources);
    }
  }
  return canvas;
}

/** Places small blocks where the boundaries are visible, if these are less visible then. */
function mend(exemplars: Exemplars, size: Size, canvas: Canvas, largest: number, tile: Tile | undefined): void {
  const side = Math.min(MENDING, largest, size.height, size.width), overlap = Math.floor(side / 3);
  if (overlap === 0) return;
  const step = side >> 1;
  const rows = windows(size.height, side, step, overlap, tilesAlong("y", tile));
  const columns = windows(size.width, side, step, overlap, tilesAlong("x", tile));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const usual = errorOf(canvas, size) / areaOf(size) * side * side;
    for (const down of rows) {
      for (const across of columns) {
        const place = { down, across };
        if (canvas.errorIn(place) <= MAX_USUAL * usual) continue;
        const misfit = canvas.misfitAt(place);
        if (!misfit) continue;
        const [block] = bestBlocks(exemplars, side, misfit, { choices: 1, apart: 1, least: 1, most: Infinity });
        const cut = canvas.cut(place, block), earlier = canvas.placed(cut.to), error = canvas.errorIn(place);
        canvas.put(cut);
        if (canvas.errorIn(place) >= error) canvas.put(earlier);
      }
    }
  }
}

function errorOf(canvas: Canvas, { height, width }: Size): number {
  const whole = (length: number) => ({ start: 0, length, before: 0, after: 0 });
  return canvas.errorIn({ down: whole(height), across: whole(width) });
}

/** Blocks along one direction of an image, `step` pixels apart, that overlap what is placed on both sides. */
function windows(size: number, side: number, step: number, overlap: number, around: boolean): Span[] {
  return Array.from({ length: Math.ceil((around ? size : size - side + step) / step) }, (_, k) => {
    const start = around ? k * step : Math.min(k * step, size - side), isLast = start + side === size;
    return {
      start,
      length: side,
      before: around || start > 0 ? overlap : 0,
      after: around || !isLast ? overlap : 0,
    };
  });
}

/** Chooses the side of blocks: large enough for the exemplars' structures, and small enough that many can be chosen from. */
function blockSide(exemplars: Exemplars): number {
  const wanted = Math.ceil(STRUCTURES * structureLength(exemplars));
  const most = Math.floor(MAX_PART * Math.min(exemplars.height, exemplars.width));
  return Math.max(MIN_BLOCK, Math.min(wanted, most));
}

/** The blocks along one direction of an image; they overlap by at least `overlap` pixels. */
function spans(size: number, side: number, overlap: number, around: boolean): Span[] {
  const step = side - overlap, count = Math.ceil(size / step);
  if (!around) {
    return Array.from({ length: count }, (_, k) => {
      return { start: k * step, length: Math.min(side, size - k * step), before: k > 0 ? overlap : 0, after: 0 };
    });
  }
  const starts = Array.from({ length: count }, (_, k) => Math.floor(k * size / count));
  return starts.map((start, k) => ({
    start,
    length: side,
    before: k > 0 ? starts[k - 1] + side - start : 0,
    after: k > 0 && k === count - 1 ? start + side - size : 0,
  }));
}
