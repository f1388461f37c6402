/** How much work a draw from examples is. */
import { comparedPixels, type WorkDone } from "../../core/steps.ts";
import type { LayerOutline } from "../../core/types.ts";

/** To keep a candidate, weigh it and choose among them takes some tens of nanoseconds, beside its values. */
const PER_CANDIDATE = 50;

/** Returns the work of a draw for one image: to compare all examples, then to weigh the nearest. `offsets` are those of a location. */
export function exampleWork(layer: LayerOutline, neighbours: number, offsets: number): WorkDone {
  const { channels, patch, hr } = layer, examples = hr.count * offsets;
  return comparedPixels(layer) * examples + Math.min(neighbours, examples) * (channels * patch ** 2 + PER_CANDIDATE);
}
