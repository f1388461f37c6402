/** Adds morphs to the training images of a data set. */
import { numbersFrom, range } from "../../core/numbers.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { type DataSet, type LabelledImages, pick } from "../data_set.ts";
import { classText } from "../groups.ts";
import { morpher, type Parent, parentOf } from "./morph.ts";
import type { Pair } from "./pairs.ts";

/** Morphs of pairs. */
export interface Morphs {
  readonly pairs: readonly Pair[];
  /** The places of the pairs that could be morphed, ascending. The parents of the others do not meet. */
  readonly met: readonly number[];
  /** A morph of each pair that could be morphed. */
  readonly pixels: Uint8Array;
}

/**
 * A pair whose residual is greater has no morph. Looked at 36 morphs of faces, 24 of colour faces and 90 of digits, sorted by
 * their residual: up to 0.43 faces are whole, one of 0.51 has two noses. The greatest of digits is 0.16.
 */
export const MAX_RESIDUAL = 0.45;

/** Morphs pairs of images. Yields how many are done, after each. */
export function* morphImages(images: Images, pairs: readonly Pair[]): Generator<number, Morphs> {
  const length = lengthOf(images);
  const morph = morpher(images);
  const parents = new Map<number, Parent>();
  const parent = (place: number) => {
    const known = parents.get(place);
    if (known) return known;
    const prepared = parentOf(images.pixels.subarray(place * length, (place + 1) * length), images);
    parents.set(place, prepared);
    return prepared;
  };
  const met: number[] = [];
  const all = new Uint8Array(pairs.length * length);
  for (const [place, pair] of pairs.entries()) {
    const { pixels, residual } = morph(parent(pair.one), parent(pair.other));
    if (residual <= MAX_RESIDUAL) all.set(pixels, (met.push(place) - 1) * length);
    yield place + 1;
  }
  return { pairs, met, pixels: all.slice(0, met.length * length) };
}

/** Returns the images, and after them the morphs, each with the label of its parents. */
export function withMorphImages({ images, labels }: LabelledImages, { pairs, met, pixels }: Morphs): LabelledImages {
  const count = images.count + met.length;
  const all = new Uint8Array(images.pixels.length + pixels.length);
  all.set(images.pixels);
  all.set(pixels, images.pixels.length);
  const together = { images: { ...images, count, pixels: all } };
  if (!labels) return together;
  return { ...together, labels: Uint8Array.from([...labels, ...met.map((place) => labels[pairs[place].one])]) };
}

/**
 * Adds morphs to the training images of a data set. With n training images in all, the morph of image i and the one that is the
 * c-th most like it, c = 1 .. `partners`, has the number c x n + i. Numbers of pairs that were not morphed are left out. Images that
 * were left out have no morphs. The parents of a morph of morphs are the images that these were made of.
 */
export function withMorphedTraining(data: DataSet, partners: number, { pairs, met, pixels }: Morphs): DataSet {
  const { train, kept, morphs } = data;
  const all = kept?.all ?? train.images.count;
  const numbers = [...kept?.numbers ?? range(all)];
  const originsOf = (place: number) => morphs?.parents.get(numbers[place]) ?? [numbers[place]];
  const parents = new Map<number, readonly number[]>(morphs?.parents);
  const added = met.map((place) => {
    const { one, other, rank } = pairs[place];
    const number = (rank + 1) * all + numbers[one];
    parents.set(number, [...originsOf(one), ...originsOf(other)]);
    return number;
  });
  return {
    ...data,
    train: withMorphImages(train, { pairs, met, pixels }),
    kept: { numbers: Uint32Array.from([...numbers, ...added]), all: (partners + 1) * all, real: kept?.real ?? all },
    morphs: { all: (partners + 1) * all, parents },
    real: data.real ?? { train, kept },
  };
}

/**
 * Keeps only the last training images of a data set: its newest morphs.
 *
 * @param count how many training images are left out
 * @throws {Error} if a class has none of the last ones
 */
export function withoutFirst(data: DataSet, count: number): DataSet {
  const { train, kept, classes } = data;
  const places = numbersFrom(count, train.images.count);
  const last = pick(train, places);
  const known = new Set(last.labels);
  const missing = train.labels ? train.labels.find((label) => !known.has(label)) : undefined;
  if (missing !== undefined || places.length === 0) {
    const of = missing === undefined ? "" : ` of class ${classText(classes, missing)}`;
    throw new Error(
      `Cannot learn from morphs of four images${of} alone: expected images of which pairs can be morphed, got none; ` +
        "more images help, or --set morphOf=pairs",
    );
  }
  return { ...data, train: last, kept: { ...kept!, numbers: kept!.numbers.subarray(count) } };
}
