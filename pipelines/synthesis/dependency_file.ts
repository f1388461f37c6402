/**
 * The file of dependencies: for each image of a run the training images that it depends on. An NPY array of bytes, compressed by
 * gzip, with a row for each image and a bit for each training image, by its number in the data; `numpy.unpackbits` reads it.
 */
import { gunzipSync, gzipSync } from "fflate";
import type { DataSet } from "../../datasets/data_set.ts";
import { bytesFromNpy, bytesToNpy } from "../../datasets/formats/npy.ts";
import { namesOfClass, trainingCount } from "../../datasets/left_out.ts";
import { addImage, hasImage, type ImageBits, noImages } from "./image_bits.ts";

/** The name of the file of a run in one piece, and the ending of those of parts. */
export const DEPENDENCIES = "dependencies.npy.gz";

/** An image of a class, with the training images of that class that it depends on. */
interface DependentImage {
  readonly label?: number;
  readonly dependsOn?: ImageBits;
}

/** Writes the file: a row for each image, in their order. Equal images give equal bytes. */
export function writeDependencies(
  data: Pick<DataSet, "train" | "exemplars" | "kept">,
  images: readonly DependentImage[],
): Uint8Array {
  const count = trainingCount(data), length = noImages(count).length, rows = new Uint8Array(images.length * length);
  const numbersOf = new Map<number | undefined, number[]>();
  images.forEach(({ label, dependsOn = new Uint8Array() }, i) => {
    const row = rows.subarray(i * length, (i + 1) * length);
    if (!numbersOf.has(label)) {
      const nameOf = namesOfClass(data, label);
      numbersOf.set(label, Array.from({ length: 8 * dependsOn.length }, (_, place) => nameOf(place).image ?? -1));
    }
    numbersOf.get(label)!.forEach((number, place) => {
      if (hasImage(dependsOn, place)) addImage(row, number);
    });
  });
  return gzipSync(bytesToNpy([images.length, length], rows), { mtime: 0 });
}

/** The training images of a class that an image depends on, by their places in it, from its row in the file. */
export function dependenciesInClass(data: Pick<DataSet, "train" | "exemplars" | "kept">, label?: number) {
  const nameOf = namesOfClass(data, label), numbers: number[] = [];
  for (let place = 0, name = nameOf(0).image; name !== null; name = nameOf(++place).image) numbers.push(name);
  return (row: ImageBits): ImageBits => {
    const bits = noImages(numbers.length);
    numbers.forEach((number, place) => {
      if (hasImage(row, number)) addImage(bits, place);
    });
    return bits;
  };
}

/**
 * Reads the file.
 *
 * @param what names the file in errors
 * @returns for each image the training images that it depends on
 * @throws {Error} if it is not that of so many images and training images
 */
export function readDependencies(bytes: Uint8Array, images: number, training: number, what: string): ImageBits[] {
  const length = noImages(training).length;
  let rows: Uint8Array;
  try {
    rows = bytesFromNpy(gunzipSync(bytes), [images, length]);
  } catch (cause) {
    throw new Error(`Cannot read ${what}: expected ${images} rows for ${training} training images`, { cause });
  }
  return Array.from({ length: images }, (_, i) => rows.subarray(i * length, (i + 1) * length));
}
