/** Which images belong to which class. */
import { range } from "../../core/pyramid.ts";

/** The images to synthesize of one class, in the order of their numbers. */
export interface Group {
  /** The class; undefined: all training images together. */
  readonly label?: number;
  readonly images: readonly number[];
}

/** Splits images 0 .. count-1 into groups: image i is of class i, going around. Classes without images are left out. */
export function groupImages(count: number, labels: readonly (number | undefined)[]): Group[] {
  return labels
    .map((label, g) => ({
      label,
      images: Array.from({ length: Math.ceil((count - g) / labels.length) }, (_, i) => g + i * labels.length),
    }))
    .filter(({ images }) => images.length > 0);
}

/** Numbers of the images of a class; of all images where `label` is undefined or there are no labels. */
export function chosenBy(labels: Uint8Array | undefined, label: number | undefined, count: number): Uint32Array {
  const all = range(count);
  return label === undefined || !labels ? all : all.filter((i) => labels[i] === label);
}
