import { sameShape, shapeText, type Size } from "../../core/shape.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { gunzip, imagesFromIdx } from "../../datasets/idx.ts";
import { colourFromPng, greyFromPng, isPng } from "../../datasets/png.ts";

/**
 * Reads seed images of `--from FILE`: a PNG or an IDX file. They have the seed's size, or are larger images that will be brought
 * down to it: of the profile's size or, where black around them does no harm (`padded`), up to that. Without, less than a seed's
 * pixel may be missing.
 */
export async function readSeedFile(
  path: string,
  sizes: readonly Size[],
  channels: 1 | 3 = 1,
  padded = true,
): Promise<LabelledImages> {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path);
  } catch (error) {
    throw new Error(`Cannot read --from ${path}: ${(error as Error).message} (valid: test, model, or a file)`);
  }
  const images = isPng(bytes)
    ? { count: 1, ...channels === 3 ? colourFromPng(bytes, path) : greyFromPng(bytes, path) }
    : imagesFromIdx(await gunzip(bytes, path), path);
  const [most] = sizes, least = sizes.at(-1)!, inside = images.height <= most.height && images.width <= most.width;
  const larger = images.height > least.height || images.width > least.width;
  const pixel = most.height / least.height, missing = Math.max(most.height - images.height, most.width - images.width);
  const brought = inside && (padded ? larger : missing < pixel);
  if (brought || sameShape(images, { ...least, channels: images.channels })) return { images };
  throw new Error(
    `Cannot use ${path} for seed images: expected ${shapeText(least)}, or ${padded ? "up to " : ""}${
      shapeText(most)
    } to be ` +
      `brought down, got ${images.width}x${images.height}`,
  );
}
