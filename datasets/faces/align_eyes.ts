/** Aligns photographs of faces by their eyes. */
import type { Composited, GreyImage } from "../formats/colour.ts";

/** A point in an image, in pixels; (0, 0) is the centre of the top left pixel. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Side of the aligned image in pixels. */
export const ALIGNED_SIDE = 128;
/** Positions of the eyes in the aligned image. */
const LEFT: Point = { x: 44, y: 52 };
const RIGHT: Point = { x: 84, y: 52 };

/** The eyes in a photograph: `left` is at the smaller x. */
export interface EyesAt {
  readonly left: Point;
  readonly right: Point;
}

/** Returns where a point of a photograph lies in the image that `alignEyes` makes of it, in pixels of that image. */
export function placeInAligned({ x, y }: Point, { left, right }: EyesAt, side = ALIGNED_SIDE): Point {
  const scaled = side / ALIGNED_SIDE, distance = (RIGHT.x - LEFT.x) * scaled;
  const stepX = (right.x - left.x) / distance, stepY = (right.y - left.y) / distance;
  const square = stepX ** 2 + stepY ** 2, dx = x - left.x, dy = y - left.y;
  return {
    x: LEFT.x * scaled + (dx * stepX + dy * stepY) / square,
    y: LEFT.y * scaled + (dy * stepX - dx * stepY) / square,
  };
}

/**
 * Scales, turns and moves a photograph so that the eyes lie at (44, 52) and (84, 52) of an image of 128x128, or at the same
 * parts of another side, in each of its channels. Outside the photograph, its border pixels are repeated.
 *
 * @param left the eye at the smaller x, in pixels of the photograph
 */
export function alignEyes(photograph: Composited, left: Point, right: Point, side = ALIGNED_SIDE): Uint8Array {
  const { height, width, channels = 1, pixels } = photograph, aligned = new Uint8Array(channels * side * side);
  for (let channel = 0; channel < channels; channel++) {
    const plane = pixels.subarray(channel * height * width, (channel + 1) * height * width);
    alignPlane({ height, width, pixels: plane }, left, right, aligned.subarray(channel * side * side), side);
  }
  return aligned;
}

function alignPlane(
  { height, width, pixels }: GreyImage,
  left: Point,
  right: Point,
  aligned: Uint8Array,
  side: number,
): void {
  const scaled = side / ALIGNED_SIDE,
    leftX = LEFT.x * scaled,
    eyesY = LEFT.y * scaled,
    distance = (RIGHT.x - LEFT.x) * scaled;
  // One pixel to the right in the result is (stepX, stepY) in the photograph; one pixel down is (-stepY, stepX).
  const stepX = (right.x - left.x) / distance, stepY = (right.y - left.y) / distance;
  // If the result is smaller than the photograph, a pixel is the mean over its area, sampled at least as finely as the photograph.
  const scale = Math.hypot(stepX, stepY), samples = scale <= 1 ? 1 : Math.max(3, Math.ceil(scale));
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      let sum = 0;
      for (let i = 0; i < samples * samples; i++) {
        const dx = x - leftX + (i % samples + 0.5) / samples - 0.5;
        const dy = y - eyesY + (Math.floor(i / samples) + 0.5) / samples - 0.5;
        // Bilinear interpolation.
        const px = Math.min(width - 1, Math.max(0, left.x + dx * stepX - dy * stepY));
        const py = Math.min(height - 1, Math.max(0, left.y + dx * stepY + dy * stepX));
        const x0 = Math.floor(px), y0 = Math.floor(py), fx = px - x0, fy = py - y0;
        const x1 = Math.min(width - 1, x0 + 1), y1 = Math.min(height - 1, y0 + 1);
        const above = pixels[y0 * width + x0] * (1 - fx) + pixels[y0 * width + x1] * fx;
        const below = pixels[y1 * width + x0] * (1 - fx) + pixels[y1 * width + x1] * fx;
        sum += above * (1 - fy) + below * fy;
      }
      aligned[y * side + x] = Math.round(sum / (samples * samples));
    }
  }
}
