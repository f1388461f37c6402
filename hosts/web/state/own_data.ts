/** Makes a data set and a profile of a visitor's own pictures. */
import { counted } from "../../../core/counted.ts";
import type { Profile, ProfileLayer } from "../../../core/profile.ts";
import { areaOf, lengthOf, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { type DataSet, pick } from "../../../datasets/data_set.ts";
import { composited, luma, MAGENTA } from "../../../datasets/formats/colour.ts";
import { digitsPaper, sprites } from "../../../datasets/profiles/mod.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { MIXED, mixedFaces } from "./mixed_faces.ts";

/** The sizes that a visitor's pictures can be scaled to: 4x4 pixels doubled three times, or four times. */
export const OWN_SIZES = [32, 64] as const;
/** Sprites of up to this size keep their own size and their pixels. Their pyramid halves three times, and holds a patch of 4. */
const MAX_SPRITE = 64, MIN_SPRITE = 16, SPRITE_UNIT = 8;

/**
 * The most pixels of an exemplar that keeps its size, and the pixels that larger ones are scaled down to. All patches of an exemplar
 * are compared with each patch of the texture. For 192x192 pixels of a photograph with grain that takes 4 s of 256x256 pixels, and
 * 10 s of 384x384 (`deno test -A tests/hosts/web/own_kinds.test.ts` prints it).
 */
const KEPT_PIXELS = 384 * 384, SCALED_PIXELS = 256 * 256;

/** What is said of faces that are aligned. */
export const ALIGNED = "aligned by their eyes";

/** The data set of pictures of a visitor's own that are no sprites. */
export const OWN_PICTURES = "pictures";

/** Whether the examples of a pack are mixtures of a visitor's faces. What is said of other packs may hold the name of a file. */
export function areMixed({ profile, origin }: Pick<Pack, "profile" | "origin">): boolean {
  return profile.dataset === OWN_PICTURES && origin.includes(MIXED);
}

/** A picture as the browser decodes it: `size` x `size` pixels of four bytes, red, green, blue and opacity. */
export interface OwnPicture {
  readonly rgba: Uint8ClampedArray;
  /** The name of the folder that it was dropped in. */
  readonly folder?: string;
}

/** What the worker makes a pack of. */
export interface OwnData {
  readonly profile: Profile;
  readonly data: DataSet;
  /** The same as mixtures of the pictures, where these are few faces in colour. Some cannot be mixed. */
  readonly mixed?: Pick<OwnData, "profile" | "data">;
}

/** Fewer pictures are refused: one of them is held out, and patches of fewer than four are copies. */
export const MIN_PICTURES = 5;
/** More are refused: the page keeps all of them in memory several times. */
const MAX_PICTURES = 5000;
/** One picture in this many of a class is held out; its seed image is one to start from. */
const EVERY = 10;
/** Channels that differ by more grey levels make a picture coloured: JPEG colours grey pictures a little. */
const COLOURED = 12;
/**
 * Pictures of a class for one neighbour, and the most neighbours, those of digits: 3 neighbours of 18 drawings make clean images of their
 * kind, 100 would make the mean of all.
 */
const PER_NEIGHBOUR = 6, MAX_NEIGHBOURS = 100;

/**
 * Makes a data set of pictures: grey, or coloured if one of them is, or sprites if one of them has transparent pixels. Pictures from
 * two folders or more have the folders' names as classes. Pixels of sprites are transparent or opaque.
 *
 * @param areFaces whether they are faces that are aligned by their eyes
 * @throws {RangeError} if there are too few pictures, in all or in a class, or too many
 */
export function ownData(pictures: readonly OwnPicture[], size: number, areFaces = false): OwnData {
  const { length: count } = pictures;
  if (count < MIN_PICTURES || count > MAX_PICTURES) {
    const alone = count > 0 && count < MIN_PICTURES
      ? ". One picture alone makes a texture, or a new face if it shows one"
      : "";
    throw new RangeError(
      `Cannot use ${counted(count, "picture")}: expected ${MIN_PICTURES} to ${MAX_PICTURES}${alone}`,
    );
  }
  const folders = [...new Set(pictures.map(({ folder }) => folder ?? ""))].sort();
  const classes = folders.length > 1 ? folders.map((folder) => folder || "others") : undefined;
  const labels = classes && Uint8Array.from(pictures, ({ folder }) => folders.indexOf(folder ?? ""));
  if (folders.length > 256) {
    throw new RangeError(`Cannot use ${folders.length} folders as classes: expected at most 256`);
  }
  const counts = folders.map((_, label) => labels?.reduce((sum, one) => sum + Number(one === label), 0) ?? count);
  const small = counts.findIndex((of) => of < 2);
  if (small >= 0) throw new RangeError(`Cannot use the folder ${classes![small]}: expected at least 2 pictures, got 1`);
  const areSprites = pictures.some(({ rgba }) => hasTransparent(rgba));
  const all = { images: areSprites ? spritesOf(pictures, size) : imagesOf(pictures, size), labels };
  const seen = counts.map(() => 0), heldOut: number[] = [], kept: number[] = [];
  for (let i = 0; i < count; i++) {
    const label = labels?.[i] ?? 0, number = seen[label]++;
    // The first of every ten, so that a class of two pictures has one.
    (number % EVERY === 0 ? heldOut : kept).push(i);
  }
  const what = areFaces ? `${count} faces of your own, ${ALIGNED}` : `${counted(count, "picture")} of your own`;
  const title = `${what}, ${heldOut.length} of them for seed images`;
  const data: DataSet = {
    name: OWN_PICTURES,
    ...areSprites && { transparent: MAGENTA },
    origin: title,
    title,
    classes,
    train: pick(all, kept),
    test: pick(all, heldOut),
    files: [],
  };
  const areMixed = areFaces && !classes && all.images.channels === 3;
  const mixing = areMixed ? mixedFaces(size, kept.length, OWN_PICTURES) : undefined;
  return {
    profile: areSprites
      ? { ...sprites, size, classwise: classes !== undefined }
      : ownProfile(size, all.images.channels === 3 ? 3 : 1, classes !== undefined, Math.min(...counts)),
    data,
    ...mixing && { mixed: { profile: mixing, data: { ...data, title: `${what}, ${MIXED}` } } },
  };
}

/** The images, channel by channel. */
function imagesOf(pictures: readonly OwnPicture[], size: number): Images {
  const area = size * size, coloured = pictures.some(({ rgba }) => isColoured(rgba)), channels = coloured ? 3 : 1;
  const shape = { height: size, width: size, channels }, pixels = new Uint8Array(pictures.length * lengthOf(shape));
  pictures.forEach(({ rgba }, i) => {
    for (let p = 0; p < area; p++) {
      const opacity = rgba[4 * p + 3] / 255, at = i * channels * area + p;
      const [red, green, blue] = [0, 1, 2].map((c) => rgba[4 * p + c] * opacity + 255 * (1 - opacity));
      if (!coloured) pixels[at] = Math.round(luma(red, green, blue));
      else [red, green, blue].forEach((value, c) => pixels[at + c * area] = Math.round(value));
    }
  });
  return { count: pictures.length, ...shape, pixels };
}

/** Whether pixels are transparent, as `composited` cuts them. */
export function hasTransparent(rgba: ArrayLike<number>): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] < 128) return true;
  return false;
}

/** Returns the size in which a picture is the exemplar of a texture: its own, or a smaller one. */
export function exemplarSize({ width, height }: Size): Size {
  const area = areaOf({ width, height });
  if (area <= KEPT_PIXELS) return { width, height };
  const part = Math.sqrt(SCALED_PIXELS / area), scaled = (side: number) => Math.max(1, Math.round(side * part));
  return { width: scaled(width), height: scaled(height) };
}

/** Returns the size in which all sprites keep their pixels, whatever larger pictures lie among them; undefined if the first is no sprite. */
export function spriteSize(pictures: readonly Size[]): number | undefined {
  const sides = pictures.map(({ width, height }) => Math.max(width, height));
  if (sides.length === 0 || sides[0] > MAX_SPRITE) return undefined;
  const largest = Math.max(...sides.filter((side) => side <= MAX_SPRITE));
  return Math.max(MIN_SPRITE, Math.ceil(largest / SPRITE_UNIT) * SPRITE_UNIT);
}

/** Pictures of this side and more look better at 64x64; so many of them take seconds at that size, more take longer. */
const LARGE = 128, FEW = 120;

/** Returns the side to which pictures are scaled where none is chosen. `sizes`: of some of them. `count`: how many there are. */
export function sideFor(sizes: readonly Size[], count: number): typeof OWN_SIZES[number] {
  const sides = sizes.map(({ width, height }) => Math.min(width, height)).sort((a, b) => a - b);
  return count <= FEW && sides[sides.length >> 1] >= LARGE ? 64 : 32;
}

/** The images of sprites, in colour, as `synth --profile sprites` reads them. */
function spritesOf(pictures: readonly OwnPicture[], size: number): Images {
  const shape = { height: size, width: size, channels: 3 }, pixels = new Uint8Array(pictures.length * lengthOf(shape));
  pictures.forEach(({ rgba }, i) => {
    const sprite = composited({ ...shape, data: rgba }, { channels: 3, background: MAGENTA, cut: true });
    pixels.set(sprite.pixels, i * lengthOf(shape));
  });
  return { count: pictures.length, ...shape, pixels };
}

function isColoured(rgba: Uint8ClampedArray): boolean {
  for (let at = 0; at < rgba.length; at += 4) {
    const [red, green, blue, opacity] = rgba.subarray(at, at + 4);
    if (opacity > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED) return true;
  }
  return false;
}

/** The paper's profile of digits for these pictures: its finest layer twice for the larger size. */
function ownProfile(size: number, channels: 1 | 3, classwise: boolean, perClass: number): Profile {
  const { layers, ...rest } = digitsPaper, all: readonly ProfileLayer[] = size === 64 ? [layers[0], ...layers] : layers;
  const neighbours = Math.max(2, Math.min(MAX_NEIGHBOURS, Math.round(perClass / PER_NEIGHBOUR)));
  const about = `pictures of one's own, ${size}x${size}`;
  return {
    ...rest,
    name: "pictures",
    about,
    dataset: OWN_PICTURES,
    size,
    channels,
    classwise,
    prior: ["local-nn", { neighbours }],
    layers: all,
  };
}
