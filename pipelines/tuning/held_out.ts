/** Holds training images out, so that settings are chosen without the test images. */
import { range } from "../../core/numbers.ts";
import { type DataSet, pick } from "../../datasets/data_set.ts";
import { classText, groupImages, knownClasses, numbersOfClass, seedNumbers } from "../../datasets/groups.ts";
import type { Experiment, Label, SeededImage } from "../reproduction/experiment.ts";

/** One image of each class in this many is held out, as in a folder of images without test images. */
const EVERY = 10;

/**
 * Makes a data set of the training images alone: every tenth image of each class becomes a test image, the rest stay training
 * images. The test images of `data` are left out.
 *
 * @throws {Error} if a class has fewer than ten training images
 */
export function holdOut(data: DataSet): DataSet {
  const { name, origin, files, classes, train } = data, heldOut = new Set<number>();
  for (const label of train.labels ? knownClasses(train.labels) : [undefined]) {
    const ofClass = numbersOfClass(train.labels, label, train.images.count);
    if (ofClass.length < EVERY) {
      const which = label === undefined ? "" : ` of class ${classText(classes, label)}`;
      throw new Error(
        `Cannot hold training images of ${name} out: expected at least ${EVERY} images${which}, got ${ofClass.length}`,
      );
    }
    ofClass.filter((_, i) => i % EVERY === EVERY - 1).forEach((image) => heldOut.add(image));
  }
  const all = [...range(train.images.count)];
  const [test, rest] = [true, false].map((is) => pick(train, all.filter((image) => heldOut.has(image) === is)));
  const split = `${rest.images.count} training images, ${test.images.count} held out of them for seed images`;
  return { name, origin: `${origin}; ${split}`, ...classes && { classes }, files, train: rest, test };
}

/**
 * Chooses `count` images to synthesize from the seed images of test images: the classes in turn, each from its first test image
 * on, and over again after its last one. The first images are the same for every `count`.
 *
 * @param only one class; undefined: all
 */
export function heldOutSeeds(
  { labels, data: { test, classes: names } }: Pick<Experiment, "labels" | "data">,
  count: number,
  only?: Label,
): SeededImage[] {
  const classes = only === undefined ? labels : [only];
  const seeds = { count: test.images.count, labels: classes[0] === undefined ? undefined : test.labels, names };
  return groupImages(range(count), classes).flatMap((group) => {
    const tests = seedNumbers(group, classes.length, seeds);
    return group.images.map((number, i) => ({ number, test: tests[i], label: group.label }));
  }).sort((a, b) => a.number - b.number);
}
