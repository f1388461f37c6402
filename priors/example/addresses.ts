/**
 * Tells the kernels where the examples of a location lie. No dictionary is built: an example is a list of addresses in the
 * training images, and examples at consecutive addresses make a segment, over which a kernel runs. A segment is all training
 * images at one offset (pixel planes hold a byte of each image), or, with `alongRows`, one image at consecutive offsets of a
 * row, which is faster where images are few.
 */
import type { Address } from "../../core/kernel_functions.ts";
import type { PatchPosition } from "../../core/locations.ts";
import { halfOf, lengthOf } from "../../core/shape.ts";
import type { LayerData } from "../../core/types.ts";
import { numberOf, type ScaledPixel } from "./lr_pixels.ts";
import type { Examples, Neighbourhood } from "./neighbourhood.ts";
import { type PixelRuns, RUN, RUNS_FROM } from "./runs.ts";

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
  locate(at: PatchPosition, examples: Examples): ExampleLayout;
  /** Writes what is compared at a location: `pixels` as planes and, where there are many or `withRuns` is set, as runs, too. */
  compare(
    at: PatchPosition,
    layout: ExampleLayout,
    pixels: readonly ScaledPixel[],
    withRuns: boolean,
  ): ComparedPixels;
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
  const { kernels, hr, lr } = layer, low = halfOf(layer), inHr = lengthOf(hr), inLr = lengthOf(lr);
  const mostPlanes = pixels.length + 1, mostValues = mostPlanes + RUN * runs.count;
  const mostSegments = mostRows * (alongRows ? hr.count : mostColumns);
  const table = kernels.allocate(mostSegments * (mostPlanes + runs.count) * 4);
  const corners = kernels.allocate(mostSegments * 4);
  const numbers = kernels.allocate(mostValues * 4), scale = kernels.allocate(mostValues * 2);
  let written = "";

  const layoutOf = (at: PatchPosition, { dys, dxs }: Examples): ExampleLayout => {
    const position = (image: number, dy: number, dx: number) => ({ image, y: at.y + 2 * dy, x: at.x + 2 * dx });
    if (alongRows) {
      return {
        segments: hr.count * dys.length,
        count: dxs.length,
        lrStride: 1,
        hrStride: 2,
        positionOf: (segment, example) => {
          return position(Math.floor(segment / dys.length), dys[segment % dys.length], dxs[example]);
        },
        imageOf: (segment) => Math.floor(segment / dys.length),
      };
    }
    return {
      segments: dys.length * dxs.length,
      count: hr.count,
      lrStride: inLr,
      hrStride: inHr,
      positionOf: (segment, example) => {
        return position(example, dys[Math.floor(segment / dxs.length)], dxs[segment % dxs.length]);
      },
      imageOf: (_segment, example) => example,
    };
  };

  /** Writes what each value of a query is: pixels that do not count repeat the last one, with a scale of 0. */
  const writeValues = (at: PatchPosition, values: readonly (ScaledPixel | undefined)[], last: ScaledPixel) => {
    const y = at.y >> 1, x = at.x >> 1;
    const pixelNumbers = kernels.u32(numbers, values.length), factors = kernels.i16(scale, values.length);
    values.forEach((pixel, i) => {
      pixelNumbers[i] = numberOf(pixel ?? last, y, x, low);
      factors[i] = pixel?.scale ?? 0;
    });
  };

  return {
    table,
    scale,
    numbers,
    corners,
    mostPlanes,
    mostValues,
    locate(at, examples) {
      const layout = layoutOf(at, examples), first = kernels.u32(corners, layout.segments);
      for (let segment = 0; segment < layout.segments; segment++) {
        const { image, y, x } = layout.positionOf(segment, 0);
        first[segment] = image * inHr + y * hr.width + x;
      }
      return layout;
    },
    compare(at, { segments, count, positionOf }, used, withRuns) {
      const planes = used.length + used.length % 2, last = used[used.length - 1], counted = new Set(used);
      const usedRuns = withRuns || used.length >= RUNS_FROM ? runs.holding(used) : [];
      const lanes = usedRuns.flatMap((run) =>
        run.lanes.map((pixel) => pixel && counted.has(pixel) ? pixel : undefined)
      );
      writeValues(at, [...used, ...planes > used.length ? [undefined] : [], ...lanes], last);
      const compared = { planes, runs: usedRuns.length, values: planes + lanes.length };

      // Away from the edges the locations of a texture have the same examples, so that the table of the last one will do: what
      // is compared follows from where the examples begin (an odd HR pixel leaves room for one less) and how many there are.
      const { y, x } = positionOf(0, 0), key = [y, x, segments, count, used.length].join();
      if (alongRows && key === written) return compared;
      written = key;
      const perSegment = planes + usedRuns.length;
      for (let segment = 0; segment < segments; segment++) {
        const { image, y, x } = positionOf(segment, 0), rows = lr.rows + image * inLr;
        const number = (pixel: ScaledPixel) => numberOf(pixel, y >> 1, x >> 1, lr);
        const [firstPlane, stride] = alongRows ? [rows, 1] : [lr.at, lr.stride];
        const addresses = kernels.u32(table + segment * perSegment * 4, perSegment);
        for (let p = 0; p < planes; p++) addresses[p] = firstPlane + number(used[p] ?? last) * stride;
        usedRuns.forEach(({ lanes: [first] }, r) => addresses[planes + r] = rows + number(first!));
      }
      return compared;
    },
  };
}
