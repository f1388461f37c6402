/** Counts images that are near copies of a training image: by distance, or because most of their pixels come from their nearest. */

/** What is known of an image that is compared with training images, which are named by one kind of number. */
export interface ComparedImage {
  /** Distance to the nearest training image relative to that one's own distance to its nearest; undefined: not compared. */
  readonly originality?: number;
  /** The nearest training images by distance and by structure, as far as they were looked for. */
  readonly nearest?: { readonly image: number };
  readonly structure?: { readonly image: number };
  /** The training images that most pixels came from, largest share first; -1: no copies. */
  readonly sources: readonly { readonly image: number; readonly share: number }[];
}

/** How many of some images are near copies. */
export interface NearCopies {
  /** Images of an originality below `NEAR`. */
  readonly near: number;
  /** The least originality; given if there are such images. */
  readonly leastOriginality?: number;
  /** Images of which the nearest training image gives a share above `MAX_FROM_ONE`. */
  readonly fromNearest: number;
  /** The largest of those shares; given if there are such images. */
  readonly largestShare?: number;
}

/**
 * An image of a lower originality looks like its nearest training image. The least of 300 faces of profile `faces` has 0.81, of 200
 * of `colour-faces` 0.71; images whose coarsest layer is one patch of an example prior have 0.10 to 0.67.
 */
export const NEAR = 0.6;

/** An image with a larger share from one training image is that image with changes, if it also is its nearest. */
export const MAX_FROM_ONE = 0.5;

/** How far the structure of an image may exceed the greatest of held-out images: another sample of them has another greatest. */
const TOLERANCE = 0.1;

/** The structure above which an image is a copy: 0.1 above the greatest of held-out images, or half of what that leaves to 1. */
export function structureLimit(greatestOfHeldOut: number): number {
  return Math.min(greatestOfHeldOut + TOLERANCE, (1 + greatestOfHeldOut) / 2);
}

/** Counts near copies. Returns undefined if there are none. */
export function nearCopies(images: readonly ComparedImage[]): NearCopies | undefined {
  const low = images.flatMap(({ originality = Infinity }) => originality < NEAR ? [originality] : []);
  const shares = images.filter(isFromNearest).map(({ sources }) => sources[0].share);
  if (low.length === 0 && shares.length === 0) return undefined;
  return {
    near: low.length,
    leastOriginality: least(low),
    fromNearest: shares.length,
    largestShare: largest(shares),
  };
}

/** Adds up the near copies of parts; undefined if there are none. */
export function totalNearCopies(parts: readonly { readonly copies?: NearCopies }[]): NearCopies | undefined {
  const own = parts.flatMap(({ copies }) => copies ? [copies] : []);
  if (own.length === 0) return undefined;
  const sum = (of: "near" | "fromNearest") => own.reduce((all, one) => all + one[of], 0);
  return {
    near: sum("near"),
    leastOriginality: least(own.flatMap(({ leastOriginality }) => leastOriginality ?? [])),
    fromNearest: sum("fromNearest"),
    largestShare: largest(own.flatMap(({ largestShare }) => largestShare ?? [])),
  };
}

/** Whether more than half of an image comes from the training image that is nearest to it, by distance or by structure. */
export function isFromNearest({ sources: [first], nearest, structure }: ComparedImage): boolean {
  return first !== undefined && first.image >= 0 && first.share > MAX_FROM_ONE &&
    [nearest?.image, structure?.image].includes(first.image);
}

/** There may be millions of values: more than a call takes as arguments. */
function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => Math.min(a, b));
}

function largest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => Math.max(a, b));
}
