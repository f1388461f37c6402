/**
 * The part of the HR training images that a location draws from, close together in memory. Candidates are in the order of their
 * distances, so that reading their patches from whole images would miss the processor's caches.
 */
import type { Address, CandidateLists } from "../../core/kernel_arguments.ts";
import { areaOf } from "../../core/shape.ts";
import type { LayerData } from "../../core/types.ts";
import type { ExampleLayout } from "./addresses.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

/** Where the HR patches of candidates lie: see `CandidateLists`. */
export type PatchAddresses = Pick<CandidateLists, "rows" | "stride" | "plane" | "width" | "corners">;

/** Regions are worth copying if this many candidates, in the mean, are read from each image. With 1.04, copying costs a tenth of a synthesis. */
const MIN_READS = 2;

/**
 * Allocates room for the regions of a layer's locations, and returns a function that copies those of a location, where this is worth
 * it, and says where the patches lie. Regions of more than half an image save nothing: then the patches are left where they are.
 */
export function patchRegions(
  { kernels, hr, patch, channels }: LayerData,
  { mostRows, mostColumns }: Pick<Neighbourhood, "mostRows" | "mostColumns">,
  alongRows: boolean,
): (layout: ExampleLayout & { corners: Address }, candidates: number) => PatchAddresses {
  const plane = areaOf(hr), whole = { rows: hr.at, plane, width: hr.width };
  const most = (patch + 2 * (mostRows - 1)) * (patch + 2 * (mostColumns - 1));
  if (alongRows || 2 * most > plane) {
    return ({ hrStride, corners }) => ({ ...whole, stride: hrStride, corners });
  }
  const regions = kernels.allocate(hr.count * channels * most), corners = kernels.allocate(mostRows * mostColumns * 4);
  let copied = "";
  return (layout, candidates) => {
    const { segments, count, positionOf } = layout;
    if (candidates < MIN_READS * count) return { ...whole, stride: layout.hrStride, corners: layout.corners };
    const first = positionOf(0, 0), last = positionOf(segments - 1, 0);
    const height = last.y - first.y + patch, width = last.x - first.x + patch, region = height * width;
    const name = `${first.y} ${first.x} ${height} ${width}`;
    if (name !== copied) {
      const offset = first.y * hr.width + first.x;
      kernels.copyRegions(hr.at, count, hr.width, hr.height, channels, height, width, offset, regions);
      copied = name;
    }
    const offsets = kernels.u32(corners, segments);
    for (let segment = 0; segment < segments; segment++) {
      const { y, x } = positionOf(segment, 0);
      offsets[segment] = (y - first.y) * width + x - first.x;
    }
    return { rows: regions, stride: channels * region, plane: region, width, corners };
  };
}
