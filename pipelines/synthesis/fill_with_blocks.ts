/** Fills holes in the seed images of textures. */
import { areaOf, type Size } from "../../core/shape.ts";
import { stream } from "../../core/random.ts";
import { bestBlocks, misfitOf } from "./exemplar_blocks.ts";
import type { Exemplars } from "../quilting/exemplars.ts";

/** A block is drawn from this many that fit best. */
const CHOICES = 3;
/** Keys the random numbers that choose blocks. */
const FILL_STREAM = 0x7175696c;
/**
 * Side of the blocks that fill holes, in pixels of the coarsest level. Looked at on stones and bricks in holes of 60 pixels: with 8 and
 * 16, or where a block overlaps half of what is known, stones were blurred and rows of bricks did not go on.
 */
const FILLING = 12;

/**
 * Fills the missing pixels of a seed image with blocks of the exemplars, each drawn from the few that fit best to the pixels around.
 *
 * @param given channels x height x width values
 * @param missing height x width: whether a pixel is missing; not all are
 */
export function fillWithBlocks(
  exemplars: Exemplars,
  size: Size,
  given: Float32Array,
  missing: readonly boolean[],
  seed: number,
  image: number,
): Float32Array {
  const { channels, height, width, values } = exemplars, area = areaOf(size), out = given.slice(), open = [...missing];
  const random = stream(seed, FILL_STREAM, image);
  const side = Math.min(FILLING, height, width, size.height, size.width), overlap = Math.floor(side / 3);
  // Rows of missing pixels are filled from above, each block with known pixels above it and on its left where there are any.
  for (let first = open.indexOf(true); first >= 0; first = open.indexOf(true)) {
    const begin = (at: number, length: number) => Math.max(0, Math.min(at - overlap, length - side));
    const top = begin(Math.floor(first / size.width), size.height), left = begin(first % size.width, size.width);
    const shared: number[] = [], taken: number[] = [];
    for (let channel = 0; channel < channels; channel++) {
      for (let i = 0; i < side * side; i++) {
        const y = Math.floor(i / side), x = i % side, to = (top + y) * size.width + left + x;
        (open[to] ? taken : shared).push((channel * height + y) * width + x, channel * area + to);
      }
    }
    const found = bestBlocks(exemplars, side, misfitOf(values, out, shared), {
      choices: CHOICES,
      apart: 1,
      least: CHOICES,
      most: Infinity,
    });
    const block = found[Math.floor(random.next() * found.length)];
    for (let p = 0; p < taken.length; p += 2) {
      out[taken[p + 1]] = values[block + taken[p]];
      open[taken[p + 1] % area] = false;
    }
  }
  return out;
}
