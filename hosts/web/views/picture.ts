/** Paints the bytes of pictures on canvases. */
import { areaOf } from "../../../core/shape.ts";
import { unmixed } from "../state/palette.ts";
import type { PictureShape } from "../state/page_state.ts";

/** Converts the bytes of a picture, channel by channel, to those of a canvas: red, green, blue and opacity of each pixel. */
export function toRgba(shape: PictureShape, bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  const area = areaOf(shape), second = shape.channels === 3 ? area : 0, out = new Uint8ClampedArray(area * 4);
  for (let p = 0; p < area; p++) {
    const red = bytes[p], green = bytes[p + second], blue = bytes[p + 2 * second];
    if (shape.transparent) {
      out.set(rgbaOf(shape, red, green, blue), 4 * p);
      continue;
    }
    out[4 * p] = red;
    out[4 * p + 1] = green;
    out[4 * p + 2] = blue;
    out[4 * p + 3] = 255;
  }
  return out;
}

/**
 * Returns the colour and the opacity, 0..255, with which a pixel is shown. In a finished picture a pixel is transparent or opaque. While
 * a picture is made, colours mix with the one that stands for transparent pixels: its part becomes transparency.
 */
function rgbaOf({ transparent }: PictureShape, ...rgb: [red: number, green: number, blue: number]): number[] {
  if (!transparent) return [...rgb, 255];
  if (rgb.every((value, c) => value === transparent.colour[c])) return [0, 0, 0, 0];
  if (!transparent.mixed) return [...rgb, 255];
  const { colour, opacity } = unmixed(rgb, transparent.colour, transparent.common);
  return opacity === 0 ? [0, 0, 0, 0] : [...colour, 255 * opacity];
}

/** What a canvas shows. */
interface Painted {
  readonly bytes: Uint8Array;
  readonly isMixed: boolean | undefined;
}

/** What was painted last, by canvas: after each message of the worker nearly all canvases show what they have to. */
const paintedByCanvas = new WeakMap<HTMLCanvasElement, Painted>();

/**
 * Paints a picture on a canvas of its size; the style sheet enlarges it. Returns the canvas. The bytes may not change later: a canvas
 * that shows these is left as it is.
 */
export function paint(canvas: HTMLCanvasElement, shape: PictureShape, bytes: Uint8Array): HTMLCanvasElement {
  const isMixed = shape.transparent?.mixed, before = paintedByCanvas.get(canvas);
  if (before?.bytes === bytes && before.isMixed === isMixed) return canvas;
  paintedByCanvas.set(canvas, { bytes, isMixed });
  canvas.width = shape.width;
  canvas.height = shape.height;
  canvas.getContext("2d")!.putImageData(new ImageData(toRgba(shape, bytes), shape.width, shape.height), 0, 0);
  return canvas;
}
