/** Prepares exemplars of textures: cuts transparent places off, and finds out whether they are grey. */
import { areaOf, shapeText, type Size } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import { cutOut } from "./crops.ts";
import type { LabelledImages } from "./data_set.ts";
import { opaqueRectangle } from "./opaque.ts";

/**
 * Returns the size of exemplars.
 *
 * @param least the least side of an exemplar in pixels, so that a patch fits the coarsest layer
 * @param what names the exemplars in the error
 * @throws {Error} if a side is below `least`
 */
export function largeEnough(size: Size, least: number, what = "exemplars"): Size {
  if (Math.min(size.height, size.width) >= least) return size;
  const expected = `expected at least ${least}x${least}, to hold a patch in every size`;
  throw new Error(
    `Cannot use ${what} of ${shapeText({ height: size.height, width: size.width })} pixels: ${expected}`,
  );
}

/**
 * Cuts the largest rectangle without transparent pixels out of an exemplar, an image set of one.
 *
 * @param alpha how opaque each pixel is, 0..255, row by row; left out: wholly opaque
 * @param what names the exemplar in the error
 * @throws {Error} if no pixel is opaque
 */
export function opaquePart(image: Images, alpha: Uint8Array | undefined, what = "the exemplar"): Images {
  if (!alpha) return image;
  const { y, x, ...size } = opaqueRectangle(alpha, image);
  if (size.height === 0) throw new Error(`Cannot use ${what}: expected at least one opaque pixel, got none`);
  return cutOut([image], [{ image: 0, y, x }], size);
}

/** Converts colour images whose channels are equal to grey ones, which take a third of the work. */
export function greyIfGrey(set: LabelledImages): LabelledImages {
  const { channels = 1, pixels, ...size } = set.images;
  const area = areaOf(size);
  if (channels === 1) return set;
  const first = (i: number) => i - Math.floor(i / area) % 3 * area;
  if (pixels.some((value, i) => value !== pixels[first(i)])) return set;
  return { ...set, images: { ...size, pixels: pixels.filter((_, i) => first(i) === i) } };
}
