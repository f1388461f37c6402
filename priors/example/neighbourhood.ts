/**
 * Section "Neighbor Search Window": which places of the training images are examples of a location. They are those in a window
 * around the location (`aroundTheLocation`) or all of them, which makes the model spatially invariant (`everywhere`).
 */
import type { PatchPosition } from "../../core/locations.ts";
import { numbersFrom } from "../../core/numbers.ts";
import { halfOf, sameShape, shapeText } from "../../core/shape.ts";
import { MIN_STEP, PROGRESS, type Steps } from "../../core/steps.ts";
import type { LayerData } from "../../core/types.ts";
import { isInside } from "../../core/patches.ts";
import type { ScaledPixel } from "./lr_pixels.ts";

/** The examples of a location: in each training image, one at each pair of a row's and a column's offset. */
export interface Examples {
  /**
   * Offsets from the location in LR pixels, consecutive and at least one; in HR pixels they are twice that. At every pair of
   * them the LR and the HR patch lie inside the training images.
   */
  readonly dys: readonly number[];
  readonly dxs: readonly number[];
  /**
   * Selects, of the pixels that the examples were looked up with, those that count, in their order. They lie inside the images
   * at every offset, so that all distances are sums over the same pixels. Computed when called: most draws do not need it.
   */
  comparable(): readonly ScaledPixel[];
}

/** The examples of every location of a layer. */
export interface Neighbourhood {
  /** The most offsets that a location has, in rows and in columns. */
  readonly mostRows: number;
  readonly mostColumns: number;
  /** Looks up the examples of a location (of the first pixel of its HR patch). `pixels` are its LR patch's and its context's. */
  examplesOf(at: PatchPosition, pixels: readonly ScaledPixel[]): Examples;
}

/** Names what a location is searched for: locations of one name have the same LR patch, the same examples and the same list. */
export function listName({ y, x }: PatchPosition, { dys, dxs }: Examples): string {
  return `${y >> 1} ${x >> 1} ${dys[0]} ${dys.length} ${dxs[0]} ${dxs.length}`;
}

/** The work of looking up a pixel of a location, which takes some tens of nanoseconds. */
export const PER_LOOKUP = 50;

/**
 * Looks up the examples of all of a layer's locations, in steps: how often each list will be needed, and the most offsets that one
 * has. A location without examples is refused here, before anything is drawn.
 */
export function* expectedLists(
  { locations, kernels }: LayerData,
  { examplesOf }: Pick<Neighbourhood, "examplesOf">,
  pixels: readonly ScaledPixel[],
): Steps<{ visits: Map<string, number>; mostOffsets: number }> {
  const visits = new Map<string, number>();
  const together = Math.ceil(MIN_STEP / (PER_LOOKUP * pixels.length));
  let mostOffsets = 0;
  for (const [i, at] of locations.entries()) {
    const examples = examplesOf(at, pixels);
    const name = listName(at, examples);
    visits.set(name, (visits.get(name) ?? 0) + at.visits);
    mostOffsets = Math.max(mostOffsets, examples.dys.length * examples.dxs.length);
    kernels.addWork(PER_LOOKUP * pixels.length);
    if (i % together === together - 1) yield PROGRESS;
  }
  return { visits, mostOffsets };
}

/**
 * The examples of a location lie at offsets below the window's size in both axes.
 *
 * @param name The prior's name, for error sentences.
 * @throws Error where training images have no same place: images that are not aligned, or of another shape than the layer's.
 */
export function aroundTheLocation(layer: LayerData, name: string): Neighbourhood {
  const { lr, hr, patch, window, aligned = true } = layer;
  const side = patch / 2;
  if (!aligned) {
    throw new Error(`prior "${name}" compares the same places: expected aligned images, got exemplars of a texture`);
  }
  if (!sameShape(layer, hr)) {
    const wanted = `training images of ${shapeText(layer)} as the layer's`;
    throw new Error(`prior "${name}" compares the same places: expected ${wanted}, got ${shapeText(hr)}`);
  }
  /** Offsets along one axis at which both patches lie inside; `low` and `high` are the patches' first pixels. */
  const offsets = (low: number, lowSize: number, high: number, highSize: number) => {
    const inside: number[] = [];
    for (let d = -Math.max(window - 1, 0); d < Math.max(window, 1); d++) {
      const lowFits = low + d >= 0 && low + d <= lowSize - side;
      if (lowFits && high + 2 * d >= 0 && high + 2 * d <= highSize - patch) inside.push(d);
    }
    return inside;
  };
  return {
    mostRows: 2 * window + 1,
    mostColumns: 2 * window + 1,
    examplesOf(at, pixels) {
      const y = at.y >> 1;
      const x = at.x >> 1;
      const dys = offsets(y, lr.height, at.y, hr.height);
      const dxs = offsets(x, lr.width, at.x, hr.width);
      const top = y + dys[0];
      const left = x + dxs[0];
      const bottom = y + dys[dys.length - 1];
      const right = x + dxs[dxs.length - 1];
      return {
        dys,
        dxs,
        // What is inside at two opposite corners of the window is inside everywhere between them.
        comparable: () => pixels.filter((p) => isInside(p, top, left, lr) && isInside(p, bottom, right, lr)),
      };
    },
  };
}

/**
 * The extreme case: the examples of a location lie wherever they, and the part of the context that lies inside the location's
 * own image, fit into the training images, of whatever size these are.
 *
 * @param name The prior's name, for error sentences.
 */
export function everywhere({ height, width, hr, lr, patch }: LayerData, name: string): Neighbourhood {
  const low = halfOf({ height, width });
  /** Offsets along one axis: the outermost of the pixels that count, and the HR patch's end, must stay inside. */
  const offsets = (lowAt: number, highAt: number, pixels: readonly number[], highSize: number) => {
    const first = -Math.min(...pixels) - lowAt;
    const lastLow = highSize / 2 - 1 - Math.max(...pixels) - lowAt;
    const lastHigh = Math.floor((highSize - patch - highAt) / 2);
    return numbersFrom(first, Math.min(lastLow, lastHigh) + 1);
  };
  return {
    mostRows: lr.height - patch / 2 + 1,
    mostColumns: lr.width - patch / 2 + 1,
    /** @throws Error where there are none. */
    examplesOf(at, pixels) {
      const y = at.y >> 1;
      const x = at.x >> 1;
      const counted = pixels.filter((pixel) => isInside(pixel, y, x, low));
      const dxs = offsets(x, at.x, counted.map(({ dx }) => dx), hr.width);
      const dys = offsets(y, at.y, counted.map(({ dy }) => dy), hr.height);
      if (dys.length > 0 && dxs.length > 0) return { dys, dxs, comparable: () => counted };
      throw new Error(
        `prior "${name}" finds no examples: training images of ${shapeText(hr)} at this layer have no room for ` +
          `a patch of ${patch} and the context that it has at (${at.x}, ${at.y})`,
      );
    },
  };
}
