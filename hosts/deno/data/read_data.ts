import { basename, dirname, join } from "@std/path";
import { cropsOf, cutOut } from "../../../datasets/crops.ts";
import { type DataSet, type LabelledImages, pick } from "../../../datasets/data_set.ts";
import { gunzip, imagesFromIdx, labelsFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy, isNpy } from "../../../datasets/formats/npy.ts";
import { isPack, type Pack, readPack } from "../../../datasets/formats/pack.ts";
import { colourFromPng, greyFromPng, isPng } from "../../../datasets/formats/png.ts";
import { sha256 } from "./data_folder.ts";
import { areaOf, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";

/** What a folder or file of images holds. */
export interface ReadData extends Pick<DataSet, "train" | "test" | "seeds" | "files"> {
  /** Whether the test images were taken out of the training images, for want of others. */
  readonly heldOut: boolean;
  /** The pack that it is, where it is one. */
  readonly pack?: Pack;
}

const LOOKED_FOR = "train-images-idx3-ubyte or .gz (and t10k- or test-images, and labels), " +
  "or PNGs (in the folder, in train/ and test/, and there in one folder a class named 0 to 255)";
/** What is looked for in a folder of PNGs alone. */
export const PNGS = "PNGs (in the folder, or in one folder a class named 0 to 255)";

/**
 * Reads images from
 * - a folder of IDX files named as MNIST's: `train-images`, `train-labels`, `t10k-` or `test-images` and `-labels`;
 * - a folder of PNGs, or of `train/` and `test/` with PNGs; in each may be one folder of PNGs a class, named 0 to 255;
 * - one IDX file of images;
 * - a pack, which has seed images in place of test images.
 *
 * Where there are no other test images, every tenth image (of its class) is held out. PNGs come in the order of their names by
 * code unit, class after class.
 *
 * @param channels 3 to read PNGs in colour
 * @throws one sentence where the path cannot be read, holds neither, or holds images of more than one size
 */
export async function readData(path: string, channels: 1 | 3 = 1): Promise<ReadData> {
  const info = await Deno.stat(path).catch((cause) => {
    throw cause instanceof Deno.errors.NotFound ? new Error(`There is no ${path}`, { cause }) : cannotRead(path, cause);
  });
  const bytes = info.isFile ? await readFile(path) : undefined;
  if (bytes && isPack(bytes)) return await packData(bytes, path);
  const read = bytes
    ? await readIdxFile(bytes, path)
    : await readIdxFolder(path) ?? await readPngFolder(path, channels);
  const { train, test } = read.test ? { train: read.train, test: read.test } : holdOut(path, read.train);
  if (!train.labels !== !test.labels) {
    const [has, lacks] = train.labels ? ["training", "test"] : ["test", "training"];
    throw new Error(
      `${path}: expected classes for all images or none, found them for ${has} but not for ${lacks} images`,
    );
  }
  return { train, test, files: read.files, heldOut: !read.test };
}

async function packData(bytes: Uint8Array, path: string): Promise<ReadData> {
  const pack = readPack(bytes, path), { train, seeds } = pack, files = [{ path, sha256: await sha256(bytes) }];
  return { train, test: noneOf(train), seeds, files, heldOut: false, pack };
}

/** Images of one each, which may differ in size. */
interface Pictures {
  readonly images: readonly Images[];
  /** One label an image, 0..255. */
  readonly labels?: Uint8Array;
}

/**
 * Reads exemplars of a texture: one PNG, or a folder of PNGs as `readData` has it, but of any sizes. None is held out.
 *
 * @throws one sentence where the path cannot be read or holds none
 */
export async function readExemplars(path: string, channels: 1 | 3): Promise<Pictures & Pick<DataSet, "files">> {
  const info = await Deno.stat(path).catch((cause) => {
    throw cause instanceof Deno.errors.NotFound ? new Error(`There is no ${path}`, { cause }) : cannotRead(path, cause);
  });
  if (info.isDirectory) {
    const { train, files } = await readPictures(path, channels, PNGS);
    return { ...train, files };
  }
  const bytes = await readFile(path), images = [{ count: 1, ...fromPng(bytes, path, channels) }];
  return { images, files: [{ path, sha256: await sha256(bytes) }] };
}

/** A PNG in grey or in colour: throws one sentence where it is none. */
export function fromPng(bytes: Uint8Array, path: string, channels: 1 | 3) {
  return channels === 3 ? colourFromPng(bytes, path) : greyFromPng(bytes, path);
}

/** No images at all, of the same kind. */
export function noneOf({ images, labels }: LabelledImages): LabelledImages {
  return { images: { ...images, count: 0, pixels: new Uint8Array() }, ...labels && { labels: new Uint8Array() } };
}

/** Colour images whose channels are equal as grey ones, which take a third of the work. */
export function greyIfGrey(set: LabelledImages): LabelledImages {
  const { channels = 1, pixels, ...size } = set.images, area = areaOf(size);
  if (channels === 1) return set;
  const first = (i: number) => i - Math.floor(i / area) % 3 * area;
  if (pixels.some((value, i) => value !== pixels[first(i)])) return set;
  return { ...set, images: { ...size, pixels: pixels.filter((_, i) => first(i) === i) } };
}

/** Images to be judged: of any system, with or without classes. */
export interface ImageSet extends LabelledImages {
  readonly files: DataSet["files"];
  /** How numbers that were no bytes became bytes. */
  readonly scaled?: string;
}

/**
 * Reads images to be judged from
 * - a folder that `synth` wrote, or any folder of PNGs, in which may be one folder of PNGs a class, named 0 to 255;
 * - one PNG;
 * - an IDX file of images (labels: the file beside it whose name says `labels` instead of `images`);
 * - an NPY file of images.
 *
 * @param labelsPath an IDX file with the classes, where they are elsewhere
 * @throws one sentence where the path cannot be read or holds none of these
 */
export async function readImageSet(path: string, labelsPath?: string): Promise<ImageSet> {
  const info = await Deno.stat(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
  if (info.isDirectory) {
    const idx = join(path, "images.idx3-ubyte"), isIdx = await Deno.stat(idx).then(() => true, () => false);
    if (isIdx) return await readImageSet(idx, labelsPath);
    const { train, files } = await readPngFolder(path, 1, `images.idx3-ubyte or ${PNGS}`);
    return await withLabels(train, files, labelsPath);
  }
  const bytes = await readFile(path), files = [{ path, sha256: await sha256(bytes) }];
  if (isNpy(bytes)) {
    const { images, scaled } = imagesFromNpy(bytes, path);
    return { ...await withLabels({ images }, files, labelsPath), scaled };
  }
  if (isPng(bytes)) return await withLabels({ images: { count: 1, ...fromPng(bytes, path, 1) } }, files, labelsPath);
  const content = await gunzip(bytes, path);
  if (content[0] !== 0 || content[1] !== 0) {
    throw new Error(`${path} holds no images: expected a PNG, a folder of PNGs, an IDX file or an NPY file`);
  }
  const images = imagesFromIdx(content, path);
  const name = basename(path).replace("images", "labels").replace("idx3", "idx1"), beside = join(dirname(path), name);
  const found = name !== basename(path) && await Deno.stat(beside).then(() => true, () => false);
  return await withLabels({ images }, files, labelsPath ?? (found ? beside : undefined));
}

async function withLabels(
  set: LabelledImages,
  files: DataSet["files"],
  path: string | undefined,
): Promise<ImageSet> {
  if (!path) return { ...set, files };
  const more = [...files], labels = labelsFromIdx(await readIdx(path, more), path, set.images.count);
  return { images: set.images, labels, files: more };
}

/** The path of the training images in a folder of IDX files, where there are any. */
export async function trainImages(folder: string): Promise<string | undefined> {
  return await idxFile(folder, ["train"], "images");
}

/** The first that is there of the names that an IDX file goes by: plain before gzip, which takes longer to read. */
async function idxFile(folder: string, splits: readonly string[], things: "images" | "labels") {
  const type = things === "images" ? "idx3-ubyte" : "idx1-ubyte";
  for (const split of splits) {
    for (const ending of [`-${type}`, `.${type}`, `-${type}.gz`, `.${type}.gz`]) {
      const path = join(folder, `${split}-${things}${ending}`);
      const info = await Deno.stat(path).catch(() => undefined);
      if (info?.isFile) return path;
    }
  }
}

interface Read {
  readonly train: LabelledImages;
  readonly test?: LabelledImages;
  readonly files: DataSet["files"];
}

async function readIdxFile(bytes: Uint8Array, path: string): Promise<Read> {
  const images = imagesFromIdx(await gunzip(bytes, path), path);
  return { train: { images }, files: [{ path, sha256: await sha256(bytes) }] };
}

async function readIdxFolder(folder: string): Promise<Read | undefined> {
  if (!await trainImages(folder)) return undefined;
  const files: { path: string; sha256: string }[] = [], sameSize = sizeCheck();
  const train = await readSplit(["train"]);
  return { train: train!, test: await readSplit(["t10k", "test"]), files };

  async function readSplit(names: readonly string[]): Promise<LabelledImages | undefined> {
    const path = await idxFile(folder, names, "images"), labelPath = await idxFile(folder, names, "labels");
    if (!path) return undefined;
    const images = imagesFromIdx(await readIdx(path, files), path);
    sameSize(path, images);
    if (!labelPath) return { images };
    return { images, labels: labelsFromIdx(await readIdx(labelPath, files), labelPath, images.count) };
  }
}

async function readIdx(path: string, files: { path: string; sha256: string }[]): Promise<Uint8Array> {
  const bytes = await readFile(path);
  files.push({ path, sha256: await sha256(bytes) });
  return await gunzip(bytes, path);
}

/**
 * Reads a folder of PNGs, or of a class's folders with PNGs, and the test split, where it has one: see `readData`.
 *
 * @param lookedFor what an error says that there should be
 */
export async function readPngFolder(path: string, channels: 1 | 3, lookedFor = LOOKED_FOR): Promise<Read> {
  const { train, test, files } = await readPictures(path, channels, lookedFor, sizeCheck());
  const whole = ({ images, labels }: Pictures): LabelledImages => {
    return { images: cutOut(images, cropsOf(images, images[0], 0), images[0]), ...labels && { labels } };
  };
  return { train: whole(train), ...test && { test: whole(test) }, files };
}

/** The same, image by image. `check` is shown the size of each, with its path. */
async function readPictures(given: string, channels: 1 | 3, lookedFor: string, check = (_path: string, _: Size) => {}) {
  // A folder that `synth` wrote has its images in one of its own, beside their contact sheet.
  const { files, folders: inside } = await list(given),
    isResult = files.includes("run.json") && inside.includes("images");
  const folder = isResult ? join(given, "images") : given,
    { folders } = isResult ? await list(folder) : { folders: inside };
  const trainFolder = folders.includes("train") ? "train/" : "";
  const sums: string[] = [];
  const train = await readSplit(trainFolder);
  if (!train) throw new Error(await nothingIn(join(folder, trainFolder), lookedFor));
  const test = folders.includes("test") ? await readSplit("test/") : undefined;
  // The sum of what `sha256sum` prints for the files, sorted by name: one number for the names and the contents of all.
  const byName = sums.sort((a, b) => a.slice(64) < b.slice(64) ? -1 : 1).join("");
  return { train, test, files: [{ path: folder, sha256: await sha256(new TextEncoder().encode(byName)) }] };

  async function readSplit(split: string): Promise<Pictures | undefined> {
    const images: Images[] = [], labels: number[] = [];
    for (const { name, label } of await pngFiles(folder, split)) {
      const path = join(folder, name), bytes = await readFile(path), image = fromPng(bytes, path, channels);
      check(path, image);
      images.push({ count: 1, ...image });
      if (label !== undefined) labels.push(label);
      sums.push(`${await sha256(bytes)}  ${name}\n`);
    }
    if (images.length === 0) return undefined;
    return labels.length > 0 ? { images, labels: Uint8Array.from(labels) } : { images };
  }
}

/** The PNGs below `folder` in `split` ("", "train/" or "test/"), by their names from `folder` on, with their classes. */
async function pngFiles(folder: string, split: string): Promise<{ name: string; label?: number }[]> {
  const { files, folders } = await list(join(folder, split));
  const direct: { name: string; label?: number }[] = pngNames(files).map((name) => ({ name: split + name }));
  const classes = folders.filter((name) => /^\d{1,3}$/.test(name) && Number(name) <= 255);
  const inClasses: typeof direct = [];
  for (const label of classes.sort((a, b) => Number(a) - Number(b))) {
    const { files } = await list(join(folder, split, label));
    for (const name of pngNames(files)) inClasses.push({ name: `${split}${label}/${name}`, label: Number(label) });
  }
  if (direct.length === 0) return inClasses;
  if (inClasses.length === 0) return direct;
  throw new Error(
    `${join(folder, split)}: expected PNGs in the folder itself or in class folders, found both, ` +
      `such as ${direct[0].name} and ${inClasses[0].name}`,
  );
}

/** Why no images were found in a folder: its classes' folders may be named by words. */
async function nothingIn(folder: string, lookedFor: string): Promise<string> {
  const named: string[] = [], { folders } = await list(folder);
  for (const name of folders) if (pngNames((await list(join(folder, name))).files).length > 0) named.push(name);
  if (named.length === 0) return `${folder} holds no images: looked for ${lookedFor}`;
  const few = named.slice(0, 3).map((name) => `"${name}"`).join(", ") + (named.length > 3 ? " and others" : "");
  return `${folder} has PNGs in folders named ${few}: expected one folder a class, named 0 to 255`;
}

function pngNames(files: readonly string[]): string[] {
  return files.filter((name) => name.toLowerCase().endsWith(".png") && !name.startsWith("."));
}

/** The names of the files and of the folders in a folder, sorted by code unit: the same order on every machine. */
async function list(folder: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [], folders: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const kind = entry.isSymlink ? await Deno.stat(join(folder, entry.name)) : entry;
      if (kind.isFile) files.push(entry.name);
      if (kind.isDirectory) folders.push(entry.name);
    }
  } catch (cause) {
    throw cannotRead(folder, cause);
  }
  return { files: files.sort(), folders: folders.sort() };
}

async function readFile(path: string): Promise<Uint8Array> {
  return await Deno.readFile(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
}

function cannotRead(path: string, cause: unknown): Error {
  return new Error(`Cannot read ${path}: ${(cause as Error).message}`, { cause });
}

/** A function that remembers the size of the first image that it is shown, and throws at one of another size. */
function sizeCheck(): (path: string, size: Size) => void {
  let first: { path: string; size: string } | undefined;
  return (path, { height, width }) => {
    const size = `${width}x${height}`;
    first ??= { path, size };
    if (size === first.size) return;
    throw new Error(`${path} is ${size} pixels: expected ${first.size}, the size of ${first.path}`);
  };
}

/** Makes a test split of every tenth image; where there are classes, of every tenth of each, so that none goes short. */
function holdOut(path: string, all: LabelledImages): { train: LabelledImages; test: LabelledImages } {
  const { images, labels } = all;
  if (images.count < 2) throw new Error(`${path}: expected at least 2 images, one of them to hold out, found 1`);
  const seen: number[] = new Array(256).fill(0), kept: number[] = [], heldOut: number[] = [];
  for (let i = 0; i < images.count; i++) {
    const tenth = ++seen[labels?.[i] ?? 0] % 10 === 0;
    (tenth ? heldOut : kept).push(i);
  }
  if (heldOut.length === 0) heldOut.push(kept.pop()!);
  return { train: pick(all, kept), test: pick(all, heldOut) };
}
