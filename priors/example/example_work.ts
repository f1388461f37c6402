/** How much work an example prior is: see `Prior.cost`. */
import { candidateWork, PER_ALLOCATED, readWork, searchWork } from "../../core/kernel_work.ts";
import { comparedPixels } from "../../core/locations.ts";
import type { CostQuestion, LayerOutline, Revisit } from "../../core/types.ts";
import { MAX_KEPT } from "./list_cache.ts";
import { PER_LOOKUP } from "./neighbourhood.ts";
import { axesPay, axesWork } from "./principal_axes.ts";

/** To write what is compared takes some 75 nanoseconds for each value of a query. */
export const PER_VALUE = 750;
/** To write the address of a pixel of an example takes some 3 nanoseconds. */
export const PER_ADDRESS = 30;
/** To add up a value takes about two nanoseconds in plain TypeScript. */
export const PER_ADDED = 20;

/** What is drawn from at a location. */
export interface DrawnFrom {
  readonly neighbours: number;
  /** How many offsets a location has. */
  readonly offsets: number;
}

/**
 * Returns the work of a draw for one image: to find the nearest of all examples, unless an earlier draw over the same LR patch has
 * found them, then to weigh them. What is done once for all images of a batch is divided among them.
 *
 * @param find the work of finding the `k` nearest of `examples` examples of `pixels` pixels; by default that of the kernel `search`
 * @param weigh the work of weighing `candidates` patches of `values` values, compared in `pixels` pixels; by default that of `sample`
 */
export function exampleWork(
  layer: LayerOutline,
  { batch }: CostQuestion,
  revisit: Revisit,
  { neighbours, offsets }: DrawnFrom,
  find: (pixels: number, examples: number, k: number) => number = searchWork,
  weigh: (candidates: number, values: number, pixels: number) => number = candidateWork,
): number {
  const { channels, patch, hr } = layer, pixels = comparedPixels(layer);
  const examples = hr.count * offsets;
  const candidates = Math.min(neighbours, examples);
  const axes = axesPay(examples, pixels, candidates) ? axesWork(pixels, hr.count) : 0;
  const once = readWork(examples) + PER_VALUE * pixels + PER_ADDRESS * offsets * pixels + axes;
  const search = revisit === "nothing" ? once / batch + find(pixels, examples, candidates) : 0;
  return search + weigh(candidates, channels * patch ** 2, pixels);
}

/** Returns the work of preparing the draws of a layer: looking up the examples of its locations, and room for the lists of the nearest. */
export function exampleFitWork(
  layer: LayerOutline,
  { patches, batch }: CostQuestion,
  { neighbours, offsets }: DrawnFrom,
): number {
  const list = batch * Math.min(neighbours, layer.hr.count * offsets) * 8;
  return patches * PER_LOOKUP * comparedPixels(layer) + Math.min(patches * list, MAX_KEPT) * PER_ALLOCATED;
}
