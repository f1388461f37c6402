/** Reads folders of PNGs: of one size as a data set, or image by image. */
import { join } from "@std/path";
import type { Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { cropsOf, cutOut } from "../../../datasets/crops.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { colourFromPng, type ColourImage, greyFromPng, type GreyImage } from "../../../datasets/formats/png.ts";
import { sha256 } from "./data_folder.ts";
import { writtenFiles } from "../output/folder_record.ts";
import { list, readFile, type ReadImages, sizeCheck } from "./read_files.ts";

/** What an error says was expected in a folder of PNGs. */
export const PNGS = "PNGs (in the folder, or in one folder a class named 0 to 255)";

/** Images that may differ in size: each is an image set of one. */
export interface Pictures {
  readonly images: readonly Images[];
  /** One label for each image, 0..255. */
  readonly labels?: Uint8Array;
  /** The file of each image, below the folder. */
  readonly names?: readonly string[];
}

/** Decodes a PNG in grey or in colour. @throws {Error} if it is none */
export function fromPng(bytes: Uint8Array, path: string, channels: 1 | 3): GreyImage | ColourImage {
  return channels === 3 ? colourFromPng(bytes, path) : greyFromPng(bytes, path);
}

/**
 * Reads a folder of PNGs, or of one folder of PNGs per class, and its test split, if it has one: see `readData`.
 *
 * @param lookedFor what an error says was expected
 */
export async function readPngFolder(path: string, channels: 1 | 3, lookedFor = PNGS): Promise<ReadImages> {
  const { train, test, files } = await readPictures(path, channels, lookedFor, sizeCheck());
  const whole = ({ images, labels }: Pictures): LabelledImages => {
    return { images: cutOut(images, cropsOf(images, images[0], 0), images[0]), ...labels && { labels } };
  };
  return { train: whole(train), ...test && { test: whole(test) }, files, names: train.names };
}

/** Reads the same images, each on its own. `check` gets the path and the size of each. */
export async function readPictures(
  given: string,
  channels: 1 | 3,
  lookedFor: string,
  check = (_path: string, _: Size) => {},
) {
  // A folder that `synth` wrote has its images in `images/`, beside the contact sheet; others there are not its images.
  const { files, folders: inside } = await list(given), written = await writtenFiles(given);
  const isResult = files.includes("run.json") && inside.includes("images");
  const folder = isResult ? join(given, "images") : given;
  const { folders } = isResult ? await list(folder) : { folders: inside };
  const trainFolder = folders.includes("train") ? "train/" : "";
  const sums: string[] = [];
  const train = await readSplit(trainFolder);
  if (!train) throw new Error(await nothingIn(join(folder, trainFolder), lookedFor));
  const test = folders.includes("test") ? await readSplit("test/") : undefined;
  // The SHA-256 of what `sha256sum` prints for the files, sorted by name: one hash for all names and contents.
  const byName = sums.sort((a, b) => a.slice(64) < b.slice(64) ? -1 : 1).join("");
  return { train, test, files: [{ path: folder, sha256: await sha256(new TextEncoder().encode(byName)) }] };

  async function readSplit(split: string): Promise<Pictures | undefined> {
    const images: Images[] = [], labels: number[] = [], names: string[] = [];
    for (const { name, label } of await pngFiles(folder, split)) {
      if (isResult && written && !written.has(`images/${name}`)) continue;
      const path = join(folder, name), bytes = await readFile(path), image = fromPng(bytes, path, channels);
      check(path, image);
      images.push({ count: 1, ...image });
      if (label !== undefined) labels.push(label);
      names.push(name);
      sums.push(`${await sha256(bytes)}  ${name}\n`);
    }
    if (images.length === 0) return undefined;
    return { images, names, ...labels.length > 0 && { labels: Uint8Array.from(labels) } };
  }
}

/** The PNGs of a split ("", "train/" or "test/"): their paths below `folder`, with their classes. */
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
    `${join(folder, split)}: expected PNGs in the folder itself or in class folders, got both, ` +
      `such as ${direct[0].name} and ${inClasses[0].name}`,
  );
}

/** The error for a folder without images; class folders may have words for names. */
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
