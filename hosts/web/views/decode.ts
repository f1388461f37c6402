/** Decodes pictures with the browser. */
import type { Size } from "../../../core/shape.ts";
import type { DecodedExemplar } from "../worker/exemplar_pack.ts";
import { element } from "./element.ts";

/** Returns a picture as the browser reads it; undefined if it is none. */
export function bitmapOf(file: Blob): Promise<ImageBitmap | undefined> {
  return createImageBitmap(file).catch(() => undefined);
}

/** Returns the pixels of a picture in a size of the same shape, and closes it. */
export function pixelsOf(bitmap: ImageBitmap, { width, height }: Size): DecodedExemplar {
  const original = { width: bitmap.width, height: bitmap.height }, canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return { width, height, data: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer), original };
}
