/** Brings the images of a data set to the size and the channels of a profile, and says what was done. */
import { crop } from "../core/pyramid.ts";
import { shapeText, type Size } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import { checkPadding, colourText, padded, paddingColour } from "./border.ts";
import { withChannels } from "./channels.ts";
import type { DataSet, LabelledImages } from "./data_set.ts";
import { resized } from "./resize.ts";

/** What the images of a profile are. */
export interface Wanted {
  /** Their size; any where it is left out. */
  readonly size?: Size;
  /** Their channels; those of the images where it is left out. */
  readonly channels?: 1 | 3;
  /** Whether they are pixel art, whose colours no scaling may mix. */
  readonly cut?: boolean;
}

/**
 * Black padding is reported if it is more than this part of a side. MNIST's digits, black like their own border, are padded by 4 of
 * 32 pixels.
 */
const UNSEEN = 1 / 8;

/** Whether images are so much smaller than a size that padding them to it would be seen. */
export function isMuchSmaller(images: Size, { height, width }: Size): boolean {
  const margin = Math.max(1 - images.height / height, 1 - images.width / width);
  return images.height <= height && images.width <= width && margin > UNSEEN;
}

/**
 * Fits images to a profile. Grey images of a colour profile get three equal channels. Larger images are scaled down, and cropped to
 * their middle if they have other proportions. Smaller ones are padded with the colour of their border; if that is black, synthesis
 * pads them itself.
 *
 * @returns the sets, and phrases that say what was done
 * @throws {Error} if images are larger in one direction and smaller in the other, or larger pixel art
 */
export function fitToProfile(
  { train, test }: Pick<DataSet, "train" | "test">,
  { size, channels, cut = false }: Wanted,
): Pick<DataSet, "train" | "test" | "padding" | "paddedFrom"> & { notes: string[] } {
  const { channels: own = 1 } = train.images;
  const notes: string[] = [];
  let sets = { train, test };
  const apply = (note: string | undefined, change: (images: Images) => Images) => {
    const changed = (set: LabelledImages) => ({ ...set, images: change(set.images) });
    sets = { train: changed(sets.train), test: changed(sets.test) };
    if (note !== undefined) notes.push(note);
  };
  if (channels !== undefined && own !== channels) {
    apply(channels === 3 ? "grey, as three equal channels" : undefined, (images) => withChannels(images, channels));
  }
  const { images } = sets.train;
  if (!size || images.height === size.height && images.width === size.width) return { ...sets, notes };
  const from = shapeText({ height: images.height, width: images.width });
  const to = shapeText(size);
  if (images.height >= size.height && images.width >= size.width && !cut) {
    const isWhole = images.height * size.width === images.width * size.height;
    apply(`${isWhole ? "" : "their middle, "}scaled from ${from} to ${to} pixels`, (all) => scaledToCover(all, size));
  } else if (images.height <= size.height && images.width <= size.width) {
    for (const set of [train, test]) checkPadding(set.images, size);
    const colour = paddingColour(images, size);
    const hint = isMuchSmaller(images, size) && !cut ? `; --size ${from} makes images of their own size` : "";
    if (colour) {
      const note = `padded to ${to} pixels with the colour of their border, ${colourText(colour)}${hint}`;
      apply(note, (all) => padded(all, size, colour));
      const { height, width } = images;
      return { ...sets, notes, padding: colour, paddedFrom: { height, width } };
    } else if (hint) notes.push(`padded from ${from} to ${to} pixels with black${hint}`);
  } else {
    const expected = cut ? "images of up to that size" : "images larger or smaller than that in both directions";
    throw new Error(
      `Cannot use images of ${from} pixels for images of ${to}: expected ${expected}; ` +
        `data import FOLDER --size ${to} brings pictures to it`,
    );
  }
  return { ...sets, notes };
}

/** Scales images until they cover a size, and takes their middle. */
function scaledToCover(images: Images, size: Size): Images {
  const scale = Math.max(size.height / images.height, size.width / images.width);
  const height = Math.max(size.height, Math.round(images.height * scale));
  return crop(resized(images, { height, width: Math.max(size.width, Math.round(images.width * scale)) }), size);
}

/** Pads the images of a data set, which are not larger than a size, with the colour of the training images' border. */
export function paddedTo<Sets extends Pick<DataSet, "train" | "test">>(sets: Sets, size: Size): Sets {
  for (const set of [sets.train, sets.test]) checkPadding(set.images, size);
  const colour = paddingColour(sets.train.images, size);
  if (!colour) return sets; // they fit, or synthesis pads them with black
  const whole = (set: LabelledImages) => ({ ...set, images: padded(set.images, size, colour) });
  return { ...sets, train: whole(sets.train), test: whole(sets.test) };
}
