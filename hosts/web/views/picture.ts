/** Paints the bytes of pictures on canvases. */
import { areaOf, type Shape } from "../../../core/shape.ts";

/** Converts the bytes of a picture, channel by channel, to those of a canvas: red, green, blue and 255 for each pixel. */
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

/** Paints a picture on a canvas of its size; the style sheet enlarges it. Returns the canvas. */
export function paint(canvas: HTMLCanvasElement, shape: Shape, bytes: Uint8Array): HTMLCanvasElement {
  canvas.width = shape.width;
  canvas.height = shape.height;
  canvas.getContext("2d")!.putImageData(new ImageData(toRgba(shape, bytes), shape.width, shape.height), 0, 0);
  return canvas;
}
