/** Reads folders of pictures: of one size as a data set, or image by image. */
import { join } from "node:path";
import type { Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { colourText } from "../../../datasets/border.ts";
import { cropsOf, cutOut } from "../../../datasets/crops.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { type Composited, type Reading, WHITE } from "../../../datasets/formats/colour.ts";
import { expansionCheck, mostExpanded } from "../../../datasets/formats/expansion.ts";
import { isClassName, MAX_CLASSES } from "../../../datasets/groups.ts";
import { counted } from "../../../core/counted.ts";
import { readRecord, RECORD, writtenImages } from "../folders/folder_record.ts";
import { commandLine } from "../system/command_line.ts";
import { sha256 } from "../system/hashes.ts";
import { list, readFile, type ReadImages, sizeCheck, stat } from "./read_files.ts";
import { pictureNames, PICTURES, readPicture } from "./read_picture.ts";

/** What an error says was expected in a folder of pictures. */
export const IN_FOLDER = `pictures (${PICTURES}; in the folder, or in one folder a class)`;

/** Folders that hold no pictures of users: hidden ones, and that which macOS adds to archives. */
const NO_PICTURES = /^\.|^__MACOSX$/;

/** Bytes that a file takes of a disk, at least. */
const BLOCK = 4096;

/** Images that may differ in size: each is an image set of one. */
export interface Pictures {
  readonly images: readonly Images[];
  /** One label for each image, 0..255. */
  readonly labels?: Uint8Array;
  /** The file of each image, below the folder. */
  readonly names: readonly string[];
  /** How opaque each pixel of each image was, for those that are not wholly opaque. */
  readonly alphas: readonly (Uint8Array | undefined)[];
}

/** A picture as an image set of one. */
export function imageOf({ height, width, channels, pixels }: Composited): Images {
  return { count: 1, height, width, ...channels && { channels }, pixels };
}

/** Image sets of one, all of one shape, as one set. */
export function joinedImages(images: readonly Images[]): Images {
  return cutOut(images, cropsOf(images, images[0], 0), images[0]);
}

/**
 * Reads a folder of pictures of one size, or of one folder of pictures per class, and its test split, if it has one: see `readData`.
 *
 * @param lookedFor what an error says was expected
 * @param aligning see `sizeCheck`
 */
export async function readPictureFolder(
  path: string,
  reading: Reading,
  lookedFor = IN_FOLDER,
  aligning?: readonly string[],
): Promise<ReadImages> {
  const { train, test, ...rest } = await readPictures(path, reading, lookedFor, sizeCheck(path, aligning));
  const whole = ({ images, labels }: Pictures): LabelledImages => {
    return { images: joinedImages(images), ...labels && { labels } };
  };
  return { train: whole(train), ...test && { test: whole(test) }, ...rest, names: train.names };
}

/**
 * Reads a folder of pictures of any sizes, or of one folder of pictures per class, image by image, and its test split, if it has one.
 *
 * @param lookedFor what an error says was expected, such as `IN_FOLDER`
 * @param check gets the path and the size of each picture
 */
export async function readPictures(
  given: string,
  reading: Reading,
  lookedFor: string,
  check = (_path: string, _: Size) => {},
): Promise<{ train: Pictures; test?: Pictures } & Omit<ReadImages, "train" | "test" | "names">> {
  // A folder that `synth` wrote has its images in `images/`, beside the contact sheet; others there are not its images.
  const written = await writtenImages(given), isResult = written.size > 0;
  const folder = isResult ? join(given, "images") : given, { splits, unread } = await splitsOf(folder);
  const [trainSplit, testSplit] = splits;
  const isOwn = ({ name }: Found) => !isResult || written.has(name);
  const splitOf = async (split: string) => {
    const { files, others } = await picturesOf(folder, split);
    return { files: files.filter(isOwn), others };
  };
  const train = await splitOf(trainSplit), test = testSplit !== undefined && await splitOf(testSplit);
  if (train.files.length === 0) {
    const what = isResult ? `those that ${join(given, RECORD)} lists` : lookedFor;
    throw noImages(join(folder, trainSplit), what, train.others);
  }
  const files = [...train.files, ...test ? test.files : []], labelOf = classLabels(files, folder);
  const sums: string[] = [];
  const checkExpansion = expansionCheck(folder);
  const all: Pick<Composited, "alpha" | "greyed">[] = [];
  let length = 0;
  const split = async (files: readonly Found[]): Promise<Pictures | undefined> => {
    const images: Images[] = [], labels: number[] = [], alphas: (Uint8Array | undefined)[] = [], names: string[] = [];
    for (const { name, folder: className } of files) {
      const path = join(folder, name), bytes = await readFile(path), picture = await readPicture(bytes, path, reading);
      check(path, picture);
      length += Math.max(BLOCK, bytes.length);
      checkExpansion(picture.pixels.length, mostExpanded(length));
      images.push(imageOf(picture));
      alphas.push(picture.alpha);
      names.push(name);
      all.push({ alpha: picture.alpha, greyed: picture.greyed });
      if (className !== undefined) labels.push(labelOf.label(className));
      sums.push(`${await sha256(bytes)}  ${name}\n`);
    }
    if (images.length === 0) return undefined;
    return { images, alphas, names, ...labels.length > 0 && { labels: Uint8Array.from(labels) } };
  };
  const read = { train: (await split(train.files))!, test: test ? await split(test.files) : undefined };
  // The SHA-256 of what `sha256sum` prints for the files, sorted by name: one hash for all names and contents.
  const byName = sums.sort((a, b) => a.slice(64) < b.slice(64) ? -1 : 1).join("");
  const others = [...train.others, ...test ? test.others : []];
  return {
    ...read,
    files: [{ path: folder, sha256: await sha256(new TextEncoder().encode(byName)) }],
    ...labelOf.names && { classes: labelOf.names },
    notes: [
      ...pictureNotes(all, reading),
      ...others.length > 0
        ? [`skipped ${counted(others.length, "picture")} such as ${others[0]}: not ${PICTURES}`]
        : [],
      ...unread.map((name) => `pictures in ${name}/ are not read`),
    ],
  };
}

/** Says how many of some pictures have transparent pixels, and what these lie on now; and how many in colour were read in grey. */
export function pictureNotes(
  pictures: readonly Pick<Composited, "alpha" | "greyed">[],
  { background = WHITE }: Reading = {},
): string[] {
  const transparent = pictures.filter(({ alpha }) => alpha).length,
    greyed = pictures.filter((one) => one.greyed).length;
  const on = `composited on ${colourText(background)} (--background)`;
  return [
    ...transparent > 0 ? [`transparent pixels of ${counted(transparent, "picture")} ${on}`] : [],
    ...greyed > 0 ? [`colours of ${counted(greyed, "picture")} became shades of grey`] : [],
  ];
}

/**
 * Lists the pictures of a folder and its class folders, in the order in which they are read, and pictures in other formats.
 *
 * @throws {Error} if there are none
 */
export async function listPictures(
  folder: string,
): Promise<{ names: string[]; classes: string[]; others: string[] }> {
  if (!(await stat(folder)).isDirectory) throw new Error(`Cannot import ${folder}: expected a folder, got a file`);
  const { splits } = await splitsOf(folder);
  const read = await Promise.all(splits.map((split) => picturesOf(folder, split)));
  const allFiles = read.flatMap(({ files }) => files), others = read.flatMap(({ others }) => others);
  if (allFiles.length === 0) throw noImages(folder, IN_FOLDER, others);
  classLabels(allFiles, folder); // class folders that cannot be read later are refused now
  const classes = [...new Set(allFiles.flatMap(({ folder }) => folder ?? []))];
  return { names: allFiles.map(({ name }) => name), classes, others };
}

/**
 * Lists the pictures of a folder and of all folders in it, as albums of photographs have them, sorted by code unit, and pictures in
 * other formats. Hidden folders, links to folders, and what Patchloom wrote are left out.
 *
 * @throws {Error} if there are none
 */
export async function listAlbum(folder: string): Promise<{ names: string[]; others: string[] }> {
  if (!(await stat(folder)).isDirectory) throw new Error(`Cannot import ${folder}: expected a folder, got a file`);
  const names: string[] = [], others: string[] = [];
  const walk = async (below: string) => {
    const { files, folders } = await list(join(folder, below)), found = pictureNames(files);
    names.push(...found.pictures.map((name) => below + name));
    others.push(...found.others.map((name) => below + name));
    for (const name of folders) {
      const path = join(folder, below, name), isLink = (await Deno.lstat(path)).isSymlink;
      if (!isLink && !NO_PICTURES.test(name) && !(await readRecord(path))) await walk(`${below}${name}/`);
    }
  };
  await walk("");
  if (names.length === 0) throw noImages(folder, `pictures (${PICTURES}) in it and in its folders`, others);
  return { names, others };
}

/** An error that says what was looked for, and which pictures are there in formats that are not read. */
function noImages(folder: string, lookedFor: string, others: readonly string[]): Error {
  const [first, second] = others, them = second === undefined ? "it" : "them";
  const what = second === undefined ? first : `${others.length} pictures such as ${first}`;
  const unread = first === undefined ? "" : `; ${what} cannot be read: save ${them} as JPEG or PNG`;
  return new Error(`${folder} holds no images: looked for ${lookedFor}${unread}`);
}

/** A picture: its path below the folder, and the name of its class folder. */
interface Found {
  readonly name: string;
  readonly folder?: string;
}

/** Folders of validation images, which have no use here. */
const VALIDATION = /^(val|valid|validation|dev)$/i;

/**
 * Finds the splits of a folder: "train/", or "" without that folder, and "test/" if there is one; and the folders of validation
 * images beside them, which are not read.
 *
 * @throws {Error} if other folders with pictures lie beside `train`, which is a class of them then
 */
async function splitsOf(folder: string): Promise<{ splits: string[]; unread: string[] }> {
  const { folders } = await list(folder), test = folders.includes("test") ? ["test/"] : [];
  if (!folders.includes("train")) return { splits: ["", ...test], unread: [] };
  const unread: string[] = [];
  for (const name of folders) {
    if (name === "train" || name === "test" || NO_PICTURES.test(name)) continue;
    const { files } = await picturesOf(folder, `${name}/`);
    if (files.length === 0 || await readRecord(join(folder, name))) continue;
    if (!VALIDATION.test(name)) {
      throw new Error(
        `${folder}: expected pictures in train/ and test/ alone, got ${files[0].name}; ` +
          `move ${name}/ elsewhere, or, if train is a class, all class folders into a new folder train`,
      );
    }
    unread.push(name);
  }
  return { splits: ["train/", ...test], unread };
}

/** The pictures of a split ("", "train/" or "test/"), those of a class together, and pictures that cannot be read. */
async function picturesOf(folder: string, split: string): Promise<{ files: Found[]; others: string[] }> {
  const { files, folders } = await list(join(folder, split)), { pictures, others } = pictureNames(files);
  const direct = pictures.map((name): Found => ({ name: split + name })), inClasses: Found[] = [];
  // Hidden folders, and those that archivers add, are no classes; nor is the test split beside training images.
  const classes = folders.filter((name) => !NO_PICTURES.test(name) && !(split === "" && name === "test"));
  for (const name of classes.sort(byNumber)) {
    const inside = pictureNames((await list(join(folder, split, name))).files);
    for (const file of inside.pictures) inClasses.push({ name: `${split}${name}/${file}`, folder: name });
    for (const file of inside.others) others.push(`${name}/${file}`);
  }
  if (direct.length === 0) return { files: inClasses, others };
  // What Patchloom wrote beside the pictures that it read is no class of them.
  const isWritten = async (name: string) => await readRecord(join(folder, split, name)) !== undefined;
  const beside = new Set(inClasses.map(({ folder }) => folder!));
  for (const name of beside) if (await isWritten(name)) beside.delete(name);
  if (beside.size === 0) return { files: direct, others };
  throw new Error(
    `${join(folder, split)}: expected pictures in the folder itself or in class folders, got both, ` +
      `such as ${direct[0].name} and ${
        inClasses.find(({ folder }) => beside.has(folder!))!.name
      }; move them into one, ` +
      `or copy all of them without classes: ${
        commandLine("deno task data import", [folder, "--flat", "--size", "32"])
      }`,
  );
}

const isNumber = (name: string) => /^\d{1,3}$/.test(name) && Number(name) < MAX_CLASSES;

/** Numbers by their value, other names by their code units, and after numbers. */
function byNumber(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  return isNumber(a) !== isNumber(b) ? (isNumber(a) ? -1 : 1) : a < b ? -1 : 1;
}

/** The label of each class folder: its number, or its place among all if one of them is named by a word. */
function classLabels(found: readonly Found[], path: string): { names?: string[]; label(name: string): number } {
  const names = [...new Set(found.flatMap(({ folder }) => folder ?? []))].sort(byNumber);
  if (names.every(isNumber)) return { label: Number };
  const odd = names.find((name) => !isClassName(name));
  if (odd !== undefined) throw new Error(`${path}: expected a plain word as a class folder's name, got "${odd}"`);
  if (names.length > MAX_CLASSES) {
    throw new Error(`${path}: expected at most ${MAX_CLASSES} class folders, got ${names.length}`);
  }
  return { names, label: (name) => names.indexOf(name) };
}
