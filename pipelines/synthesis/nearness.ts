/**
 * How near finished images stand to training images by structure, beside held-out images: what originality does not show, because
 * shading changes distances.
 */
import { mean } from "../../core/mean.ts";
import { type ClosestCorrelations, closestCorrelations } from "../../core/correlation.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { gather } from "../../core/nearest.ts";
import { structureRows } from "../../core/structure.ts";
import type { Images, Rows } from "../../core/types.ts";
import { chosenBy } from "../../datasets/groups.ts";
import { realImages } from "../../datasets/left_out.ts";
import { evenlySpaced } from "../assessment/padded_images.ts";
import type { Runner } from "../run/runner.ts";
import { joinedPixels, rowsOf, sharedStructures, structureImages } from "../run/structures.ts";
import type { GroupImage } from "../run/synthesized_image.ts";
import { fittedImages } from "./fitted_images.ts";
import type { PreparedSynthesis } from "./synthesize_images.ts";

/** The structure that images share with training images which they were not made of. */
export interface ComparedStructure {
  /** What the images are: held-out ones or, where there are none, training images, each beside the others. */
  readonly of: "held-out images" | "training images";
  /** How many were compared: a sample. */
  readonly count: number;
  readonly mean: number;
  readonly greatest: number;
}

/** Images with the structure that they share, and for each group what they are compared with. */
export interface MeasuredNearness {
  readonly done: readonly GroupImage[];
  readonly compared: readonly (ComparedStructure | undefined)[];
}

/** Held-out images of a group: more do not move the greatest value by much, and each takes 4 ms beside 4500 photographs. */
const SAMPLE = 64;

/**
 * Measures the structure that finished images share with the training images of their group.
 *
 * @returns undefined for images that are not aligned, and if the runner was stopped
 */
export async function measureNearness(
  runner: Runner,
  { input, groups, kernels }: Pick<PreparedSynthesis, "input" | "groups" | "kernels">,
  done: readonly GroupImage[],
): Promise<MeasuredNearness | undefined> {
  const { plan, size, data } = input, { test } = data, { train } = realImages(data);
  if (!plan.aligned) return undefined;
  const measured = new Map<number, GroupImage>();
  const compared: (ComparedStructure | undefined)[] = [];
  for (const [group, { label }] of groups.entries()) {
    const training = fittedImages(train.images, chosenBy(train.labels, label, train.images.count), size);
    const structure = await structureImages(runner, training);
    if (!structure) return undefined;
    const heldOut = chosenBy(test.labels, label, test.images.count);
    const chosen = evenlySpaced(heldOut.length, SAMPLE).map((i) => heldOut[i]);
    borrowing(kernels, () => {
      const structures = rowsOf(kernels, structure);
      const shape = { ...training, channels: training.channels ?? 1 };
      const ofGroup = done.filter((image) => image.group === group);
      sharedStructures(kernels, joinedPixels(ofGroup), shape, structures).forEach((structure, n) => {
        measured.set(ofGroup[n].number, { ...ofGroup[n], structure });
      });
      compared.push(
        chosen.length > 0
          ? comparedHeldOut(kernels, fittedImages(test.images, chosen, size), structures)
          : comparedTraining(kernels, structures),
      );
    });
  }
  return { done: done.map(({ number }) => measured.get(number)!), compared };
}

/** The structure that held-out images share with training images. */
function comparedHeldOut(kernels: Kernels, heldOut: Images, structures: Rows): ComparedStructure | undefined {
  const queries = structureRows(kernels, rowsOf(kernels, heldOut));
  return compared("held-out images", closestCorrelations(kernels, queries, structures));
}

/** The structure that some training images share with the others. */
function comparedTraining(kernels: Kernels, structures: Rows): ComparedStructure | undefined {
  const chosen = evenlySpaced(structures.count, SAMPLE);
  const queries = gather(kernels, structures, chosen);
  return compared("training images", closestCorrelations(kernels, queries, structures, (query) => chosen[query]));
}

/** Sums correlations up; undefined where there are none. */
function compared(of: ComparedStructure["of"], { correlation }: ClosestCorrelations): ComparedStructure | undefined {
  const values = correlation.filter((value) => !Number.isNaN(value));
  if (values.length === 0) return undefined;
  return { of, count: values.length, mean: mean(values), greatest: greatest(values) };
}

/** The greatest of some values. */
export function greatest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((a, b) => Math.max(a, b), -Infinity);
}
