/**
 * Quilts seed images for textures, which have no test images, from the coarsest level of the exemplars (Efros and Freeman, "Image
 * Quilting for Texture Synthesis and Transfer", 2001). Blocks are placed row by row; each is drawn from the few that fit best to
 * the pixels that are already placed. The layers above remove the seams.
 */
import { stream } from "../../core/random.ts";
import { areaOf, lengthOf, type Shape, type Size } from "../../core/shape.ts";

/** Side of a block in pixels of the coarsest level: four times that in a result of two layers. */
const BLOCK = 16;
/** A block is drawn from this many that fit best. From only one, each block would continue the last one as the exemplar does. */
const CHOICES = 3;
/** Keys the random numbers that choose blocks. */
const QUILT_STREAM = 0x7175696c;

/** Images in [0, 1], one after another, in planes of their channels. */
export interface Exemplars extends Shape {
  /** Number of exemplars. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** count x channels x height x width values in [0, 1]. */
  readonly values: Float32Array;
}

/** Quilts seed image number `image` under a random seed, of any size, in the exemplars' channels. */
export function quilt(exemplars: Exemplars, size: Size, seed: number, image: number): Float32Array {
  const { channels, height, width, values } = exemplars, area = areaOf(size);
  const random = stream(seed, QUILT_STREAM, image);
  const side = Math.min(BLOCK, height, width), overlap = Math.floor(side / 3), out = new Float32Array(channels * area);
  for (let top = 0; top < size.height; top += side - overlap) {
    for (let left = 0; left < size.width; left += side - overlap) {
      // The pixels placed before: the block's first rows and columns, where another block is above or to the left.
      const above = top > 0 ? overlap : 0, before = left > 0 ? overlap : 0;
      const high = Math.min(side, size.height - top), wide = Math.min(side, size.width - left);
      const misfit = (block: number) => {
        let sum = 0;
        for (let channel = 0; channel < channels; channel++) {
          const from = block + channel * height * width, to = channel * area + top * size.width + left;
          for (let y = 0; y < high; y++) {
            const across = y < above ? wide : Math.min(before, wide);
            for (let x = 0; x < across; x++) {
              const difference = values[from + y * width + x] - out[to + y * size.width + x];
              sum += difference * difference;
            }
          }
        }
        return sum;
      };
      const isFirst = above === 0 && before === 0;
      const found = isFirst ? anywhere(exemplars, side) : best(exemplars, side, misfit);
      const block = found[Math.floor(random.next() * found.length)];
      // The block takes the half of the overlap on its side.
      for (let channel = 0; channel < channels; channel++) {
        const from = block + channel * height * width, to = channel * area + top * size.width + left;
        for (let y = above >> 1; y < high; y++) {
          for (let x = before >> 1; x < wide; x++) out[to + y * size.width + x] = values[from + y * width + x];
        }
      }
    }
  }
  return out;
}

/** Returns the position of every block of the exemplars: the index of the first value of its first channel. */
function anywhere(exemplars: Exemplars, side: number): number[] {
  const { count, height, width } = exemplars, found: number[] = [];
  for (let image = 0; image < count; image++) {
    for (let y = 0; y + side <= height; y++) {
      for (let x = 0; x + side <= width; x++) found.push(image * lengthOf(exemplars) + y * width + x);
    }
  }
  return found;
}

/** Returns the positions of the `CHOICES` blocks of least misfit; of equal ones, the first. */
function best(exemplars: Exemplars, side: number, misfit: (block: number) => number): number[] {
  const found: { block: number; sum: number }[] = [];
  for (const block of anywhere(exemplars, side)) {
    const sum = misfit(block);
    if (found.length === CHOICES && sum >= found[CHOICES - 1].sum) continue;
    const after = found.findIndex((other) => other.sum > sum);
    found.splice(after < 0 ? found.length : after, 0, { block, sum });
    found.length = Math.min(found.length, CHOICES);
  }
  return found.map(({ block }) => block);
}
