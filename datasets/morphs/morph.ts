/** The morph of two images: the image half way between them. */
import { blurrer, boxWidths } from "../../core/structure.ts";
import { lengthOf, type Shape, type Size } from "../../core/shape.ts";
import { type Flow, halfwayFlow, type Levels, levelsOf, resizedFlow } from "./flow.ts";

/** An image with what its morphs are made from. */
export interface Parent {
  /** channels x height x width bytes. */
  readonly image: Uint8Array;
  readonly levels: Levels;
}

/** An image between two. */
export interface Morph {
  /** channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** What the parents do not share when they are brought together (`HalfwayFlow`). */
  readonly residual: number;
}

/** Standard deviations of the Gaussians that part an image into bands, as parts of the longer side: 1, 2 and 4 pixels of 128. */
const BANDS = [1 / 128, 2 / 128, 4 / 128];
/** The local energy of a band is measured in a Gaussian window so many times as wide as the band's own. */
const ENERGY = 3;
/** A band is amplified at most so many times. */
const MAX_GAIN = 1.5;
/** Squared grey levels that are added to local energies: what has none is not amplified. */
const NOISE = 1;

/** Prepares an image for morphs. */
export function parentOf(image: Uint8Array, shape: Shape): Parent {
  return { image, levels: levelsOf(greyOf(image, shape), shape) };
}

/** The mean of the channels. */
function greyOf(image: Uint8Array, { height, width, channels = 1 }: Shape): Float64Array {
  const area = height * width;
  const grey = new Float64Array(area);
  for (let i = 0; i < image.length; i++) grey[i % area] += image[i];
  for (let p = 0; p < area; p++) grey[p] /= channels;
  return grey;
}

/** Returns a function that morphs images of one shape: each is warped half way to the other, and the two are averaged. */
export function morpher(shape: Shape): (one: Parent, other: Parent) => Morph {
  const { height, width, channels = 1 } = shape;
  const area = height * width;
  const join = joiner(shape);
  return (one, other) => {
    const halfway = halfwayFlow(one.levels, other.levels);
    const flow = resizedFlow(halfway, shape);
    const pixels = new Uint8Array(lengthOf(shape));
    for (let channel = 0; channel < channels; channel++) {
      const plane = (image: Uint8Array) => image.subarray(channel * area, (channel + 1) * area);
      const first = warped(plane(one.image), shape, flow, -1);
      const second = warped(plane(other.image), shape, flow, 1);
      const joined = join(first, second);
      for (let p = 0; p < area; p++) {
        pixels[channel * area + p] = Math.min(Math.max(Math.floor(joined[p] + 0.5), 0), 255);
      }
    }
    return { pixels, residual: halfway.residual };
  };
}

/** Warps a plane backward: the value at p + sign v(p), by cubic interpolation (Keys, 1981). Beyond its border it repeats it. */
export function warped(plane: ArrayLike<number>, { height, width }: Size, flow: Flow, sign: number): Float64Array {
  const out = new Float64Array(height * width);
  const across = new Float64Array(4);
  for (let row = 0, p = 0; row < height; row++) {
    for (let column = 0; column < width; column++, p++) {
      const y = row + sign * flow.down[p];
      const x = column + sign * flow.across[p];
      const top = Math.floor(y);
      const left = Math.floor(x);
      const u = x - left;
      for (let j = 0; j < 4; j++) {
        const at = clamped(top - 1 + j, height) * width;
        const a = plane[at + clamped(left - 1, width)];
        const b = plane[at + clamped(left, width)];
        const c = plane[at + clamped(left + 1, width)];
        const d = plane[at + clamped(left + 2, width)];
        across[j] = cubic(a, b, c, d, u);
      }
      out[p] = cubic(across[0], across[1], across[2], across[3], y - top);
    }
  }
  return out;
}

function clamped(place: number, side: number): number {
  return place < 0 ? 0 : place < side ? place : side - 1;
}

/** The cubic through b at t = 0 and c at t = 1 whose slopes there are those of their neighbours. */
function cubic(a: number, b: number, c: number, d: number, t: number): number {
  return b + t * ((c - a) + t * ((2 * a - 5 * b + 4 * c - d) + t * (3 * (b - c) + d - a))) / 2;
}

/**
 * Returns a function that averages two planes. An average has less contrast than either where they differ, so each band of it is
 * amplified to the mean of their local energies.
 */
function joiner({ height, width }: Size): (first: Float64Array, second: Float64Array) => Float64Array {
  const area = height * width;
  const longer = Math.max(height, width);
  const bands = BANDS.map((part) => ({
    smooth: blurrer(height, width, boxWidths(part * longer)),
    around: blurrer(height, width, boxWidths(ENERGY * part * longer)),
  }));
  return (first, second) => {
    const joined = new Float64Array(area);
    for (let p = 0; p < area; p++) joined[p] = (first[p] + second[p]) / 2;
    const sum = new Float64Array(area);
    let rest = [first, second, joined];
    for (const { smooth, around } of bands) {
      const lower = rest.map((plane) => plane.slice());
      lower.forEach(smooth);
      const band = rest.map((plane, i) => plane.map((value, p) => value - lower[i][p]));
      const energy = band.map((values) => values.map((value) => value * value));
      energy.forEach(around);
      for (let p = 0; p < area; p++) {
        const wanted = Math.max((energy[0][p] + energy[1][p]) / 2, 0) + NOISE;
        const gain = Math.sqrt(wanted / (Math.max(energy[2][p], 0) + NOISE));
        sum[p] += Math.min(Math.max(gain, 1), MAX_GAIN) * band[2][p];
      }
      rest = lower;
    }
    for (let p = 0; p < area; p++) sum[p] += rest[2][p];
    return sum;
  };
}
