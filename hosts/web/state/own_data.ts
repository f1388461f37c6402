/** Makes a data set and a profile of a visitor's own pictures. */
import type { Profile, ProfileLayer } from "../../../core/profile.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { type DataSet, pick } from "../../../datasets/data_set.ts";
import { luma } from "../../../datasets/formats/colour.ts";
import { digitsPaper } from "../../../datasets/profiles/mod.ts";

/** The sizes that a visitor's pictures can be scaled to: 4x4 pixels doubled three times, or four times. */
export const OWN_SIZES = [32, 64] as const;
export type OwnSize = (typeof OWN_SIZES)[number];

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
}

/** Fewer pictures are refused: one of them is held out, and patches of fewer than four are copies. */
const LEAST = 5;
/** More are refused: the page keeps all of them in memory several times. */
const MOST = 5000;
/** One picture of so many of a class is held out; its seed image is one to start from. */
const EVERY = 10;
/** Channels that differ by more grey levels make a picture coloured: JPEG colours grey pictures a little. */
const COLOURED = 12;
/**
 * One neighbour for so many pictures of a class: 3 of 18 drawings make clean images of their kind, 100 of 18 would make the mean
 * of all. The most are those of digits.
 */
const PER_NEIGHBOUR = 6, MOST_NEIGHBOURS = 100;

/**
 * Makes a data set of pictures: grey, or coloured if one of them is. Pictures from two folders or more have the folders' names
 * as classes. Transparent pixels are composited on white.
 *
 * @throws {RangeError} if there are too few pictures, in all or in a class, or too many
 */
export function ownData(pictures: readonly OwnPicture[], size: OwnSize): OwnData {
  const { length: count } = pictures;
  if (count < LEAST || count > MOST) {
    throw new RangeError(`Cannot use ${pluralOf(count)}: expected ${LEAST} to ${MOST}`);
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
  const all = { images: imagesOf(pictures, size), labels };
  const seen = counts.map(() => 0), heldOut: number[] = [], kept: number[] = [];
  for (let i = 0; i < count; i++) {
    const label = labels?.[i] ?? 0, number = seen[label]++;
    // The first of every ten, so that a class of two pictures has one.
    (number % EVERY === 0 ? heldOut : kept).push(i);
  }
  const title = `${pluralOf(count)} of your own, ${heldOut.length} of them for seed images`;
  return {
    profile: ownProfile(size, classes !== undefined, Math.min(...counts)),
    data: {
      name: "pictures",
      origin: title,
      title,
      classes,
      train: pick(all, kept),
      test: pick(all, heldOut),
      files: [],
    },
  };
}

const pluralOf = (count: number) => `${count} picture${count === 1 ? "" : "s"}`;

/** The images, channel by channel. */
function imagesOf(pictures: readonly OwnPicture[], size: OwnSize): Images {
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

function isColoured(rgba: Uint8ClampedArray): boolean {
  for (let at = 0; at < rgba.length; at += 4) {
    const [red, green, blue, opacity] = rgba.subarray(at, at + 4);
    if (opacity > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED) return true;
  }
  return false;
}

/** The paper's profile of digits for these pictures: its finest layer twice for the larger size. */
function ownProfile(size: OwnSize, classwise: boolean, perClass: number): Profile {
  const { layers, ...rest } = digitsPaper, all: readonly ProfileLayer[] = size === 64 ? [layers[0], ...layers] : layers;
  const neighbours = Math.max(2, Math.min(MOST_NEIGHBOURS, Math.round(perClass / PER_NEIGHBOUR)));
  const about = `pictures of one's own, ${size}x${size}`;
  return {
    ...rest,
    name: "pictures",
    about,
    dataset: "pictures",
    size,
    classwise,
    prior: ["local-nn", { neighbours }],
    layers: all,
  };
}
