/** How much work a draw from examples is. */
import { comparedPixels, type WorkDone } from "../../core/steps.ts";
import type { DrawnBefore, LayerOutline } from "../../core/types.ts";
import { MAX_KEPT, PER_BYTE } from "./list_cache.ts";
import { PER_LOOKUP } from "./neighbourhood.ts";

/** To weigh a candidate and choose among all takes some 50 nanoseconds, and a nanosecond for each of its values. */
const PER_CANDIDATE = 500, PER_VALUE = 7;
/** To keep one of the nearest in the list of a search takes some 150 nanoseconds. */
const PER_KEPT = 1500;
/** Bounds rule most examples out, so that a pixel counts less than a comparison. */
const PER_PIXEL = 0.4;
/** From so many pixels on, sums of eight are compared first: then an example takes some 10 nanoseconds, whatever the pixels. */
const SUMMED_FROM = 64, PER_EXAMPLE = 100;

/** What is drawn from at a location. */
export interface DrawnFrom {
  readonly neighbours: number;
  /** How many offsets a location has. */
  readonly offsets: number;
  /** The work of comparing one example; by default that of the kernel `search`. */
  readonly perExample?: WorkDone;
}

/**
 * Returns the work of a draw for one image: to find the nearest of all examples, unless they are kept from a draw before over the same
 * LR patch, then to weigh them.
 */
export function exampleWork(layer: LayerOutline, before: DrawnBefore, drawnFrom: DrawnFrom): WorkDone {
  const { channels, patch, hr } = layer, pixels = comparedPixels(layer), examples = hr.count * drawnFrom.offsets;
  const { perExample = pixels < SUMMED_FROM ? PER_PIXEL * pixels : PER_EXAMPLE } = drawnFrom;
  const candidates = Math.min(drawnFrom.neighbours, examples);
  const search = before === "nothing" ? perExample * examples + PER_KEPT * candidates : 0;
  return search + candidates * (channels * patch ** 2 * PER_VALUE + PER_CANDIDATE);
}

/** Returns the work of preparing the draws of a layer: looking up the examples of its locations, and room for the lists of the nearest. */
export function exampleFitWork(
  layer: LayerOutline,
  patches: number,
  batch: number,
  { neighbours, offsets }: DrawnFrom,
): WorkDone {
  const list = batch * Math.min(neighbours, layer.hr.count * offsets) * 8;
  return patches * PER_LOOKUP * comparedPixels(layer) + Math.min(patches * list, MAX_KEPT) * PER_BYTE;
}
