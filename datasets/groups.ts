/** Assigns the images to synthesize to classes and to seed images. */
import type { Profile } from "../core/profile.ts";
import { range } from "../core/numbers.ts";

/** The images to synthesize of one class, in the order of their numbers. */
export interface ClassGroup {
  /** The class; undefined if all training images are used together. */
  readonly label?: number;
  readonly images: readonly number[];
}

/** Labels are bytes. */
export const MAX_CLASSES = 256;

/** A class in words: its name, or its number if classes have no names. */
export function classText(classes: readonly string[] | undefined, label: number): string {
  return classes?.[label] ?? String(label);
}

/**
 * Says that a class has no training images.
 *
 * @param doing what cannot be done with the class, such as `pack`
 * @param expected what to ask for instead
 */
export function withoutTraining(
  doing: string,
  classes: readonly string[] | undefined,
  label: number,
  expected: string,
): string {
  return `Cannot ${doing} class ${classText(classes, label)}, which has no training images: expected ${expected}`;
}

/**
 * The label of a class that a user names.
 *
 * @param classes the names of the classes, if they have names
 * @returns undefined if there is no class of that name, or the name is no number from 0 to 255 where classes have none
 */
export function labelOf(classes: readonly string[] | undefined, name: string): number | undefined {
  const named = classes?.indexOf(name) ?? -1;
  if (named >= 0) return named;
  return !classes && /^\d{1,3}$/.test(name) && Number(name) < MAX_CLASSES ? Number(name) : undefined;
}

/**
 * Labels of images in the numbering of training images: the same names have the same label.
 *
 * @param what names the images in errors
 * @throws {Error} if a class of the images is none of the training images
 */
export function labelsAmong(
  { labels, classes }: { readonly labels?: Uint8Array; readonly classes?: readonly string[] },
  known: readonly string[] | undefined,
  what: string,
): Uint8Array | undefined {
  if (!labels || !classes) return labels;
  return labels.map((label) => {
    const shared = labelOf(known, classes[label]);
    if (shared !== undefined) return shared;
    const expected = known ? known.join(", ") : "classes named by numbers, as those of the training images";
    throw new Error(`${what} has images of class ${classes[label]}: expected ${expected}`);
  });
}

/** Whether a text may name a class: it also names a folder, on any system, and is printed. */
export function isClassName(name: unknown): name is string {
  return typeof name === "string" && /^[^\p{C}/\\:*?"<>|]{1,100}$/u.test(name) && !/^\.|^\s|[\s.]$/.test(name);
}

/** The distinct classes among labels, ascending. */
export function knownClasses(labels: Uint8Array): number[] {
  const isKnown = new Uint8Array(MAX_CLASSES);
  // A plain loop: servers ask for each request, of data sets of 60,000.
  for (let i = 0; i < labels.length; i++) isKnown[labels[i]] = 1;
  return Array.from(isKnown.keys()).filter((label) => isKnown[label]);
}

/** The distinct classes among labels in words, in the order of their labels. */
export function classTexts(classes: readonly string[] | undefined, labels: Uint8Array): string[] {
  return knownClasses(labels).map((label) => classText(classes, label));
}

/** The classes to synthesize in turn if none is requested; [undefined] for all images together. */
export function classesInTurn(profile: Profile, labels: Uint8Array | undefined): (number | undefined)[] {
  return profile.classwise && labels ? knownClasses(labels) : [undefined];
}

/** Splits images into groups, one for each class: image i is of class number i modulo the number of classes. */
export function groupsInTurn(images: ArrayLike<number>, classes: readonly (number | undefined)[]): ClassGroup[] {
  const sorted = Array.from(images).sort((a, b) => a - b);
  return classes.map((label, turn) => {
    return { label, images: sorted.filter((image) => image % classes.length === turn) };
  });
}

/** As `groupsInTurn`, without the groups that have no image. */
export function groupImages(images: ArrayLike<number>, classes: readonly (number | undefined)[]): ClassGroup[] {
  return groupsInTurn(images, classes).filter(({ images }) => images.length > 0);
}

/** Numbers of the images of a class; of all images where `label` is undefined or there are no labels. */
export function numbersOfClass(labels: Uint8Array | undefined, label: number | undefined, count: number): Uint32Array {
  if (label === undefined || !labels) return range(count);
  // A plain loop: sheets and reports ask once for each image, of data sets of 60,000.
  const numbers = new Uint32Array(count);
  let found = 0;
  for (let i = 0; i < count; i++) {
    if (labels[i] === label) numbers[found++] = i;
  }
  return numbers.slice(0, found);
}

/**
 * The number of the seed image of each image of a group: image i takes seed image i modulo their count. If seed images have
 * classes, the i-th image of a class takes the i-th seed image of that class.
 *
 * @param classes how many classes take turns
 * @param seeds how many seed images there are, their classes, with names if they have names, and what an error says to do instead
 * @throws one sentence if the group's class has no seed image
 */
export function seedNumbers(
  { label, images }: ClassGroup,
  classes: number,
  { count, labels, names, instead }: {
    readonly count: number;
    readonly labels?: Uint8Array;
    readonly names?: readonly string[];
    readonly instead?: string;
  },
): number[] {
  const candidates = numbersOfClass(labels, label, count);
  if (candidates.length === 0) {
    const which = label === undefined || !labels ? "There are" : `Class ${classText(names, label)} has`;
    throw new Error(`${which} no images to seed from${instead === undefined ? "" : `: ${instead}`}`);
  }
  return images.map((image) => candidates[(labels ? Math.floor(image / classes) : image) % candidates.length]);
}
