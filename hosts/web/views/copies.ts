/** Says which pictures are copies of an example. */
import { areMixed } from "../state/own_data.ts";
import type { OpenedPack, PictureResult } from "../worker/protocol.ts";

/**
 * Below this part of the distance between that example and its own nearest one, a picture counts as a copy, or nearly one:
 * two examples hardly come so near to each other.
 */
const COPY = 0.1, NEARLY = 0.5;

/** Says why pieces that follow squares make a copy. `examples`: their number, of the class if there is one. */
export function whyCopied(examples: number): string {
  return `Of ${examples} examples, the pieces of one fit these squares best nearly everywhere.`;
}

/** The sentence about a copy. */
export interface Copy {
  readonly sentence: string;
  /** The same in a word or two. */
  readonly short: string;
}

/**
 * Returns what to say of a picture that is a copy of an example, or nearly one; undefined of others, and of packs whose examples are
 * mixtures of a visitor's pictures: a copy of a mixture is new.
 */
export function copyOf(
  { nearest }: Pick<PictureResult, "nearest">,
  pack: Pick<OpenedPack, "profile" | "origin">,
): Copy | undefined {
  if (!nearest || areMixed(pack)) return undefined;
  const { distance, trainingDistance } = nearest;
  if (distance === 0 || distance < COPY * trainingDistance) {
    return { sentence: "This is a copy of an example.", short: "a copy" };
  }
  if (distance >= NEARLY * trainingDistance) return undefined;
  return { sentence: "This is nearly a copy of an example.", short: "nearly a copy" };
}

/** From these parts of the distance between examples on, a picture counts as about as far from them, and as farther. */
const AS_FAR = 0.85, FARTHER = 1.15;

/** Says how new a picture is: how far from the example nearest to it, by how far that one is from its own nearest one. */
export function newness(
  { distance, trainingDistance }: NonNullable<PictureResult["nearest"]>,
  pack: Pick<OpenedPack, "profile" | "origin">,
): string {
  if (areMixed(pack)) {
    return "A new face, made of four of yours or more. The small picture is the mixture most like it.";
  }
  const part = distance / trainingDistance;
  if (part < AS_FAR) {
    return "Partly new: it differs less from the most similar example, shown here, than examples differ from one another.";
  }
  const much = part > FARTHER
    ? "more from the most similar example, shown here, than"
    : "from the most similar example, shown here, as much as";
  return `New: it differs ${much} examples differ from one another.`;
}
