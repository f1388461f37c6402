/** Chooses the images that a figure of unlikely images shows. */
import { evenlySpaced } from "../../core/numbers.ts";

/**
 * Takes `count` of the lowest tenth, evenly; of a short run, whose tenth has fewer, the `count` lowest, or all. No image twice.
 *
 * @param order the images, the lowest first
 */
export function lowestTenth(order: readonly number[], count: number): number[] {
  const tenth = order.slice(0, Math.max(count, Math.ceil(order.length / 10)));
  return Array.from(evenlySpaced(tenth.length, count), (i) => tenth[i]);
}
