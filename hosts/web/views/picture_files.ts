/** Reads a visitor's picture files: as exemplars, as sprites, or cropped to squares and scaled. */
import type { Size } from "../../../core/shape.ts";
import { isJpeg, isPng } from "../../../datasets/formats/signatures.ts";
import { exemplarSize, hasTransparent, sideFor, spriteSize } from "../state/own_data.ts";
import type { ExemplarSource } from "../worker/exemplar_pack.ts";
import { bitmapOf, pixelsOf } from "./decode.ts";
import { element } from "./element.ts";

/** So many of the files tell how large the pictures are. */
const LOOKED_AT = 9;

/**
 * Returns the exemplar in a file; undefined if it is no picture that the browser reads. The page decodes PNG and JPEG as the command
 * line does, so that both make the same bytes. The content decides, as names may be wrong. Pictures that are scaled down have other
 * bytes anyway: the browser decodes and scales those of a camera in a tenth of the time.
 */
export async function exemplarOf(file: File): Promise<ExemplarSource | undefined> {
  const bytes = await file.arrayBuffer().then((buffer) => new Uint8Array(buffer), () => undefined);
  const bitmap = await bitmapOf(file), size = bitmap && exemplarSize(bitmap);
  const keepsSize = size?.height === bitmap?.height && size?.width === bitmap?.width;
  if (bytes && keepsSize && (isPng(bytes) || isJpeg(bytes))) {
    bitmap?.close();
    return bytes;
  }
  return bitmap && size && pixelsOf(bitmap, size);
}

/**
 * Returns the size in which the pictures keep their pixels; undefined if the first picture is not small, or no small one has transparent
 * pixels of its own.
 */
export async function spriteSide(files: readonly File[]): Promise<number | undefined> {
  const sizes: Size[] = [];
  let areSprites = false;
  for (const file of files) {
    const whole = await bitmapOf(file);
    if (!whole) continue;
    const { height, width } = whole, isSmall = spriteSize([whole]) !== undefined;
    sizes.push({ height, width });
    if (isSmall && !areSprites) areSprites = hasTransparent(pixelsOf(whole, whole).data);
    else whole.close();
    if (!isSmall && sizes.length === 1) return undefined;
  }
  return areSprites ? spriteSize(sizes) : undefined;
}

/**
 * Decodes a picture, crops its middle square and scales it. A sprite lies as a whole in the middle instead, with its own pixels where
 * it is not too large. Returns undefined if the file is no picture that the browser reads.
 */
export async function decode(file: File, side: number, isSprite: boolean): Promise<Uint8ClampedArray | undefined> {
  const whole = await bitmapOf(file);
  if (!whole) return undefined;
  const { width, height } = whole, square = Math.min(width, height);
  const canvas = element("canvas", { width: side, height: side });
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  if (isSprite) {
    const scale = Math.min(1, side / Math.max(width, height)),
      [w, h] = [width, height].map((length) => Math.round(length * scale));
    context.imageSmoothingEnabled = false;
    context.drawImage(whole, (side - w) >> 1, (side - h) >> 1, w, h);
  } else {
    context.imageSmoothingQuality = "high";
    context.imageSmoothingEnabled = square !== side;
    context.drawImage(whole, (width - square) / 2, (height - square) / 2, square, square, 0, 0, side, side);
  }
  whole.close();
  return context.getImageData(0, 0, side, side).data;
}

/** Returns the side to which pictures that are no sprites are scaled, where the visitor chose none. */
export async function usualSide(files: readonly File[]): Promise<number> {
  const sizes: Size[] = [];
  for (const file of files.slice(0, LOOKED_AT)) {
    const bitmap = await bitmapOf(file);
    if (bitmap) sizes.push({ width: bitmap.width, height: bitmap.height });
    bitmap?.close();
  }
  return sideFor(sizes, files.length);
}
