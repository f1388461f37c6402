/** Learns from aligned faces how to find faces and their eyes in photographs. */
import { stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import { resized } from "../resize.ts";
import type { Plane } from "./gradients.ts";
import { fitRidge } from "./ridge.ts";
import {
  corrected,
  correction,
  describeWindow,
  type EyeFinder,
  type EyePair,
  FACE,
  FRAMES,
  movedEyes,
  SIZE,
} from "./windows.ts";

/** Where aligned faces have the eyes, as parts of the side of an image: at (44, 52) and (84, 52) of 128. */
export const LEFT_EYE = 44 / 128, RIGHT_EYE = 84 / 128, EYE_HEIGHT = 52 / 128;

/** Keys the random starts. */
const EYES_STREAM = 0x65796573;
/** Side of the images that are learned from: the eyes are 20 pixels apart. */
const SIDE = 64;
/**
 * Faces that are learned from, at most, and starts for each. More were not tried: learning took about 20 s with these, as long as
 * finding eyes in some 80 photographs on the same busy machine.
 */
const MOST_FACES = 2000, STARTS = 3;
/** How far starts are off, at most: parts of the distance between the eyes, log of the scale, radians. */
const SHIFT = 0.3, SCALE = 0.3, ANGLE = 0.35;
/** The penalty of the regressions: on held-out faces 0.005 and 0.08 were no better, 0.3 was worse. */
const RIDGE = 0.02;
/** Starts that count as faces when faces are told from other windows: this part of the ranges above. */
const NEAR = 0.4;

/**
 * Learns to find eyes by supervised descent (Xiong and De la Torre, 2013): each step is a linear regression from a window around
 * assumed eyes to the true ones, fitted where the steps before it end. It yields the part that is done, 0..1.
 *
 * @param images grey aligned faces: the eyes lie as the data set `faces` has them, for any size
 * @param faces how many of them to learn from, at most; they are taken at even distances
 */
export function* learnEyes(images: Images, faces = MOST_FACES): Generator<number, EyeFinder> {
  const small = resized(images, { height: SIDE, width: SIDE }), used = Math.min(faces, small.count);
  const factor = images.width / SIDE, place = (part: number) => (part * images.width + 0.5) / factor - 0.5;
  const leftX = place(LEFT_EYE), rightX = place(RIGHT_EYE), y = place(EYE_HEIGHT), last = SIDE - 1;
  const upright: EyePair = { leftX, leftY: y, rightX, rightY: y };
  const mirrored: EyePair = { ...upright, leftX: last - rightX, rightX: last - leftX };
  // Every other face is mirrored, so that both sides of a face are learned from all.
  const planes = Array.from(
    { length: used },
    (_, i) => planeOf(small, Math.floor(i * small.count / used), i % 2 === 1),
  );
  const eyesOf = (i: number) => i % 2 === 1 ? mirrored : upright;
  const random = stream(1, EYES_STREAM), around = (most: number) => (2 * random.next() - 1) * most;
  const start = (i: number, part: number) => {
    const dx = around(SHIFT * part), dy = around(SHIFT * part), scale = Math.exp(around(SCALE * part));
    return movedEyes(eyesOf(i), dx, dy, scale, around(ANGLE * part));
  };

  const count = used * STARTS, rows = new Float32Array(count * SIZE), targets = new Float32Array(count * 4);
  const assumed = Array.from({ length: count }, (_, r) => start(Math.floor(r / STARTS), 1)), parts = FRAMES.length + 1;
  const steps: Float32Array[] = [];
  for (const [step, frame] of FRAMES.entries()) {
    for (let r = 0; r < count; r++) {
      const i = Math.floor(r / STARTS);
      describeWindow(planes[i], assumed[r], frame, rows, r * SIZE);
      targets.set(correction(assumed[r], eyesOf(i)), r * 4);
      if (r % 100 === 0) yield (step + r / count / 2) / parts;
    }
    const weights = fitRidge(rows, SIZE, targets, 4, RIDGE);
    for (let r = 0; r < count; r++) assumed[r] = corrected(assumed[r], weights, rows, r * SIZE);
    steps.push(weights);
  }

  const isFace = new Float32Array(count);
  for (let r = 0; r < count; r++) {
    const i = Math.floor(r / STARTS);
    isFace[r] = r % STARTS === 0 ? 1 : -1;
    const window = isFace[r] > 0 ? start(i, NEAR) : elsewhere(eyesOf(i), random.next(), random.next(), random.next());
    describeWindow(planes[i], window, FACE, rows, r * SIZE);
    if (r % 100 === 0) yield (FRAMES.length + r / count / 2) / parts;
  }
  return { steps, face: fitRidge(rows, SIZE, isFace, 1, RIDGE) };
}

function planeOf({ pixels }: Images, image: number, mirror: boolean): Plane {
  const area = SIDE * SIDE, values = Float32Array.from(pixels.subarray(image * area, (image + 1) * area));
  for (let y = 0; mirror && y < SIDE; y++) values.subarray(y * SIDE, (y + 1) * SIDE).reverse();
  return { height: SIDE, width: SIDE, values };
}

/** A window that shows no upright face: beside or above it, a part of it, or one that is turned. `a`, `b` and `kind` are in [0, 1). */
function elsewhere(eyes: EyePair, kind: number, a: number, b: number): EyePair {
  const side = a < 0.5 ? -1 : 1;
  if (kind < 0.25) return movedEyes(eyes, side * (0.5 + b * 0.5), a - 0.5, 0.7 + 0.5 * b, 0);
  if (kind < 0.5) return movedEyes(eyes, b - 0.5, side * (0.5 + b * 0.6), 0.7 + 0.5 * a, 0);
  if (kind < 0.75) return movedEyes(eyes, a - 0.5, b - 0.5, a < 0.5 ? 0.55 : 0.3 + b * 0.2, 0);
  return movedEyes(eyes, a - 0.5, b - 0.5, 0.8 + a * 0.3, Math.PI / 2 * (1 + Math.floor(b * 3)));
}
