/** Reads the picture of a mask. */
import { shapeText, type Size } from "../../../core/shape.ts";
import type { Composited } from "../../../datasets/formats/colour.ts";
import { maskNames } from "../../../pipelines/restoration/degradation.ts";
import { RequestError } from "../system/request_error.ts";
import { readFile } from "../data/read_files.ts";
import { readPicture } from "../data/read_picture.ts";

/** Throws where a mask is neither one of the names nor like a path, and no file is called so. */
async function checkMaskPath(path: string): Promise<void> {
  if (/[./\\]/.test(path) || await Deno.lstat(path).catch(() => undefined)) return;
  throw new RequestError(`Cannot use --mask ${path}: expected ${maskNames.join(", ")} or the file of a picture`);
}

/**
 * Reads a mask for a picture: 1 for each pixel that is missing.
 *
 * @param path of the picture, for errors
 * @throws {Error} as `readMaskPicture`, and if the mask has another size than the picture
 */
export async function readMaskFor(maskPath: string, path: string, { height, width }: Size): Promise<Uint8Array> {
  const mask = await readMaskPicture(maskPath), size = shapeText({ height, width });
  if (mask.height === height && mask.width === width) return missingOf(mask);
  throw new Error(`Cannot use the mask ${maskPath}: expected ${size} pixels, as ${path} has, got ${shapeText(mask)}`);
}

/** Returns 1 for each pixel of the picture of a mask that is missing. */
export function missingOf({ pixels }: Pick<Composited, "pixels">): Uint8Array {
  return Uint8Array.from(pixels, (grey) => grey >= 128 ? 1 : 0);
}

/**
 * Reads a mask from a picture of any format, in grey: of 128 or more is what is missing. Transparent pixels hide nothing.
 *
 * @throws {Error} if it cannot be read, is no picture, or has colours: a photograph that is painted on is bright in other places
 */
export async function readMaskPicture(path: string): Promise<Composited> {
  await checkMaskPath(path);
  const mask = await readPicture(await readFile(path, `the mask ${path}`), path, { background: [0, 0, 0] });
  if (!mask.greyed) return mask;
  throw new Error(
    `Cannot use the mask ${path}: expected white where pixels are missing, on black, got a picture in colour`,
  );
}
