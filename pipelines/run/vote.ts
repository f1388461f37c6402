/**
 * Pixel art: a pixel takes the colour that most of the patches that cover it have, not their average. So each pixel is a pixel of a
 * training image, palettes and outlines are kept, and transparent pixels, which are of a colour of their own, stay whole.
 */
import type { Kernels } from "../../core/kernels.ts";
import type { Provenance } from "../../core/provenance.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";

/**
 * Lets the patches of an image vote on its pixels, with the weights with which they are merged; of equal colours, the one that the
 * patches at the top and at the left have. A pixel that no copy covers takes the nearest colour of the training images.
 *
 * @param pixels the merged image, channels x height x width bytes
 * @param training the training images that patches were copied from
 * @returns as `pixels`
 */
export function votedPixels(
  kernels: Kernels,
  { height, width, channels, patch, positions, sources, weights }: Provenance,
  training: Rows,
  pixels: Uint8Array,
): Uint8Array {
  const area = height * width, inTraining = areaOf(training), length = lengthOf(training);
  const bytes = kernels.u8(training.at, training.count * length), out = pixels.slice();
  const votes = Array.from({ length: area }, () => new Map<number, number>());
  positions.forEach((at, i) => {
    const [image, top, left] = sources.subarray(3 * i, 3 * i + 3);
    if (image < 0) return;
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) {
        const from = image * length + (top + y) * training.width + left + x;
        let colour = 0;
        for (let channel = 0; channel < channels; channel++) colour = colour * 256 + bytes[from + channel * inTraining];
        const pixel = votes[(at.y + y) * width + at.x + x];
        pixel.set(colour, (pixel.get(colour) ?? 0) + (weights?.[y * patch + x] ?? 1));
      }
    }
  });
  let palette: Uint32Array | undefined;
  votes.forEach((of, p) => {
    const own = Array.from({ length: channels }, (_, channel) => pixels[channel * area + p]);
    const elected = of.size > 0
      ? [...of].reduce((best, one) => one[1] > best[1] ? one : best)[0]
      : nearest(palette ??= coloursOf(bytes, training), own);
    for (let channel = channels - 1, rest = elected; channel >= 0; channel--, rest = Math.floor(rest / 256)) {
      out[channel * area + p] = rest % 256;
    }
  });
  return out;
}

/** The distinct colours of images, each as one number. */
function coloursOf(bytes: Uint8Array, training: Rows): Uint32Array {
  const area = areaOf(training), found = new Set<number>();
  for (let image = 0; image < training.count; image++) {
    for (let p = 0; p < area; p++) {
      let colour = 0;
      for (let channel = 0; channel < training.channels; channel++) {
        colour = colour * 256 + bytes[(image * training.channels + channel) * area + p];
      }
      found.add(colour);
    }
  }
  return Uint32Array.from(found);
}

/** The colour of the least squared distance. */
function nearest(palette: Uint32Array, own: readonly number[]): number {
  let best = palette[0], least = Infinity;
  for (const colour of palette) {
    let sum = 0;
    for (let channel = own.length - 1, rest = colour; channel >= 0; channel--, rest = Math.floor(rest / 256)) {
      sum += (rest % 256 - own[channel]) ** 2;
    }
    if (sum < least) [best, least] = [colour, sum];
  }
  return best;
}
