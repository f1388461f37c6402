/** Assigns the images to synthesize to classes and to seed images. */
import type { Profile } from "../core/profile.ts";
import { range } from "../core/pyramid.ts";

/** The images to synthesize of one class, in the order of their numbers. */
export interface ClassGroup {
  /** The class; undefined if all training images are used together. */
  readonly label?: number;
  readonly images: readonly number[];
}

/** The distinct classes among labels, ascending. */
export function knownClasses(labels: Uint8Array): number[] {
  return [...new Set(labels)].sort((a, b) => a - b);
}

/** The classes to synthesize in turn if none is requested; [undefined] for all images together. */
export function classesInTurn(profile: Profile, labels: Uint8Array | undefined): (number | undefined)[] {
  return profile.classwise && labels ? knownClasses(labels) : [undefined];
}

/** Splits images into groups: image i is of class number i modulo the number of classes. Leaves out empty groups. */
export function groupImages(images: ArrayLike<number>, classes: readonly (number | undefined)[]): ClassGroup[] {
  const sorted = Array.from(images).sort((a, b) => a - b);
  return classes
    .map((label, turn) => ({ label, images: sorted.filter((image) => image % classes.length === turn) }))
    .filter(({ images }) => images.length > 0);
}

/** Numbers of the images of a class; of all images where `label` is undefined or there are no labels. */
export function chosenBy(labels: Uint8Array | undefined, label: number | undefined, count: number): Uint32Array {
  const all = range(count);
  return label === undefined || !labels ? all : all.filter((i) => labels[i] === label);
}

/**
 * The number of the seed image of each image of a group: image i takes seed image i modulo their count. If seed images have
 * classes, the i-th image of a class takes the i-th seed image of that class.
 *
 * @param classes how many classes take turns
 * @throws one sentence if the group's class has no seed image
 */
export function seedNumbers(
  { label, images }: ClassGroup,
  classes: number,
  { count, labels }: { readonly count: number; readonly labels?: Uint8Array },
): number[] {
  const candidates = chosenBy(labels, label, count);
  if (candidates.length === 0) throw new Error(`Class ${label} has no images to seed from`);
  return images.map((image) => candidates[(labels ? Math.floor(image / classes) : image) % candidates.length]);
}
