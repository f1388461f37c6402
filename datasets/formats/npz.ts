/** NPZ, the ZIP file of several NPY arrays that `numpy.savez` writes: images with their labels, and perhaps a test split. */
import { oneLine } from "../../core/shown.ts";
import type { LabelledImages } from "../data_set.ts";
import { mostExpanded } from "./expansion.ts";
import { imagesFromNpy, labelsFromNpy, npyRank } from "./npy.ts";
import { zipContent, zipEntries, type ZipEntry } from "./zip.ts";

/** The arrays of a file: training images, and test images if it has any. */
export interface NpzImages {
  readonly train: LabelledImages;
  readonly test?: LabelledImages;
  /** How the numbers of training images were scaled to bytes. */
  readonly scaled: string;
  /** Phrases: how test images were scaled if otherwise, and which arrays were left out. */
  readonly notes: readonly string[];
}

/** The most bytes of an array: with a profile's pyramid beside it, more would not fit into the memory of kernels. */
const LARGEST_ARRAY = 2 ** 30;

/** What programs call images, and the labels beside them. The first names that a file has are taken, whatever their order in it. */
const PAIRS = [
  { images: /^(images?|imgs?)$/, labels: /^(labels?|targets?|classes)$/ },
  { images: /^(data|samples)$/, labels: /^(labels?|targets?|classes)$/ },
  { images: /^x$/, labels: /^y$/ },
  { images: /^arr_0$/, labels: /^arr_1$/ },
] as const;
/** The names of splits, and of the one that is neither: validation. */
const SPLITS = /^(train|test|val|valid|validation)$/;

/** Whether bytes begin like a ZIP file. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/**
 * Reads the images of an NPZ file. It takes arrays by their names: `images` and `labels`, `x` and `y`, `arr_0` and `arr_1`, with
 * or without `train` or `test` before or after them (`x_train`, `test_images`), or the only array of images, whatever its name.
 *
 * @param what names the file in errors
 * @throws one sentence if the file is damaged or has no images
 */
export function imagesFromNpz(bytes: Uint8Array, what: string): NpzImages {
  const arrays = arraysOf(bytes, what);
  const names = Object.keys(arrays);
  const arrayOfImages = names.filter((name) => npyRank(arrays[name]) >= 3);
  const found = pairOf(names, "train", what);
  const train = found?.images ?? (arrayOfImages.length === 1 ? arrayOfImages[0] : undefined);
  if (train === undefined) {
    throw new Error(
      `${what}: expected an array named images, x, arr_0, x_train or train_images, got ${
        oneLine(names.join(", ")) || "none"
      }`,
    );
  }
  const taken: string[] = [];
  const split = (images: string, labels: string | undefined) => {
    const read = imagesFromNpy(arrays[images], `${what}, array ${images}`);
    taken.push(images);
    if (labels === undefined) return { set: { images: read.images }, scaled: read.scaled };
    taken.push(labels);
    const given = labelsFromNpy(arrays[labels], `${what}, array ${labels}`, read.images.count);
    return { set: { images: read.images, labels: given }, scaled: read.scaled };
  };
  const { set, scaled } = split(train, found ? found.labels : onlyLabels(names, "train", what));
  const testPair = pairOf(names, "test", what);
  const test = testPair && split(testPair.images, testPair.labels);
  const others = names.filter((name) => !taken.includes(name));
  return {
    train: set,
    ...test && { test: test.set },
    scaled,
    notes: [
      ...test && test.scaled !== scaled ? [`test images ${test.scaled}`] : [],
      ...others.length > 0 ? [`arrays left out: ${oneLine(others.join(", "))}`] : [],
    ],
  };
}

/** The names of the images of a split, and of their labels: those that belong to these images, or the only ones; undefined without images. */
function pairOf(
  names: readonly string[],
  split: string,
  what: string,
): { images: string; labels: string | undefined } | undefined {
  for (const pair of PAIRS) {
    const images = named(names, split, pair.images, what);
    if (images === undefined) continue;
    return { images, labels: named(names, split, pair.labels, what) ?? onlyLabels(names, split, what) };
  }
}

/** The array of labels of a split, whatever it is called. */
function onlyLabels(names: readonly string[], split: string, what: string): string | undefined {
  return named(names, split, ANY_LABELS, what);
}

const ANY_LABELS = new RegExp(PAIRS.map(({ labels }) => labels.source).join("|"));

/**
 * The only name of a split that is so called; undefined if there is none. A name without a split is that of training images.
 *
 * @throws one sentence if there are several: which of them is meant does not follow from their order
 */
function named(names: readonly string[], split: string, called: RegExp, what: string): string | undefined {
  const found = names.filter((name) => {
    const words = name.toLowerCase().split("_"), splits = words.filter((word) => SPLITS.test(word));
    const rest = words.filter((word) => !SPLITS.test(word)).join("_");
    return splits.length < 2 && (splits[0] ?? "train") === split && called.test(rest);
  });
  if (found.length < 2) return found[0];
  const kind = PAIRS.some(({ images }) => images === called) ? "images" : "labels";
  throw new Error(`${what}: expected one array of ${split} ${kind}, got ${oneLine(found.join(" and "))}`);
}

/**
 * The NPY files of a ZIP file, by their names without the ending. Several of them may be the same bytes: what they become together
 * must be in proportion to the bytes that are there.
 */
function arraysOf(bytes: Uint8Array, what: string): Record<string, Uint8Array> {
  return Object.fromEntries(
    entriesOf(bytes, what).map((entry) => {
      const name = oneLine(entry.name.slice(0, -".npy".length));
      try {
        return [name, zipContent(entry)];
      } catch (cause) {
        throw new Error(`${what} is damaged, in array ${oneLine(name, 60)}: ${(cause as Error).message}`, { cause });
      }
    }),
  );
}

function entriesOf(bytes: Uint8Array, what: string): ZipEntry[] {
  const most = mostExpanded(bytes.length), largest = Math.min(LARGEST_ARRAY, most), entries: ZipEntry[] = [];
  let wrong: Error | undefined, total = 0;
  const refuse = (expected: string, got: string) => {
    wrong = new Error(`${what}: expected ${expected}, got ${got}`);
    throw wrong;
  };
  try {
    for (const entry of zipEntries(bytes)) {
      const { name, size } = entry;
      if (!name.endsWith(".npy")) continue;
      total += size;
      if (size > largest) refuse(`arrays of at most ${largest} bytes`, `${size} of ${oneLine(name, 60)}`);
      if (total > most) refuse(`arrays of at most ${most} bytes together in a file of its length`, "more");
      entries.push(entry);
    }
  } catch (cause) {
    throw wrong ?? new Error(`${what} is damaged or cut off: it cannot be read as NPZ`, { cause });
  }
  return entries;
}
