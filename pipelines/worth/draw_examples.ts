/** Draws the few real images of each class that classifiers learn from, and the images that test them. */
import { range } from "../../core/numbers.ts";
import { stream } from "../../core/random.ts";
import { type LabelledImages, pick } from "../../datasets/data_set.ts";
import { knownClasses, numbersOfClass } from "../../datasets/groups.ts";

/** Keys the choices. */
const DRAW_STREAM = 0x64726177;

/**
 * Draws `count` images of each class. The same draw with a larger count has the same images and more.
 *
 * @throws {RangeError} if a class has fewer images
 */
export function drawOfEach(set: LabelledImages, count: number, seed: number, draw: number): LabelledImages {
  return pick(
    set,
    knownClasses(set.labels!).flatMap((label) => {
      const ofClass = [...numbersOfClass(set.labels, label, set.images.count)];
      if (ofClass.length < count) {
        throw new RangeError(`Cannot draw ${count} images of class ${label}: expected as many, got ${ofClass.length}`);
      }
      return shuffled(ofClass, count, seed, draw, label);
    }),
  );
}

/** Draws `count` images of all classes together; all of them if there are not more. */
export function drawSome(set: LabelledImages, count: number, seed: number, draw: number): LabelledImages {
  const all = [...range(set.images.count)];
  return pick(set, count < all.length ? shuffled(all, count, seed, draw, -1) : all);
}

/** The first `count` numbers of a random order. */
function shuffled(numbers: number[], count: number, seed: number, draw: number, label: number): number[] {
  const random = stream(seed, DRAW_STREAM, draw, label);
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random.next() * (numbers.length - i));
    [numbers[i], numbers[other]] = [numbers[other], numbers[i]];
  }
  return numbers.slice(0, count);
}
