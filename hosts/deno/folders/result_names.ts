/** How files and folders of results are named, and packs. */
import { RequestError } from "../system/request_error.ts";

/**
 * Returns a profile's name, to name a file or folder of results.
 *
 * @throws {RequestError} if the name would lead out of the folder
 */
export function fileName(command: string, profile: string, kind: "file" | "folder"): string {
  if (/^[^./\\][^/\\]*$/.test(profile)) return profile;
  throw new RequestError(`${command} needs --out: the profile's name "${profile}" is no name for a ${kind}`);
}

/** Returns the default folder of a command's results: `out/`, then `before` and the profile's name. */
export function outFolder(command: string, profile: string, before = ""): string {
  return `out/${before}${fileName(command, profile, "folder")}`;
}

/** The path of the map of an image, by the map's name and the image's number, below the folder of its run. */
export function mapFileOf(name: string, number: number): string {
  return `maps/${name}/${String(number).padStart(4, "0")}.png`;
}

/** The file of the labels of a run in one piece, and those of its images in one file, by their kind. */
export const LABELS = "labels.idx1-ubyte", IMAGES = { grey: "images.idx3-ubyte", colour: "images.npy" } as const;

/** The path of a synthesized image, by its number, below the folder of its run. */
export function fileOf(number: number): string {
  return `images/${String(number).padStart(4, "0")}.png`;
}

/** Whether a text is the path of a pack, by its ending. */
export function isPackPath(text: string | undefined): text is string {
  return text !== undefined && /\.loom$/i.test(text);
}
