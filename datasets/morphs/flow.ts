/**
 * Dense flow between two images, coarse to fine. Only additions, products, quotients and square roots are used, in a fixed order,
 * which every host rounds alike, so that the same flow comes out everywhere.
 */
import { blurrer, boxWidths, normalizer } from "../../core/structure.ts";
import type { Size } from "../../core/shape.ts";

/** A field of displacements, in pixels, one for each pixel. */
export interface Flow extends Size {
  readonly down: Float64Array;
  readonly across: Float64Array;
}

/** A flow that meets half way, and how well it does. */
export interface HalfwayFlow extends Flow {
  /**
   * What the warped images do not share: the squared difference of their structures over the sum of their squares. 0: they are
   * the same; 1: they have nothing in common.
   */
  readonly residual: number;
}

/** An image at one level of detail, without local mean and contrast. */
interface Level extends Size {
  readonly values: Float64Array;
}

/** The levels of an image, coarsest first. */
export type Levels = readonly Level[];

/** The longer side of the finest level, at most: a flow is smooth, and finer levels take four times as long. */
export const MAX_SIDE = 64;
/** Levels of an image: the coarsest has a quarter of the finest one's sides. Coarser ones lead aligned images astray. */
const LEVELS = 3;
/** Pixels of a level: the standard deviation of the window in which its local mean and contrast are measured. */
const LOCAL = 3;
/** Smooths the structure of a level before it is compared. */
const SMOOTH = 0.8;
/** The standard deviation of the window in which a displacement is found, as a part of the finest level's longer side. */
const WINDOW = 2.5 / 64;
/** The standard deviation of the Gaussian that smooths the flow after each step, likewise. Both hold in pixels of every level. */
const STIFF = 2 / 64;
/** Steps at each level. */
const STEPS = 8;
/** Added to the squared gradients of a window: a flat window moves with its neighbours. In squared local standard deviations. */
const FLAT = 0.1;
/** The most that a step moves a pixel. */
const MAX_STEP = 1;

/** Halves a plane until its longer side is at most `MAX_SIDE`. */
export function reduced(plane: ArrayLike<number>, { height, width }: Size): Size & { readonly values: Float64Array } {
  let level: Level = { height, width, values: Float64Array.from(plane) };
  while (Math.max(level.height, level.width) > MAX_SIDE) level = halved(level);
  return level;
}

/** Computes the levels of a plane of grey levels, for `halfwayFlow`. */
export function levelsOf(plane: ArrayLike<number>, size: Size): Levels {
  let level: Level = reduced(plane, size);
  const levels = [level];
  while (levels.length < LEVELS) levels.unshift(level = halved(level));
  return levels.map(({ height, width, values }) => {
    const structure = normalizer(height, width, LOCAL)(values);
    blurrer(height, width, boxWidths(SMOOTH))(structure);
    return { height, width, values: structure };
  });
}

/** Averages pixels in twos along both axes. A last odd row or column stands for two. */
function halved({ height, width, values }: Level): Level {
  const half = { height: Math.ceil(height / 2), width: Math.ceil(width / 2) };
  const out = new Float64Array(half.height * half.width);
  for (let y = 0, p = 0; y < half.height; y++) {
    const top = 2 * y * width;
    const bottom = Math.min(2 * y + 1, height - 1) * width;
    for (let x = 0; x < half.width; x++, p++) {
      const left = 2 * x;
      const right = Math.min(left + 1, width - 1);
      out[p] = (values[top + left] + values[top + right] + values[bottom + left] + values[bottom + right]) / 4;
    }
  }
  return { ...half, values: out };
}

/**
 * Finds the flow v at which two images of the same size meet half way: one(p - v) = other(p + v) at each pixel p of the image
 * between them. At each level the displacement of a window solves the least-squares equations of Lucas and Kanade ("An Iterative
 * Image Registration Technique with an Application to Stereo Vision", 1981) for both images at once, and the flow is smoothed.
 * Exchanging the images changes the sign of v.
 */
export function halfwayFlow(one: Levels, other: Levels): HalfwayFlow {
  let flow: Flow | undefined;
  let residual = 0;
  const finest = one[one.length - 1];
  const longer = Math.max(finest.height, finest.width);
  one.forEach((level, l) => {
    const refined = refine(level, other[l], flow ? resizedFlow(flow, level) : still(level), longer);
    flow = refined;
    residual = refined.residual;
  });
  return { ...flow!, residual };
}

function still({ height, width }: Size): Flow {
  return { height, width, down: new Float64Array(height * width), across: new Float64Array(height * width) };
}

/** Improves a flow at one level. `longer` is the longer side of the finest. */
function refine(one: Level, other: Level, flow: Flow, longer: number): HalfwayFlow {
  const { height, width } = one;
  const area = height * width;
  const average = blurrer(height, width, boxWidths(WINDOW * longer));
  const smooth = blurrer(height, width, boxWidths(STIFF * longer));
  const moments = Array.from({ length: 5 }, () => new Float64Array(area));
  const [downs, mixed, acrosses, towardsDown, towardsAcross] = moments;
  const { down, across } = flow;
  for (let step = 0; step < STEPS; step++) {
    const first = moved(one, flow, -1);
    const second = moved(other, flow, 1);
    for (let y = 0, p = 0; y < height; y++) {
      const above = y > 0 ? -width : 0;
      const below = y < height - 1 ? width : 0;
      for (let x = 0; x < width; x++, p++) {
        const left = x > 0 ? -1 : 0;
        const right = x < width - 1 ? 1 : 0;
        const slopeY = (first[p + below] + second[p + below] - first[p + above] - second[p + above]) / 4;
        const slopeX = (first[p + right] + second[p + right] - first[p + left] - second[p + left]) / 4;
        const difference = first[p] - second[p];
        downs[p] = slopeY * slopeY;
        mixed[p] = slopeY * slopeX;
        acrosses[p] = slopeX * slopeX;
        towardsDown[p] = slopeY * difference;
        towardsAcross[p] = slopeX * difference;
      }
    }
    moments.forEach(average);
    for (let p = 0; p < area; p++) {
      const yy = downs[p] + FLAT;
      const xx = acrosses[p] + FLAT;
      const scale = 2 * (yy * xx - mixed[p] * mixed[p]);
      down[p] += limited((xx * towardsDown[p] - mixed[p] * towardsAcross[p]) / scale);
      across[p] += limited((yy * towardsAcross[p] - mixed[p] * towardsDown[p]) / scale);
    }
    smooth(down);
    smooth(across);
  }
  return { ...flow, residual: residualOf(moved(one, flow, -1), moved(other, flow, 1)) };
}

function limited(step: number): number {
  return Math.min(Math.max(step, -MAX_STEP), MAX_STEP);
}

function residualOf(first: Float64Array, second: Float64Array): number {
  let difference = 0;
  let squares = 0;
  for (let p = 0; p < first.length; p++) {
    difference += (first[p] - second[p]) * (first[p] - second[p]);
    squares += first[p] * first[p] + second[p] * second[p];
  }
  return squares > 0 ? difference / squares : 0;
}

/** Moves a level along a flow, by linear interpolation: the value at p + sign v(p). What lies beyond the border repeats it. */
function moved({ height, width, values }: Level, { down, across }: Flow, sign: number): Float64Array {
  const out = new Float64Array(values.length);
  for (let row = 0, p = 0; row < height; row++) {
    for (let column = 0; column < width; column++, p++) {
      const y = Math.min(Math.max(row + sign * down[p], 0), height - 1);
      const x = Math.min(Math.max(column + sign * across[p], 0), width - 1);
      out[p] = interpolated(values, height, width, y, x);
    }
  }
  return out;
}

/** The value between four pixels; (y, x) lies in the image. */
function interpolated(values: Float64Array, height: number, width: number, y: number, x: number): number {
  const top = Math.floor(y);
  const left = Math.floor(x);
  const v = y - top;
  const u = x - left;
  const above = top * width;
  const below = Math.min(top + 1, height - 1) * width;
  const right = Math.min(left + 1, width - 1);
  const upper = (1 - u) * values[above + left] + u * values[above + right];
  const lower = (1 - u) * values[below + left] + u * values[below + right];
  return (1 - v) * upper + v * lower;
}

/** Brings a flow to the pixels of another size: its displacements grow with the sides. */
export function resizedFlow(flow: Flow, { height, width }: Size): Flow {
  const vertical = height / flow.height;
  const horizontal = width / flow.width;
  const down = new Float64Array(height * width);
  const across = new Float64Array(height * width);
  for (let row = 0, p = 0; row < height; row++) {
    const y = Math.min(Math.max((row + 0.5) / vertical - 0.5, 0), flow.height - 1);
    for (let column = 0; column < width; column++, p++) {
      const x = Math.min(Math.max((column + 0.5) / horizontal - 0.5, 0), flow.width - 1);
      down[p] = vertical * interpolated(flow.down, flow.height, flow.width, y, x);
      across[p] = horizontal * interpolated(flow.across, flow.height, flow.width, y, x);
    }
  }
  return { height, width, down, across };
}
