/** The training images of a layer pixel by pixel. */
import { lengthOf } from "./shape.ts";
import type { LayerData, Planes } from "./types.ts";

/** Returns the planes that a layer has, or else makes them, in kernel memory that the caller frees. */
export function hrPlanesOf({ kernels, hr, hrPlanes }: LayerData): Planes {
  if (hrPlanes) return hrPlanes;
  const { at: rows, ...shape } = hr;
  const length = lengthOf(hr), stride = Math.ceil(hr.count / 16) * 16, at = kernels.allocate(stride * length);
  kernels.toPlanes(rows, hr.count, length, at, stride);
  return { ...shape, at, stride, rows };
}
