/** Which training image each pixel of a result was copied from. */
import type { Kernels } from "./kernels.ts";
import type { PatchPosition } from "./locations.ts";
import { paddingOf } from "./pyramid.ts";
import { areaOf, lengthOf, type Shape, type Size } from "./shape.ts";
import { inPeriod, type Margin } from "./tiling.ts";
import type { Images, Rows } from "./types.ts";

/** Where the patches of the last iteration of the finest layer came from, for one synthesized image. */
export interface Provenance extends Shape {
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** n: side of a patch. */
  readonly patch: number;
  /** n x n: how much each pixel of a patch counts where patches are merged; all alike where it is left out. */
  readonly weights?: Float32Array;
  /** First pixels of the patches. */
  readonly positions: readonly PatchPosition[];
  /** The size of the training images, padded, in which sources are counted. */
  readonly training: Size;
  /**
   * For each position (training image, y, x): whose patch lies there and where it was in that image. Training image -1: it is no
   * copy.
   */
  readonly sources: Int32Array;
  /**
   * For each position 1 where the window that was compared there is of one colour, such as a black background. Many training images
   * have the same, so that its source is one of many. Left out: none is.
   */
  readonly plain?: Uint8Array;
  /** channels x height x width: how much the X-step changed each value against the average of its patches, in [0, 1] units. */
  readonly correction: Float32Array;
}

/** What is known of a batch after its last iteration. */
interface FinishedBatch extends Pick<Provenance, "patch" | "weights" | "positions"> {
  readonly shape: Shape & { readonly channels: number };
  readonly kernels: Kernels;
  /** The training images, padded. */
  readonly training: Rows;
  readonly batch: number;
  /** positions x `batch` x (training image, y, x). */
  readonly sources: Int32Array;
  /** X, and what the patches alone make (`Admm.merged`): `batch` x channels x height x width. */
  readonly x: Float32Array;
  readonly merged: Float32Array;
}

/** Takes the provenance of a batch apart, image by image. */
export function batchProvenance(done: FinishedBatch): Provenance[] {
  const { shape, kernels, patch, weights, positions, training, batch, sources, x, merged } = done;
  const length = lengthOf(shape), isPlain = plainWindows(kernels, training, patch);
  return Array.from({ length: batch }, (_, b) => {
    const own = new Int32Array(positions.length * 3);
    for (let i = 0; i < positions.length; i++) {
      const first = (i * batch + b) * 3;
      for (let part = 0; part < 3; part++) own[3 * i + part] = sources[first + part];
    }
    const correction = x.slice(b * length, (b + 1) * length);
    for (let p = 0; p < length; p++) correction[p] -= merged[b * length + p];
    return {
      ...shape,
      patch,
      ...weights && { weights },
      positions,
      training: { height: training.height, width: training.width },
      sources: own,
      plain: Uint8Array.from(positions, (_, i) => Number(isPlain(own[3 * i], own[3 * i + 1], own[3 * i + 2]))),
      correction,
    };
  });
}

/**
 * Returns what tells whether a window of `side` x `side` pixels of a training image, as far as it lies in it, is of one colour; never
 * for image -1 and for windows of one pixel, of which each is.
 */
export function plainWindows(
  kernels: Kernels,
  { at, count, channels, height, width }: Rows,
  side: number,
): (image: number, top: number, left: number) => boolean {
  const length = channels * height * width, pixels = kernels.u8(at, count * length);
  return (image, top, left) => {
    if (image < 0) return false;
    return isPlain(pixels.subarray(image * length, (image + 1) * length), { channels, height, width }, top, left, side);
  };
}

/** As `plainWindows`, for the window of one image of channels x height x width bytes. */
export function isPlain(
  pixels: Uint8Array,
  { channels, height, width }: Required<Shape>,
  top: number,
  left: number,
  side: number,
): boolean {
  if (side < 2) return false;
  const y0 = Math.max(0, top), x0 = Math.max(0, left);
  const y1 = Math.min(height, top + side), x1 = Math.min(width, left + side);
  for (let channel = 0; channel < channels; channel++) {
    const plane = channel * height * width, first = pixels[plane + y0 * width + x0];
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) if (pixels[plane + y * width + x] !== first) return false;
    }
  }
  return true;
}

/**
 * Takes the margin away from the positions of an image that tiles. A patch that reaches across an edge stands there once for each
 * part of the image that it covers, and may begin before the image's first pixel.
 */
export function aroundPeriod(provenance: Provenance, margin: Margin): Provenance {
  const positions: PatchPosition[] = [];
  const sources: number[] = [], plain: number[] = [];
  provenance.positions.forEach((position, i) => {
    for (const place of inPeriod(position, provenance.patch, provenance, margin)) {
      positions.push(place);
      sources.push(...provenance.sources.subarray(3 * i, 3 * i + 3));
      plain.push(provenance.plain?.[i] ?? 0);
    }
  });
  return { ...provenance, positions, sources: Int32Array.from(sources), plain: Uint8Array.from(plain) };
}

/** One part of a pixel: training image, its pixel, and the weight with which it counts. */
export interface PixelSource {
  /** Number of the training image; -1 if the patch is no copy. */
  readonly image: number;
  /** Row in the training image. */
  readonly y: number;
  /** Column in the training image. */
  readonly x: number;
  /** Share in the average, in (0, 1]. */
  readonly weight: number;
}

/**
 * Lists what pixel (y, x) was merged from, the same for all its channels. The weights sum to 1; the pixel is the weighted
 * average of the parts plus the correction, where patches are copies; a prior that changes them ("detail") has other values there.
 * A part with `image` -1 is of a patch that is no copy.
 */
export function pixelSources(provenance: Provenance, y: number, x: number): PixelSource[] {
  const { positions, patch, sources, weights } = provenance;
  const covering = positions.flatMap((position, i) => {
    const dy = y - position.y;
    const dx = x - position.x;
    return dy >= 0 && dy < patch && dx >= 0 && dx < patch ? [{ i, dy, dx }] : [];
  });
  const weightOf = ({ dy, dx }: { dy: number; dx: number }) => weights?.[dy * patch + dx] ?? 1;
  const all = covering.reduce((sum, one) => sum + weightOf(one), 0);
  return covering.map(({ i, dy, dx }) => ({
    image: sources[3 * i],
    y: sources[3 * i + 1] + dy,
    x: sources[3 * i + 2] + dx,
    weight: weightOf({ dy, dx }) / all,
  }));
}

/**
 * Sums up how much each training image contributed: its share of the pixels, in (0, 1], the largest first. The shares sum to
 * 1; that of `image` -1 belongs to patches that are no copies. Windows of one colour (`Provenance.plain`) count for no image, unless
 * all are.
 */
export function contributors(provenance: Provenance): { image: number; share: number }[] {
  const { height, width, patch, positions, sources, weights } = provenance;
  const cover = new Float64Array(areaOf(provenance)), { plain } = provenance;
  const counts = plain?.includes(0) ? (i: number) => plain[i] === 0 : () => true;
  const shares = new Map<number, number>();
  const forPixels = (position: PatchPosition, each: (pixel: number, weight: number) => void) => {
    // In an image that tiles, a patch may reach beyond the edges.
    for (let y = Math.max(0, -position.y); y < Math.min(patch, height - position.y); y++) {
      for (let x = Math.max(0, -position.x); x < Math.min(patch, width - position.x); x++) {
        each((position.y + y) * width + position.x + x, weights?.[y * patch + x] ?? 1);
      }
    }
  };
  for (const position of positions) forPixels(position, (pixel, weight) => cover[pixel] += weight);
  let all = 0;
  positions.forEach((position, i) => {
    if (!counts(i)) return;
    let pixels = 0;
    forPixels(position, (pixel, weight) => pixels += weight / cover[pixel]);
    shares.set(sources[3 * i], (shares.get(sources[3 * i]) ?? 0) + pixels);
    all += pixels;
  });
  return [...shares].map(([image, pixels]) => ({ image, share: pixels / all })).sort((a, b) =>
    b.share - a.share || a.image - b.image
  );
}

/**
 * Rebuilds the image from its sources alone, without the X-step's correction: channels x height x width values in [0, 1]; what is
 * no copy is 0, and of patches that a prior has changed it shows the training images. `training` are the images that it was made of, as they were before they were padded.
 */
export function rebuild(provenance: Provenance, training: Images): Float32Array {
  const { height, width, channels } = provenance;
  const out = new Float32Array(lengthOf(provenance));
  const { top, left } = paddingOf(training, provenance.training);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (const source of pixelSources(provenance, y, x)) {
        const row = source.y - top;
        const column = source.x - left;
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
