/** Reads the picture of a mask. */
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
