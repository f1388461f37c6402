/** The format `png`: a PNG file for each image, and a line of JSON with its name, as the Hugging Face hub reads folders. */
import { paddedNumber } from "./ranges.ts";
import { jsonLines, metadataOf, type PartContext, type PartImage } from "./part_image.ts";
import { partPicture } from "./part_picture.ts";

/** Encodes the images of a part: the pictures, then the metadata. */
export function pngPart(images: readonly PartImage[], context: PartContext): Uint8Array[] {
  const lines = images.map((image) => {
    return { file_name: `${paddedNumber(image.index, context.count)}.png`, ...metadataOf(image) };
  });
  return [...images.map((image) => partPicture(image, context)), jsonLines(lines)];
}
