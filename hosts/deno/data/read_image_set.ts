/** Reads images to be assessed or restored, from any system. */
import { basename, dirname, join } from "node:path";
import { withChannels } from "../../../datasets/channels.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import type { Reading } from "../../../datasets/formats/colour.ts";
import { gunzip, imagesFromIdx, labelsFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy, isNpy } from "../../../datasets/formats/npy.ts";
import { sha256 } from "../system/hashes.ts";
import { readRecord, writtenFiles } from "../folders/folder_record.ts";
import { cannotRead, readFile } from "./read_files.ts";
import { readIdx } from "./read_idx.ts";
import { isPicture, PICTURES, readPicture } from "./read_picture.ts";
import { compositedNote, greyedNote, imageOf, IN_FOLDER, readPictureFolder } from "./read_pictures.ts";

/** Images of any system, with or without classes. */
export interface ImageSet extends LabelledImages {
  /** The file of each image, below the path that was read; or else the one file that holds them all. */
  readonly names: readonly string[] | string;
  readonly files: DataSet["files"];
  /** How numbers were scaled to bytes, if they were not bytes. */
  readonly scaled?: string;
  /** The names of the classes, if they are not named by numbers: label i is that of `classes[i]`. */
  readonly classes?: readonly string[];
  /** What users should know of how the files were read: phrases. */
  readonly notes?: readonly string[];
}

/**
 * Reads images from
 * - a folder that `synth` wrote, also one in parts of the format `idx`, or any folder of pictures, which may have one folder of pictures per class;
 * - one picture: PNG, JPEG, WebP, GIF, BMP or TIFF;
 * - an IDX file of grey images, or an NPY file of images (labels: the IDX file beside it whose name says `labels` instead of
 *   `images`).
 *
 * Grey images that are read in colour have three equal channels.
 *
 * @param labelsPath an IDX file with the classes, if they are elsewhere
 * @throws one sentence if the path cannot be read or holds none of these
 */
export async function readImageSet(
  path: string,
  labelsPath?: string,
  reading: Pick<Reading, "channels"> = {},
): Promise<ImageSet> {
  const { channels = 1 } = reading, set = await readAsIs(path, labelsPath, { channels });
  return { ...set, images: withChannels(set.images, channels) };
}

async function readAsIs(path: string, labelsPath: string | undefined, reading: Reading): Promise<ImageSet> {
  const info = await Deno.stat(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
  if (info.isDirectory) {
    const written = await writtenFiles(path); // of a run that has not ended, files may be missing
    const parts = await partsOf(path);
    if (parts) return await joined(path, parts, labelsPath, reading);
    const idx = join(path, "images.idx3-ubyte"), isIdx = await Deno.stat(idx).then(() => true, () => false);
    if (isIdx) {
      const set = await readAsIs(idx, labelsPath, reading);
      return { ...set, names: await namesInRecord(path, set.images.count) ?? set.names };
    }
    const read = await readPictureFolder(path, reading, `images.idx3-ubyte or ${IN_FOLDER}`), { classes, notes } = read;
    // Of colour images, `synth` writes no IDX file that would be read instead of the pictures, but it writes their labels.
    const besideImages = read.train.labels || !written?.has(LABELS) ? undefined : join(path, LABELS);
    const set = await withLabels(read.train, read.files, labelsPath ?? besideImages);
    return { ...set, names: read.names ?? path, ...classes && !labelsPath && { classes }, notes };
  }
  const bytes = await readFile(path), files = [{ path, sha256: await sha256(bytes) }], names = basename(path);
  if (isNpy(bytes)) {
    const { images, scaled } = imagesFromNpy(bytes, path);
    return { ...await withLabels({ images }, files, labelsPath ?? await labelsBeside(path)), names, scaled };
  }
  if (isPicture(bytes)) {
    const picture = await readPicture(bytes, path, reading), { alpha, greyed } = picture;
    const notes = [...alpha ? [compositedNote(1, {})] : [], ...greyed ? [greyedNote(1)] : []];
    return { ...await withLabels({ images: imageOf(picture) }, files, labelsPath), names, notes };
  }
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip && (bytes[0] !== 0 || bytes[1] !== 0)) {
    throw new Error(`${path} holds no images: expected ${PICTURES}, a folder of them, an IDX file or an NPY file`);
  }
  const images = imagesFromIdx(await gunzip(bytes, path), path);
  return { ...await withLabels({ images }, files, labelsPath ?? await labelsBeside(path)), names };
}

/** The path of the labels that belong to a file of images by their names; undefined if there are none. */
async function labelsBeside(path: string): Promise<string | undefined> {
  const name = basename(path), labels = name.replace("images", "labels").replace("idx3", "idx1");
  const beside = join(dirname(path), labels.replace(/\.npy$/, ".idx1-ubyte"));
  return labels !== name && await Deno.stat(beside).then(() => true, () => false) ? beside : undefined;
}

/** The name of the labels that `synth` writes. */
const LABELS = "labels.idx1-ubyte";

/** The IDX or NPY files of a folder that was written in parts, in the order of their images; undefined if it was not. */
async function partsOf(folder: string): Promise<string[] | undefined> {
  const record = await readRecord(folder);
  if (!record || !("settings" in record)) return undefined;
  const names = Object.keys(record.files).filter((name) => /^data\/images-[\d-]+\.(idx3-ubyte|npy)$/.test(name)).sort();
  if (names.length > 0) return names;
  throw new Error(`Cannot read ${folder}, whose images are in another format: expected parts of synth --format idx`);
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
  const count = sets.reduce((sum, { images }) => sum + images.count, 0), [{ images: first }] = sets;
  const pixels = new Uint8Array(count * lengthOf(first)),
    labels = sets.every((set) => set.labels) && new Uint8Array(count);
  let done = 0;
  for (const set of sets) {
    pixels.set(set.images.pixels, done * lengthOf(first));
    if (labels) labels.set(set.labels!, done);
    done += set.images.count;
  }
  const all = { images: { ...first, count, pixels }, ...labels && !labelsPath && { labels } };
  return { ...await withLabels(all, sets.flatMap(({ files }) => files), labelsPath), names: folder };
}

/** The files that `synth` wrote for the images of a folder, as its `run.json` names them; undefined where it does not. */
async function namesInRecord(folder: string, count: number): Promise<string[] | undefined> {
  try {
    const { images } = JSON.parse(await Deno.readTextFile(join(folder, "run.json")));
    const names = (images as { file: unknown }[]).map(({ file }) => file);
    return names.length === count && names.every((name) => typeof name === "string") ? names as string[] : undefined;
  } catch {
    return undefined; // the names are for people: images without a record have their number
  }
}

async function withLabels(
  set: LabelledImages,
  files: DataSet["files"],
  path: string | undefined,
): Promise<Omit<ImageSet, "names">> {
  if (!path) return { ...set, files };
  const more = [...files], labels = labelsFromIdx(await readIdx(path, more), path, set.images.count);
  return { images: set.images, labels, files: more };
}
