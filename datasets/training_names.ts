/** Names training images in results: by their numbers among all, with those that were left out. */
import type { DataSet } from "./data_set.ts";
import { numbersOfClass } from "./groups.ts";

/** The number of the training image behind one that may be a copy of it, mirrored or deformed. */
export function trainingNumber(
  { train, kept, copies = 1 }: Pick<DataSet, "train" | "kept" | "copies">,
  image: number,
): number {
  return image % (kept ? kept.real ?? kept.all : train.images.count / copies);
}

/** A training image as results name it: its number among all, and its place if it is a crop of an exemplar; null: no image. */
export interface NamedImage {
  /** Its number among all. */
  readonly image: number | null;
  /** The row of the crop's first pixel. */
  readonly y?: number;
  /** The column of the crop's first pixel. */
  readonly x?: number;
  /** The images that it is a morph of, if it is one. */
  readonly parents?: readonly number[];
}

/** The data that training images are named by. */
type Named = Pick<DataSet, "train" | "exemplars" | "kept" | "morphs">;

/** Names the training images of a class by their places in it; a place without an image, such as -1, has the name null. */
export function namesOfClass(
  { train, exemplars, kept, morphs }: Named,
  label?: number,
): (place: number) => NamedImage {
  const own = numbersOfClass(train.labels, label, train.images.count);
  const numberOf = (i: number) => kept ? kept.numbers[i] : i;
  return (place) => {
    const i = own[place];
    if (i === undefined) return { image: null };
    const crop = exemplars?.crops[i];
    if (crop) return { ...crop, image: numberOf(crop.image) };
    const image = numberOf(i);
    const parents = morphs?.parents.get(image % morphs.all);
    return { image, ...parents && { parents } };
  };
}

/** The training images behind one that has a name: itself, or the parents of a morph. An empty list if there is no such image. */
export function originsOf({ image, parents }: NamedImage): readonly number[] {
  if (parents) return parents;
  return image === null ? [] : [image];
}

/** A training image, and the share of an image's pixels that came from it. */
export interface Contributor {
  readonly image: number;
  readonly share: number;
}

/** A training image as results name it, and its share. */
export type NamedShare = NamedImage & { readonly share: number };

/** Training images that results name for each image. */
const TOP_CONTRIBUTORS = 5;

/**
 * Names what contributed most to an image, the largest share first. A morph's share is divided among its parents.
 *
 * @param nameOf as `namesOfClass` returns it
 * @param image `named` is returned as it is, where it is given
 */
export function namedShares(
  nameOf: (place: number) => NamedImage,
  { contributors, named: given }: {
    readonly contributors: readonly Contributor[];
    readonly named?: readonly NamedShare[];
  },
): readonly NamedShare[] {
  if (given) return given;
  const named = contributors.map(({ image, share }) => ({ ...nameOf(image), share }));
  if (!named.some(({ parents }) => parents)) return named.slice(0, TOP_CONTRIBUTORS);
  const shares = sharesOfOrigins(contributors, (place) => {
    const name = nameOf(place);
    return name.image === null ? [-1] : originsOf(name);
  });
  return shares.map(({ image, share }) => ({ image: image < 0 ? null : image, share }));
}

/** For each training image of a class the numbers of the real images behind it: itself or the image that it copies, or the parents of a morph. */
export function originsOfClass(
  { train, kept, morphs, copies = 1 }: Pick<DataSet, "train" | "kept" | "morphs" | "copies">,
  label?: number,
): readonly (readonly number[])[] {
  return Array.from(numbersOfClass(train.labels, label, train.images.count), (i) => {
    const number = kept ? kept.numbers[i] : i;
    return morphs?.parents.get(number % morphs.all) ?? [trainingNumber({ train, kept, copies }, number)];
  });
}

/** Divides each share among the images behind its own, and returns the largest shares. */
export function sharesOfOrigins(
  contributors: readonly Contributor[],
  originsOf: (image: number) => readonly number[],
): Contributor[] {
  const shares = new Map<number, number>();
  for (const { image, share } of contributors) {
    const origins = originsOf(image);
    for (const origin of origins) shares.set(origin, (shares.get(origin) ?? 0) + share / origins.length);
  }
  const named = [...shares].map(([image, share]) => ({ image, share }));
  return named.sort((a, b) => b.share - a.share).slice(0, TOP_CONTRIBUTORS);
}
