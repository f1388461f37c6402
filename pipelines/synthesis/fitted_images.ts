/** Images of a data set in the size of results. */
import { crop, pad } from "../../core/pyramid.ts";
import { lengthOf, type Size } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";

/** One image in the size of the results, which may be less than that of training images. */
export function fittedImage(images: Images, index: number, size: Size): Uint8Array {
  const length = lengthOf(images);
  const isSmall = images.height <= size.height && images.width <= size.width;
  if (isSmall) return pad(images, index, size);
  const pixels = images.pixels.subarray(index * length, (index + 1) * length);
  return crop({ ...images, count: 1, pixels }, size).pixels;
}

/** The chosen images in the size of the results. Where these are all images, of that size, nothing is copied. */
export function fittedImages(images: Images, chosen: ArrayLike<number>, size: Size): Images {
  const { channels = 1 } = images;
  const areSame = images.height === size.height && images.width === size.width && chosen.length === images.count;
  if (areSame && Array.prototype.every.call(chosen, (image, i) => image === i)) return { ...images, channels };
  const shape = { height: size.height, width: size.width, channels };
  const length = lengthOf(shape);
  const pixels = new Uint8Array(chosen.length * length);
  for (let i = 0; i < chosen.length; i++) pixels.set(fittedImage(images, chosen[i], size), i * length);
  return { ...shape, count: chosen.length, pixels };
}
