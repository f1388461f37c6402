/** Says which sizes tile better, where the exemplars repeat themselves and the size of the images does not fit. */
import type { Size } from "../../core/shape.ts";
import type { Tile } from "../../core/tiling.ts";
import type { Images } from "../../core/types.ts";
import { periodOf } from "./structure_length.ts";

/**
 * A side that is off a whole number of periods by more than this part of one gets a hint. Of text with lines of 12.0 pixels,
 * heights of 10.0 lines tile; at 10.3, 10.7 and 11.7 lines one line was garbled.
 */
const MAX_OFF = 0.15;
/** Sizes are looked for up to this part above and below the requested one. */
const REACH = 0.25;

/** The distances in pixels at which exemplars repeat themselves, of each direction in which they do. */
export interface Periods {
  readonly x?: number;
  readonly y?: number;
}

/** Measures the periods of exemplars. It takes half a second for 384x384 pixels. */
export function periodsOf(train: Images): Periods {
  const { channels = 1, pixels } = train;
  const exemplars = { ...train, channels, values: Float32Array.from(pixels, (byte) => byte / 255) };
  return { x: periodOf(exemplars, "x"), y: periodOf(exemplars, "y") };
}

/**
 * Returns a sentence for images that tile in a size that holds no whole number of the exemplars' periods, where a size near it does;
 * undefined for others.
 *
 * @param unit sizes are multiples of it
 */
export function tilingHint(periods: Periods, size: Size, tile: Tile, unit: number): string | undefined {
  const better = (["x", "y"] as const).flatMap((direction) => {
    if (tile !== "both" && tile !== direction) return [];
    const period = periods[direction];
    const [name, own] = direction === "x" ? ["width", size.width] as const : ["height", size.height] as const;
    const side = period === undefined ? own : bestSide(own, period, unit);
    if (side === own) return [];
    return [
      `every ${
        period!.toFixed(1)
      } pixels in ${direction}: a ${name} of ${side} holds whole repetitions and tiles better`,
    ];
  });
  return better.length === 0 ? undefined : `The exemplar repeats itself ${better.join(", and ")}`;
}

/** The multiple of `unit` nearest to `own` that holds about a whole number of periods; `own` if it does, or if there is none near. */
function bestSide(own: number, period: number, unit: number): number {
  const off = (side: number) => Math.abs(side / period - Math.round(side / period));
  if (off(own) <= MAX_OFF) return own;
  for (let by = unit; by <= REACH * own; by += unit) {
    const fits = [own + by, own - by].filter((side) => off(side) <= MAX_OFF / 2);
    if (fits.length > 0) return fits[0];
  }
  return own;
}
