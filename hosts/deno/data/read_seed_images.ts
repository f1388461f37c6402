/** Reads the seed images of `--from PATH`. */
import { sameShape, shapeText, type Size } from "../../../core/shape.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { gunzip, imagesFromIdx } from "../../../datasets/formats/idx.ts";
import { isPng } from "../../../datasets/formats/png.ts";
import { fromPng, readPngFolder } from "./read_pngs.ts";

/**
 * Reads images to make seed images of: a PNG, an IDX file, or a folder of PNGs, which may have one folder per class; of a
 * folder with a test split, its test images. They have the size of seed images, or are larger and will be downscaled: up to
 * the profile's size if they may be padded with black, otherwise smaller by less than one pixel of the seed image.
 */
export async function readSeedImages(
  path: string,
  sizes: readonly Size[],
  channels: 1 | 3 = 1,
  padded = true,
): Promise<LabelledImages> {
  const read = await readImages(path, channels), { images } = read;
  const [most] = sizes, least = sizes.at(-1)!, inside = images.height <= most.height && images.width <= most.width;
  const larger = images.height > least.height || images.width > least.width;
  const pixel = most.height / least.height, missing = Math.max(most.height - images.height, most.width - images.width);
  const isDownscaled = inside && (padded ? larger : missing < pixel);
  if (isDownscaled || sameShape(images, { ...least, channels: images.channels })) return read;
  throw new Error(
    `Cannot use ${path} for seed images: expected ${shapeText(least)}, or ${padded ? "up to " : ""}${
      shapeText(most)
    } ` +
      `to be downscaled, got ${images.width}x${images.height}`,
  );
}

async function readImages(path: string, channels: 1 | 3): Promise<LabelledImages> {
  const cannotRead = (error: Error) => {
    throw new Error(`Cannot read --from ${path}: ${error.message} (valid: test, model, or a path)`);
  };
  if ((await Deno.stat(path).catch(cannotRead)).isDirectory) {
    const { train, test = train } = await readPngFolder(path, channels);
    return test;
  }
  const bytes = await Deno.readFile(path).catch(cannotRead);
  if (isPng(bytes)) return { images: { count: 1, ...fromPng(bytes, path, channels) } };
  return { images: imagesFromIdx(await gunzip(bytes, path), path) };
}
