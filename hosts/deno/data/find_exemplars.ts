/** Finds exemplars of textures, of one size or of several. */
import { basename, resolve } from "@std/path";
import { areaOf, shapeText, type Size } from "../../../core/shape.ts";
import { cropsOf, cutOut, smallest } from "../../../datasets/crops.ts";
import { type DataSet, type LabelledImages, noneOf } from "../../../datasets/data_set.ts";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { type Env, environment, sha256 } from "./data_folder.ts";
import { BUILT_IN, dataSources } from "./find_data.ts";
import { readFile, stat } from "./read_files.ts";
import { fromPng, type Pictures, PNGS, readPictures } from "./read_pngs.ts";

/**
 * Finds exemplars of textures: `given` (a PNG or a folder of PNGs), else `$PATCHLOOM_DATA/<dataset>`, else the built-in ones.
 * Exemplars of different sizes are cut into crops of the least height and width.
 *
 * @param channels 3 to read them in colour; if all of them are grey, the result is grey
 * @param least the least side of an exemplar in pixels, so that a patch fits the coarsest layer; crops overlap by twice that, so
 * that each patch lies in a crop with its context
 * @throws {Error} if the exemplars cannot be read or are too small
 */
export async function findExemplars(
  dataset: string,
  channels: 1 | 3,
  least: number,
  given?: string,
  env: Env = environment(),
): Promise<DataSet> {
  const path = given === BUILT_IN ? undefined : given ?? (await dataSources(dataset, env))[0]?.path;
  if (path !== undefined) {
    const { images, labels, files } = await readExemplars(path, channels), size = largeEnough(smallest(images), least);
    const crops = cropsOf(images, size, 2 * least), cut = crops.length > images.length;
    const pixels = `${shapeText(size)} pixels`;
    const train = greyIfGrey({
      images: cutOut(images, crops, size),
      ...labels && { labels: Uint8Array.from(crops, ({ image }) => labels[image]) },
    });
    const what = counted(images.length, "exemplar"), from = `from ${path}`;
    return {
      name: basename(resolve(path)),
      origin: cut
        ? `${what} of different sizes ${from}, cut into ${crops.length} crops of ${pixels}, the least height and width`
        : `${what} of ${pixels} ${from}`,
      train,
      test: noneOf(train),
      ...cut && { exemplars: { images, crops } },
      files,
    };
  }
  const train = proceduralTextures();
  largeEnough(train.images, least);
  const files = [{ path: "built-in textures", sha256: await sha256(train.images.pixels) }];
  return { name: dataset, origin: "a brick wall and pebbles drawn by rule", train, test: noneOf(train), files };
}

/** Returns the size of exemplars. Throws if a side is below `least`. */
function largeEnough(size: Size, least: number): Size {
  if (Math.min(size.height, size.width) >= least) return size;
  const expected = `expected at least ${least}x${least}, where a patch fits the coarsest layer`;
  throw new Error(`Cannot use exemplars of ${shapeText(size)} pixels: ${expected}`);
}

/**
 * Reads exemplars of a texture: one PNG, or a folder of PNGs as `readData` reads it, but of any sizes. No image is held out.
 *
 * @throws {Error} if the path cannot be read or holds none
 */
async function readExemplars(path: string, channels: 1 | 3): Promise<Pictures & Pick<DataSet, "files">> {
  const info = await stat(path);
  if (info.isDirectory) {
    const { train, files } = await readPictures(path, channels, PNGS);
    return { ...train, files };
  }
  const bytes = await readFile(path), images = [{ count: 1, ...fromPng(bytes, path, channels) }];
  return { images, files: [{ path, sha256: await sha256(bytes) }] };
}

/** Converts colour images whose channels are equal to grey ones, which take a third of the work. */
function greyIfGrey(set: LabelledImages): LabelledImages {
  const { channels = 1, pixels, ...size } = set.images, area = areaOf(size);
  if (channels === 1) return set;
  const first = (i: number) => i - Math.floor(i / area) % 3 * area;
  if (pixels.some((value, i) => value !== pixels[first(i)])) return set;
  return { ...set, images: { ...size, pixels: pixels.filter((_, i) => first(i) === i) } };
}
