/** Reads a data set, with training and test images, from a folder, a file or a pack. */
import { type DataSet, type LabelledImages, noneOf, pick } from "../../../datasets/data_set.ts";
import type { Reading } from "../../../datasets/formats/colour.ts";
import { isPack, type Pack, readPack } from "../../../datasets/formats/pack.ts";
import { isPackPath } from "../folders/result_names.ts";
import { sha256 } from "../system/hashes.ts";
import { readFile, type ReadImages, stat } from "./read_files.ts";
import { readIdxFolder } from "./read_idx.ts";
import { labelsBeside, readLabels } from "./read_labels.ts";
import { IMAGE_FILES, readImageFile, readPartsFolder } from "./read_image_file.ts";
import { isPicture, PICTURES } from "./read_picture.ts";
import { readPictureFolder } from "./read_pictures.ts";

/** The content of a folder, file or pack of images. */
export interface ReadData extends Pick<DataSet, "train" | "test" | "seeds" | "files" | "classes" | "transparent"> {
  /** The numbers, among all images that were read, of those that were held out as test images, because there were no others; ascending. */
  readonly heldOut: readonly number[];
  /** The pack, if it was one. */
  readonly pack?: Pack;
  /** The file of each training image, if each has one. */
  readonly names?: readonly string[];
  /** What users should know of how the files were read: phrases. */
  readonly notes?: readonly string[];
}

/** How bytes of an array are taken: this needs no note. */
const AS_THEY_ARE = "uint8 taken as they are";

const LOOKED_FOR = "train-images-idx3-ubyte or .gz (and t10k- or test-images, and labels), " +
  `train-*.parquet, *.tar, or pictures (${PICTURES}; in the folder, in train/ and test/, and there in one folder a class)`;

/**
 * Reads images from
 * - a folder of IDX files named as MNIST's: `train-images`, `train-labels`, `t10k-` or `test-images` and `-labels`;
 * - a folder of pictures (PNG, JPEG, WebP, GIF, BMP, TIFF), or of `train/` and `test/` with pictures; each may have one folder of
 *   pictures per class, named by a number from 0 to 255 or by a word;
 * - one file of images: IDX, NPY, NPZ, Parquet or WebDataset; or a folder of Parquet or WebDataset files;
 * - a pack, which has seed images instead of test images.
 *
 * Without test images, it holds out every tenth image; see `holdOut`. Pictures are ordered by class, then by the code units of
 * their names.
 *
 * @param reading how pictures are read
 * @param aligning the flags by which `data import` aligns photographs, if the images should be aligned faces
 * @throws one sentence if the path cannot be read, holds none of these, or holds images of different sizes
 */
export async function readData(
  path: string,
  reading: Reading = {},
  aligning?: readonly string[],
): Promise<ReadData> {
  const info = await stat(path);
  const bytes = info.isFile ? await readFile(path) : undefined;
  // Of a damaged pack, too, the error says what is wrong with it.
  if (bytes && (isPack(bytes) || isPackPath(path))) return await packData(bytes, path);
  if (bytes && isPicture(bytes)) {
    throw new Error(
      `Cannot take ${path} as a data set: expected a folder of pictures, ${IMAGE_FILES}, or a pack, got one picture; ` +
        `--profile texture takes one`,
    );
  }
  const read = bytes
    ? await withLabelsBeside(await readImageFile(bytes, path, reading), path)
    : await readIdxFolder(path) ?? await readPartsFolder(path, reading) ??
      await readPictureFolder(path, reading, LOOKED_FOR, aligning);
  const { train, test, names, heldOut } = read.test
    ? { train: read.train, test: read.test, names: read.names, heldOut: [] }
    : holdOut(path, read.train, read.names);
  if (!train.labels !== !test.labels) {
    const [has, lacks] = train.labels ? ["training", "test"] : ["test", "training"];
    throw new Error(
      `${path}: expected classes for all images or none, got them for ${has} but not for ${lacks} images`,
    );
  }
  const { files, classes, scaled } = read;
  const notes = [...scaled === undefined || scaled === AS_THEY_ARE ? [] : [scaled], ...read.notes ?? []];
  const more = { ...names && { names }, ...classes && { classes }, ...notes.length > 0 && { notes } };
  return { train, test, files, ...more, heldOut };
}

/** Adds the labels of the file beside a file of images, if it is there and they have none. */
async function withLabelsBeside(read: ReadImages, path: string): Promise<ReadImages> {
  const { train: { images, labels: given }, test } = read;
  const beside = given || test ? undefined : await labelsBeside(path);
  if (beside === undefined) return read;
  const files = [...read.files];
  return { ...read, train: { images, labels: await readLabels(beside, images.count, files) }, files };
}

async function packData(bytes: Uint8Array, path: string): Promise<ReadData> {
  const pack = readPack(bytes, path),
    { train, seeds, classes, transparent } = pack,
    files = [{ path, sha256: await sha256(bytes) }];
  const named = { ...classes && { classes }, ...transparent && { transparent } };
  return { train, test: noneOf(train), seeds, files, ...named, heldOut: [], pack };
}

/**
 * Holds out every tenth image as test image; with classes, every tenth of each class, and the last of a class of 2 to 9 images, so that
 * each class has one to seed from.
 */
function holdOut(
  path: string,
  all: LabelledImages,
  names?: readonly string[],
): Pick<ReadData, "train" | "test" | "names" | "heldOut"> {
  const { images, labels } = all;
  if (images.count < 2) throw new Error(`${path}: expected at least 2 images, one of them to hold out, got 1`);
  const classOf = (i: number) => labels?.[i] ?? 0, sizes: number[] = new Array(256).fill(0);
  for (let i = 0; i < images.count; i++) sizes[classOf(i)]++;
  const seen: number[] = new Array(256).fill(0), kept: number[] = [], heldOut: number[] = [];
  for (let i = 0; i < images.count; i++) {
    const number = ++seen[classOf(i)], size = sizes[classOf(i)];
    (number % Math.min(10, Math.max(2, size)) === 0 ? heldOut : kept).push(i);
  }
  if (heldOut.length === 0) heldOut.push(kept.pop()!);
  return { train: pick(all, kept), test: pick(all, heldOut), names: names && kept.map((i) => names[i]), heldOut };
}
