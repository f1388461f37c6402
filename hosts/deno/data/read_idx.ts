/** Reads IDX files: one, or a folder of them with the names of MNIST's files. */
import { join } from "node:path";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { gunzip, imagesFromIdx, labelsFromIdx } from "../../../datasets/formats/idx.ts";
import { sha256 } from "../system/hashes.ts";
import { writtenFiles } from "../folders/folder_record.ts";
import { readFile, type ReadImages, sizeCheck } from "./read_files.ts";

/** The path of the training images in a folder of IDX files; undefined if there are none. */
export async function trainImages(folder: string): Promise<string | undefined> {
  return await idxFile(folder, ["train"], "images");
}

/** The first existing file among the possible names of an IDX file: plain before gzip, which takes longer to read. */
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

/** Reads the training and test images of a folder of IDX files; undefined if it has no training images. */
export async function readIdxFolder(folder: string): Promise<ReadImages | undefined> {
  if (!await trainImages(folder)) return undefined;
  await writtenFiles(folder); // of a run that has not ended, files may be missing
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

/** Reads an IDX file and decompresses it. Adds its path and SHA-256 to `files`. */
export async function readIdx(path: string, files: { path: string; sha256: string }[]): Promise<Uint8Array> {
  const bytes = await readFile(path);
  files.push({ path, sha256: await sha256(bytes) });
  return await gunzip(bytes, path);
}
