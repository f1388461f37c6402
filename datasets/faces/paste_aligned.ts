/** Puts an aligned face back at its place in its photograph. */
import { areaOf } from "../../core/shape.ts";
import type { Composited } from "../formats/colour.ts";
import { type EyesAt, placeInAligned } from "./align_eyes.ts";

/** An aligned face. */
export interface AlignedFace {
  /** channels x side x side bytes. */
  readonly pixels: Uint8Array;
  readonly side: number;
}

/** What is pasted where. */
export interface Pasting {
  /** height x width bytes: 1 where a pixel of the photograph is missing. */
  readonly missing: Uint8Array;
  /** The eyes by which the face was aligned, in pixels of the photograph. */
  readonly eyes: EyesAt;
}

/**
 * Replaces the missing pixels of a photograph by those of an aligned face. Around them, over the width of one pixel of the face, both
 * are mixed, so that no edge is seen. Missing pixels outside of the aligned square stay as they are.
 *
 * @param face of as many channels as the photograph
 * @returns the photograph, and how many missing pixels lie outside of the square
 */
export function pasteAligned(
  photograph: Composited,
  face: AlignedFace,
  { missing, eyes }: Pasting,
): { readonly picture: Composited; readonly outside: number } {
  const { width, channels = 1 } = photograph, area = areaOf(photograph), pixels = photograph.pixels.slice();
  const { side } = face, shares = softened(missing, photograph, Math.max(1, Math.round(pixelsOf(eyes, side))));
  let outside = 0;
  for (let p = 0; p < area; p++) {
    if (shares[p] === 0) continue;
    const { x, y } = placeInAligned({ x: p % width, y: Math.floor(p / width) }, eyes, side);
    if (x < -0.5 || y < -0.5 || x > side - 0.5 || y > side - 0.5) {
      outside += missing[p];
      continue;
    }
    for (let c = 0; c < channels; c++) {
      const restored = interpolated(face.pixels.subarray(c * side * side, (c + 1) * side * side), side, x, y);
      const at = c * area + p;
      pixels[at] = Math.round(shares[p] * restored + (1 - shares[p]) * pixels[at]);
    }
  }
  return { picture: { ...photograph, pixels }, outside };
}

/** Pixels of the photograph that one pixel of an aligned image is wide. */
function pixelsOf(eyes: EyesAt, side: number): number {
  const [a, b] = [0, 1].map((x) => placeInAligned({ x, y: 0 }, eyes, side));
  return 1 / Math.hypot(b.x - a.x, b.y - a.y);
}

/** The share of the face in each pixel: 1 where it is missing, and less and less up to `reach` pixels beside it. */
function softened(missing: Uint8Array, { height, width }: Composited, reach: number): Float32Array {
  const shares = Float32Array.from(missing);
  for (let p = 0; p < missing.length; p++) {
    if (missing[p] === 0) continue;
    const y = Math.floor(p / width), x = p % width;
    for (let v = Math.max(0, y - reach); v <= Math.min(height - 1, y + reach); v++) {
      for (let u = Math.max(0, x - reach); u <= Math.min(width - 1, x + reach); u++) {
        const share = 1 - Math.hypot(v - y, u - x) / (reach + 1), at = v * width + u;
        if (share > shares[at]) shares[at] = share;
      }
    }
  }
  return shares;
}

/** The value of an image between its pixels; outside, its border pixels are repeated. */
function interpolated(image: Uint8Array, side: number, x: number, y: number): number {
  const inside = (place: number) => Math.min(side - 1, Math.max(0, place)), px = inside(x), py = inside(y);
  const x0 = Math.floor(px), y0 = Math.floor(py), x1 = inside(x0 + 1), y1 = inside(y0 + 1), fx = px - x0, fy = py - y0;
  const above = image[y0 * side + x0] * (1 - fx) + image[y0 * side + x1] * fx;
  const below = image[y1 * side + x0] * (1 - fx) + image[y1 * side + x1] * fx;
  return above * (1 - fy) + below * fy;
}
