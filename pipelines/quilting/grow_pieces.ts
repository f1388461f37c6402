/** Moves and grows the pieces of an image so that boundaries between them become less visible. */
import { areaOf } from "../../core/shape.ts";
import { PROGRESS } from "../../core/steps.ts";
import type { QuiltProgress } from "./quilt_progress.ts";
import type { SourceMap, Window } from "./source_map.ts";

/** By how many pixels a piece may grow. */
const REACH = 4;
/** The steps by which pieces are moved in their exemplar: halving hid where they fit to a pixel. */
const MOVES = [[0, 1], [1, 0], [0, -1], [-1, 0]] as const;

/** Pixels that lie in an image as in an exemplar: `y` and `x` are what is added to their places there to find their sources. */
interface Piece {
  readonly image: number;
  readonly y: number;
  readonly x: number;
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Moves each piece by a pixel and grows it, where that is better; then grows all once more. */
export function* growPieces(map: SourceMap, part: number): Generator<QuiltProgress, void> {
  for (const moves of [[[0, 0], ...MOVES], [[0, 0]]]) {
    const pieces = piecesOf(map), share = part * (moves.length / (MOVES.length + 2)) / pieces.length;
    for (const piece of pieces) {
      for (const [y, x] of moves) grow(map, piece, y, x);
      yield { ...PROGRESS, part: share };
    }
  }
}

function piecesOf({ exemplars, size, sources, hole }: SourceMap): Piece[] {
  const { height, width } = exemplars, area = areaOf(exemplars), pieces = new Map<number, Piece>();
  // Both steps from a place to its source are above minus the image's sides.
  const rows = size.height + height, columns = size.width + width;
  sources.forEach((source, p) => {
    if (hole && !hole.missing[p]) return;
    const row = Math.floor(p / size.width), column = p % size.width, image = Math.floor(source / area);
    const y = Math.floor(source % area / width) - row, x = source % width - column;
    const key = (image * rows + y + size.height) * columns + x + size.width;
    const piece = pieces.get(key);
    if (!piece) {
      pieces.set(key, { image, y, x, top: row, left: column, bottom: row, right: column });
      return;
    }
    piece.bottom = row; // rows come in their order
    piece.left = Math.min(piece.left, column);
    piece.right = Math.max(piece.right, column);
  });
  return [...pieces.values()];
}

/** Lets a piece, moved in its exemplar, take pixels around it. */
function grow(map: SourceMap, piece: Piece, moveY: number, moveX: number): void {
  const { height, width } = map.exemplars, y = piece.y + moveY, x = piece.x + moveX;
  const top = Math.max(piece.top - REACH, -y), left = Math.max(piece.left - REACH, -x);
  const bottom = Math.min(piece.bottom + REACH, height - 1 - y), right = Math.min(piece.right + REACH, width - 1 - x);
  if (bottom < top || right < left) return;
  const target = { y: top, x: left, height: bottom - top + 1, width: right - left + 1 };
  const block = piece.image * height * width + (top + y) * width + left + x;
  map.place(target, block, near(map, target, piece));
}

/** Which pixels of a window lie at most `REACH` pixels from a piece, along both axes. */
function near({ size, sources, exemplars }: SourceMap, target: Window, piece: Piece): Uint8Array {
  const { height, width } = target, area = areaOf(exemplars), inside = new Uint8Array(height * width);
  for (let i = 0; i < inside.length; i++) {
    const row = target.y + Math.floor(i / width), column = target.x + i % width;
    if (row < 0 || column < 0 || row >= size.height || column >= size.width) continue;
    const source = sources[row * size.width + column];
    const isOf = Math.floor(source / area) === piece.image &&
      Math.floor(source % area / exemplars.width) - row === piece.y && source % exemplars.width - column === piece.x;
    inside[i] = isOf ? 1 : 0;
  }
  return spread(spread(inside, height, width, width, 1), width, height, 1, width);
}

/** Spreads ones along lines by `REACH` pixels. */
function spread(values: Uint8Array, lines: number, length: number, line: number, step: number): Uint8Array {
  const out = new Uint8Array(values.length);
  for (let l = 0; l < lines; l++) {
    for (let i = 0, last = -Infinity; i < length; i++) {
      if (values[l * line + i * step]) last = i;
      if (i - last <= REACH) out[l * line + i * step] = 1;
    }
    for (let i = length - 1, last = Infinity; i >= 0; i--) {
      if (values[l * line + i * step]) last = i;
      if (last - i <= REACH) out[l * line + i * step] = 1;
    }
  }
  return out;
}
