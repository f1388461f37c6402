/** Chooses the pairs of training images that are morphed. */
import { eachCorrelation } from "../../core/correlation.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { lengthOf } from "../../core/shape.ts";
import { structureRows } from "../../core/structure.ts";
import type { Images } from "../../core/types.ts";
import type { LabelledImages } from "../data_set.ts";
import { knownClasses, numbersOfClass } from "../groups.ts";
import { reduced } from "./flow.ts";

/** Two images of a set, by their places in it. */
export interface Pair {
  readonly one: number;
  readonly other: number;
  /** Which of the images most like `one` the other is: 0 is the first. */
  readonly rank: number;
}

/** Images that share more structure are most often of one person, or nearly copies: their morph is no new image. */
const MAX_ALIKE = 0.75;

/**
 * Pairs each image with those of its class that share most structure with it (`core/structure.ts`, at up to 64 pixels), but less
 * than 0.75 of it. A pair that both images choose counts once, with the first of them. The nearest partners of all images come
 * first.
 *
 * @param partners how many images each is paired with, at most
 * @param mayMeet whether two images may be paired, by their numbers; by default all may
 */
export function morphPairs(
  kernels: Kernels,
  { images, labels }: LabelledImages,
  partners: number,
  mayMeet: (one: number, other: number) => boolean = () => true,
): Pair[] {
  const classes = labels ? knownClasses(labels) : [undefined];
  const pairs = classes.flatMap((label) => {
    return pairsAmong(kernels, images, numbersOfClass(labels, label, images.count), { partners, mayMeet });
  });
  return pairs.sort((a, b) => a.rank - b.rank || a.one - b.one);
}

function pairsAmong(
  kernels: Kernels,
  images: Images,
  numbers: Uint32Array,
  { partners, mayMeet }: {
    readonly partners: number;
    readonly mayMeet: (one: number, other: number) => boolean;
  },
): Pair[] {
  const pairs: Pair[] = [];
  const chosen = new Set<number>();
  borrowing(kernels, () => {
    const structures = structureRows(kernels, smallRows(kernels, images, numbers));
    const partnersOf: Partner[][] = Array.from(numbers, () => []);
    eachCorrelation(kernels, structures, structures, (query) => query, (query, alike, image) => {
      if (alike >= MAX_ALIKE || !mayMeet(numbers[query], numbers[image])) return;
      keepMostAlike(partnersOf[query], { image, alike }, partners);
    });
    partnersOf.forEach((most, query) => {
      most.forEach(({ image }, rank) => {
        const key = Math.min(query, image) * numbers.length + Math.max(query, image);
        if (chosen.has(key)) return;
        chosen.add(key);
        pairs.push({ one: numbers[query], other: numbers[image], rank });
      });
    });
  });
  return pairs;
}

/** An image, and how much structure it shares with another one. */
interface Partner {
  readonly image: number;
  readonly alike: number;
}

/** Adds a partner to a list of up to `most`, the most alike first, of two as much alike the one that was there. */
function keepMostAlike(list: Partner[], partner: Partner, most: number): void {
  if (list.length === most && partner.alike <= list[most - 1].alike) return;
  const place = list.findIndex(({ alike }) => partner.alike > alike);
  list.splice(place < 0 ? list.length : place, 0, partner);
  if (list.length > most) list.pop();
}

/** Copies images to kernel memory, reduced as for the flow between them. */
function smallRows(kernels: Kernels, images: Images, numbers: Uint32Array) {
  const { channels = 1 } = images;
  const plane = images.height * images.width;
  const { height, width } = reduced(new Uint8Array(plane), images);
  const area = height * width;
  const at = kernels.allocate(numbers.length * channels * area);
  numbers.forEach((number, i) => {
    for (let channel = 0; channel < channels; channel++) {
      const from = number * lengthOf(images) + channel * plane;
      const { values } = reduced(images.pixels.subarray(from, from + plane), images);
      const bytes = kernels.u8(at + (i * channels + channel) * area, area);
      for (let p = 0; p < area; p++) bytes[p] = Math.floor(values[p] + 0.5);
    }
  });
  return { count: numbers.length, height, width, channels, at };
}
