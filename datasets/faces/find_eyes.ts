/** Finds faces and their eyes in photographs. */
import type { GreyImage } from "../formats/colour.ts";
import { cutOut } from "../crops.ts";
import { resized } from "../resize.ts";
import { cellsOf, describe, type Plane, sampled } from "./gradients.ts";
import { predict } from "./ridge.ts";
import {
  describeWindow,
  eyeDistance,
  type EyeFinder,
  type EyePair,
  FACE,
  FINE_DISTANCE,
  FINE_FRAMES,
  followed,
  FRAMES,
  mirroredEyes,
  movedEyes,
  sizeOf,
} from "./windows.ts";

/** A face in a photograph. */
export interface FoundFace {
  readonly eyes: EyePair;
  /** How much it looks like a face: about 1 for faces, about -1 elsewhere. */
  readonly score: number;
  /** How far apart the eyes come to lie from different starts: the median, in distances between the eyes. */
  readonly spread: number;
}

/**
 * Score from which a face counts as one: with it, no face was found in 20 textures, and 4 of 260 photographs of faces were left out.
 * Other values were not tried.
 */
export const FACE_SCORE = 0.5;
/** Longest side in pixels at which photographs are searched. */
const LONGEST = 400;
/** Ratio of the sizes at which they are searched: a third of an octave, which the range of learned scales covers. */
const RATIO = 2 ** (1 / 3);
/** Score from which a window is looked at more closely. */
const MIN_SCORE = -0.5;
/** The most windows that are looked at more closely. */
const CANDIDATES = 3;
/** Distance between the eyes in the images that were learned from, in pixels. */
const LEARNED_DISTANCE = 20;
/** A start of steps. */
type Start = readonly [dx: number, dy: number, scale: number, angle: number];
/** Starts of the steps. The median of where they lead is steadier than one of them. */
const STARTS: readonly Start[] = [
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
/** Starts of the fine steps, also in the mirrored photograph. */
const FINE_STARTS: readonly Start[] = [
  [0, 0, 1, 0],
  [-0.05, 0, 1, 0.04],
  [0.05, 0, 1, -0.04],
  [0, -0.05, 0.96, 0],
  [0, 0.05, 1.04, 0],
];
/** How often they are taken: the second time from better places. */
const FINE_PASSES = 2;
/** What is cut out of a photograph for the fine steps: so many distances between the eyes around them. */
const AROUND = 1.5;

/** A photograph at a smaller size: place v of it is place (v + 0.5) scale - 0.5 of the photograph. */
interface Level {
  readonly scale: number;
  readonly image: Plane;
}

/** Finds the faces of a photograph, the likeliest first; at most three. */
export function findEyes(finder: EyeFinder, photograph: GreyImage): FoundFace[] {
  const levels = levelsOf(photograph);
  const windows = levels.flatMap((level) => windowsOf(finder, level));
  windows.sort((a, b) => b.score - a.score);
  const candidates: typeof windows = [];
  for (const found of windows) {
    if (candidates.length === CANDIDATES) break;
    if (candidates.every(({ eyes }) => apart(eyes, found.eyes) > 0.7)) candidates.push(found);
  }
  const faces = candidates.map(({ eyes }) => refined(finder, levels, eyes)).sort((a, b) => b.score - a.score);
  return faces.map((face) => ({ ...face, eyes: fineEyes(finder, photograph, face.eyes) }));
}

function levelsOf({ height, width, pixels }: GreyImage): Level[] {
  const levels: Level[] = [];
  const least = FACE.across * FACE.cell * 0.8;
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
  const { cell, across, down } = FACE;
  const ring = 2 * cell;
  const map = { originX: -ring, originY: -ring, stepX: 1, stepY: 0 };
  const cells = cellsOf(sampled(image, map, image.width + 2 * ring, image.height + 2 * ring), cell);
  const size = sizeOf(FACE);
  const row = new Float32Array(size);
  const found: { score: number; eyes: EyePair }[] = [];
  for (let y = 0; y + down <= cells.down; y++) {
    for (let x = 0; x + across <= cells.across; x++) {
      describe(cells, { x, y, across, down }, row);
      const score = predict(face, 0, size, row);
      if (score < MIN_SCORE) continue;
      const leftX = x * cell - ring + FACE.left;
      const leftY = y * cell - ring + FACE.y;
      const eyes = { leftX, leftY, rightX: leftX + FACE.distance, rightY: leftY };
      found.push({ score, eyes: mapped(eyes, (v) => (v + 0.5) * scale - 0.5) });
    }
  }
  return found;
}

/** How far the middles of two pairs of eyes are apart, in distances between the eyes of the larger one. */
function apart(a: EyePair, b: EyePair): number {
  const dx = (a.leftX + a.rightX - b.leftX - b.rightX) / 2;
  const dy = (a.leftY + a.rightY - b.leftY - b.rightY) / 2;
  return Math.hypot(dx, dy) / Math.max(eyeDistance(a), eyeDistance(b));
}

/** Takes the steps from several starts, at the size at which the eyes are about as far apart as they were learned. */
function refined({ steps, face }: EyeFinder, levels: readonly Level[], found: EyePair): FoundFace {
  const off = ({ scale }: Level) => Math.abs(Math.log(eyeDistance(found) / scale / LEARNED_DISTANCE));
  const { scale, image } = levels.reduce((best, level) => off(level) < off(best) ? level : best);
  const size = sizeOf(FACE);
  const row = new Float32Array(size);
  const begin = mapped(found, (v) => (v + 0.5) / scale - 0.5);
  const ends = STARTS.map((start) => followed(image, movedEyes(begin, ...start), FRAMES, steps));
  const eyes = medianEyes(ends);
  describeWindow(image, eyes, FACE, row);
  const away = ends.map(({ leftX, leftY, rightX, rightY }) => {
    return Math.max(
      Math.hypot(leftX - eyes.leftX, leftY - eyes.leftY),
      Math.hypot(rightX - eyes.rightX, rightY - eyes.rightY),
    );
  });
  const score = predict(face, 0, size, row);
  const spread = median(away) / eyeDistance(eyes);
  return { eyes: mapped(eyes, (v) => (v + 0.5) * scale - 0.5), score, spread };
}

/** Takes the fine steps, in the detail that the photograph has. */
function fineEyes({ fineSteps }: EyeFinder, photograph: GreyImage, found: EyePair): EyePair {
  const distance = eyeDistance(found);
  const around = AROUND * distance;
  const span = (a: number, b: number, side: number) => {
    const from = Math.max(0, Math.floor(Math.min(a, b) - around));
    return { from, length: Math.min(side, Math.ceil(Math.max(a, b) + around)) - from };
  };
  const x = span(found.leftX, found.rightX, photograph.width);
  const y = span(found.leftY, found.rightY, photograph.height);
  if (Math.min(x.length, y.length) < 2) return found; // at the border: no face
  const cut = cutOut([{ count: 1, ...photograph }], [{ image: 0, y: y.from, x: x.from }], {
    height: y.length,
    width: x.length,
  });
  // By whole numbers, so that small faces are not blurred.
  const shrunk = Math.max(1, Math.floor(distance / FINE_DISTANCE));
  const shorter = (length: number) => Math.ceil(length / shrunk);
  const { height, width, pixels } = resized(cut, { height: shorter(y.length), width: shorter(x.length) });
  const image = { height, width, values: Float32Array.from(pixels) };
  const mirrored = { ...image, values: image.values.slice() };
  for (let row = 0; row < height; row++) mirrored.values.subarray(row * width, (row + 1) * width).reverse();
  const into = (v: number, { from, length }: typeof x, to: number) => (v - from + 0.5) * to / length - 0.5;
  const back = (v: number, { from, length }: typeof x, to: number) => (v + 0.5) * length / to - 0.5 + from;
  const eachPlace = ({ leftX, leftY, rightX, rightY }: EyePair, map: typeof into): EyePair => ({
    leftX: map(leftX, x, width),
    leftY: map(leftY, y, height),
    rightX: map(rightX, x, width),
    rightY: map(rightY, y, height),
  });
  let eyes = eachPlace(found, into);
  for (let pass = 0; pass < FINE_PASSES; pass++) {
    eyes = medianEyes(FINE_STARTS.flatMap((start) => {
      const from = movedEyes(eyes, ...start);
      const other = mirroredEyes(from, width);
      return [
        followed(image, from, FINE_FRAMES, fineSteps),
        mirroredEyes(followed(mirrored, other, FINE_FRAMES, fineSteps), width),
      ];
    }));
  }
  return eachPlace(eyes, back);
}

/** The median of each coordinate. */
function medianEyes(all: readonly EyePair[]): EyePair {
  const middle = (place: keyof EyePair) => median(all.map((eyes) => eyes[place]));
  return { leftX: middle("leftX"), leftY: middle("leftY"), rightX: middle("rightX"), rightY: middle("rightY") };
}

function mapped({ leftX, leftY, rightX, rightY }: EyePair, map: (place: number) => number): EyePair {
  return { leftX: map(leftX), leftY: map(leftY), rightX: map(rightX), rightY: map(rightY) };
}

/** The middle value, or the mean of the two in the middle. */
function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return (values[values.length >> 1] + values[values.length - 1 >> 1]) / 2;
}
