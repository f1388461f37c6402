/**
 * The projection that may end a layer: iterations whose z-step takes the nearest patch of the training images at the same place,
 * z_i = argmin |R_i X + u_i - D_HR(j)|, over all of them and whatever the LR image. It is not in the paper, whose patches are
 * drawn by their LR patches: where draws that overlap disagree, their average is a patch that no training image has. These
 * iterations of the same ADMM find patches that agree.
 */
import { copyLists, moveDistinctToFront } from "./distinct_queries.ts";
import { hrPlanesOf } from "./hr_planes.ts";
import type { Address } from "./kernel_arguments.ts";
import { MAX_BYTES_COMPARED, MAX_DISTANCE, MAX_SCALE, searchScratch } from "./kernel_limits.ts";
import { readWork, searchWork } from "./kernel_work.ts";
import { areaOf, lengthOf } from "./shape.ts";
import type {
  CostQuestion,
  DrawOutput,
  FittedPrior,
  LayerData,
  LayerOutline,
  Location,
  Measurements,
  Planes,
  Prior,
} from "./types.ts";

/** The parameters of the iterations that project: X is the average of the patches alone. The z-step needs no rho and no h. */
export const PROJECTING = { rho: 1, lambda: 0, h: 1, offset: [0, 0] } as const;

/**
 * The z-step of a projection, as a prior that has no choice. Its fit takes kernel memory for the training images of the layer,
 * pixel by pixel, once more.
 */
export const projector = {
  fit,
  cost: ({ hr: { count }, channels, patch }: LayerOutline, { batch }: Pick<CostQuestion, "batch">) => ({
    fit: 0,
    draw: () => readWork(count) / batch + searchWork(channels * patch ** 2, count, 1),
  }),
} satisfies Prior;

/** What is compared at every location, and the memory that the draws of a layer share. */
interface FittedProjector {
  readonly layer: LayerData;
  /** Values of a patch. */
  readonly inPatch: number;
  /** The training images, pixel by pixel. */
  readonly planes: Planes;
  /** Arguments of the kernel `search`, and of `toQueries`. */
  readonly table: Address;
  readonly scale: Address;
  readonly numbers: Address;
  readonly queries: Address;
  readonly scratch: Address;
  /** The nearest patch of each image: `batch` u64, as `search` writes them. */
  readonly keys: Address;
  /** Arguments of the kernel `takePatches`: zeros, as there is one candidate only. */
  readonly weights: Address;
  readonly drawn: Address;
  readonly corner: Address;
  readonly taken: Address;
}

/** @throws RangeError where a patch has more values than the search can compare: all distances would be 0. */
function fit(layer: LayerData): FittedPrior {
  const { kernels, hr, patch, batch } = layer;
  const inPatch = hr.channels * patch * patch;
  if (inPatch > MAX_BYTES_COMPARED) {
    const most = `patches of at most ${MAX_BYTES_COMPARED} values`;
    throw new RangeError(`Cannot project: expected ${most}, got ${inPatch}: set projection to 0, or a smaller patch`);
  }
  const fitted = {
    layer,
    inPatch,
    planes: hrPlanesOf(layer),
    table: kernels.allocate(inPatch * 4),
    scale: kernels.allocate(inPatch * 2),
    numbers: kernels.allocate(inPatch * 4),
    queries: kernels.allocate(batch * inPatch * 2),
    scratch: kernels.allocate(searchScratch(inPatch, batch, 1)),
    keys: kernels.allocate(batch * 8),
    weights: kernels.allocate(batch * 8),
    drawn: kernels.allocate(batch * 4),
    corner: kernels.allocate(4),
    taken: kernels.allocate(batch * 8),
  };
  kernels.u32(fitted.numbers, inPatch).forEach((_, p, all) => all[p] = p);
  kernels.i16(fitted.scale, inPatch).fill(Math.min(Math.floor(Math.sqrt(MAX_DISTANCE / inPatch) / 255), MAX_SCALE));
  return {
    draw: (location, measurements, _step, _random, out) => draw(fitted, location, measurements, out),
    // Whatever else was farther away changes nothing.
    compared: (image, name) => name(kernels.u32(fitted.keys + image * 8, 1)[0]),
  };
}

/** Takes the nearest patch of each image. */
function draw(fitted: FittedProjector, location: Location, { batch, patches }: Measurements, out: DrawOutput): void {
  const { layer: { kernels, hr, patch }, inPatch, table, scale, numbers, queries, scratch, keys } = fitted;
  const { weights, drawn, corner, taken } = fitted;
  const { y, x } = location;
  writeTable(fitted, location);
  kernels.toQueries(patches.byteOffset, inPatch, batch, numbers, scale, inPatch, queries);
  // Of the images of digits more than half have the query of the one before: a black patch (52 % of 32,768, with `digits` on 128 threes).
  const queryOf = moveDistinctToFront(kernels.i16(queries, batch * inPatch), batch);
  const different = 1 + queryOf[batch - 1];
  const examples = { table, scale, queries, planes: inPatch, count: hr.count, segments: 1, batch: different, scratch };
  kernels.search(examples, 1, 0, keys);
  copyLists(kernels.u8(keys, batch * 8), queryOf);
  kernels.u32(corner, 1)[0] = y * hr.width + x;
  const lists = { weights, capacity: 1, found: 1, batch, keys, rows: hr.at, count: hr.count, stride: lengthOf(hr) };
  const images = { channels: hr.channels, plane: areaOf(hr), width: hr.width, corners: corner, patch };
  kernels.takePatches({ ...lists, ...images }, drawn, out.patches.byteOffset, taken);
  const pairs = kernels.i32(taken, batch * 2); // (example, segment) of each image
  for (let b = 0; b < batch; b++) out.sources.set([pairs[2 * b], y, x], 3 * b);
}

/** Writes where the pixels of the patches at a location lie. */
function writeTable({ layer: { kernels, hr, patch }, inPatch, planes, table }: FittedProjector, at: Location) {
  const addresses = kernels.u32(table, inPatch);
  for (let p = 0; p < inPatch; p++) {
    const row = Math.floor(p / patch);
    const channel = Math.floor(row / patch);
    addresses[p] = planes.at +
      ((channel * hr.height + at.y + row % patch) * hr.width + at.x + p % patch) * planes.stride;
  }
}
