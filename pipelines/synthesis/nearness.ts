/**
 * How near finished images stand to training images by structure, beside held-out images: what originality does not show, because
 * shading changes distances.
 */
import { joinedBytes } from "../../core/array_bytes.ts";
import { evenlySpaced, mean } from "../../core/numbers.ts";
import { type ClosestCorrelations, closestCorrelations, withMoments } from "../../core/correlation.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { gather, rowsOf } from "../../core/nearest.ts";
import type { Shape } from "../../core/shape.ts";
import { structureRows } from "../../core/structure.ts";
import type { Images, Rows } from "../../core/types.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { realImages } from "../../datasets/left_out.ts";
import type { Runner } from "../run/runner.ts";
import { imagesKey, keptStructure, sharedStructures, structureImages } from "../run/structures.ts";
import type { GroupImage } from "../run/synthesized_image.ts";
import { fittedImages } from "./fitted_images.ts";
import type { PreparedSynthesis } from "./synthesize_images.ts";

/** The structure that images share with training images which they were not made of. */
interface ComparedStructure {
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

/** What a synthesis compares its images with. */
type Compared = Pick<PreparedSynthesis, "input" | "groups" | "kernels">;

/** The structure of a group's training images. */
interface TrainingStructure {
  /** The shape of the training images, which is that of finished images. */
  readonly shape: Required<Shape>;
  readonly structure: Images;
  /** What `cachedComparison` kept of them, if it was read before. */
  readonly comparison?: Uint8Array;
}

/** What is measured while threads make further images. */
export interface NearnessAhead {
  /** For each group what the cache has; undefined where it has nothing. */
  readonly kept: readonly (TrainingStructure | undefined)[];
  /** The images that were measured, by their numbers. */
  readonly measured: ReadonlyMap<number, GroupImage>;
  /** Measures an image. Where nothing is kept of its group, it is returned as it is, for `measureNearness`. */
  measure(image: GroupImage): GroupImage;
}

/**
 * Measures the structure that finished images share with the training images of their group.
 *
 * @param ahead what was measured before
 * @returns undefined for images that are not aligned, and if the runner was stopped
 */
export async function measureNearness(
  runner: Runner,
  prepared: Compared,
  done: readonly GroupImage[],
  ahead?: NearnessAhead,
): Promise<MeasuredNearness | undefined> {
  const { input: { plan }, groups, kernels } = prepared;
  if (!plan.aligned) return undefined;
  const measured = new Map(ahead?.measured);
  const compared: (ComparedStructure | undefined)[] = [];
  for (const [group, { label }] of groups.entries()) {
    const training = ahead?.kept[group] ??
      await structureOf(prepared, label, (images) => structureImages(runner, images));
    if (!training) return undefined;
    const { shape, structure } = training;
    const open = done.filter((image) => image.group === group && !measured.has(image.number));
    if (open.length > 0) {
      const pixels = joinedBytes(open.map(({ pixels }) => pixels));
      const shared = borrowing(kernels, () => sharedStructures(kernels, pixels, shape, rowsOf(kernels, structure)));
      shared.forEach((structure, n) => measured.set(open[n].number, { ...open[n], structure }));
    }
    compared.push(await cachedComparison(runner, kernels, training, heldOutImages(prepared, label)));
  }
  return { done: done.map(({ number }) => measured.get(number)!), compared };
}

/**
 * Prepares to measure images while threads make others, with kernels of its own: these threads work in the memory of the run's. Takes the
 * structure of training images from the cache: of 1200 portraits of 128x128 it takes 0.1 s, which nothing waits for.
 */
export async function nearnessAhead(runner: Runner, prepared: Compared): Promise<NearnessAhead> {
  const kept = await keptStructures(runner, prepared), measured = new Map<number, GroupImage>();
  if (!kept.some((training) => training)) return { kept, measured, measure: (image) => image };
  const { kernels } = await runner.kernels();
  const sets = kept.map((training) => training && withMoments(kernels, rowsOf(kernels, training.structure)));
  return {
    kept,
    measured,
    measure(image) {
      const set = sets[image.group];
      if (!set) return image;
      const [structure] = sharedStructures(kernels, image.pixels, kept[image.group]!.shape, set),
        done = { ...image, structure };
      measured.set(image.number, done);
      return done;
    },
  };
}

/** Takes the structure of training images from the cache, for each group, and what `cachedComparison` kept. */
async function keptStructures(
  { cache }: Runner,
  prepared: Compared,
): Promise<(TrainingStructure | undefined)[]> {
  if (!prepared.input.plan.aligned || !cache) return [];
  return await Promise.all(prepared.groups.map(async ({ label }) => {
    const training = await structureOf(prepared, label, (images) => keptStructure(cache, images));
    const key = training && comparisonKey(training.structure, heldOutImages(prepared, label));
    return training && { ...training, comparison: await cache.read(COMPARISON, key!) };
  }));
}

/** Computes or reads the structure of a group's training images. */
async function structureOf(
  { input: { size, data } }: Compared,
  label: number | undefined,
  read: (images: Images) => Promise<Images | undefined>,
): Promise<TrainingStructure | undefined> {
  const { train } = realImages(data);
  const training = fittedImages(train.images, numbersOfClass(train.labels, label, train.images.count), size);
  const structure = await read(training), { height, width, channels = 1 } = training;
  return structure && { shape: { height, width, channels }, structure };
}

/** A sample of the held-out images of a group; undefined where there are none. */
function heldOutImages({ input: { size, data: { test } } }: Compared, label: number | undefined): Images | undefined {
  const heldOut = numbersOfClass(test.labels, label, test.images.count);
  const chosen = evenlySpaced(heldOut.length, SAMPLE).map((i) => heldOut[i]);
  return chosen.length > 0 ? fittedImages(test.images, chosen, size) : undefined;
}

/**
 * Compares the structure of held-out images, or of some training images, with that of training images, and keeps the answer for later
 * runs: beside 6000 digits it takes 0.06 s, as long as the synthesis of an image.
 *
 * @param heldOut undefined to compare training images with each other
 */
async function cachedComparison(
  runner: Runner,
  kernels: Kernels,
  { structure, comparison: known }: TrainingStructure,
  heldOut: Images | undefined,
): Promise<ComparedStructure | undefined> {
  const kept = known ?? await runner.cache?.read(COMPARISON, comparisonKey(structure, heldOut));
  const values = kept?.length === 3 * Float64Array.BYTES_PER_ELEMENT
    ? new Float64Array(kept.slice().buffer)
    : borrowing(kernels, () => comparison(kernels, rowsOf(kernels, structure), heldOut));
  if (!kept && !runner.isolated) {
    await runner.cache?.write(COMPARISON, comparisonKey(structure, heldOut), new Uint8Array(values.buffer));
  }
  const [count, mean, greatest] = values;
  return count > 0 ? { of: heldOut ? "held-out images" : "training images", count, mean, greatest } : undefined;
}

/** The name of comparisons in the cache. */
const COMPARISON = "structure-comparison";

function comparisonKey(structure: Images, heldOut: Images | undefined): Uint8Array {
  return heldOut ? imagesKey(structure, heldOut) : imagesKey(structure);
}

/** The number of images that have a structure, the mean of what they share with training images, and the greatest. */
function comparison(kernels: Kernels, structures: Rows, heldOut: Images | undefined): Float64Array<ArrayBuffer> {
  const { correlation } = heldOut ? ofHeldOut(kernels, structures, heldOut) : ofTraining(kernels, structures);
  const values = correlation.filter((value) => !Number.isNaN(value));
  return Float64Array.of(values.length, values.length > 0 ? mean(values) : 0, values.length > 0 ? greatest(values) : 0);
}

/** The structure that held-out images share with training images. */
function ofHeldOut(kernels: Kernels, structures: Rows, heldOut: Images): ClosestCorrelations {
  return closestCorrelations(kernels, structureRows(kernels, rowsOf(kernels, heldOut)), structures);
}

/** The structure that some training images share with the others. */
function ofTraining(kernels: Kernels, structures: Rows): ClosestCorrelations {
  const chosen = evenlySpaced(structures.count, SAMPLE);
  const queries = gather(kernels, structures, chosen);
  return closestCorrelations(kernels, queries, structures, (query) => chosen[query]);
}

/** The greatest of some values. */
export function greatest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((a, b) => Math.max(a, b), -Infinity);
}
