/** Tells images whose values have another range than 0 to 255: masks of 0 and 1, or scikit-learn's digits of 0 to 16. */
import type { Images } from "../core/types.ts";

/** Images are nearly black if no value is as high as this, a quarter of white: those of 6 bits end at 63. */
const DARK = 64;

/**
 * Says that images are nearly black, and what scales them. Returns undefined if they are not, or if there are none.
 *
 * @param who the images, such as "the training images"
 */
export function darkText({ pixels }: Pick<Images, "pixels">, who: string): string | undefined {
  let greatest = 0;
  for (let i = 0; i < pixels.length && greatest < DARK; i++) greatest = Math.max(greatest, pixels[i]);
  if (pixels.length === 0 || greatest >= DARK) return undefined;
  if (greatest === 0) return `Warning: ${who} are black: every value is 0`;
  return `Warning: ${who} are nearly black: their greatest value is ${greatest} of 255. ` +
    "If that is their white, scale them; in NumPy: images / images.max()";
}
