/** Sets of training images, a bit for each. */

/** A set of training images: a bit for each, the highest bit of the first byte is that of number 0. */
export type ImageBits = Uint8Array;

/** An empty set of images out of `count`. */
export function noImages(count: number): ImageBits {
  return new Uint8Array(Math.ceil(count / 8));
}

/** The set of all of `count` images. */
export function allImages(count: number): ImageBits {
  const bits = noImages(count);
  for (let image = 0; image < count; image++) addImage(bits, image);
  return bits;
}

/** Adds an image to a set. */
export function addImage(bits: ImageBits, image: number): void {
  bits[image >> 3] |= 0x80 >> (image & 7);
}

/** Whether a set has an image. */
export function hasImage(bits: ImageBits, image: number): boolean {
  return (bits[image >> 3] & 0x80 >> (image & 7)) !== 0;
}

/** The numbers of the images of a set, ascending. */
export function imagesIn(bits: ImageBits): number[] {
  const images: number[] = [];
  for (let image = 0; image < 8 * bits.length; image++) if (hasImage(bits, image)) images.push(image);
  return images;
}

/** The training images behind an image. */
export interface Lineage {
  /** Those that it or its description depends on: all that were compared, drawn or not. */
  readonly dependsOn: ImageBits;
  /** Those that its patches were copied or made of, in any layer and iteration. */
  readonly drawnFrom: ImageBits;
}
