/** Leaves training images out, as if they had never been there. The others keep their numbers where results name them. */
import { range } from "../core/numbers.ts";
import type { DataSet, KeptImages } from "./data_set.ts";

/**
 * Finds the images that stay if some are left out.
 *
 * @param without their numbers or their files' names, or lists of them with commas
 * @param count how many images there are
 * @param names the file of each image, if each has one
 * @throws {Error} if there is no such image, or if none would stay
 */
export function keptImages(without: readonly string[], count: number, names?: readonly string[]): KeptImages {
  const numbered = new Map(names?.map((name, number) => [name, number]));
  // The name of a file may have commas.
  const ids = without.flatMap((text) => numbered.has(text) ? [text] : text.split(",").map((id) => id.trim()));
  const left = new Set(ids.map((id) => {
    const number = numbered.get(id) ?? (/^\d{1,10}$/.test(id) ? Number(id) : NaN);
    if (number < count) return number;
    const named = names ? `, or the name of a file such as ${names[0]}` : "";
    throw new Error(
      `Cannot leave out training image ${JSON.stringify(id)}: expected a number from 0 to ${count - 1}${named}`,
    );
  }));
  if (left.size === count) {
    throw new Error(`Cannot leave out all ${count} training images: expected at least one that stays`);
  }
  return { numbers: range(count).filter((i) => !left.has(i)), all: count };
}

/** The numbers of the images that were left out, ascending, without those of copies and morphs, which go with them. */
export function leftOut(data: Pick<DataSet, "train" | "kept" | "real">): number[] {
  // Morphs may be all that is learned from.
  const { kept } = realImages(data);
  if (!kept) return [];
  const stays = new Set(kept.numbers);
  return [...range(kept.real ?? kept.all)].filter((i) => !stays.has(i));
}

/** The number of training images, or exemplars, in the data, with those that were left out. */
export function trainingCount({ train, exemplars, kept }: Pick<DataSet, "train" | "exemplars" | "kept">): number {
  return kept?.all ?? exemplars?.images.length ?? train.images.count;
}

/** The training images without morphs: those that images are compared with by structure. */
export function realImages<Data extends Pick<DataSet, "train" | "kept" | "real">>(
  data: Data,
): Pick<DataSet, "train" | "kept"> {
  return data.real ?? data;
}
