/** Which training image each pixel of a result was copied from. */
import type { PatchPosition } from "./locations.ts";
import { margin } from "./pyramid.ts";
import { areaOf, lengthOf, type Shape, type Size } from "./shape.ts";
import type { Images } from "./types.ts";

/** Where the patches of the last iteration of the finest layer came from, for one synthesized image. */
export interface Provenance extends Shape {
  readonly channels: number;
  readonly patch: number;
  readonly places: readonly PatchPosition[];
  /** The size of the training images, padded, in which sources are counted. */
  readonly training: Size;
  /** For each place (training image, y, x): whose patch lies there and where it was in that image; image -1: no copy. */
  readonly sources: Int32Array;
  /** channels x height x width: how much the X-step changed each value against the average of its patches, in [0, 1] units. */
  readonly correction: Float32Array;
}

/** One part of a pixel: training image, its pixel, and the weight with which it counts. */
export interface PixelSource {
  readonly image: number;
  readonly y: number;
  readonly x: number;
  readonly weight: number;
}

/** What pixel (y, x) was merged from. The weights sum to 1; the pixel is their average plus the correction. */
export function pixelSources(provenance: Provenance, y: number, x: number): PixelSource[] {
  const { places, patch, sources } = provenance;
  const covering = places.flatMap((place, i) => {
    const dy = y - place.y, dx = x - place.x;
    return dy >= 0 && dy < patch && dx >= 0 && dx < patch ? [{ i, dy, dx }] : [];
  });
  return covering.map(({ i, dy, dx }) => ({
    image: sources[3 * i],
    y: sources[3 * i + 1] + dy,
    x: sources[3 * i + 2] + dx,
    weight: 1 / covering.length,
  }));
}

/** How much each training image contributed: its share of all pixels (the shares sum to 1), the largest first. */
export function contributors(provenance: Provenance): { image: number; share: number }[] {
  const { width, patch, places, sources } = provenance, area = areaOf(provenance);
  const cover = new Uint16Array(area), shares = new Map<number, number>();
  const forPixels = (place: PatchPosition, each: (pixel: number) => void) => {
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) each((place.y + y) * width + place.x + x);
    }
  };
  for (const place of places) forPixels(place, (pixel) => cover[pixel]++);
  places.forEach((place, i) => {
    let share = 0;
    forPixels(place, (pixel) => share += 1 / cover[pixel]);
    shares.set(sources[3 * i], (shares.get(sources[3 * i]) ?? 0) + share / area);
  });
  return [...shares].map(([image, share]) => ({ image, share })).sort((a, b) => b.share - a.share || a.image - b.image);
}

/** The image that the sources alone make, without the X-step's correction, in [0, 1]; what is no copy is 0. */
export function rebuild(provenance: Provenance, training: Images): Float32Array {
  const { height, width, channels } = provenance, out = new Float32Array(lengthOf(provenance));
  const { top, left } = margin(training, provenance.training);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (const source of pixelSources(provenance, y, x)) {
        const row = source.y - top, column = source.x - left;
        const inside = source.image >= 0 && row >= 0 && row < training.height && column >= 0 && column < training.width;
        if (!inside) continue;
        for (let channel = 0; channel < channels; channel++) {
          const at = ((source.image * channels + channel) * training.height + row) * training.width + column;
          out[(channel * height + y) * width + x] += source.weight * training.pixels[at] / 255;
        }
      }
    }
  }
  return out;
}
