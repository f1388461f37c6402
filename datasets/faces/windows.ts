/** Windows on faces, whose content says where the eyes are. */
import { cellsOf, describe, DIRECTIONS, type Plane, sampled } from "./gradients.ts";
import { predict } from "./ridge.ts";

/** Both eyes in pixels; (0, 0) is the centre of the top left pixel, and the left eye is the one at the smaller x. */
export interface EyePair {
  readonly leftX: number;
  readonly leftY: number;
  readonly rightX: number;
  readonly rightY: number;
}

/** A window, and where it has the eyes, in its pixels: at (`left`, `y`) and `distance` to the right of it. */
export interface Frame {
  readonly left: number;
  readonly y: number;
  readonly distance: number;
  /** Side of a cell in pixels. */
  readonly cell: number;
  /** Cells of a row. */
  readonly across: number;
  /** Rows of cells. */
  readonly down: number;
}

/** Length of the description of a window. */
export function sizeOf({ across, down }: Frame): number {
  return across * down * DIRECTIONS;
}

const SQUARE = { cell: 5, across: 8, down: 8 } as const;
/** A window of the whole face, by which it is found. */
export const FACE: Frame = { left: 11.5, y: 12.5, distance: 16, ...SQUARE };
/** A window of eyes and nose, and one of little but the eyes. */
const EYES: Frame = { left: 7.5, y: 16.5, distance: 24, ...SQUARE };
const NEAR: Frame = { left: 3.5, y: 19.5, distance: 32, ...SQUARE };
/**
 * The frames of the steps, from coarse to fine. On held-out faces the mean error was 0.042 distances between the eyes after two
 * steps, 0.030 after the third and 0.027 with `NEAR`; with `EYES` again in its place it was 0.029.
 */
export const FRAMES: readonly Frame[] = [FACE, FACE, EYES, NEAR, NEAR];

/** Distance between the eyes, in pixels, in the images in which the fine frames are looked at. */
export const FINE_DISTANCE = 40;
/**
 * The frames of the last steps: both eyes with brows and the top of the nose, in the detail of images of 128x128. On held-out faces,
 * windows of the whole face, of 20x11 cells, the mean of six such finders and a kernel regression were no better. Nor were last steps
 * for each eye alone, in 13x8 cells of 4 pixels at a distance of 60: within 5 % of the places of 200 held-out faces lay the worse eye
 * of 92.5 % before them, of 92.5 to 93.5 % after linear ones, and of 93.5 or 94 % after kernel regressions on 8000 or 4000 windows,
 * which take longer to fit than all other steps. Dark disks, which show where the iris is, hardly tell the error that is left: the
 * correlation is at most 0.2.
 */
const FINE: Frame = { left: 16, y: 18, distance: FINE_DISTANCE, cell: 6, across: 12, down: 8 };
const FINEST: Frame = { left: 16, y: 18, distance: FINE_DISTANCE, cell: 4, across: 18, down: 10 };
export const FINE_FRAMES: readonly Frame[] = [FINE, FINE, FINEST];

/** What finds eyes: see `learnEyes`. */
export interface EyeFinder {
  /** Weights that tell faces (1) from other windows (-1). */
  readonly face: Float32Array;
  /** For each of `FRAMES`, weights that tell from a window how far each eye is from where the window assumes it. */
  readonly steps: readonly Float32Array[];
  /** The same for each of `FINE_FRAMES`. */
  readonly fineSteps: readonly Float32Array[];
}

/** Describes the window that has the eyes at given places: `sizeOf(frame)` values from `out[to]` on. */
export function describeWindow(image: Plane, eyes: EyePair, frame: Frame, out: Float32Array, to = 0): void {
  // A ring of cells lies around the window, so that gradients outside of it count as they do in a whole photograph.
  const { cell, across, down } = frame;
  const { leftX, leftY } = eyes;
  const x = frame.left + cell;
  const y = frame.y + cell;
  const stepX = (eyes.rightX - leftX) / frame.distance;
  const stepY = (eyes.rightY - leftY) / frame.distance;
  const map = { originX: leftX - stepX * x + stepY * y, originY: leftY - stepY * x - stepX * y, stepX, stepY };
  const canvas = sampled(image, map, (across + 2) * cell, (down + 2) * cell);
  describe(cellsOf(canvas, cell), { x: 1, y: 1, across, down }, out, to);
}

/** Where steps lead from assumed eyes. */
export function followed(
  image: Plane,
  eyes: EyePair,
  frames: readonly Frame[],
  steps: readonly Float32Array[],
): EyePair {
  return frames.reduce((assumed, frame, i) => {
    const row = new Float32Array(sizeOf(frame));
    describeWindow(image, assumed, frame, row);
    return corrected(assumed, steps[i], row);
  }, eyes);
}

/** The eyes as one step finds them, given where they are assumed to be, and the description of that window. */
export function corrected(eyes: EyePair, weights: Float32Array, rows: Float32Array, from = 0): EyePair {
  const { leftX, leftY, rightX, rightY } = eyes;
  const x = rightX - leftX;
  const y = rightY - leftY;
  const size = weights.length / 4 - 1;
  const [a, b, c, d] = [0, 1, 2, 3].map((output) => predict(weights, output, size, rows, from));
  return {
    leftX: leftX + a * x - b * y,
    leftY: leftY + a * y + b * x,
    rightX: rightX + c * x - d * y,
    rightY: rightY + c * y + d * x,
  };
}

/** Eyes in the mirror image of an image. */
export function mirroredEyes({ leftX, leftY, rightX, rightY }: EyePair, width: number): EyePair {
  return { leftX: width - 1 - rightX, leftY: rightY, rightX: width - 1 - leftX, rightY: leftY };
}

/** The four numbers by which `corrected` comes from assumed to true eyes: shifts along and across the line of the eyes. */
export function correction(assumed: EyePair, eyes: EyePair): [number, number, number, number] {
  const x = assumed.rightX - assumed.leftX;
  const y = assumed.rightY - assumed.leftY;
  const square = x * x + y * y;
  const along = (dx: number, dy: number) => (dx * x + dy * y) / square;
  const across = (dx: number, dy: number) => (dy * x - dx * y) / square;
  const left = [eyes.leftX - assumed.leftX, eyes.leftY - assumed.leftY] as const;
  const right = [eyes.rightX - assumed.rightX, eyes.rightY - assumed.rightY] as const;
  return [along(...left), across(...left), along(...right), across(...right)];
}

export function eyeDistance({ leftX, leftY, rightX, rightY }: EyePair): number {
  return Math.hypot(rightX - leftX, rightY - leftY);
}

/** Moves eyes by parts of the distance between them, and scales and turns them around their middle; the angle is in radians. */
export function movedEyes(eyes: EyePair, dx: number, dy: number, scale: number, angle: number): EyePair {
  const distance = eyeDistance(eyes);
  const halfX = (eyes.rightX - eyes.leftX) / 2;
  const halfY = (eyes.rightY - eyes.leftY) / 2;
  const x = (eyes.leftX + eyes.rightX) / 2 + dx * distance;
  const y = (eyes.leftY + eyes.rightY) / 2 + dy * distance;
  const c = Math.cos(angle) * scale;
  const s = Math.sin(angle) * scale;
  const toX = c * halfX - s * halfY;
  const toY = s * halfX + c * halfY;
  return { leftX: x - toX, leftY: y - toY, rightX: x + toX, rightY: y + toY };
}
