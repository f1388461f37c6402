/** The format `idx`: images and labels as MNIST has them (NPY for colour), and a line of JSON for each image. */
import { writeIdx } from "../../datasets/formats/idx.ts";
import { writeNpy } from "../../datasets/formats/npy.ts";
import { jsonLines, metadataOf, type PartContext, type PartImage } from "./part_image.ts";

/** Encodes the images of a part: images, labels if there are classes, metadata. */
export function idxPart(images: readonly PartImage[], { shape }: PartContext): Uint8Array[] {
  const { height, width, channels } = shape, length = height * width * channels, count = images.length;
  const pixels = new Uint8Array(count * length);
  images.forEach((image, i) => pixels.set(image.pixels, i * length));
  const labels = images.map(({ label }) => label).filter((label) => label !== undefined);
  return [
    channels === 1 ? writeIdx([count, height, width], pixels) : writeNpy({ count, ...shape, pixels }),
    ...labels.length > 0 ? [writeIdx([count], Uint8Array.from(labels))] : [],
    jsonLines(images.map(metadataOf)),
  ];
}
