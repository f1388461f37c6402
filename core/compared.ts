/** How much a location compares. */
import type { LayerOutline } from "./types.ts";

/** Returns how many values an LR patch and its context have. */
export function comparedPixels({ patch, channels, context }: LayerOutline): number {
  return channels * ((patch / 2) ** 2 + context.length);
}

/** Returns the most offsets that lie in the neighbour window of a location. */
export function offsetsInWindow({ window }: LayerOutline): number {
  return (2 * Math.max(window, 1) - 1) ** 2;
}
