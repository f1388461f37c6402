/**
 * Tells the kernels where the examples of a location lie. No dictionary is built: an example is a list of addresses in the
 * training images, and examples at consecutive addresses make a segment, over which a kernel runs. A segment is all training
 * images at one offset (pixel planes hold a byte of each image), or, with `alongRows`, one image at consecutive offsets of a
 * row, which is faster where images are few.
 */
import type { Address } from "../../core/kernel_arguments.ts";
import type { PatchPosition } from "../../core/locations.ts";
import { halfOf, lengthOf } from "../../core/shape.ts";
import type { LayerData } from "../../core/types.ts";
import { PER_ADDRESS, PER_VALUE } from "./example_work.ts";
import { numberOf, type ScaledPixel } from "./lr_pixels.ts";
import type { Examples, Neighbourhood } from "./neighbourhood.ts";
import { type HeldRun, type PixelRuns, RUN, RUNS_FROM } from "./runs.ts";

/** Where the patch of an example lies: the training image and the patch's first pixel in its HR image. */
export interface ExamplePosition extends PatchPosition {
  readonly image: number;
}

/** How the examples of a location lie in segments. */
export interface ExampleLayout {
  readonly segments: number;
  /** Examples of a segment. */
  readonly count: number;
  /** Bytes from one example of a segment to the next: of its runs in the LR images, of its patch in the HR images. */
  readonly lrStride: number;
  readonly hrStride: number;
  positionOf(segment: number, example: number): ExamplePosition;
  /** The training image of an example. */
  imageOf(segment: number, example: number): number;
}

/** How many planes and runs the kernel compares at a location. */
export interface ComparedPixels {
  /** An even number, as the kernel wants it: the last one may be padding. */
  readonly planes: number;
  readonly runs: number;
  /** Values of a query: one for each plane and for each byte of a run. */
  readonly values: number;
}

/** The tables of addresses of one location, in kernel memory. */
export interface ExampleAddresses {
  /** For each segment the u32 addresses of its planes, then those of its first example's runs. */
  readonly table: Address;
  /** For each value of a query the i16 that it is multiplied by, 0 where it does not count. */
  readonly scale: Address;
  /** For each value of a query the u32 number of its pixel in an LR image of the batch. */
  readonly numbers: Address;
  /** For each segment the u32 offset of its first example's first pixel in the HR training images. */
  readonly corners: Address;
  /** The most planes and values that a location has. */
  readonly mostPlanes: number;
  readonly mostValues: number;
  /** Writes the corners of a location's examples. */
  locate(location: PatchPosition, examples: Examples): ExampleLayout;
  /** Writes what is compared at a location: `pixels` as planes and, where there are many or `withRuns` is set, as runs, too. */
  compare(
    location: PatchPosition,
    layout: ExampleLayout,
    pixels: readonly ScaledPixel[],
    withRuns: boolean,
  ): ComparedPixels;
}

/** A layer and the tables of its present location. */
interface AddressTables extends Pick<ExampleAddresses, "table" | "scale" | "numbers" | "corners"> {
  readonly layer: LayerData;
  readonly runs: PixelRuns;
  readonly alongRows: boolean;
  /** What the table holds, where that may be asked again. */
  written: string;
}

/**
 * Allocates the tables of a layer.
 *
 * @param pixels All pixels of an LR patch and its context, and `runs`, the runs that they make.
 * @param alongRows Whether a segment is one image along a row. Only the order of equally near examples depends on it. Mirrored
 * pixels cannot be used with it: along a row they move the other way.
 */
export function exampleAddresses(
  layer: LayerData,
  pixels: readonly ScaledPixel[],
  runs: PixelRuns,
  { mostRows, mostColumns }: Neighbourhood,
  alongRows: boolean,
): ExampleAddresses {
  const { kernels, hr } = layer;
  const mostPlanes = pixels.length + 1;
  const mostValues = mostPlanes + RUN * runs.count;
  const mostSegments = mostRows * (alongRows ? hr.count : mostColumns);
  const tables = {
    layer,
    runs,
    alongRows,
    table: kernels.allocate(mostSegments * (mostPlanes + runs.count) * 4),
    scale: kernels.allocate(mostValues * 2),
    numbers: kernels.allocate(mostValues * 4),
    corners: kernels.allocate(mostSegments * 4),
    written: "",
  };
  return {
    table: tables.table,
    scale: tables.scale,
    numbers: tables.numbers,
    corners: tables.corners,
    mostPlanes,
    mostValues,
    locate: (location, examples) => writeCorners(tables, location, examples),
    compare: (location, layout, used, withRuns) => writeCompared(tables, location, layout, used, withRuns),
  };
}

/** Writes the first pixel of each segment, and returns how the examples of a location lie in segments. */
function writeCorners(
  { layer, layer: { kernels, hr }, alongRows, corners }: AddressTables,
  location: PatchPosition,
  examples: Examples,
): ExampleLayout {
  const layout = alongRows ? rowLayout(layer, location, examples) : imageLayout(layer, location, examples);
  const offsets = kernels.u32(corners, layout.segments);
  const inHr = lengthOf(hr);
  for (let segment = 0; segment < layout.segments; segment++) {
    const { image, y, x } = layout.positionOf(segment, 0);
    offsets[segment] = image * inHr + y * hr.width + x;
  }
  return layout;
}

/** A segment is all training images at one offset. */
function imageLayout({ hr, lr }: LayerData, { y, x }: PatchPosition, { dys, dxs }: Examples): ExampleLayout {
  return {
    segments: dys.length * dxs.length,
    count: hr.count,
    lrStride: lengthOf(lr),
    hrStride: lengthOf(hr),
    positionOf: (segment, example) => {
      const dy = dys[Math.floor(segment / dxs.length)];
      const dx = dxs[segment % dxs.length];
      return { image: example, y: y + 2 * dy, x: x + 2 * dx };
    },
    imageOf: (_segment, example) => example,
  };
}

/** A segment is one training image at the consecutive offsets of a row. */
function rowLayout({ hr }: LayerData, { y, x }: PatchPosition, { dys, dxs }: Examples): ExampleLayout {
  const imageOf = (segment: number) => Math.floor(segment / dys.length);
  return {
    segments: hr.count * dys.length,
    count: dxs.length,
    lrStride: 1,
    hrStride: 2,
    positionOf: (segment, example) => {
      return { image: imageOf(segment), y: y + 2 * dys[segment % dys.length], x: x + 2 * dxs[example] };
    },
    imageOf,
  };
}

/** Writes what is compared at a location: the values of a query, and where the examples have theirs. */
function writeCompared(
  tables: AddressTables,
  location: PatchPosition,
  layout: ExampleLayout,
  pixels: readonly ScaledPixel[],
  withRuns: boolean,
): ComparedPixels {
  const planes = pixels.length + pixels.length % 2;
  const runs = withRuns || pixels.length >= RUNS_FROM ? tables.runs.holding(pixels) : [];
  const lanes = runs.flatMap((run) => run.lanes);
  const padding = planes > pixels.length ? [undefined] : [];
  writeValues(tables, location, [...pixels, ...padding, ...lanes], pixels[pixels.length - 1]);
  tables.layer.kernels.addWork(PER_VALUE * (planes + lanes.length));

  // Away from the edges the locations of a texture have the same examples, so that the table of the last one will do: what
  // is compared follows from where the examples begin (an odd HR pixel leaves room for one less) and how many there are.
  const { y, x } = layout.positionOf(0, 0);
  const content = [y, x, layout.segments, layout.count, pixels.length].join();
  if (!tables.alongRows || content !== tables.written) {
    tables.written = content;
    writeTable(tables, layout, pixels, runs);
  }
  return { planes, runs: runs.length, values: planes + lanes.length };
}

/** Writes what each value of a query is: pixels that do not count repeat the last one, with a scale of 0. */
function writeValues(
  { layer, layer: { kernels }, numbers, scale }: AddressTables,
  location: PatchPosition,
  values: readonly (ScaledPixel | undefined)[],
  last: ScaledPixel,
): void {
  const low = halfOf(layer);
  const y = location.y >> 1;
  const x = location.x >> 1;
  const pixelNumbers = kernels.u32(numbers, values.length);
  const factors = kernels.i16(scale, values.length);
  values.forEach((pixel, i) => {
    pixelNumbers[i] = numberOf(pixel ?? last, y, x, low);
    factors[i] = pixel?.scale ?? 0;
  });
}

/** Writes the addresses of each segment's planes, the last of them once more where their number is odd, and of its runs. */
function writeTable(
  { layer: { kernels, lr }, alongRows, table }: AddressTables,
  { segments, positionOf }: ExampleLayout,
  pixels: readonly ScaledPixel[],
  runs: readonly HeldRun[],
): void {
  const inLr = lengthOf(lr);
  const planes = pixels.length + pixels.length % 2;
  const last = pixels[pixels.length - 1];
  const perSegment = planes + runs.length, firsts = new Float64Array(perSegment), mirrored = new Uint8Array(perSegment);
  for (let p = 0; p < perSegment; p++) {
    const pixel = p < planes ? pixels[p] ?? last : runs[p - planes].first;
    firsts[p] = numberOf(pixel, 0, 0, lr);
    mirrored[p] = pixel.mirrored ? 1 : 0;
  }
  const addresses = kernels.u32(table, segments * perSegment);
  for (let segment = 0, at = 0; segment < segments; segment++) {
    const { image, y, x } = positionOf(segment, 0);
    const rows = lr.rows + image * inLr;
    const [firstPlane, stride] = alongRows ? [rows, 1] : [lr.at, lr.stride];
    // Further to the right, the column of a mirrored pixel is further to the left.
    const above = (y >> 1) * lr.width, right = above + (x >> 1), left = above - (x >> 1);
    for (let p = 0; p < perSegment; p++) {
      const number = firsts[p] + (mirrored[p] ? left : right);
      addresses[at++] = p < planes ? firstPlane + number * stride : rows + number;
    }
  }
  kernels.addWork(PER_ADDRESS * addresses.length);
}
