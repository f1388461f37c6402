/** Finds exemplars of textures, of one size or of several. */
import { basename, resolve } from "node:path";
import { shapeText } from "../../../core/shape.ts";
import { cropsOf, cutOut, smallest } from "../../../datasets/crops.ts";
import type { Images } from "../../../core/types.ts";
import { type DataSet, noneOf, pick } from "../../../datasets/data_set.ts";
import { greyIfGrey, largeEnough, opaquePart } from "../../../datasets/exemplars.ts";
import type { Reading } from "../../../datasets/formats/colour.ts";
import { keptImages } from "../../../datasets/left_out.ts";
import { isPack, readPack } from "../../../datasets/formats/pack.ts";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";
import { counted } from "../../../core/counted.ts";
import { type Env, environment } from "../system/environment.ts";
import { sha256 } from "../system/hashes.ts";
import { asRequest } from "../system/request_error.ts";
import { BUILT_IN, checkNotBuiltIn, dataSources, leftOutNote, missingNotes, withNotes } from "./find_data.ts";
import { readFile, stat } from "./read_files.ts";
import { readPicture } from "./read_picture.ts";
import { imageOf, IN_FOLDER, type Pictures, readPictures } from "./read_pictures.ts";

/**
 * Finds exemplars of textures: `given` (a picture, a folder of pictures, or a pack), else `$PATCHLOOM_DATA/<dataset>`, else the built-in ones.
 * Exemplars of different sizes are cut into crops of the least height and width. If an exemplar has transparent pixels, its largest
 * rectangle without them is used.
 *
 * @param reading `channels` 3 to read them in colour; if all of them are grey, the result is grey
 * @param without exemplars to leave out, as if they had never been there: see `keptImages`
 * @param least the least side of an exemplar in pixels, so that a patch fits the coarsest layer; crops overlap by twice that, so
 * that each patch lies in a crop with its context
 * @throws {Error} if the exemplars cannot be read or are too small
 */
export async function findExemplars(
  dataset: string,
  { without = [], ...reading }: Reading & { readonly without?: readonly string[] },
  least: number,
  given?: string,
  env: Env = environment(),
): Promise<DataSet> {
  const path = given === BUILT_IN ? undefined : given ?? (await dataSources(dataset, env))[0]?.path;
  if (path !== undefined) {
    await checkNotBuiltIn(path);
    const packed = await packedExemplars(path);
    if (packed) return leaveOut(packed, without);
    const { images, labels, files, classes, notes, kept } = withoutExemplars(
      await readExemplars(path, reading),
      without,
    );
    const size = largeEnough(smallest(images), least);
    const crops = cropsOf(images, size, 2 * least), cut = crops.length > images.length;
    const pixels = `${shapeText(size)} pixels`;
    const train = greyIfGrey({
      images: cutOut(images, crops, size),
      ...labels && { labels: Uint8Array.from(crops, ({ image }) => labels[image]) },
    });
    const what = counted(images.length, "exemplar"), from = `from ${path}`;
    const origin = cut
      ? `${what} of different sizes ${from}, cut into ${crops.length} crops of ${pixels}, the least height and width`
      : `${what} of ${pixels} ${from}`;
    return {
      name: basename(resolve(path)),
      origin: withNotes(origin, notes),
      ...classes && { classes },
      train,
      test: noneOf(train),
      ...cut && { exemplars: { images, crops } },
      ...kept && { kept },
      files,
    };
  }
  const train = proceduralTextures();
  largeEnough(train.images, least);
  const files = [{ path: "built-in textures", sha256: await sha256(train.images.pixels) }];
  const missing = given === BUILT_IN ? [] : await missingNotes(dataset, env);
  const origin = "a brick wall and pebbles drawn by rule";
  return leaveOut({ name: dataset, origin, train, test: noneOf(train), files }, without, missing);
}

/** Leaves exemplars of one size out, and adds notes to the origin. */
function leaveOut(data: DataSet, without: readonly string[], notes: readonly string[] = []): DataSet {
  if (without.length === 0) return { ...data, origin: withNotes(data.origin, notes) };
  const kept = asRequest(() => keptImages(without, data.train.images.count));
  const origin = withNotes(data.origin, [...notes, leftOutNote(kept)]);
  return { ...data, origin, train: pick(data.train, [...kept.numbers]), kept };
}

/** Leaves exemplars of any sizes out, before crops are cut. */
function withoutExemplars(all: Exemplars, without: readonly string[]): Exemplars & Pick<DataSet, "kept"> {
  if (without.length === 0) return all;
  const { images, labels, names } = all,
    kept = asRequest(() => keptImages(without, images.length, names)),
    numbers = [...kept.numbers];
  const chosenLabels = labels && { labels: Uint8Array.from(numbers, (i) => labels[i]) };
  const notes = [...all.notes, leftOutNote(kept)];
  return { ...all, images: numbers.map((i) => images[i]), ...chosenLabels, notes, kept };
}

/** Reads the exemplars of a pack; undefined if the path is not that of a pack. */
async function packedExemplars(path: string): Promise<DataSet | undefined> {
  if (!(await stat(path)).isFile) return undefined;
  const bytes = await readFile(path);
  if (!isPack(bytes)) return undefined;
  const { origin, train, classes } = readPack(bytes, path), name = basename(resolve(path));
  return {
    name,
    origin: `${origin}, from ${path}`,
    title: origin,
    ...classes && { classes },
    train,
    test: noneOf(train),
    files: [{ path, sha256: await sha256(bytes) }],
  };
}

/** Exemplars without transparent pixels. */
type Exemplars = Pick<Pictures, "images" | "labels"> & Pick<DataSet, "files" | "classes"> & {
  names?: readonly string[];
  notes: readonly string[];
};

/**
 * Reads exemplars of a texture: one picture, or a folder of pictures as `readData` reads it, but of any sizes. No image is held out.
 *
 * @throws {Error} if the path cannot be read or holds none
 */
async function readExemplars(path: string, reading: Reading): Promise<Exemplars> {
  if ((await stat(path)).isDirectory) {
    const { train, files, classes, notes = [] } = await readPictures(path, reading, IN_FOLDER);
    // Nothing is composited: transparent places are cut off.
    const others = notes.filter((note) => !note.startsWith("transparent"));
    const { images, note } = withoutTransparent(train);
    const { labels, names } = train;
    return { ...labels && { labels }, names, images, files, classes, notes: [...others, ...note] };
  }
  const bytes = await readFile(path), picture = await readPicture(bytes, path, reading);
  const { images, note } = withoutTransparent({ images: [imageOf(picture)], alphas: [picture.alpha] });
  return { images, files: [{ path, sha256: await sha256(bytes) }], notes: note };
}

/** Cuts the largest rectangle without transparent pixels out of each exemplar that has such pixels. */
function withoutTransparent(
  { images, alphas }: Pick<Pictures, "images" | "alphas">,
): { images: Images[]; note: string[] } {
  const opaque = images.map((image, i) => opaquePart(image, alphas[i]));
  const count = alphas.filter((alpha) => alpha).length;
  if (count === 0) return { images: opaque, note: [] };
  return {
    images: opaque,
    note: [`of ${counted(count, "exemplar")} the largest rectangle without transparent pixels`],
  };
}
