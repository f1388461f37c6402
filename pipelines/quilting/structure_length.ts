/** How large the structures of a texture are: bricks, stones, weaves. */
import type { Images } from "../../core/types.ts";
import type { Exemplars } from "./exemplars.ts";

/** A peak of the autocorrelation that rises by so much above what lies before it is a period of the texture. */
const PEAK = 0.12;
/** Without a period: the correlation down to which pixels are alike, and how much longer than that distance a structure is. */
const ALIKE = 0.2, TIMES = 4;

/**
 * Measures how large the structures of exemplars are, in pixels: by the autocorrelation of their brightness along rows and along
 * columns. Where that has a peak, its distance is the period. Stones of all sizes have none: they are some times as long as
 * the distance at which pixels are no longer alike. Found on twenty photographs of walls, weaves, stones and fruit. The longer of
 * both directions counts; at most half an exemplar's side.
 */
export function structureLength(exemplars: Exemplars): number {
  return Math.max(...DIRECTIONS.map((direction) => lengthFrom(autocorrelation(exemplars, direction))));
}

/**
 * The last of so many peaks tells a period to a part of a pixel: lines of text, bricks, weaves repeat that often. Their correlation is
 * 0.16 to 0.47; chance peaks of almonds and stones were below 0.12.
 */
const MIN_PEAKS = 3, MIN_CORRELATION = 0.15;

/**
 * The distance in pixels at which exemplars repeat themselves in a direction, to about a tenth of a pixel; undefined if they do not,
 * or fewer than four times.
 */
export function periodOf(exemplars: Exemplars, direction: "x" | "y"): number | undefined {
  const correlation = autocorrelation(exemplars, direction), first = lengthFrom(correlation);
  const isHigh = (lag: number) => isPeak(correlation, lag) && correlation[lag] >= MIN_CORRELATION;
  if (first < 3 || !isHigh(first)) return undefined;
  let period = first, peaks = 1;
  for (;;) {
    // The next peak lies within a quarter of the period around where it is expected.
    const expected = (peaks + 1) * period,
      from = Math.round(expected - first / 4),
      to = Math.round(expected + first / 4);
    if (to >= correlation.length - 1) return peaks >= MIN_PEAKS ? period : undefined;
    let best = from;
    for (let lag = from; lag <= to; lag++) if (correlation[lag] > correlation[best]) best = lag;
    if (!isHigh(best)) return peaks >= MIN_PEAKS ? period : undefined;
    // The top of the parabola through the peak and its neighbours.
    const [before, top, after] = [best - 1, best, best + 1].map((lag) => correlation[lag]);
    period = (best + (before - after) / (2 * (before - 2 * top + after) || 1)) / ++peaks;
  }
}

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

function isPeak(correlation: readonly number[], lag: number): boolean {
  return correlation[lag] >= correlation[lag - 1] && correlation[lag] > correlation[lag + 1];
}

const DIRECTIONS = ["x", "y"] as const;

/** Adds up the channels: count x height x width. */
function brightnessOf({ count, channels, height, width, values }: Exemplars): Float64Array {
  const area = height * width, sums = new Float64Array(count * area);
  for (let i = 0; i < values.length; i++) sums[Math.floor(i / (channels * area)) * area + i % area] += values[i];
  return sums;
}

/** The correlation of pixels that are 0, 1, ... pixels apart in a direction, up to half of its length. */
function autocorrelation(exemplars: Exemplars, direction: "x" | "y"): number[] {
  const { height, width } = exemplars, brightness = brightnessOf(exemplars), across = direction === "x";
  const length = across ? width : height, step = across ? 1 : width;
  const mean = brightness.reduce((sum, value) => sum + value, 0) / brightness.length;
  const found: number[] = [];
  for (let lag = 0; lag <= length >> 1; lag++) {
    let sum = 0, count = 0;
    const columns = across ? width - lag : width;
    for (let row = 0; row < brightness.length / width; row++) {
      if (!across && row % height + lag >= height) continue;
      for (let p = row * width; p < row * width + columns; p++) {
        sum += (brightness[p] - mean) * (brightness[p + lag * step] - mean);
      }
      count += columns;
    }
    found.push(sum / count);
  }
  return found.map((value) => found[0] > 0 ? value / found[0] : 0);
}

function lengthFrom(correlation: readonly number[]): number {
  const last = correlation.length - 1;
  let least = 1;
  for (let lag = 1; lag < last; lag++) {
    least = Math.min(least, correlation[lag]);
    if (isPeak(correlation, lag) && correlation[lag] >= least + PEAK) return lag;
  }
  const end = correlation.findIndex((value) => value < ALIKE);
  return end < 0 ? last : Math.min(TIMES * end, last);
}
