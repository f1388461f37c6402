/** Makes the seed images of a task from pure noise, where its plan says so, and notes what they were made of. */
import { closestCorrelations } from "../../core/correlation.ts";
import { diffuse, type DiffusionModel, type DiffusionStep, fitDiffusion } from "../../core/diffuse.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { nearestTraining } from "../../core/nearest.ts";
import type { Plan, PlanNoise } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import { PROGRESS } from "../../core/steps.ts";
import { structureRows } from "../../core/structure.ts";
import type { Rows } from "../../core/types.ts";
import type { Attempt, BatchSteps, OpenTask } from "./open_task.ts";
import { originalityOf } from "./synthesized_image.ts";

/** An image that was made from noise. */
export interface NoiseImage {
  /** channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** Which training image counts most in each pixel. */
  readonly provenance: Provenance;
  /** The training images that it depends on; undefined: on all. */
  readonly compared?: ReadonlySet<number>;
}

/** A denoiser that is fitted to the training images of a group, and the images that it made for the batch that is being drawn. */
export interface NoiseSource {
  readonly model: DiffusionModel;
  readonly noise: PlanNoise;
  readonly training: Rows;
  /** The structure of the training images, where images are made again that share too much of it. */
  readonly structures?: Rows;
  /** By place and attempt. */
  readonly images: Map<string, NoiseImage>;
}

/** Fits the denoiser of a plan; undefined where images do not come from noise. */
export function openNoise(
  kernels: Kernels,
  { noise }: Plan,
  { hr }: TrainingPyramid,
  batch: number,
): NoiseSource | undefined {
  if (!noise) return undefined;
  const training = hr[noise.layer];
  const model = fitDiffusion({ kernels, ...noise, settings: noise, training, batch });
  const structures = noise.maxStructure < 1 ? structureRows(kernels, training) : undefined;
  return { model, noise, training, structures, images: new Map() };
}

/** Returns the images of some attempts. Those that this batch did not make yet are made together. */
export function* imagesFromNoise(
  task: OpenTask,
  source: NoiseSource,
  attempts: readonly Attempt[],
): BatchSteps<NoiseImage[]> {
  const keyOf = ({ place, attempt }: Attempt) => `${place} ${attempt}`;
  const missing = attempts.filter((one) => !source.images.has(keyOf(one)));
  if (missing.length > 0) {
    const images = yield* makeImages(task, source, missing);
    missing.forEach((one, i) => source.images.set(keyOf(one), images[i]));
  }
  return attempts.map((one) => {
    const image = source.images.get(keyOf(one))!;
    task.trace?.denoised(one.place, image.compared);
    return image;
  });
}

/** Makes images from noise, step by step. */
function* makeImages(
  { job: { seed }, group, numbers }: OpenTask,
  { model, training }: NoiseSource,
  attempts: readonly Attempt[],
): BatchSteps<NoiseImage[]> {
  const { denoiser } = model, images = attempts.map(({ place }) => numbers[place]);
  const steps = diffuse(model, { seed, images, attempts: attempts.map(({ attempt }) => attempt) });
  const compared = images.map(() => new Set<number>());
  let heaviest: Int32Array[] = [];
  try {
    let next = steps.next();
    for (; !next.done; next = steps.next()) {
      const step = next.value, isLast = step.step === step.steps - 1;
      compared.forEach((named, b) => denoiser.compared?.(b, (source) => void named.add(source)));
      if (isLast) heaviest = images.map((_, b) => heaviestSources(model, training, step, b));
      yield { ...step, group, numbers: images };
      yield PROGRESS;
    }
    const { pixels } = next.value, length = lengthOf(training);
    return images.map((_, b) => {
      const values = pixels.slice(b * length, (b + 1) * length);
      return {
        pixels: values,
        provenance: noiseProvenance(model.kernels, training, values, heaviest[b]),
        compared: denoiser.compared ? compared[b] : undefined,
      };
    });
  } finally {
    steps.return({ pixels: new Uint8Array() }); // releases its memory if the caller closed this generator
  }
}

/** The training image of the largest weight in each pixel of an estimate; -1 for denoisers without weights. */
function heaviestSources(
  { denoiser, height, width }: DiffusionModel,
  { count }: Rows,
  step: DiffusionStep,
  image: number,
): Int32Array {
  const sources = new Int32Array(height * width).fill(-1), weights = new Float64Array(count);
  if (!denoiser.weights) return sources;
  for (let p = 0; p < sources.length; p++) {
    denoiser.weights(step.given, step, { image, y: Math.floor(p / width), x: p % width }, weights);
    let heaviest = 0;
    for (let n = 1; n < count; n++) if (weights[n] > weights[heaviest]) heaviest = n;
    sources[p] = heaviest;
  }
  return sources;
}

/** Which training image counts most in each pixel, as patches of one pixel. */
function noiseProvenance(kernels: Kernels, training: Rows, pixels: Uint8Array, heaviest: Int32Array): Provenance {
  const { height, width, channels } = training, area = areaOf(training);
  const positions = Array.from({ length: area }, (_, p) => ({ y: Math.floor(p / width), x: p % width }));
  const correction = Float32Array.from(pixels, (byte, i) => {
    const image = heaviest[i % area];
    return (byte - (image < 0 ? 0 : kernels.u8(training.at + image * lengthOf(training), lengthOf(training))[i])) / 255;
  });
  const sources = Int32Array.from({ length: 3 * area }, (_, i) => {
    const { y, x } = positions[Math.floor(i / 3)];
    return [heaviest[Math.floor(i / 3)], y, x][i % 3];
  });
  return { height, width, channels, patch: 1, positions, training: { height, width }, sources, correction };
}

/** The seed images of attempts: values in [0, 1], image after image. */
export function seedValues(images: readonly NoiseImage[]): Float32Array {
  return Float32Array.from(images.flatMap(({ pixels }) => Array.from(pixels, (byte) => byte / 255)));
}

/**
 * How far images from noise keep the distance that the plan asks for: at least 1 for those that do. It is the least of their
 * originality over its least, and of what their structure leaves to 1 over what it must leave.
 */
export function noiseQuotients(
  task: OpenTask,
  source: NoiseSource,
  images: readonly NoiseImage[],
  attempts: readonly Attempt[],
): number[] {
  const { kernels, training, trace } = task, { minOriginality, maxStructure, layer } = source.noise;
  const quotients = images.map(() => Infinity);
  const pixels = Uint8Array.from(images.flatMap(({ pixels }) => Array.from(pixels)));
  if (minOriginality > 0) {
    nearestTraining(kernels, training, pixels, layer).forEach((nearest, n) => {
      trace?.measured(attempts[n].place, nearest);
      quotients[n] = originalityOf({ nearest }) / minOriginality;
    });
  }
  if (source.structures) {
    structuresOf(kernels, source.training, source.structures, pixels).forEach((structure, n) => {
      trace?.all(attempts[n].place); // it is compared with all of them
      quotients[n] = Math.min(quotients[n], (1 - structure) / (1 - maxStructure));
    });
  }
  return quotients;
}

/** The structure that each image shares with the training image whose structure is nearest; 0 for flat images. */
function structuresOf(kernels: Kernels, training: Rows, structures: Rows, pixels: Uint8Array): number[] {
  return borrowing(kernels, () => {
    const at = kernels.allocate(pixels.length), count = pixels.length / lengthOf(training);
    kernels.u8(at, pixels.length).set(pixels);
    const queries = structureRows(kernels, { ...training, count, at });
    const { correlation } = closestCorrelations(kernels, queries, structures);
    return Array.from(correlation, (value) => Number.isNaN(value) ? 0 : value);
  });
}
