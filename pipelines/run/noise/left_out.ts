/**
 * Chooses training images that are left out, to see how near images lie to images that they were not made of.
 *
 * This folder makes images from noise. Read its files in this order:
 * - `left_out.ts` and `nearness.ts`: how near images come to training images that they are not made of.
 * - `gate.ts`, `halves.ts` and `likelihood.ts`: what images are held against, and how they are measured.
 * - `choice.ts`, by the images of `trials.ts`: the windows and limits of a group. `choose.ts` finds them on threads.
 * - `learned.ts`: what limits need of the training images. `learn.ts` learns it on a thread.
 * - `make.ts`: the images, in the colours of `white_balance.ts` and `saturation.ts`.
 */
import { range } from "../../../core/numbers.ts";
import { stream } from "../../../core/random.ts";
import type { Rows } from "../../../core/types.ts";

/** Training images that images are made of in the search, at most. With more training images, windows may be a little wider. */
export const MAX_TRAINING = 1024;
/** Training images that are left out, at most and at least. */
export const MAX_LEFT_OUT = 64;
const MIN_LEFT_OUT = 8;
/** With fewer training images none are left out. */
const FEWEST = 4;
/** Names the random numbers of the choice. */
const LEFT_OUT_STREAM = 0x6c656674;

/** A group of training images of which some are left out. */
export interface LeavingGroup {
  /** The training images, of the size of the images to make. */
  readonly training: Rows;
  /** How many images stand for one: its copies, mirrored or deformed, follow after all images. */
  readonly copies: number;
  /** For each training image the numbers of the real images behind it, if some are morphs: see `JobGroup`. */
  readonly origins?: readonly (readonly number[])[];
}

/** Training images by their numbers in the group. */
interface LeftOut {
  /** Those that are left out. */
  readonly leftOut: readonly number[];
  /** Those that images are made of in the search. */
  readonly some: readonly number[];
  /** All that are not left out, nor share a real image with one that is. */
  readonly rest: readonly number[];
}

/**
 * Chooses training images to leave out.
 *
 * @param fold which of `foldCount` choices, which have no left-out image in common
 */
export function leftOutOf(group: LeavingGroup, fold = 0): LeftOut {
  return group.origins ? familiesLeftOut(group.origins, group) : imagesLeftOut(group, fold);
}

/** How often images are left out in turn, so that of few training images, too, enough say how near an image may come. */
export function foldCount({ training: { count }, copies, origins }: LeavingGroup): number {
  const originals = count / copies, left = leftOutCount(originals);
  if (origins || originals < FEWEST) return 1;
  return Math.max(1, Math.min(Math.floor(MAX_LEFT_OUT / left), Math.floor(originals / left)));
}

/** How many of `count` images are left out. */
function leftOutCount(count: number): number {
  const wanted = Math.min(MAX_LEFT_OUT, Math.max(MIN_LEFT_OUT, Math.floor(count / 10)));
  return Math.min(wanted, Math.floor(count / 2));
}

/** Puts numbers in a random order that is always the same. */
function shuffled(numbers: readonly number[]): number[] {
  const random = stream(0, LEFT_OUT_STREAM), all = [...numbers];
  for (let n = all.length - 1; n > 0; n--) {
    const other = Math.floor(random.next() * (n + 1));
    [all[n], all[other]] = [all[other], all[n]];
  }
  return all;
}

/** Leaves images out with their copies. */
function imagesLeftOut({ training: { count }, copies }: LeavingGroup, fold: number): LeftOut {
  const originals = count / copies;
  if (originals < FEWEST) return { leftOut: [], some: [], rest: [] };
  const all = shuffled([...range(originals)]), left = leftOutCount(originals);
  const numbers = [...all.slice(fold * left), ...all.slice(0, fold * left)];
  const withCopies = (some: readonly number[]) => {
    const sorted = some.toSorted((a, b) => a - b);
    return Array.from({ length: copies }, (_, copy) => sorted.map((n) => copy * originals + n)).flat();
  };
  return {
    leftOut: numbers.slice(0, left),
    some: withCopies(numbers.slice(left, left + Math.max(1, Math.floor(MAX_TRAINING / copies)))),
    rest: withCopies(numbers.slice(left)),
  };
}

/**
 * Leaves real images out with their copies and with all morphs that one of them is a parent of: such a morph would say that the
 * others are near. Morphs of left-out images alone are left-out images, too. Where only morphs are learned from, more real images
 * are left out, up to half, until there are enough of these.
 */
function familiesLeftOut(
  origins: NonNullable<LeavingGroup["origins"]>,
  { training: { count }, copies }: LeavingGroup,
): LeftOut {
  const real = shuffled([...new Set(origins.flat())].sort((a, b) => a - b));
  if (real.length < FEWEST) return { leftOut: [], some: [], rest: [] };
  const wanted = leftOutCount(real.length), all = [...range(count)];
  for (let left = wanted;; left++) {
    const gone = new Set(real.slice(0, left));
    const leftOut = all.slice(0, count / copies).filter((n) => origins[n].every((origin) => gone.has(origin)));
    if (leftOut.length < wanted && left < Math.floor(real.length / 2)) continue;
    const rest = all.filter((n) => !origins[n].some((origin) => gone.has(origin)));
    if (rest.length === 0 || leftOut.length === 0) return { leftOut: [], some: [], rest: [] };
    const some = shuffled(rest).slice(0, MAX_TRAINING).sort((a, b) => a - b);
    return { leftOut: shuffled(leftOut).slice(0, wanted), some, rest };
  }
}
