/** Which images of a run change if some training images are taken away. */
import { range } from "../../core/numbers.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { classText } from "../../datasets/groups.ts";
import { namesOfClass } from "../../datasets/training_names.ts";
import { dependsOnAll, numberText } from "./dependencies.ts";
import { hasImage, type ImageBits } from "../run/image_bits.ts";
import type { SynthesisInput } from "./synthesize_images.ts";

/** Deformed copies are numbered by the place of an image among those that stay: another place, another deformation. */
const READ_OTHERWISE =
  "without some of them, the other training images are padded with another colour, deformed in other ways, or morphed in other pairs";

/** Of morphs of four images. */
const MORPHED_OTHERWISE = "other training images are morphed with each other";

/** What the images of a class lose. */
export interface ClassChange {
  /** The training images of the class that are taken away, by their numbers in the data. */
  readonly left: readonly number[];
  /** Why all images of the class change; undefined if only those do that depend on one of `left`. */
  readonly all?: string;
}

/**
 * Compares a run with the same run without some training images. Returns the change of each of the classes that take turns.
 *
 * @throws {Error} if a class would have no training images: then all images would be of other classes
 */
export function classChanges(before: SynthesisInput, after: SynthesisInput): ClassChange[] {
  const { plan, classes, data } = before;
  const lost = classes.find((label) => numbersOf(after, label).length === 0);
  if (lost !== undefined || classes.length !== after.classes.length) {
    const gone = lost ?? classes.find((label) => !after.classes.includes(label));
    const name = gone === undefined
      ? "all training images"
      : `all training images of class ${classText(data.classes, gone)}`;
    throw new Error(
      `Cannot forget ${name}: expected at least one of them to stay, because images take the classes in turn`,
    );
  }
  return classes.map((label) => {
    const stays = new Set(numbersOf(after, label)), numbers = numbersOf(before, label);
    const left = numbers.filter((number) => !stays.has(number)), { images } = data.train;
    // The colour of their border is measured on all training images, and deformations follow from their places.
    if (plan.aligned && !isReadTheSame(before, after, label)) return { left, all: READ_OTHERWISE };
    // Results name the parents alone, so no image that stays could be described again.
    if (plan.morph > 0 && plan.morphOf === "fours") return { left, all: MORPHED_OTHERWISE };
    const all = dependsOnAll(before, images, numbers.length);
    // Crops of exemplars have the size of the smallest of all classes.
    if (left.length === 0 && plan.aligned) return { left };
    if (all !== undefined) return { left, all };
    if (numberText(plan, images, numbers.length) !== numberText(plan, images, stays.size)) {
      return {
        left,
        all:
          "how many neighbours are drawn from, or how often images are drawn, follows from the number of training images",
      };
    }
    return before.dependencies
      ? { left }
      : { left, all: "the run did not record what they depend on (synth --dependencies)" };
  });
}

/** Whether an image changes. `row` says which training images it depends on, by their numbers in the data, if that is known. */
export function isChanged({ left, all }: ClassChange, row: ImageBits | undefined): boolean {
  return all !== undefined || left.length > 0 && (!row || left.some((number) => hasImage(row, number)));
}

/** The numbers in the data of the training images of a class. */
function numbersOf({ data }: SynthesisInput, label: number | undefined): number[] {
  const nameOf = namesOfClass(data, label), { count } = data.train.images;
  return Array.from({ length: count }, (_, place) => nameOf(place).image).filter((number) => number !== null);
}

/** Whether the test images, and the training images of a class that stay, have the same pixels in both. */
function isReadTheSame(
  { data: before }: SynthesisInput,
  { data: after }: SynthesisInput,
  label: number | undefined,
): boolean {
  const places = new Map(numbersIn(before).map((number, place) => [number, place]));
  const same = (one: Images, i: number, other: Images, j: number) => {
    const length = lengthOf(one), pixels = other.pixels.subarray(j * length, (j + 1) * length);
    return lengthOf(other) === length && pixels.every((byte, p) => byte === one.pixels[i * length + p]);
  };
  const { images: train } = after.train, { images: test } = after.test;
  return test.count === before.test.images.count &&
    numbersIn(after).every((number, place) => {
      if (label !== undefined && after.train.labels?.[place] !== label) return true;
      const old = places.get(number);
      return old !== undefined && same(train, place, before.train.images, old);
    }) &&
    Array.from({ length: test.count }).every((_, i) => same(test, i, before.test.images, i));
}

function numbersIn({ train, kept }: SynthesisInput["data"]): number[] {
  return [...kept?.numbers ?? range(train.images.count)];
}
