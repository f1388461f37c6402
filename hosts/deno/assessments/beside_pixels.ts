/** Finds what the files of assessed images hold beside these: who publishes the files publishes it, too. */
import { dirname, join } from "node:path";
import { lengthOf } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { isColourful, withChannels } from "../../../datasets/channels.ts";
import { imagesFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy, isNpy, isPlainNpy } from "../../../datasets/formats/npy.ts";
import { besidePixels, readPng } from "../../../datasets/formats/png.ts";
import { isPng } from "../../../datasets/formats/signatures.ts";
import { readFile } from "../data/read_files.ts";
import type { ImageSet } from "../data/read_image_set.ts";
import { imageOf } from "../data/read_pictures.ts";
import { sha256 } from "../system/hashes.ts";

/** A file that holds more than the images that were read from it, and what that is. */
export interface FileWithMore {
  readonly path: string;
  readonly more: string;
}

/** What a file is said to hold that was changed after it was read. */
const CHANGED = "other content than when it was assessed";

/**
 * The files of images and of labels that hold anything else. Only pictures in PNG and files in IDX and NPY can hold nothing else:
 * they must have 8 bits a sample, no transparency but on white, equal parts of a colour that was read in grey, nothing after their
 * end, and be what they were when they were read.
 *
 * @param path what was assessed; files of labels are looked at that lie in it, or beside it where it is a file
 * @param set what was read from it, as it was read
 */
export async function filesWithMore(path: string, { files, names, images }: ImageSet): Promise<FileWithMore[]> {
  const found: FileWithMore[] = [], [{ path: from }, ...others] = files;
  const look = async (path: string, besideIn: (bytes: Uint8Array) => Promise<string | undefined>) => {
    const isLink = (await Deno.lstat(path)).isSymlink, more = isLink ? "a link" : await besideIn(await readFile(path));
    if (more !== undefined) found.push({ path, more });
  };
  if (typeof names === "string" || !(await Deno.stat(from)).isDirectory) {
    await look(from, (bytes) => besideImages(bytes, from, images));
  } else {
    const length = lengthOf(images);
    for (const [i, name] of names.entries()) {
      const pixels = images.pixels.subarray(i * length, (i + 1) * length), file = join(from, name);
      await look(file, (bytes) => besideImages(bytes, file, { ...images, count: 1, pixels }));
    }
  }
  for (const { path: file, sha256: before } of others) {
    const isBelow = file.startsWith(join(path, "/")) || dirname(file) === dirname(from) && from === path;
    if (isBelow) await look(file, async (bytes) => await sha256(bytes) === before ? besideNumbers(bytes) : CHANGED);
  }
  return found;
}

/** Says what a file holds beside images that were read from it; undefined: nothing. */
async function besideImages(bytes: Uint8Array, path: string, assessed: Images): Promise<string | undefined> {
  const { channels } = assessed;
  const more = isPng(bytes) ? await besidePixels(bytes, path) : besideNumbers(bytes);
  if (more !== undefined) return more;
  const own = isPng(bytes)
    ? imageOf(readPng(bytes, path, { channels: 3 }))
    : isNpy(bytes)
    ? imagesFromNpy(bytes, path).images
    : imagesFromIdx(bytes, path);
  if (channels !== 3 && isColourful(own)) return "colours, which were read in grey";
  const { pixels } = withChannels(own, channels === 3 ? 3 : 1), isSame = pixels.length === assessed.pixels.length;
  return isSame && pixels.every((value, i) => value === assessed.pixels[i]) ? undefined : CHANGED;
}

/** Says what a file holds beside bytes of an array, which readers count; undefined: nothing. */
function besideNumbers(bytes: Uint8Array): string | undefined {
  if (isNpy(bytes)) return isPlainNpy(bytes) ? undefined : "other numbers than bytes, or a header with other words";
  return bytes[0] === 0 && bytes[1] === 0 ? undefined : "more than pixels, as every format but PNG, IDX and NPY can";
}

/** Says that files hold more than what was assessed. */
export function moreText([{ path, more }, ...others]: readonly FileWithMore[]): string {
  const also = others.length > 0 ? `; ${others.length} more files hold more, too` : "";
  return `${path} holds ${more}, and may show training images${also}. ` +
    "Write PNG, IDX or NPY files of 8 bits that hold pixels alone, and assess these";
}
