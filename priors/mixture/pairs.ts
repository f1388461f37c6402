/**
 * The training pairs of LR and HR patches that mixtures are fitted to (section "Building Example Dictionaries"), and which locations
 * share a mixture.
 */
import { lengthOf } from "../../core/shape.ts";
import type { LayerData, Location } from "../../core/types.ts";
import { aroundTheLocation, everywhere } from "../example/neighbourhood.ts";
import { lowPixels, numberOf, type ScaledPixel } from "../example/lr_pixels.ts";

/** Locations that share a mixture, and where its training pairs lie. */
export interface LocationGroup {
  readonly locations: Location[];
  /** First pixel of the first HR patch in a training image; there are rows x columns of them, 2 pixels apart. */
  readonly y: number;
  readonly x: number;
  readonly rows: number;
  readonly columns: number;
  /** The pixels of the LR patch and its context that count. Their scale is the square root of their weight. */
  readonly pixels: readonly ScaledPixel[];
}

/**
 * Groups the locations of a layer: each has a mixture of its own with `local`; otherwise all that have the same pixels of the
 * context inside the image share one of all places.
 *
 * @param withContext Whether the context counts.
 */
export function locationGroups(layer: LayerData, local: boolean, withContext: boolean): LocationGroup[] {
  const groups = new Map<string, LocationGroup>();
  const { examplesOf } = local ? aroundTheLocation(layer, "gmm") : everywhere(layer, "gmm");
  const all = lowPixels(withContext ? layer : { ...layer, context: [] });
  const scaled = all.map((pixel) => ({ ...pixel, scale: Math.sqrt(pixel.weight) }));
  for (const at of layer.locations) {
    const { dys, dxs, comparable } = examplesOf(at, scaled);
    const pixels = comparable();
    const y = at.y + 2 * dys[0];
    const x = at.x + 2 * dxs[0];
    const counted = pixels.map(({ dy, dx, channel, mirrored }) => `${dy} ${dx} ${channel} ${mirrored}`);
    const key = local ? `${at.y} ${at.x}` : `${y} ${x} ${counted}`;
    const same = groups.get(key);
    if (same) same.locations.push(at);
    else groups.set(key, { locations: [at], y, x, rows: dys.length, columns: dxs.length, pixels });
  }
  return [...groups.values()];
}

/** Different pairs of LR and HR patches, one after another, and how often each was met. */
export interface Pairs {
  /** LR patches with their context, in [0, 1] times the square root of each pixel's weight. */
  readonly low: Float64Array;
  /** HR patches, in [0, 1]. */
  readonly high: Float64Array;
  readonly weights: Float64Array;
}

/** Takes pairs from all over the training images and their places until `most` different ones are found. */
export function trainingPairs(layer: LayerData, group: LocationGroup, most: number): Pairs {
  const { kernels, hr, lr, patch, channels } = layer;
  const { pixels, columns } = group;
  const inHr = lengthOf(hr);
  const all = hr.count * group.rows * columns;
  const inLow = pixels.length;
  const inHigh = channels * patch * patch;
  const high = kernels.u8(hr.at, hr.count * inHr);
  const low = kernels.u8(lr.at, lengthOf(lr) * lr.stride);
  const offsets = Array.from({ length: inHigh }, (_, p) => {
    const row = Math.floor(p / patch);
    return (Math.floor(row / patch) * hr.height + row % patch) * hr.width + p % patch;
  });
  // A pair's bytes, as text, are its name: equal pairs are counted.
  const bytes = new Uint8Array(inLow + inHigh);
  const counts = new Map<string, number>();
  const step = scatteringStep(all);
  for (let n = 0, at = 0; n < all && counts.size < most; n++, at = (at + step) % all) {
    const image = at % hr.count;
    const place = Math.floor(at / hr.count);
    const y = group.y + 2 * Math.floor(place / columns);
    const x = group.x + 2 * (place % columns);
    for (let p = 0; p < inLow; p++) bytes[p] = low[numberOf(pixels[p], y >> 1, x >> 1, lr) * lr.stride + image];
    const first = image * inHr + y * hr.width + x;
    for (let p = 0; p < inHigh; p++) bytes[inLow + p] = high[first + offsets[p]];
    const key = String.fromCharCode(...bytes);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const pairs = { low: new Float64Array(counts.size * inLow), high: new Float64Array(counts.size * inHigh) };
  [...counts.keys()].forEach((key, i) => {
    for (let p = 0; p < inLow; p++) pairs.low[i * inLow + p] = key.charCodeAt(p) / 255 * pixels[p].scale;
    for (let p = 0; p < inHigh; p++) pairs.high[i * inHigh + p] = key.charCodeAt(inLow + p) / 255;
  });
  return { ...pairs, weights: Float64Array.from(counts.values()) };
}

/** A step around a ring of `count` that meets every number once, those far from one another first: near the golden section. */
function scatteringStep(count: number): number {
  const divisor = (a: number, b: number): number => b === 0 ? a : divisor(b, a % b);
  for (let step = Math.max(1, Math.round(count * 0.618));; step++) if (divisor(count, step) === 1) return step;
}
