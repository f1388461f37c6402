/** Reads images to be assessed or restored, from any system. */
import { basename, dirname, join } from "@std/path";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { gunzip, imagesFromIdx, labelsFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy, isNpy } from "../../../datasets/formats/npy.ts";
import { isPng } from "../../../datasets/formats/png.ts";
import { sha256 } from "./data_folder.ts";
import { writtenFiles } from "../output/folder_record.ts";
import { cannotRead, readFile } from "./read_files.ts";
import { readIdx } from "./read_idx.ts";
import { fromPng, PNGS, readPngFolder } from "./read_pngs.ts";

/** Images of any system, with or without classes. */
export interface ImageSet extends LabelledImages {
  /** The file of each image, below the path that was read; or else the one file that holds them all. */
  readonly names: readonly string[] | string;
  readonly files: DataSet["files"];
  /** How numbers were scaled to bytes, if they were not bytes. */
  readonly scaled?: string;
}

/**
 * Reads images from
 * - a folder that `synth` wrote, or any folder of PNGs, which may have one folder of PNGs per class, named 0 to 255;
 * - one PNG;
 * - an IDX file of images (labels: the file beside it whose name says `labels` instead of `images`);
 * - an NPY file of images.
 *
 * @param labelsPath an IDX file with the classes, if they are elsewhere
 * @throws one sentence if the path cannot be read or holds none of these
 */
export async function readImageSet(path: string, labelsPath?: string): Promise<ImageSet> {
  const info = await Deno.stat(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
  if (info.isDirectory) {
    await writtenFiles(path); // of a run that has not ended, files may be missing
    const idx = join(path, "images.idx3-ubyte"), isIdx = await Deno.stat(idx).then(() => true, () => false);
    if (isIdx) {
      const set = await readImageSet(idx, labelsPath);
      return { ...set, names: await namesInRecord(path, set.images.count) ?? set.names };
    }
    const { train, files, names } = await readPngFolder(path, 1, `images.idx3-ubyte or ${PNGS}`);
    return { ...await withLabels(train, files, labelsPath), names: names ?? path };
  }
  const bytes = await readFile(path), files = [{ path, sha256: await sha256(bytes) }], names = basename(path);
  if (isNpy(bytes)) {
    const { images, scaled } = imagesFromNpy(bytes, path);
    return { ...await withLabels({ images }, files, labelsPath), names, scaled };
  }
  if (isPng(bytes)) {
    return { ...await withLabels({ images: { count: 1, ...fromPng(bytes, path, 1) } }, files, labelsPath), names };
  }
  const content = await gunzip(bytes, path);
  if (content[0] !== 0 || content[1] !== 0) {
    throw new Error(`${path} holds no images: expected a PNG, a folder of PNGs, an IDX file or an NPY file`);
  }
  const images = imagesFromIdx(content, path);
  const labels = names.replace("images", "labels").replace("idx3", "idx1"), beside = join(dirname(path), labels);
  const found = labels !== names && await Deno.stat(beside).then(() => true, () => false);
  return { ...await withLabels({ images }, files, labelsPath ?? (found ? beside : undefined)), names };
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
