/** The formats `idx` and `npy`: images and labels as MNIST has them, or as NumPy does, and a line of JSON for each image. */
import { writeIdx } from "../../datasets/formats/idx.ts";
import { bytesToNpy, writeNpy } from "../../datasets/formats/npy.ts";
import { jsonLines, metadataOf, type PartContext, type PartImage } from "./part_image.ts";

/** Encodes the images of a part as IDX, in colour as NPY: images, labels if there are classes, metadata. */
export function idxPart(images: readonly PartImage[], context: PartContext): Uint8Array[] {
  const { height, width, channels } = context.shape;
  return arraysPart(
    images,
    context,
    (pixels) => channels === 1 ? writeIdx([images.length, height, width], pixels) : npyOf(images, context, pixels),
    (labels) => writeIdx([labels.length], labels),
  );
}

/** Encodes the images of a part as NPY: images, labels if there are classes, metadata. */
export function npyPart(images: readonly PartImage[], context: PartContext): Uint8Array[] {
  const labelsOf = (labels: Uint8Array) => bytesToNpy([labels.length], labels);
  return arraysPart(images, context, (pixels) => npyOf(images, context, pixels), labelsOf);
}

function npyOf({ length: count }: readonly PartImage[], { shape }: PartContext, pixels: Uint8Array): Uint8Array {
  return writeNpy({ count, ...shape, pixels });
}

/** The files of a part whose images, and labels, are one array each. */
function arraysPart(
  images: readonly PartImage[],
  { shape: { height, width, channels } }: PartContext,
  imagesOf: (pixels: Uint8Array) => Uint8Array,
  labelsOf: (labels: Uint8Array) => Uint8Array,
): Uint8Array[] {
  const length = height * width * channels, pixels = new Uint8Array(images.length * length);
  images.forEach((image, i) => pixels.set(image.pixels, i * length));
  const labels = images.map(({ label }) => label).filter((label) => label !== undefined);
  return [
    imagesOf(pixels),
    ...labels.length > 0 ? [labelsOf(Uint8Array.from(labels))] : [],
    jsonLines(images.map(metadataOf)),
  ];
}
