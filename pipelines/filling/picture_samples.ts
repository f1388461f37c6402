/** Pictures of 8 or 16 bits, in grey or colour, as holes in them are filled. */
import { areaOf, type Size } from "../../core/shape.ts";
import type { Samples } from "../../datasets/formats/png.ts";

/** A picture's values in [0, 1], in planes of its channels. */
export interface PictureValues extends Size {
  readonly channels: number;
  readonly values: Float32Array;
}

/** The values by which pixels are compared. Transparent pixels count as black, with how opaque they are as the last channel. */
export function valuesOfSamples({ width, height, channels, depth, data }: Samples): PictureValues {
  const area = width * height, most = 2 ** depth - 1, values = new Float32Array(channels * area);
  const hasAlpha = channels % 2 === 0, last = channels - 1;
  for (let p = 0; p < area; p++) {
    const alpha = hasAlpha ? data[p * channels + last] / most : 1;
    for (let c = 0; c < channels; c++) {
      values[c * area + p] = hasAlpha && c === last ? alpha : alpha * data[p * channels + c] / most;
    }
  }
  return { height, width, channels, values };
}

/** The samples of an image of 8 bits, whose channels lie one after another, with how opaque each pixel is as the last, if it says so. */
export function samplesOfBytes({ height, width, channels = 1, pixels, alpha }: PlanesOfBytes): Samples {
  const area = areaOf({ height, width }), all = alpha ? channels + 1 : channels;
  const data = Uint8Array.from({ length: all * area }, (_, i) => {
    const channel = i % all, p = Math.floor(i / all);
    return channel < channels ? pixels[channel * area + p] : alpha![p];
  });
  return { width, height, channels: all, depth: 8, data };
}

interface PlanesOfBytes extends Size {
  readonly channels?: number;
  readonly pixels: Uint8Array;
  readonly alpha?: Uint8Array;
}

/** The row and the column of each source: height x width x 2. */
export function placesOf(sources: Int32Array, width: number): Int32Array {
  return Int32Array.from({ length: 2 * sources.length }, (_, i) => {
    const source = sources[i >> 1];
    return i % 2 === 0 ? Math.floor(source / width) : source % width;
  });
}
