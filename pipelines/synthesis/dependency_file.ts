/**
 * The file of dependencies: for each image of a run the training images behind it. An NPY array of bytes, compressed by gzip, of
 * shape (images, 2, bytes): a bit for each training image, by its number in the data, first of those that the image depends on,
 * then of those that its patches were drawn from. A morph stands for its parents. `numpy.unpackbits` reads it.
 */
import { gzipSync } from "fflate";
import type { DataSet } from "../../datasets/data_set.ts";
import { gunzipAtMost } from "../../datasets/formats/inflate.ts";
import { bytesFromNpy, bytesToNpy } from "../../datasets/formats/npy.ts";
import { trainingCount } from "../../datasets/left_out.ts";
import { namesOfClass, originsOf } from "../../datasets/training_names.ts";
import { addImage, hasImage, type ImageBits, type Lineage, noImages } from "../run/image_bits.ts";

/** The bytes of a header of such an array, at most. */
const LONGEST_HEADER = 256;

/** The name of the file of a run in one piece. */
export const DEPENDENCIES = "dependencies.npy.gz";

/** The data that training images are numbered by. */
type Numbered = Pick<DataSet, "train" | "exemplars" | "kept" | "morphs">;

/** An image of a class, with its lineage among the training images of that class. */
interface DescendedImage {
  readonly label?: number;
  readonly lineage?: Lineage;
}

/**
 * Writes the file: a row for each image, in their order. Equal images give equal bytes.
 *
 * @throws {Error} if an image was not traced: a row of zeros would say that it depends on nothing
 */
export function writeDependencies(data: Numbered, images: readonly DescendedImage[]): Uint8Array {
  const length = noImages(trainingCount(data)).length, rows = new Uint8Array(images.length * 2 * length);
  const numbersOf = new Map<number | undefined, (readonly number[])[]>();
  images.forEach(({ label, lineage }, i) => {
    if (!lineage) throw new Error(`Cannot write the dependencies of image ${i}: they were not traced`);
    if (!numbersOf.has(label)) numbersOf.set(label, originsIn(data, label));
    [lineage.dependsOn, lineage.drawnFrom].forEach((own, which) => {
      const row = rows.subarray((2 * i + which) * length, (2 * i + which + 1) * length);
      numbersOf.get(label)!.forEach((origins, place) => {
        if (hasImage(own, place)) { for (const number of origins) addImage(row, number); }
      });
    });
  });
  return gzipSync(bytesToNpy([images.length, 2, length], rows), { mtime: 0 });
}

/**
 * Returns what turns a lineage by the numbers in the data, as the file has it, into one by the places in a class. `writeDependencies`
 * turns it into the same row again: a morph is among the places if all of its parents are in the row.
 */
export function lineageInClass(data: Numbered, label?: number): (lineage: Lineage) => Lineage {
  const all = originsIn(data, label);
  const inClass = (row: ImageBits) => {
    const bits = noImages(all.length);
    all.forEach((origins, place) => {
      if (origins.every((number) => hasImage(row, number))) addImage(bits, place);
    });
    return bits;
  };
  return ({ dependsOn, drawnFrom }) => ({ dependsOn: inClass(dependsOn), drawnFrom: inClass(drawnFrom) });
}

/** The numbers in the data of what is behind each training image of a class: its own, or those of a morph's parents. */
function originsIn(data: Numbered, label: number | undefined): (readonly number[])[] {
  const nameOf = namesOfClass(data, label), origins: (readonly number[])[] = [];
  for (let name = nameOf(0); name.image !== null; name = nameOf(origins.length)) origins.push(originsOf(name));
  return origins;
}

/**
 * Reads the file.
 *
 * @param what names the file in errors
 * @returns the lineage of each image, by the numbers of training images in the data
 * @throws {Error} if it is of other numbers of images or training images
 */
export function readDependencies(bytes: Uint8Array, images: number, training: number, what: string): Lineage[] {
  const length = noImages(training).length;
  let rows: Uint8Array;
  try {
    rows = bytesFromNpy(gunzipAtMost(bytes, 2 * images * length + LONGEST_HEADER), [images, 2, length]);
  } catch (cause) {
    throw new Error(`Cannot read ${what}: expected ${images} rows for ${training} training images`, { cause });
  }
  const row = (n: number) => rows.subarray(n * length, (n + 1) * length);
  return Array.from({ length: images }, (_, i) => ({ dependsOn: row(2 * i), drawnFrom: row(2 * i + 1) }));
}
