/** Pictures as bytes, and as pixels of a canvas. */
import { areaOf, type Shape } from "../../core/shape.ts";

/** A number of [0, 1] as a byte, rounded half up; what lies outside is clamped. */
export function toByte(value: number): number {
  return Math.floor(Math.min(Math.max(value, 0), 1) * 255 + 0.5);
}

/** Bytes of a picture, channel by channel, as those of a canvas: red, green, blue, opaque, pixel by pixel. */
export function toRgba(shape: Shape, bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  const area = areaOf(shape), second = shape.channels === 3 ? area : 0, out = new Uint8ClampedArray(area * 4);
  for (let p = 0; p < area; p++) {
    out[4 * p] = bytes[p];
    out[4 * p + 1] = bytes[p + second];
    out[4 * p + 2] = bytes[p + 2 * second];
    out[4 * p + 3] = 255;
  }
  return out;
}

/** Shows a picture on a canvas, one pixel each; the style sheet enlarges it. */
export function paint(canvas: HTMLCanvasElement, shape: Shape, bytes: Uint8Array): HTMLCanvasElement {
  canvas.width = shape.width;
  canvas.height = shape.height;
  canvas.getContext("2d")!.putImageData(new ImageData(toRgba(shape, bytes), shape.width, shape.height), 0, 0);
  return canvas;
}
