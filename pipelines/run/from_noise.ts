/** Makes the seed images of a task from pure noise, where its plan says so, and notes what they were made of. */
import { closestCorrelations, meanHighestCorrelations } from "../../core/correlation.ts";
import type { BatchPixel } from "../../core/denoiser.ts";
import { diffuse, type DiffusionModel, type DiffusionStep, fitDiffusion } from "../../core/diffuse.ts";
import { borrowing, type Kernels, localScoreScratch } from "../../core/kernels.ts";
import { nearestTraining } from "../../core/nearest.ts";
import type { Plan } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import { regionRows, structureRows } from "../../core/structure.ts";
import type { Region } from "../../core/metric.ts";
import type { Rows } from "../../core/types.ts";
import { choiceGroup } from "./choose_noise.ts";
import type { JobGroup } from "./job.ts";
import { informationOf, trainingHalves } from "./noise_halves.ts";
import { chosenNoise, type StructureLimits, TYPICAL } from "./noise_choice.ts";
import type { Attempt, BatchSteps, LimitedStructure, NoiseImage, NoiseSource, OpenTask } from "./open_task.ts";
import { saturate, saturatedRows } from "./saturation.ts";
import { originalityOf } from "./synthesized_image.ts";

/**
 * Fits the denoiser of a plan; undefined where images do not come from noise. What was not chosen of the group before is chosen
 * here.
 */
export function* openNoise(
  kernels: Kernels,
  plan: Plan,
  group: JobGroup,
  batch: number,
): Steps<NoiseSource | undefined> {
  const { noise } = plan;
  if (!noise) return undefined;
  const training = group.training.hr[noise.layer], open = choiceGroup(plan, group);
  const chosen = open && (group.noise ?? (yield* chosenNoise(kernels, open)));
  const { minOriginality = 0, maxStructure = 1 } = noise, { windows } = chosen ?? noise;
  const vivid = saturatedRows(kernels, training, noise.saturation);
  const model = fitDiffusion({ kernels, ...noise, settings: { ...noise, windows }, training: vivid, batch });
  const limits = chosen ?? { minOriginality, maxStructure, leastTypicality: -1, inRegions: [] };
  const structures = limitedStructures(kernels, training, limits, plan.regions);
  const halves = chosen?.information && trainingHalves(kernels, training, plan.regions);
  return { model, noise, limits, training, structures, ...halves && { halves }, images: new Map() };
}

/** What the structure of images is held against: as a whole, and in the regions of a plan. Only what is limited. */
function limitedStructures(
  kernels: Kernels,
  training: Rows,
  { inRegions, maxStructure, leastTypicality }: NoiseSource["limits"],
  regions: readonly Region[] = [],
): LimitedStructure[] {
  const isLimited = (limits: StructureLimits) => limits.maxStructure < 1 || limits.leastTypicality > -1;
  const whole = { maxStructure, leastTypicality };
  if (![whole, ...inRegions].some(isLimited)) return [];
  const structures = structureRows(kernels, training);
  const areas = inRegions.map((limits, r): LimitedStructure => {
    return { ...limits, region: regions[r], training: regionRows(kernels, structures, regions[r]) };
  });
  return [{ ...whole, training: structures }, ...areas].filter(isLimited);
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
  { model, noise, training }: NoiseSource,
  attempts: readonly Attempt[],
): BatchSteps<NoiseImage[]> {
  const { denoiser } = model, images = attempts.map(({ place }) => numbers[place]);
  const numbersOfAttempts = attempts.map(({ attempt }) => attempt);
  const steps = diffuse(model, { seed, images, attempts: numbersOfAttempts });
  const watched = (step: DiffusionStep) => ({
    attempts: numbersOfAttempts,
    weights: (pixel: BatchPixel) => weightsAt(model, training.count, step, pixel),
  });
  const compared = images.map(() => new Set<number>());
  try {
    let next = steps.next();
    for (; !next.done; next = steps.next()) {
      compared.forEach((named, b) => denoiser.compared?.(b, (source) => void named.add(source)));
      yield { ...next.value, group, numbers: images, ...watched(next.value) };
      yield PROGRESS;
    }
    const { pixels } = next.value, length = lengthOf(training), { window } = model.levels[model.levels.length - 1];
    saturate(pixels, training, 1 / noise.saturation);
    const finished: NoiseImage[] = [];
    for (let b = 0; b < images.length; b++) {
      const values = pixels.slice(b * length, (b + 1) * length);
      const provenance = () => noiseProvenance(model.kernels, training, values, window);
      finished.push({ pixels: values, provenance, compared: denoiser.compared ? compared[b] : undefined });
      yield PROGRESS;
    }
    return finished;
  } finally {
    steps.return({ pixels: new Uint8Array() }); // releases its memory if the caller closed this generator
  }
}

/** How much each training image counts in a pixel of a step's estimate; undefined where the denoiser has no `weights`. */
function weightsAt(
  { denoiser }: DiffusionModel,
  count: number,
  step: DiffusionStep,
  pixel: BatchPixel,
): Float64Array | undefined {
  if (!denoiser.weights) return undefined;
  const out = new Float64Array(count);
  denoiser.weights(step.given, step, pixel, out);
  return out;
}

/**
 * The training image whose window around each pixel lies nearest to an image's: of the local score machine it is the one that
 * counts most there. A window has the side of the last step's.
 */
function nearestWindows(kernels: Kernels, training: Rows, pixels: Uint8Array, window: number): Int32Array {
  const { count, channels, height, width } = training, shape = { channels, height, width, window };
  return borrowing(kernels, () => {
    const images = kernels.allocate(pixels.length * 4), out = kernels.allocate(areaOf(training) * 4);
    const scratch = kernels.allocate(localScoreScratch(shape));
    kernels.f32(images, pixels.length).set(Float32Array.from(pixels, (byte) => (byte - 127.5) / 127.5));
    kernels.nearestWindows({ ...shape, rows: training.at, count, images, batch: 1, out: 0, scratch }, out);
    return kernels.i32(out, areaOf(training)).slice();
  });
}

/** Which training image counts most in each pixel, as patches of one pixel. */
function noiseProvenance(kernels: Kernels, training: Rows, pixels: Uint8Array, window: number): Provenance {
  const { height, width, channels } = training, area = areaOf(training);
  const heaviest = nearestWindows(kernels, training, pixels, window);
  const positions = Array.from({ length: area }, (_, p) => ({ y: Math.floor(p / width), x: p % width }));
  const correction = Float32Array.from(pixels, (byte, i) => {
    const [source] = kernels.u8(training.at + heaviest[i % area] * lengthOf(training) + i, 1);
    return (byte - source) / 255;
  });
  const sources = Int32Array.from({ length: 3 * area }, (_, i) => {
    const { y, x } = positions[Math.floor(i / 3)];
    return [heaviest[Math.floor(i / 3)], y, x][i % 3];
  });
  return { height, width, channels, patch: 1, positions, training: { height, width }, sources, correction };
}

/** The seed images of attempts: values in [0, 1], image after image. */
export function seedValues(images: readonly NoiseImage[]): Float32Array {
  const [{ pixels: { length } }] = images, values = new Float32Array(images.length * length);
  images.forEach(({ pixels }, i) => pixels.forEach((byte, p) => values[i * length + p] = byte / 255));
  return values;
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
  const { kernels, training, trace } = task, { limits, noise: { layer } } = source;
  const quotients = images.map(() => Infinity);
  const pixels = Uint8Array.from(images.flatMap(({ pixels }) => Array.from(pixels)));
  if (limits.minOriginality > 0) {
    nearestTraining(kernels, training, pixels, layer).forEach((nearest, n) => {
      trace?.measured(attempts[n].place, nearest);
      quotients[n] = originalityOf({ nearest }) / limits.minOriginality;
    });
  }
  if (source.structures.length === 0 && !source.halves) return quotients;
  for (const { place } of attempts) trace?.all(place); // it is compared with all of them
  const shortfalls = images.map(() => 0);
  for (const area of source.structures) {
    const { maxStructure, leastTypicality } = area,
      { highest, typicality } = structuresOf(kernels, source, area, pixels);
    images.forEach((_, n) => {
      if (maxStructure < 1) quotients[n] = Math.min(quotients[n], (1 - highest[n]) / (1 - maxStructure));
      shortfalls[n] += Math.max(leastTypicality - typicality[n], 0) / (2 * source.structures.length);
    });
  }
  if (source.halves) {
    informationShortfalls(task, source, pixels).forEach((missing, n) => shortfalls[n] = (shortfalls[n] + missing) / 2);
  }
  return quotients.map((quotient, n) => {
    // Of images that are all made again, one that is untypical is better than one that is too near.
    if (quotient < 1) return quotient / 2;
    return shortfalls[n] > 0 ? UNTYPICAL + (1 - shortfalls[n]) * (1 - UNTYPICAL) : quotient;
  });
}

/** How much mutual information the halves of images lack, from 0 to 1: a half where it is as far below the limit as that is below the median. */
function informationShortfalls(
  { kernels, job }: OpenTask,
  { halves, limits, training }: NoiseSource,
  pixels: Uint8Array,
) {
  const { least, median } = limits.information!;
  return borrowing(kernels, () => {
    const at = kernels.allocate(pixels.length), count = pixels.length / lengthOf(training);
    kernels.u8(at, pixels.length).set(pixels);
    const values = informationOf(kernels, halves!, { ...training, count, at }, job.plan.regions);
    return Array.from(values, (value) => {
      const missing = Math.max(least - value, 0);
      return missing > 0 ? missing / (missing + median - least) : 0;
    });
  });
}

/** The least quotient of an image that is untypical, but not too near to a training image. */
const UNTYPICAL = 0.5;

/**
 * The structure that each image shares with the training image whose structure is nearest, and the mean of the highest ones, as a
 * whole or inside a region; 0 where it is flat.
 */
function structuresOf(
  kernels: Kernels,
  { training }: NoiseSource,
  { region, training: structures }: LimitedStructure,
  pixels: Uint8Array,
) {
  const numbers = (values: Float64Array) => Array.from(values, (value) => Number.isNaN(value) ? 0 : value);
  return borrowing(kernels, () => {
    const at = kernels.allocate(pixels.length), count = pixels.length / lengthOf(training);
    kernels.u8(at, pixels.length).set(pixels);
    const whole = structureRows(kernels, { ...training, count, at });
    const queries = region ? regionRows(kernels, whole, region) : whole;
    const { correlation } = closestCorrelations(kernels, queries, structures);
    const typicality = meanHighestCorrelations(kernels, queries, structures, TYPICAL);
    return { highest: numbers(correlation), typicality: numbers(typicality) };
  });
}
