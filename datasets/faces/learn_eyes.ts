/** Learns from aligned faces how to find faces and their eyes in photographs. */
import { type Stream, stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import { pick } from "../data_set.ts";
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
  FINE_FRAMES,
  type Frame,
  FRAMES,
  mirroredEyes,
  movedEyes,
  sizeOf,
} from "./windows.ts";

/** Where aligned faces have the eyes, as parts of the side of an image: at (44, 52) and (84, 52) of 128. */
const LEFT_EYE = 44 / 128, RIGHT_EYE = 84 / 128, EYE_HEIGHT = 52 / 128;

/** Keys the random starts. */
const EYES_STREAM = 0x65796573;
/** Sides of the images that are learned from: the eyes are 20 pixels apart, and in the last steps 40. */
const SIDE = 64, FINE_SIDE = 128;
/** Faces of each set that are learned from, at most: on held-out faces 4500 were hardly better. */
export const MAX_FACES = 2000;

/** How far the places that steps start from are off, at most. */
interface Starts {
  /** Starts for each face. */
  readonly count: number;
  /** Shifts in parts of the distance between the eyes. */
  readonly shift: number;
  /** Logarithm of the scale. */
  readonly scale: number;
  /** In radians. */
  readonly angle: number;
  /** After each step, places are moved by this much of all three, since they fit the faces that are learned from too well. */
  readonly again: number;
}

const COARSE_STARTS: Starts = { count: 3, shift: 0.3, scale: 0.3, angle: 0.35, again: 0 };
/** The coarse steps leave 0.03 on the average. */
const FINE_STARTS: Starts = { count: 2, shift: 0.12, scale: 0.12, angle: 0.12, again: 0.02 };
/** The penalty of the regressions: on held-out faces 0.005 and 0.08 were no better, 0.3 was worse. */
const RIDGE = 0.02;
/** Starts that count as faces when faces are told from other windows: this part of the ranges above. */
const NEAR = 0.4;

/** Faces to learn from, in one size. */
interface Faces {
  readonly count: number;
  /** A face; every other one is mirrored, so that both sides of a face are learned from all. */
  plane(i: number): Plane;
  eyes(i: number): EyePair;
}

/**
 * Learns to find eyes by supervised descent (Xiong and De la Torre, 2013): each step is a linear regression from a window around
 * assumed eyes to the true ones, fitted where the steps before it end. It yields the part that is done, 0..1.
 *
 * @param sets grey aligned faces: the eyes lie as the data set `faces` has them, for any size
 * @param faces how many of each set to learn from, at most; they are taken at even distances
 */
export function* learnEyes(sets: readonly Images[], faces = MAX_FACES): Generator<number, EyeFinder> {
  const chosen = sets.map((images) => {
    const used = Math.min(faces, images.count);
    return pick({ images }, Array.from({ length: used }, (_, i) => Math.floor(i * images.count / used))).images;
  });
  const coarse = facesOf(chosen, SIDE), random = stream(1, EYES_STREAM);
  // Parts of the work: the fine windows have one and a half times the cells.
  const all = FRAMES.length + 1.5 * FINE_FRAMES.length + 1, fineFrom = FRAMES.length / all, fineTo = 1 - 1 / all;
  const part = (from: number, to: number) => (done: number) => from + (to - from) * done;
  const steps = yield* learnSteps(coarse, FRAMES, COARSE_STARTS, random, part(0, fineFrom));
  const fineSteps = yield* learnSteps(
    facesOf(chosen, FINE_SIDE),
    FINE_FRAMES,
    FINE_STARTS,
    random,
    part(fineFrom, fineTo),
  );
  return { steps, fineSteps, face: yield* learnFaces(coarse, random, part(fineTo, 1)) };
}

function facesOf(sets: readonly Images[], side: number): Faces {
  const found = sets.flatMap((images) => {
    const place = (part: number) => (part * images.width + 0.5) * side / images.width - 0.5, y = place(EYE_HEIGHT);
    const eyes: EyePair = { leftX: place(LEFT_EYE), leftY: y, rightX: place(RIGHT_EYE), rightY: y };
    const { pixels } = resized(images, { height: side, width: side });
    return Array.from({ length: images.count }, (_, i) => ({
      eyes,
      pixels: pixels.subarray(i * side * side, (i + 1) * side * side),
    }));
  });
  return {
    count: found.length,
    plane(i) {
      const values = Float32Array.from(found[i].pixels);
      for (let y = 0; i % 2 === 1 && y < side; y++) values.subarray(y * side, (y + 1) * side).reverse();
      return { height: side, width: side, values };
    },
    eyes: (i) => i % 2 === 1 ? mirroredEyes(found[i].eyes, side) : found[i].eyes,
  };
}

/** Fits the steps one after another; yields what `part` makes of the part that is done. */
function* learnSteps(
  faces: Faces,
  frames: readonly Frame[],
  starts: Starts,
  random: Stream,
  part: (done: number) => number,
): Generator<number, Float32Array[]> {
  const count = faces.count * starts.count, targets = new Float32Array(count * 4), steps: Float32Array[] = [];
  const faceOf = (r: number) => Math.floor(r / starts.count);
  let assumed = Array.from({ length: count }, (_, r) => moved(faces.eyes(faceOf(r)), starts, random));
  for (const [step, frame] of frames.entries()) {
    const size = sizeOf(frame), rows = new Float32Array(count * size);
    for (let i = 0; i < faces.count; i++) {
      const plane = faces.plane(i);
      for (let r = i * starts.count; r < (i + 1) * starts.count; r++) {
        describeWindow(plane, assumed[r], frame, rows, r * size);
        targets.set(correction(assumed[r], faces.eyes(i)), r * 4);
      }
      if (i % 33 === 0) yield part((step + i / faces.count / 2) / frames.length);
    }
    const weights = fitRidge(rows, size, targets, 4, RIDGE), { again } = starts;
    assumed = assumed.map((eyes, r) => {
      const next = corrected(eyes, weights, rows, r * size);
      return again > 0 ? moved(next, { shift: again, scale: again, angle: again }, random) : next;
    });
    steps.push(weights);
  }
  return steps;
}

/** Learns to tell faces from other windows. */
function* learnFaces(faces: Faces, random: Stream, part: (done: number) => number): Generator<number, Float32Array> {
  const { count: each, ...range } = COARSE_STARTS, count = faces.count * each, size = sizeOf(FACE);
  const rows = new Float32Array(count * size), isFace = new Float32Array(count);
  const near = { shift: range.shift * NEAR, scale: range.scale * NEAR, angle: range.angle * NEAR };
  for (let i = 0; i < faces.count; i++) {
    const plane = faces.plane(i), eyes = faces.eyes(i);
    for (let r = i * each; r < (i + 1) * each; r++) {
      isFace[r] = r % each === 0 ? 1 : -1;
      const window = isFace[r] > 0
        ? moved(eyes, near, random)
        : elsewhere(eyes, random.next(), random.next(), random.next());
      describeWindow(plane, window, FACE, rows, r * size);
    }
    if (i % 33 === 0) yield part(i / faces.count / 2);
  }
  return fitRidge(rows, size, isFace, 1, RIDGE);
}

/** Moves eyes at random. */
function moved(eyes: EyePair, most: Pick<Starts, "shift" | "scale" | "angle">, random: Stream): EyePair {
  const around = (most: number) => (2 * random.next() - 1) * most;
  const dx = around(most.shift), dy = around(most.shift), scale = Math.exp(around(most.scale));
  return movedEyes(eyes, dx, dy, scale, around(most.angle));
}

/** A window that shows no upright face: beside or above it, a part of it, or one that is turned. `a`, `b` and `kind` are in [0, 1). */
function elsewhere(eyes: EyePair, kind: number, a: number, b: number): EyePair {
  const side = a < 0.5 ? -1 : 1;
  if (kind < 0.25) return movedEyes(eyes, side * (0.5 + b * 0.5), a - 0.5, 0.7 + 0.5 * b, 0);
  if (kind < 0.5) return movedEyes(eyes, b - 0.5, side * (0.5 + b * 0.6), 0.7 + 0.5 * a, 0);
  if (kind < 0.75) return movedEyes(eyes, a - 0.5, b - 0.5, a < 0.5 ? 0.55 : 0.3 + b * 0.2, 0);
  return movedEyes(eyes, a - 0.5, b - 0.5, 0.8 + a * 0.3, Math.PI / 2 * (1 + Math.floor(b * 3)));
}
