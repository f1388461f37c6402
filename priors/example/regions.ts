/**
 * The part of the HR training images that a location draws from, close together in memory. Candidates are in the order of their
 * distances, so that reading their patches from whole images would miss the processor's caches.
 */
import type { Address, CandidateLists } from "../../core/kernel_arguments.ts";
import { hrPlanesOf } from "../../core/hr_planes.ts";
import { areaOf } from "../../core/shape.ts";
import type { LayerData } from "../../core/types.ts";
import type { ExampleLayout } from "./addresses.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

/** Where the HR patches of candidates lie: see `CandidateLists`. */
export type PatchAddresses = Pick<CandidateLists, "rows" | "stride" | "plane" | "width" | "corners">;

/** Regions are worth copying if this many candidates, in the mean, are read from each image. */
const MIN_READS = 2;

/**
 * Allocates room for the regions of a layer's locations, and returns a function that copies those of a location, where this is worth
 * it, and says where the patches lie. Regions of more than half an image save nothing: then the patches are left where they are.
 *
 * @param most The most candidates that are read at a location.
 */
export function patchRegions(
  layer: LayerData,
  { mostRows, mostColumns }: Pick<Neighbourhood, "mostRows" | "mostColumns">,
  alongRows: boolean,
  most: number,
): (layout: ExampleLayout & { corners: Address }, candidates: number) => PatchAddresses {
  const { kernels, hr, patch, channels } = layer, plane = areaOf(hr), whole = { rows: hr.at, plane, width: hr.width };
  const largest = (patch + 2 * (mostRows - 1)) * (patch + 2 * (mostColumns - 1));
  if (alongRows || 2 * largest > plane || most < MIN_READS * hr.count) {
    return ({ hrStride, corners }) => ({ ...whole, stride: hrStride, corners });
  }
  const planes = hrPlanesOf(layer), regions = kernels.allocate(hr.count * channels * largest);
  const corners = kernels.allocate(mostRows * mostColumns * 4), table = kernels.allocate(channels * largest * 4);
  let copied = "";
  return (layout, candidates) => {
    const { segments, count, positionOf } = layout;
    if (candidates < MIN_READS * count) return { ...whole, stride: layout.hrStride, corners: layout.corners };
    const first = positionOf(0, 0), last = positionOf(segments - 1, 0);
    const height = last.y - first.y + patch, width = last.x - first.x + patch, region = height * width;
    const name = `${first.y} ${first.x} ${height} ${width}`;
    if (name !== copied) {
      const addresses = kernels.u32(table, channels * region);
      for (let p = 0; p < addresses.length; p++) {
        const row = Math.floor(p / width), channel = Math.floor(row / height), y = first.y + row % height;
        addresses[p] = planes.at + ((channel * hr.height + y) * hr.width + first.x + p % width) * planes.stride;
      }
      kernels.toRows(table, addresses.length, count, regions);
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
