/** Reads images to be assessed or restored, from any system. */
import { basename, join } from "node:path";
import { withChannels } from "../../../datasets/channels.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import type { Reading } from "../../../datasets/formats/colour.ts";
import { sha256 } from "../system/hashes.ts";
import { readRecord, readRecordText, RECORD, writtenFiles } from "../folders/folder_record.ts";
import { IMAGES, LABELS } from "../folders/result_names.ts";
import { cannotRead, readFile } from "./read_files.ts";
import { labelsBeside, readLabels } from "./read_labels.ts";
import { joinedSets, readImageFile } from "./read_image_file.ts";
import { isPicture, readPicture } from "./read_picture.ts";
import { imageOf, IN_FOLDER, pictureNotes, readPictureFolder } from "./read_pictures.ts";

/** Images of any system, with or without classes. */
export interface ImageSet extends LabelledImages {
  /** The file of each image, below the path that was read; or else the one file that holds them all. */
  readonly names: readonly string[] | string;
  readonly files: DataSet["files"];
  /** How numbers were scaled to bytes, if they were not bytes. */
  readonly scaled?: string;
  /** The names of the classes, if they are not named by numbers: label i is that of `classes[i]`. */
  readonly classes?: readonly string[];
  /** The part of each image that its largest contributor gives, where `synth` wrote that; NaN for other images. */
  readonly shares?: Float64Array;
  /** The number of the seed image of each image, where `synth` wrote that; NaN for other images. */
  readonly seedImages?: Float64Array;
  /** What users should know of how the files were read: phrases. */
  readonly notes?: readonly string[];
}

/**
 * Reads images from
 * - a folder that `synth` wrote, also one in parts of the formats `idx`, `npy`, `webdataset` and `parquet`, or any folder of pictures, which may have one folder of pictures per class;
 * - one picture: PNG, JPEG, WebP, GIF, BMP or TIFF;
 * - an IDX file of grey images, or an NPY file of images (labels: the IDX or NPY file beside it whose name says `labels` instead of
 *   `images`, or `y` instead of `x`); an NPZ, Parquet or WebDataset file, which may hold labels.
 *
 * Grey images that are read in colour have three equal channels.
 *
 * @param labelsPath an IDX or NPY file with the classes, if they are elsewhere
 * @throws one sentence if the path cannot be read or holds none of these
 */
export async function readImageSet(
  path: string,
  labelsPath?: string,
  reading: Pick<Reading, "channels"> = {},
): Promise<ImageSet> {
  const { channels = 1 } = reading, set = await readAsIs(path, labelsPath, { channels });
  const recorded = await imagesInRecord(path), images = withChannels(set.images, channels);
  const shares = inRecord(recorded, set, shareOf), seedImages = inRecord(recorded, set, seedImageOf);
  return { ...set, images, ...shares && { shares }, ...seedImages && { seedImages } };
}

async function readAsIs(path: string, labelsPath: string | undefined, reading: Reading): Promise<ImageSet> {
  const info = await Deno.stat(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
  if (info.isDirectory) {
    const written = await writtenFiles(path); // of a run that has not ended, files may be missing
    const parts = await partsOf(path);
    if (parts) return await joined(path, parts, labelsPath, reading);
    const idx = join(path, IMAGES.grey), isIdx = await Deno.stat(idx).then(() => true, () => false);
    if (isIdx) {
      const set = await readAsIs(idx, labelsPath, reading);
      return { ...set, names: await namesInRecord(path, set.images.count) ?? set.names };
    }
    const read = await readPictureFolder(path, reading, `${IMAGES.grey} or ${IN_FOLDER}`), { classes, notes } = read;
    // For colour images `synth` writes no IDX file, so the pictures are read, but it writes an IDX file of their labels.
    const besideImages = read.train.labels || !written?.has(LABELS) ? undefined : join(path, LABELS);
    const set = await withLabels(read.train, read.files, labelsPath ?? besideImages);
    return { ...set, names: read.names ?? path, ...classes && !labelsPath && { classes }, notes };
  }
  const bytes = await readFile(path), names = basename(path);
  if (isPicture(bytes)) {
    const files = [{ path, sha256: await sha256(bytes) }];
    const picture = await readPicture(bytes, path, reading), notes = pictureNotes([picture]);
    return { ...await withLabels({ images: imageOf(picture) }, files, labelsPath), names, notes };
  }
  const { train, files, names: inFile = names, classes, scaled, notes } = await readImageFile(bytes, path, reading);
  const beside = labelsPath ?? (train.labels ? undefined : await labelsBeside(path));
  const set = await withLabels(train, files, beside);
  return { ...set, names: inFile, scaled, ...classes && !beside && { classes }, ...notes && { notes } };
}

/** The files of parts that hold images. */
const PARTS = /^data\/(images-[\d-]+\.(idx3-ubyte|npy)|[\d-]+\.tar|train-[\d-]+\.parquet)$/;

/** The files of images of a folder that was written in parts, in the order of their images; undefined if it was not. */
async function partsOf(folder: string): Promise<string[] | undefined> {
  const record = await readRecord(folder);
  if (!record || !("settings" in record)) return undefined;
  const names = Object.keys(record.files).filter((name) => PARTS.test(name)).sort();
  if (names.length > 0) return names;
  throw new Error(
    `Cannot read ${folder}, whose images are in another format: expected parts of --format idx, npy, webdataset or parquet`,
  );
}

/** Reads the parts of a run one after another. */
async function joined(
  folder: string,
  parts: readonly string[],
  labelsPath: string | undefined,
  reading: Reading,
): Promise<ImageSet> {
  const sets: ImageSet[] = [];
  for (const part of parts) sets.push(await readAsIs(join(folder, part), undefined, reading));
  const { images, labels } = joinedSets(sets, parts), [{ classes }] = sets;
  const all = { images, ...labels && !labelsPath && { labels } };
  const set = await withLabels(all, sets.flatMap(({ files }) => files), labelsPath);
  return { ...set, names: folder, ...classes && !labelsPath && { classes } };
}

/** What `run.json` says of an image, as far as it is used here. */
interface RecordedImage {
  readonly file?: unknown;
  readonly seedImage?: unknown;
  readonly contributors?: readonly { readonly image: number | null; readonly share: number }[];
}

/** The images of the record of a folder, as `synth` wrote it; [] where there is none. */
async function imagesInRecord(folder: string): Promise<readonly RecordedImage[]> {
  try {
    const { images } = JSON.parse(await readRecordText(join(folder, RECORD)));
    return Array.isArray(images) ? images : [];
  } catch {
    return []; // the record is for people: images without one are named by their numbers
  }
}

/** The files that `synth` wrote for the images of a folder, as its `run.json` names them; undefined where it does not. */
async function namesInRecord(folder: string, count: number): Promise<string[] | undefined> {
  const names = (await imagesInRecord(folder)).map((image) => image?.file);
  return names.length === count && names.every((name) => typeof name === "string") ? names as string[] : undefined;
}

/**
 * A number of each image, found by its file, as a record says it; NaN for images without one, undefined where none has one. A record
 * names files below the folder of the run; pictures of a run are named below its folder `images`.
 */
function inRecord(
  recorded: readonly RecordedImage[],
  { names, images: { count } }: Pick<ImageSet, "names" | "images">,
  numberOf: (image: RecordedImage) => number | undefined,
): Float64Array | undefined {
  const byFile = new Map(recorded.map((image) => [image?.file, numberOf(image)]));
  const files = typeof names === "string" ? [] : names;
  const numbers = Float64Array.from({ length: count }, (_, i) => {
    return byFile.get(files[i]) ?? byFile.get(`images/${files[i]}`) ?? NaN;
  });
  return numbers.every(Number.isNaN) ? undefined : numbers;
}

/** The number of the seed image of a recorded image. */
function seedImageOf(image: RecordedImage): number | undefined {
  return typeof image?.seedImage === "number" ? image.seedImage : undefined;
}

/** The largest share that a training image has in a recorded image; 0 where no pixel is a copy. */
function shareOf(image: RecordedImage): number | undefined {
  if (!Array.isArray(image?.contributors)) return undefined;
  const copied = image.contributors.find((one) => one?.image !== null && Number(one?.image) >= 0);
  return copied ? Number(copied.share) : 0;
}

async function withLabels(
  set: LabelledImages,
  files: DataSet["files"],
  path: string | undefined,
): Promise<Omit<ImageSet, "names">> {
  if (!path) return { ...set, files };
  const more = [...files], labels = await readLabels(path, set.images.count, more);
  return { images: set.images, labels, files: more };
}
