/** Reads files that hold many images: IDX, NPY, NPZ, Parquet and WebDataset. */
import { basename, join } from "node:path";
import { lengthOf, sameShape, shapeText } from "../../../core/shape.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import type { Composited, Reading } from "../../../datasets/formats/colour.ts";
import { expansionCheck, mostExpanded } from "../../../datasets/formats/expansion.ts";
import { gunzip, imagesFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy, isNpy } from "../../../datasets/formats/npy.ts";
import { imagesFromNpz, isZip } from "../../../datasets/formats/npz.ts";
import { sha256 } from "../system/hashes.ts";
import { list, readFile, type ReadImages, sizeCheck } from "./read_files.ts";
import { imageOf, joinedImages, pictureNotes } from "./read_pictures.ts";
import type { PackedPictures } from "./read_packed_pictures.ts";
import { ascii, gotText, otherFormatText, PICTURES, readPicture } from "./read_picture.ts";

/** The formats, for errors and help texts. */
export const IMAGE_FILES = "an IDX, NPY, NPZ, Parquet or WebDataset file";

/**
 * Reads the images of a file.
 *
 * @param path names the file in errors, and in `files` of the result
 * @throws one sentence if it is damaged, or holds no images or images of different sizes
 */
export async function readImageFile(bytes: Uint8Array, path: string, reading: Reading = {}): Promise<ReadImages> {
  const files = [{ path, sha256: await sha256(bytes) }];
  if (isNpy(bytes)) {
    const { images, scaled } = imagesFromNpy(bytes, path);
    return { train: { images }, files, scaled };
  }
  if (isZip(bytes)) return { ...imagesFromNpz(bytes, path), files };
  const isParquet = ascii(bytes, 0, 4) === "PAR1";
  if (isParquet || ascii(bytes, 257, 262) === "ustar") {
    const { picturesOfParquet, picturesOfTar } = await import("./read_packed_pictures.ts");
    const packed = isParquet ? await picturesOfParquet(bytes, path) : picturesOfTar(bytes, path);
    return { ...await decoded(packed, path, reading, mostExpanded(bytes.length)), files };
  }
  const other = otherFormatText(bytes, path);
  if (other !== undefined) throw new Error(other);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip && (bytes[0] !== 0 || bytes[1] !== 0)) {
    const expected = `${PICTURES}, a folder of them, or ${IMAGE_FILES}`;
    throw new Error(`${path} holds no images: expected ${expected}, got ${gotText(bytes)}`);
  }
  return { train: { images: imagesFromIdx(await gunzip(bytes, path), path) }, files };
}

/** Decodes pictures. They must have one size, and either all of them a class or none; their pixels are limited together. */
async function decoded(
  { pictures, classes }: PackedPictures,
  path: string,
  reading: Reading,
  most: number,
): Promise<Omit<ReadImages, "files">> {
  const check = sizeCheck();
  const checkExpansion = expansionCheck(path);
  const read: Composited[] = [];
  for (const { name, bytes } of pictures) {
    const what = join(path, name);
    const picture = await readPicture(bytes, what, reading);
    check(what, picture);
    checkExpansion(picture.pixels.length, most);
    read.push(picture);
  }
  const labels = pictures.flatMap(({ label }) => label ?? []);
  if (labels.length > 0 && labels.length < pictures.length) {
    const without = pictures.find(({ label }) => label === undefined)!;
    throw new Error(`${path}: expected a class for all images or none, got none for ${without.name}`);
  }
  const train = {
    images: joinedImages(read.map(imageOf)),
    ...labels.length > 0 && { labels: Uint8Array.from(labels) },
  };
  const names = pictures.map(({ name }) => name), notes = pictureNotes(read, reading);
  return { train, names, ...classes && labels.length > 0 && { classes }, notes };
}

/** The endings of files of many images that may be the parts of a data set. */
const PART = /\.(parquet|tar)$/;

/**
 * Reads a folder of Parquet or WebDataset files, which may lie in `data/`: those whose names begin with `test` (or `validation`,
 * if there are none) are the test images. Undefined if there are no such files.
 *
 * @throws {Error} as `readImageFile`, and if the files do not agree
 */
export async function readPartsFolder(folder: string, reading: Reading): Promise<ReadImages | undefined> {
  const inside = await list(folder);
  const below = inside.folders.includes("data") ? (await list(join(folder, "data"))).files : [];
  const paths = [...inside.files, ...below.map((name) => join("data", name))].filter((name) => PART.test(name));
  if (paths.length === 0) return undefined;
  const named = (words: RegExp) => paths.filter((path) => words.test(basename(path)));
  const tests = [named(/^test\b/), named(/^val/)].find((some) => some.length > 0) ?? [];
  const trains = paths.filter((path) => !/^(test\b|val)/.test(basename(path)));
  if (trains.length === 0) {
    throw new Error(`${folder} holds no training images: expected files such as train-0.parquet, got ${paths[0]}`);
  }
  const train = await readJoined(folder, trains, reading);
  if (tests.length === 0) return train;
  const { train: test, files } = await readJoined(folder, tests, reading);
  const [a, b] = [train.train.images, test.images];
  if (!sameShape(a, b)) {
    throw new Error(`${folder}: expected test images of ${shapeText(a)}, as training images, got ${shapeText(b)}`);
  }
  return { ...train, test, files: [...train.files, ...files] };
}

/** Reads files one after another, as one set. */
async function readJoined(folder: string, names: readonly string[], reading: Reading): Promise<ReadImages> {
  const sets: ReadImages[] = [];
  for (const name of names) {
    const path = join(folder, name);
    sets.push(await readImageFile(await readFile(path), path, reading));
  }
  const [{ classes }] = sets;
  const other = sets.find((set) => String(set.classes) !== String(classes));
  if (other) throw new Error(`${other.files[0].path}: expected the classes ${classes}, got ${other.classes}`);
  return {
    train: joinedSets(sets.map(({ train }) => train), names),
    files: sets.flatMap(({ files }) => files),
    names: sets.flatMap((set, i) => (set.names ?? []).map((name) => `${names[i]}/${name}`)),
    ...classes && { classes },
    notes: [...new Set(sets.flatMap(({ notes }) => notes ?? []))],
  };
}

/**
 * Joins sets of images, one after another. The result has labels where all of them have.
 *
 * @param names the files of the sets, for errors
 * @throws {Error} if they differ in shape
 */
export function joinedSets(sets: readonly LabelledImages[], names: readonly string[]): LabelledImages {
  const [{ images: first }] = sets;
  const count = sets.reduce((sum, { images }) => sum + images.count, 0);
  const pixels = new Uint8Array(count * lengthOf(first));
  const labels = sets.every((set) => set.labels) && new Uint8Array(count);
  let done = 0;
  sets.forEach(({ images, labels: some }, i) => {
    if (!sameShape(images, first)) {
      throw new Error(
        `${names[i]}: expected images of ${shapeText(first)}, as ${names[0]}, got ${shapeText(images)}`,
      );
    }
    pixels.set(images.pixels, done * lengthOf(first));
    if (labels) labels.set(some!, done);
    done += images.count;
  });
  return { images: { ...first, count, pixels }, ...labels && { labels } };
}
