/**
 * Pixel art: a pixel takes the colour that most of the patches that cover it have, not their average. So each pixel is a pixel of a
 * training image, palettes and outlines are kept, and transparent pixels, which are of a colour of their own, stay whole.
 */
import type { Kernels } from "../../core/kernels.ts";
import { positions } from "../../core/locations.ts";
import type { Plan } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import { PROGRESS, stepCounter, type Steps } from "../../core/steps.ts";
import type { Rows } from "../../core/types.ts";
import { type Palette, paletteOf, PER_LISTED } from "./palette.ts";

/** A vote takes some 50 nanoseconds, and to elect the colour of a pixel some 200. */
const PER_VOTE = 500, PER_ELECTED = 2000;
/** To find the nearest colour of a pixel takes some 20 microseconds where training images are photographs. */
const PER_SOUGHT = 200_000;

/** The work of the votes on the pixels of one image; 0 where pixels do not vote. */
export function voteWork({ pixelArt, sizes: [size], layers: [finest], zStep }: Plan): number {
  if (!pixelArt || finest === undefined) return 0;
  const { height, width, patch, overlap, iterations } = finest, [x, y] = iterations.at(-1)!.offset;
  const patches = positions(height, patch, overlap, y, true).length * positions(width, patch, overlap, x, true).length;
  const sought = zStep === "sample" ? 0 : PER_SOUGHT;
  return PER_VOTE * patches * patch * patch + (PER_ELECTED + sought) * areaOf(size);
}

/** The work of listing the colours of training images for pixels that no copy covers; 0 where pixels do not vote. */
export function colourWork({ pixelArt, sizes: [size] }: Plan, training: number): number {
  return pixelArt ? PER_LISTED * training * areaOf(size) : 0;
}

/**
 * Lets the patches of an image vote on its pixels, with the weights with which they are merged; of equal colours, the one that the
 * patches at the top and at the left have. A pixel that no copy covers takes the nearest colour of the training images.
 *
 * @param pixels the merged image, channels x height x width bytes
 * @param training the training images that patches were copied from
 * @returns as `pixels`
 */
export function* votedPixels(
  kernels: Kernels,
  provenance: Provenance,
  training: Rows,
  pixels: Uint8Array,
): Steps<Uint8Array> {
  const { height, width, channels } = provenance, area = height * width, out = pixels.slice();
  const votes = yield* votesOf(kernels, provenance, training), isStep = stepCounter(kernels);
  let palette: Palette | undefined;
  for (const [p, of] of votes.entries()) {
    let elected: number;
    if (of.size > 0) elected = [...of].reduce((best, one) => one[1] > best[1] ? one : best)[0];
    else {
      palette ??= yield* paletteOf(kernels, training);
      elected = palette.nearest(Array.from({ length: channels }, (_, channel) => pixels[channel * area + p]), kernels);
    }
    for (let channel = channels - 1, rest = elected; channel >= 0; channel--, rest = Math.floor(rest / 256)) {
      out[channel * area + p] = rest % 256;
    }
    kernels.addWork(PER_ELECTED);
    if (isStep()) yield PROGRESS;
  }
  return out;
}

/** The votes on each pixel, by colours: of each the weights of the patches that have it there. */
function* votesOf(
  kernels: Kernels,
  { height, width, channels, patch, positions, sources, weights }: Provenance,
  training: Rows,
): Steps<readonly ReadonlyMap<number, number>[]> {
  const inTraining = areaOf(training), length = lengthOf(training), isStep = stepCounter(kernels);
  const bytes = () => kernels.u8(training.at, training.count * length);
  const votes = Array.from({ length: height * width }, () => new Map<number, number>());
  for (const [i, at] of positions.entries()) {
    const [image, top, left] = sources.subarray(3 * i, 3 * i + 3);
    if (image < 0) continue;
    const from = bytes();
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) {
        const first = image * length + (top + y) * training.width + left + x;
        let colour = 0;
        for (let channel = 0; channel < channels; channel++) colour = colour * 256 + from[first + channel * inTraining];
        const pixel = votes[(at.y + y) * width + at.x + x];
        pixel.set(colour, (pixel.get(colour) ?? 0) + (weights?.[y * patch + x] ?? 1));
      }
    }
    kernels.addWork(PER_VOTE * patch * patch);
    if (isStep()) yield PROGRESS;
  }
  return votes;
}
