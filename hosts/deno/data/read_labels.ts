/** Reads the labels of images from files of their own. */
import { basename, dirname, join } from "node:path";
import { labelsFromIdx } from "../../../datasets/formats/idx.ts";
import { isNpy, labelsFromNpy } from "../../../datasets/formats/npy.ts";
import { readIdx } from "./read_idx.ts";

/**
 * Reads an IDX or NPY file of labels, and adds its path and SHA-256 to `files`.
 *
 * @param images how many images the labels are for
 */
export async function readLabels(
  path: string,
  images: number,
  files: { path: string; sha256: string }[],
): Promise<Uint8Array> {
  const bytes = await readIdx(path, files);
  return isNpy(bytes) ? labelsFromNpy(bytes, path, images) : labelsFromIdx(bytes, path, images);
}

/**
 * The path of the labels that belong to a file of images by their names: `labels` instead of `images`, or `y` instead of `x`.
 * Undefined if there are none.
 */
export async function labelsBeside(path: string): Promise<string | undefined> {
  const name = basename(path), labels = name.replace("images", "labels");
  const names = [
    ...labels === name ? [] : [labels.replace("idx3", "idx1").replace(/\.npy$/, ".idx1-ubyte"), labels],
    name.replace(/^(.*_)?[xX](?=[_.].*npy$)/, "$1y"),
  ];
  for (const other of names) {
    const beside = join(dirname(path), other);
    if (other !== name && await Deno.stat(beside).then(({ isFile }) => isFile, () => false)) return beside;
  }
}
