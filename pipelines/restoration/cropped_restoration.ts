/** Crops restorations to the size of the pictures, where the profile's size is larger. */
import { margin } from "../../core/pyramid.ts";
import { areaOf, sameShape, type Size } from "../../core/shape.ts";
import type { Baseline } from "./baselines.ts";
import type { RestorationRequest } from "./restore.ts";

/** What was restored, and the baseline. */
export interface Restored {
  readonly request: RestorationRequest;
  /** For each image its samples. */
  readonly restored: readonly (readonly Uint8Array[])[];
  readonly baseline: Baseline;
}

/** Cuts the middle out of all images, and changes the finest size of the plan. */
export function croppedTo(size: Size, { request, restored, baseline }: Restored): Restored {
  const { plan, degraded, known } = request, [full, ...coarser] = plan.sizes;
  if (sameShape(full, size)) return { request, restored, baseline };
  const cut = <T extends Uint8Array | Float32Array>(values: T) => cutOut(values, full, size);
  return {
    request: {
      ...request,
      plan: { ...plan, sizes: [size, ...coarser] },
      known: cut(known),
      degraded: degraded.map(({ observed, truth, ...image }) => {
        return { ...image, observed: cut(observed), ...truth && { truth: cut(truth) } };
      }),
    },
    restored: restored.map((samples) => samples.map(cut)),
    baseline: { ...baseline, images: baseline.images.map(cut) },
  };
}

function cutOut<T extends Uint8Array | Float32Array>(values: T, full: Size, size: Size): T {
  const planes = values.length / areaOf(full), { top, left } = margin(full, size);
  const out = new (values.constructor as new (length: number) => T)(planes * areaOf(size));
  for (let row = 0; row < planes * size.height; row++) {
    const plane = Math.floor(row / size.height), from = plane * full.height + row % size.height - top;
    out.set(values.subarray(from * full.width - left, from * full.width - left + size.width), row * size.width);
  }
  return out;
}
