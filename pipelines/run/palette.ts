/** The distinct colours of training images, and the nearest of them to another colour. */
import type { Kernels } from "../../core/kernels.ts";
import type { WorkCounter } from "../../core/kernel_work.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import type { Rows } from "../../core/types.ts";

/** To list the colour of a pixel takes some 100 nanoseconds, to compare two colours some 3. */
export const PER_LISTED = 1000;
const PER_COMPARED = 30;

/** The sides of the cubes into which the colours are divided, and their number on each axis. */
const SIDE = 8, CUBES = 256 / SIDE;
/** So few colours are compared one after another. */
const FEW = 500;

/** Colours, each as one number: 256 * (256 * red + green) + blue, or grey. */
export interface Palette {
  /**
   * The colour of the least squared distance to another; of several that are as near, the one that training images have first.
   *
   * @param own its channels, 0..255
   * @param counter counts the work
   */
  nearest(own: readonly number[], counter: Pick<WorkCounter, "addWork">): number;
}

/** The palettes of training images. */
const palettesByImages = new WeakMap<Rows, Palette>();

/** Returns the palette of training images, which is made once. */
export function* paletteOf(kernels: Kernels, training: Rows): Steps<Palette> {
  const kept = palettesByImages.get(training);
  if (kept) return kept;
  const colours = yield* coloursOf(kernels, training);
  const made = colours.length > FEW ? cubedPalette(colours) : { nearest: nearestOf(colours) };
  palettesByImages.set(training, made);
  return made;
}

/** The distinct colours of images, in the order in which they are there. */
function* coloursOf(kernels: Kernels, training: Rows): Steps<Uint32Array> {
  const area = areaOf(training), length = lengthOf(training), found = new Set<number>();
  for (let image = 0; image < training.count; image++) {
    const bytes = kernels.u8(training.at + image * length, length);
    for (let p = 0; p < area; p++) {
      let colour = 0;
      for (let channel = 0; channel < training.channels; channel++) colour = colour * 256 + bytes[channel * area + p];
      found.add(colour);
    }
    kernels.addWork(PER_LISTED * area);
    yield PROGRESS;
  }
  return Uint32Array.from(found);
}

/** Compares all colours. */
function nearestOf(colours: Uint32Array): Palette["nearest"] {
  return (own, { addWork }) => {
    let best = colours[0], least = Infinity;
    for (const colour of colours) {
      const distance = distanceOf(colour, own);
      if (distance < least) [best, least] = [colour, distance];
    }
    addWork(PER_COMPARED * colours.length);
    return best;
  };
}

/** Divides colours of three channels into cubes, and compares those of the cubes that are near enough. */
function cubedPalette(colours: Uint32Array): Palette {
  const cubes = new Map<number, number[]>();
  colours.forEach((colour, i) => {
    const at = cubeAt(colour >> 16, colour >> 8 & 255, colour & 255), cube = cubes.get(at);
    if (cube) cube.push(i);
    else cubes.set(at, [i]);
  });
  return {
    nearest(own, { addWork }) {
      const middle = own.map((value) => Math.floor(value / SIDE));
      let best = -1, least = Infinity, compared = 0;
      // Colours of cubes that lie `away` cubes from that of the colour differ from it by more than (away - 1) * SIDE.
      for (let away = 0; away < CUBES && (away === 0 || least > ((away - 1) * SIDE) ** 2); away++) {
        for (const at of cubesAway(middle, away)) {
          for (const i of cubes.get(at) ?? []) {
            const distance = distanceOf(colours[i], own);
            if (distance < least || distance === least && i < best) [best, least] = [i, distance];
            compared++;
          }
          compared++;
        }
      }
      addWork(PER_COMPARED * compared);
      return colours[best];
    },
  };
}

/** The number of a cube by a colour in it. */
function cubeAt(red: number, green: number, blue: number): number {
  return (Math.floor(red / SIDE) * CUBES + Math.floor(green / SIDE)) * CUBES + Math.floor(blue / SIDE);
}

/** The numbers of the cubes at the surface of a larger one: `away` cubes from the middle on some axis, and no farther on others. */
function* cubesAway([red, green, blue]: readonly number[], away: number): Generator<number> {
  const range = (middle: number) => [Math.max(0, middle - away), Math.min(CUBES - 1, middle + away)];
  const [firstRed, lastRed] = range(red), [firstGreen, lastGreen] = range(green), [firstBlue, lastBlue] = range(blue);
  for (let r = firstRed; r <= lastRed; r++) {
    for (let g = firstGreen; g <= lastGreen; g++) {
      const isFace = Math.abs(r - red) === away || Math.abs(g - green) === away;
      for (let b = firstBlue; b <= lastBlue; b++) {
        if (isFace || Math.abs(b - blue) === away) yield (r * CUBES + g) * CUBES + b;
      }
    }
  }
}

function distanceOf(colour: number, own: readonly number[]): number {
  let sum = 0;
  for (let channel = own.length - 1, rest = colour; channel >= 0; channel--, rest = Math.floor(rest / 256)) {
    sum += (rest % 256 - own[channel]) ** 2;
  }
  return sum;
}
