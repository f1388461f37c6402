/**
 * The structure of training images, and what structure images share with them: for layers that refuse images which share too much,
 * and for records of how near images stand.
 */
import { cacheKey } from "../../core/array_bytes.ts";
import { closestCorrelations, type CorrelationSet } from "../../core/correlation.ts";
import { borrowing, borrowingSteps, type Kernels } from "../../core/kernels.ts";
import { rowsOf } from "../../core/nearest.ts";
import type { Plan, PlanLayer } from "../../core/plan.ts";
import { lengthOf, type Shape } from "../../core/shape.ts";
import { structureRows, structureSize, structureSteps } from "../../core/structure.ts";
import type { Steps } from "../../core/steps.ts";
import type { Images, Rows } from "../../core/types.ts";
import type { Job, JobGroup, OpenJob } from "./job.ts";
import type { Cache, Program, Runner } from "./runner.ts";
import { trainingStructures } from "./training_structures.ts";

/** The structure that an image shares with the training image whose structure is nearest. */
export interface SharedStructure {
  /** The number of that training image; -1 where there is none, because the image or all of them are flat. */
  readonly image: number;
  /** The correlation of both structures, in [-1, 1]; 0 where there is none. */
  readonly correlation: number;
}

/** Images of a task: few enough that threads end at about the same time. */
const PART = 200;

/** Computes the structure of some images: a task, its result their bytes. */
export const structureProgram: Program<undefined, Images, Uint8Array> = {
  name: "structure",
  prepare({ kernels }) {
    return (images) =>
      borrowingSteps(kernels, function* () {
        return bytesOf(kernels, yield* structureSteps(kernels, rowsOf(kernels, images))).slice();
      });
  },
};

/**
 * Computes the structure of many images on all threads, and keeps it for later runs: of 4500 photographs of 128x128 it takes some
 * 3 s on one thread.
 *
 * @returns the images that `structureRows` gives; undefined if the runner was stopped
 */
export async function structureImages(runner: Runner, images: Images): Promise<Images | undefined> {
  const { count } = images, shape = structureShape(images), length = lengthOf(shape), key = imagesKey(images);
  const kept = runner.cache && await keptStructure(runner.cache, images, key);
  if (kept) return kept;
  const tasks = Array.from({ length: Math.ceil(count / PART) }, (_, part) => someImages(images, part * PART, PART));
  const pixels = new Uint8Array(count * length);
  let done = 0;
  for await (const event of runner.run(structureProgram, { setUp: undefined, tasks })) {
    if (event.type !== "result") continue;
    pixels.set(event.result, event.task * PART * length);
    done++;
  }
  if (done < tasks.length) return undefined;
  if (!runner.isolated) await runner.cache?.write(structureProgram.name, key, pixels);
  return { ...shape, count, pixels };
}

/** Takes the structure that `structureImages` kept of images; undefined where it kept none. */
export async function keptStructure(
  cache: Cache,
  images: Images,
  key: Uint8Array = imagesKey(images),
): Promise<Images | undefined> {
  const { count } = images, shape = structureShape(images), kept = await cache.read(structureProgram.name, key);
  return kept?.length === count * lengthOf(shape) ? { ...shape, count, pixels: kept } : undefined;
}

/** The shape of the structure of images. */
function structureShape(images: Images): Required<Shape> {
  return { ...structureSize(images), channels: images.channels ?? 1 };
}

/** At most `count` images from number `first` on. */
function someImages(images: Images, first: number, count: number): Images {
  const length = lengthOf(images);
  const pixels = images.pixels.slice(first * length, (first + count) * length);
  return { ...images, count: pixels.length / length, pixels };
}

/** The bytes of images in kernel memory. */
function bytesOf(kernels: Kernels, rows: Rows): Uint8Array {
  return kernels.u8(rows.at, rows.count * lengthOf(rows));
}

/** The sizes and bytes of images: everything that their structure depends on, except the code. */
export function imagesKey(...sets: readonly Images[]): Uint8Array {
  const sizes = sets.map(({ count, height, width, channels = 1 }) => ({ count, height, width, channels }));
  return cacheKey(JSON.stringify(sizes), ...sets.map(({ pixels }) => pixels));
}

/** Whether images of a layer are drawn again that share too much structure with a training image. */
export function limitsStructure({ maxStructure }: Pick<PlanLayer, "maxStructure">): boolean {
  return maxStructure < 1;
}

/**
 * Gives the groups of a job the structure of their training images without morphs, for each layer that limits it. Once for all tasks: it lies in
 * the memory of `kernels`, after the training images.
 *
 * @returns undefined if the runner was stopped
 */
export async function withStructures({ job, runner, kernels }: OpenJob): Promise<Job | undefined> {
  const { plan: { layers }, groups } = job;
  if (!layers.some(limitsStructure) || groups.every(({ structures }) => structures)) return job;
  const filled: JobGroup[] = [];
  for (const group of groups) {
    const structures: (Rows | undefined)[] = [];
    for (const layer of layers) {
      const real = realRows(group, layer.layer);
      const images = limitsStructure(layer)
        ? await structureImages(runner, { ...real, pixels: bytesOf(kernels, real).slice() })
        : undefined;
      if (limitsStructure(layer) && !images) return undefined;
      structures.push(images && rowsOf(kernels, images));
    }
    filled.push({ ...group, structures });
  }
  return { ...job, groups: filled };
}

/** The structure of a group's training images without morphs, for each layer that limits it; computed here, if the job does not bring it. */
export function* openStructures(
  kernels: Kernels,
  { layers }: Plan,
  group: Pick<JobGroup, "training" | "real" | "structures">,
): Steps<readonly (Rows | undefined)[]> {
  if (group.structures) return group.structures;
  const structures: (Rows | undefined)[] = [];
  for (const layer of layers) {
    structures.push(
      limitsStructure(layer) ? yield* trainingStructures(kernels, realRows(group, layer.layer)) : undefined,
    );
  }
  return structures;
}

/** The training images of a layer without morphs. */
function realRows({ training, real = training }: Pick<JobGroup, "training" | "real">, layer: number): Rows {
  return real.hr[layer];
}

/**
 * Finds the structure that images share with training images.
 *
 * @param pixels the images, one after another
 * @param shape of each of them
 * @param structures that of the training images
 */
export function sharedStructures(
  kernels: Kernels,
  pixels: Uint8Array,
  shape: Required<Shape>,
  structures: CorrelationSet,
): SharedStructure[] {
  return borrowing(kernels, () => {
    const images = rowsOf(kernels, { ...shape, count: pixels.length / lengthOf(shape), pixels });
    const { correlation, nearest } = closestCorrelations(kernels, structureRows(kernels, images), structures);
    return Array.from(nearest, (image, n) => ({ image, correlation: image < 0 ? 0 : correlation[n] }));
  });
}
