/** Finds faces and their eyes in photographs. */
import type { GreyImage } from "../formats/colour.ts";
import { resized } from "../resize.ts";
import { CELL, cellsOf, describe, type Plane, sampled } from "./gradients.ts";
import { predict } from "./ridge.ts";
import {
  CELLS,
  corrected,
  describeWindow,
  eyeDistance,
  type EyeFinder,
  type EyePair,
  FACE,
  FRAMES,
  movedEyes,
  SIZE,
} from "./windows.ts";

/** A face in a photograph. */
export interface FoundFace {
  readonly eyes: EyePair;
  /** How much it looks like a face: about 1 for faces, about -1 elsewhere. */
  readonly score: number;
  /** How far apart the eyes come to lie from different starts: the median, in distances between the eyes. */
  readonly spread: number;
}

/** Longest side in pixels at which photographs are searched. */
const LONGEST = 400;
/** Ratio of the sizes at which they are searched: a third of an octave, which the range of learned scales covers. */
const RATIO = 2 ** (1 / 3);
/** Score from which a window is looked at more closely, and how many of them are. */
const LEAST_SCORE = -0.5, CANDIDATES = 3;
/** Distance between the eyes in the images that were learned from, in pixels. */
const LEARNED_DISTANCE = 20;
/** Starts of the steps: shifts, scale, angle. Their median is steadier than one of them. */
const STARTS: readonly (readonly [dx: number, dy: number, scale: number, angle: number])[] = [
  [0, 0, 1, 0],
  [-0.12, 0, 1, 0],
  [0.12, 0, 1, 0],
  [0, -0.12, 1, 0],
  [0, 0.12, 1, 0],
  [0, 0, 0.85, 0.1],
  [0, 0, 1.15, -0.1],
  [0, 0, 0.85, -0.1],
  [0, 0, 1.15, 0.1],
];

/** A photograph at a smaller size: place v of it is place (v + 0.5) scale - 0.5 of the photograph. */
interface Level {
  readonly scale: number;
  readonly image: Plane;
}

/** Finds the faces of a photograph, the likeliest first; at most three. */
export function findEyes(finder: EyeFinder, photograph: GreyImage): FoundFace[] {
  const levels = levelsOf(photograph), windows = levels.flatMap((level) => windowsOf(finder, level));
  windows.sort((a, b) => b.score - a.score);
  const candidates: typeof windows = [];
  for (const found of windows) {
    if (candidates.length === CANDIDATES) break;
    if (candidates.every(({ eyes }) => apart(eyes, found.eyes) > 0.7)) candidates.push(found);
  }
  return candidates.map(({ eyes }) => refined(finder, levels, eyes)).sort((a, b) => b.score - a.score);
}

function levelsOf({ height, width, pixels }: GreyImage): Level[] {
  const levels: Level[] = [], least = CELLS * CELL * 0.8;
  for (
    let scale = Math.max(1, Math.max(height, width) / LONGEST);
    Math.min(height, width) / scale >= least;
    scale *= RATIO
  ) {
    const size = { height: Math.round(height / scale), width: Math.round(width / scale) };
    const small = resized({ count: 1, height, width, pixels }, size);
    levels.push({ scale: width / size.width, image: { ...size, values: Float32Array.from(small.pixels) } });
  }
  return levels;
}

/** The windows of a level that may be faces, at distances of a cell. */
function windowsOf({ face }: EyeFinder, { scale, image }: Level): { score: number; eyes: EyePair }[] {
  // Two cells lie around the image, so that faces at its border are found.
  const ring = 2 * CELL, map = { originX: -ring, originY: -ring, stepX: 1, stepY: 0 };
  const cells = cellsOf(sampled(image, map, image.width + 2 * ring, image.height + 2 * ring));
  const row = new Float32Array(SIZE), found: { score: number; eyes: EyePair }[] = [];
  for (let y = 0; y + CELLS <= cells.down; y++) {
    for (let x = 0; x + CELLS <= cells.across; x++) {
      describe(cells, x, y, CELLS, row);
      const score = predict(face, 0, SIZE, row);
      if (score < LEAST_SCORE) continue;
      const leftX = x * CELL - ring + FACE.left, leftY = y * CELL - ring + FACE.y;
      const eyes = { leftX, leftY, rightX: leftX + FACE.distance, rightY: leftY };
      found.push({ score, eyes: mapped(eyes, (v) => (v + 0.5) * scale - 0.5) });
    }
  }
  return found;
}

/** How far the middles of two pairs of eyes are apart, in distances between the eyes of the larger one. */
function apart(a: EyePair, b: EyePair): number {
  const dx = (a.leftX + a.rightX - b.leftX - b.rightX) / 2, dy = (a.leftY + a.rightY - b.leftY - b.rightY) / 2;
  return Math.hypot(dx, dy) / Math.max(eyeDistance(a), eyeDistance(b));
}

/** Takes the steps from several starts, at the size at which the eyes are about as far apart as they were learned. */
function refined({ steps, face }: EyeFinder, levels: readonly Level[], found: EyePair): FoundFace {
  const off = ({ scale }: Level) => Math.abs(Math.log(eyeDistance(found) / scale / LEARNED_DISTANCE));
  const { scale, image } = levels.reduce((best, level) => off(level) < off(best) ? level : best);
  const row = new Float32Array(SIZE), begin = mapped(found, (v) => (v + 0.5) / scale - 0.5);
  const ends = STARTS.map((start) => {
    return FRAMES.reduce((assumed, frame, i) => {
      describeWindow(image, assumed, frame, row);
      return corrected(assumed, steps[i], row);
    }, movedEyes(begin, ...start));
  });
  const middle = (place: keyof EyePair) => median(ends.map((end) => end[place]));
  const eyes = { leftX: middle("leftX"), leftY: middle("leftY"), rightX: middle("rightX"), rightY: middle("rightY") };
  describeWindow(image, eyes, FACE, row);
  const away = ends.map(({ leftX, leftY, rightX, rightY }) => {
    return Math.max(
      Math.hypot(leftX - eyes.leftX, leftY - eyes.leftY),
      Math.hypot(rightX - eyes.rightX, rightY - eyes.rightY),
    );
  });
  const score = predict(face, 0, SIZE, row), spread = median(away) / eyeDistance(eyes);
  return { eyes: mapped(eyes, (v) => (v + 0.5) * scale - 0.5), score, spread };
}

function mapped({ leftX, leftY, rightX, rightY }: EyePair, map: (place: number) => number): EyePair {
  return { leftX: map(leftX), leftY: map(leftY), rightX: map(rightX), rightY: map(rightY) };
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
