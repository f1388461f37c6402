/** The colours of a pack's pictures, to paint with. */
import type { Colour } from "../../../datasets/formats/colour.ts";
import { areaOf } from "../../../core/shape.ts";
import type { OpenedPack } from "../worker/protocol.ts";

/** The most colours that are offered. */
const MOST = 8;

/** Colours are counted in cubes of so many levels of red, green and blue. */
const CUBE = 32;

/** The part of the pixels that a cube of colours needs to count as one of the pictures' own. */
const COMMON = 0.002;

/** Colours nearer to each other than this look alike. */
const ALIKE = 40;

/** Some pixels of similar colours. */
interface Cluster {
  readonly count: number;
  readonly colour: Colour;
}

/** What is known of the colours of a pack. */
export type ColouredPack = Pick<OpenedPack, "examples" | "exampleShape" | "transparent">;

/** Returns the colours that are common in a pack's first examples, each channel 0..255, without transparent pixels; none of grey packs. */
export function commonColours({ examples, exampleShape, transparent }: ColouredPack): readonly Colour[] {
  if (exampleShape.channels !== 3) return [];
  const clusters = clustersOf(examples.flatMap(({ pictures }) => pictures), areaOf(exampleShape), transparent);
  const total = clusters.reduce((sum, { count }) => sum + count, 0);
  return clusters.filter(({ count }) => count >= COMMON * total).map(({ colour }) => colour);
}

/** Chooses some of the common colours: the most saturated one first, then always the one that is farthest from those before. */
export function paletteOf(common: readonly Colour[]): readonly Colour[] {
  const chosen: Colour[] = [];
  for (let next = best(common, saturation); next && chosen.length < MOST;) {
    chosen.push(next);
    const distance = (one: Colour) => Math.min(...chosen.map((other) => distanceOf(one, other)));
    next = best(common.filter((one) => distance(one) > ALIKE), distance);
  }
  return chosen;
}

/** The colour of an opaque square may be this much farther from a common colour than that of a clear one. */
const CLEAR = 80;

/** Squares that are less opaque have no colour. */
const LEAST_OPACITY = 0.15;

/**
 * Tells the colour and the opacity, 0..1, of a pixel that is the mean of opaque pixels of pixel art and of the colour that stands for
 * transparent ones: those with which one of the common colours comes nearest to the pixel, or if none comes near, the mean of two
 * or three of the palette. Else its magenta would tint it.
 */
export function unmixed(
  pixel: Colour,
  transparent: Colour,
  common: readonly Colour[],
): { colour: Colour; opacity: number } {
  const opacity = opacityOf(pixel, transparent, common) ?? opacityOf(pixel, transparent, meansOf(common)) ?? 1;
  if (opacity < LEAST_OPACITY) return { colour: pixel, opacity: 0 };
  const [red, green, blue] = pixel.map((value, c) => {
    return Math.min(255, Math.max(0, (value - (1 - opacity) * transparent[c]) / opacity));
  });
  return { colour: [red, green, blue], opacity };
}

/** The opacity with which one of the colours comes nearest to a pixel; undefined if none comes near. */
function opacityOf(pixel: Colour, transparent: Colour, colours: readonly Colour[]): number | undefined {
  const from = differenceOf(pixel, transparent);
  let least = Infinity, found: number | undefined;
  for (const colour of colours) {
    const way = differenceOf(colour, transparent);
    const opacity = Math.min(1, Math.max(0, productOf(way, from) / (productOf(way, way) || 1)));
    const off = Math.hypot(from[0] - opacity * way[0], from[1] - opacity * way[1], from[2] - opacity * way[2]);
    const cost = off + CLEAR * (1 - opacity);
    if (off > ALIKE || cost >= least) continue;
    least = cost;
    found = opacity;
  }
  return found;
}

/** The means of two and of three colours of the palette, by the common colours that it is chosen from. */
const meansByCommon = new WeakMap<readonly Colour[], readonly Colour[]>();

function meansOf(common: readonly Colour[]): readonly Colour[] {
  const known = meansByCommon.get(common);
  if (known) return known;
  const palette = paletteOf(common), made: Colour[] = [];
  palette.forEach((first, i) => {
    palette.slice(0, i).forEach((second, j) => {
      made.push(meanOf(first, second), ...palette.slice(0, j).map((third) => meanOf(first, second, third)));
    });
  });
  meansByCommon.set(common, made);
  return made;
}

function meanOf(...colours: readonly Colour[]): Colour {
  const [red, green, blue] = [0, 1, 2].map((c) => colours.reduce((sum, one) => sum + one[c], 0) / colours.length);
  return [red, green, blue];
}

/** The colour that stands for transparent pixels of pixel art, and the common colours that it is mixed with. */
export interface Transparency {
  readonly colour: Colour;
  readonly common: readonly Colour[];
}

/** What is known of the transparent pixels of packs: to count their colours for each picture would take long. */
const transparencyByPack = new WeakMap<ColouredPack, Transparency>();

/** Returns what is known of the transparent pixels of a pack; undefined if it has none. */
export function transparencyOf(pack: ColouredPack): Transparency | undefined {
  if (!pack.transparent) return undefined;
  const known = transparencyByPack.get(pack) ?? { colour: pack.transparent, common: commonColours(pack) };
  transparencyByPack.set(pack, known);
  return known;
}

function clustersOf(pictures: readonly Uint8Array[], area: number, transparent: Colour | undefined): Cluster[] {
  const sums = new Map<number, [count: number, ...Colour]>();
  for (const bytes of pictures) {
    for (let p = 0; p < area; p++) {
      const colour = [bytes[p], bytes[p + area], bytes[p + 2 * area]] as const;
      if (transparent?.every((value, c) => value === colour[c])) continue;
      const cube = colour.reduce((all, value) => all * (256 / CUBE) + Math.floor(value / CUBE), 0);
      const [count, ...sum] = sums.get(cube) ?? [0, 0, 0, 0];
      sums.set(cube, [count + 1, sum[0] + colour[0], sum[1] + colour[1], sum[2] + colour[2]]);
    }
  }
  return [...sums.values()].map(([count, ...sum]) => {
    const [red, green, blue] = sum.map((one) => Math.round(one / count));
    return { count, colour: [red, green, blue] };
  });
}

/** The one with the greatest value, the first of equals; undefined if there are none. */
function best(colours: readonly Colour[], valueOf: (colour: Colour) => number): Colour | undefined {
  return colours.reduce<Colour | undefined>(
    (most, one) => most && valueOf(most) >= valueOf(one) ? most : one,
    undefined,
  );
}

function saturation(colour: Colour): number {
  return Math.max(...colour) - Math.min(...colour);
}

function distanceOf(one: Colour, other: Colour): number {
  return Math.hypot(...differenceOf(one, other));
}

function differenceOf(one: Colour, other: Colour): Colour {
  return [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
}

function productOf(one: Colour, other: Colour): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}
