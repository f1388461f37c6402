/** An image of a part as a PNG file: in three of the formats. */
import { pngOf, transparentPng } from "../../datasets/formats/write_png.ts";
import type { PartContext, PartImage } from "./part_image.ts";

/** Encodes an image. */
export function partPicture({ pixels }: PartImage, { shape, transparent }: PartContext): Uint8Array<ArrayBuffer> {
  return transparent ? transparentPng(shape, pixels, transparent) : pngOf(shape, pixels);
}
