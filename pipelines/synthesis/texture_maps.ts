/** Maps of a texture, such as height, normals or roughness: made along with its images, of the same pixels of the exemplar. */
import { paddingOf } from "../../core/pyramid.ts";
import { shapeText, type Size } from "../../core/shape.ts";
import type { Samples } from "../../datasets/formats/png.ts";

/** A companion of an exemplar: what it says of each of the exemplar's pixels. */
export interface TextureMap extends Samples {
  /** A word, such as height. */
  readonly name: string;
}

/**
 * Makes the map of an image: each pixel is the companion's at the image's source. Nothing is mixed or rounded, so that normals keep
 * their length and heights their bits.
 *
 * @param sources height x width: the exemplar's pixel that each pixel of the image is
 */
export function mapOf(companion: TextureMap, sources: Int32Array, { height, width }: Size): Samples {
  const { channels, depth, data } = companion, length = sources.length * channels;
  const out = depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
  sources.forEach((source, p) => {
    for (let c = 0; c < channels; c++) out[p * channels + c] = data[source * channels + c];
  });
  return { width, height, channels, depth, data: out };
}

/** Cuts the sources of the middle of an image out, as `crop` cuts the image. */
export function croppedSources(sources: Int32Array, whole: Size, size: Size): Int32Array {
  const { top, left } = paddingOf(whole, size);
  return Int32Array.from({ length: size.height * size.width }, (_, p) => {
    return sources[(Math.floor(p / size.width) - top) * whole.width + p % size.width - left];
  });
}

/**
 * Checks that maps belong to the exemplars.
 *
 * @throws {Error} if there is more than one exemplar, or if a map has another size
 */
export function checkMaps(maps: readonly TextureMap[], exemplars: Size & { readonly count: number }): void {
  for (const { name, width, height } of maps) {
    if (exemplars.count > 1) {
      throw new Error(`Cannot use the map ${name} of ${exemplars.count} exemplars: expected one exemplar`);
    }
    if (width === exemplars.width && height === exemplars.height) continue;
    const expected = `expected ${
      shapeText({ width: exemplars.width, height: exemplars.height })
    } pixels, as the exemplar's`;
    throw new Error(`Cannot use the map ${name}: ${expected}, got ${shapeText({ width, height })}`);
  }
}
