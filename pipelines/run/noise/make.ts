/** Makes the seed images of a task from pure noise, where its plan says so, and notes what they were made of. */
import type { BatchPixel } from "../../../core/denoiser.ts";
import { diffuse, type DiffusionModel, type DiffusionStep, fitDiffusion } from "../../../core/diffuse.ts";
import { borrowing, type Kernels, localScoreScratch } from "../../../core/kernels.ts";
import type { Plan } from "../../../core/plan.ts";
import { plainWindows, type Provenance } from "../../../core/provenance.ts";
import { areaOf, lengthOf, type Size } from "../../../core/shape.ts";
import { eachEvent, PROGRESS, type Steps } from "../../../core/steps.ts";
import type { Rows } from "../../../core/types.ts";
import { choiceGroup } from "./choose.ts";
import type { JobGroup } from "../job.ts";
import { chosenNoise } from "./choice.ts";
import { likelyQuotient, measured, NO_LIMITS, openGate, quotientOf } from "./gate.ts";
import { learnedNoise } from "./learned.ts";
import { likelihoodShortfalls } from "./likelihood.ts";
import {
  type Attempt,
  attemptKey,
  type BatchSteps,
  type NoiseImage,
  type NoiseSource,
  type OpenTask,
} from "../open_task.ts";
import { workingColours } from "./white_balance.ts";

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
  const limits = chosen ?? { ...NO_LIMITS, minOriginality, maxStructure };
  const { structures, halves, likelihood } = group.learned ??
    (yield* learnedNoise(kernels, { training, limits, noise, regions: plan.regions ?? [] }));
  const colours = workingColours(kernels, training, noise, plan.regions);
  const model = fitDiffusion({ kernels, ...noise, settings: { ...noise, windows }, training: colours.rows, batch });
  const gate = yield* openGate(kernels, training, limits, halves, plan.regions, structures);
  return { model, noise, training, colours, gate, ...likelihood && { likelihood }, images: new Map() };
}

/** Returns the images of some attempts. Those that this batch did not make yet are made together. */
export function* imagesFromNoise(
  task: OpenTask,
  source: NoiseSource,
  attempts: readonly Attempt[],
): BatchSteps<NoiseImage[]> {
  const missing = attempts.filter((one) => !source.images.has(attemptKey(one)));
  if (missing.length > 0) {
    const images = yield* makeImages(task, source, missing);
    missing.forEach((one, i) => source.images.set(attemptKey(one), images[i]));
  }
  return attempts.map((one) => {
    const image = source.images.get(attemptKey(one))!;
    task.trace?.denoised(one.place, image.compared);
    return image;
  });
}

/** Takes the image of an attempt that another thread made, in the colours that it was made in. */
export function takeMade(source: NoiseSource, attempt: Attempt, asMade: Uint8Array): void {
  source.images.set(attemptKey(attempt), finishedImage(source, asMade));
}

/** An image in its own colours. */
function finishedImage(
  { model, training, colours }: NoiseSource,
  asMade: Uint8Array,
  compared?: ReadonlySet<number>,
): NoiseImage {
  const pixels = asMade.slice(), { window } = model.levels[model.levels.length - 1];
  colours.restore(pixels);
  const heaviest = () => nearestWindows(model.kernels, colours.rows, asMade, window);
  const provenance = () => noiseProvenance(model.kernels, training, pixels, window, heaviest());
  return { pixels, asMade, provenance, compared };
}

/** Makes images from noise, step by step. */
function* makeImages(
  { job: { seed }, group, numbers, trace }: OpenTask,
  source: NoiseSource,
  attempts: readonly Attempt[],
): BatchSteps<NoiseImage[]> {
  const { model, training, colours } = source;
  const { denoiser } = model, images = attempts.map(({ place }) => numbers[place]);
  const numbersOfAttempts = attempts.map(({ attempt }) => attempt);
  const steps = diffuse(model, { seed, images, attempts: numbersOfAttempts });
  // Nobody else asks: naming the training images of every step took 1.3 % of a run.
  const compared = trace && denoiser.compared && !colours.areBalanced ? images.map(() => new Set<number>()) : undefined;
  const { pixels } = yield* eachEvent(steps, (step) => {
    compared?.forEach((named, b) => denoiser.compared!(b, (source) => void named.add(source)));
    const weights = (pixel: BatchPixel) => weightsAt(model, training.count, step, pixel);
    return [{ ...step, group, numbers: images, attempts: numbersOfAttempts, weights }, PROGRESS];
  });
  const length = lengthOf(training), finished: NoiseImage[] = [];
  for (let b = 0; b < images.length; b++) {
    finished.push(finishedImage(source, pixels.slice(b * length, (b + 1) * length), compared?.[b]));
    yield PROGRESS;
  }
  return finished;
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

/** Which training image counts most in each pixel, `heaviest`, as patches of one pixel. */
function noiseProvenance(
  kernels: Kernels,
  training: Rows,
  pixels: Uint8Array,
  window: number,
  heaviest: Int32Array,
): Provenance {
  const { height, width, channels } = training, area = areaOf(training);
  const positions = Array.from({ length: area }, (_, p) => ({ y: Math.floor(p / width), x: p % width }));
  const correction = Float32Array.from(pixels, (byte, i) => {
    const [source] = kernels.u8(training.at + heaviest[i % area] * lengthOf(training) + i, 1);
    return (byte - source) / 255;
  });
  const sources = Int32Array.from({ length: 3 * area }, (_, i) => {
    const { y, x } = positions[Math.floor(i / 3)];
    return [heaviest[Math.floor(i / 3)], y, x][i % 3];
  });
  const isPlain = plainWindows(kernels, training, window), before = Math.floor(window / 2);
  const plain = Uint8Array.from(positions, ({ y, x }, p) => Number(isPlain(heaviest[p], y - before, x - before)));
  return { height, width, channels, patch: 1, positions, training: { height, width }, sources, plain, correction };
}

/** The seed images of attempts: values in [0, 1], image after image. */
export function seedValues(images: readonly NoiseImage[]): Float32Array {
  const [{ pixels: { length } }] = images, values = new Float32Array(images.length * length);
  images.forEach(({ pixels }, i) => pixels.forEach((byte, p) => values[i * length + p] = byte / 255));
  return values;
}

/**
 * How well images from noise keep the limits of the plan: at least 1 for an image that keeps all of them. It is the least of the
 * quotients of originality, structure and shortfall, see `quotientOf`, and of likelihood.
 */
export function* noiseQuotients(
  task: OpenTask,
  { gate, training }: NoiseSource,
  images: readonly NoiseImage[],
  attempts: readonly Attempt[],
): Steps<number[]> {
  const pixels = Uint8Array.from(images.flatMap(({ pixels }) => Array.from(pixels)));
  const { kernels, trace, job: { plan } } = task, all = yield* measured(kernels, gate, pixels);
  const likely = plan.layers.length === 0 ? yield* likelihoodQuotients(task, pixels, training, attempts) : undefined;
  return all.map(({ nearest, newness, shortfall }, n) => {
    const { place } = attempts[n];
    trace?.measured(place, nearest);
    if (gate.structures.length > 0 || gate.halves) trace?.all(place); // it is compared with all of them
    const quotient = quotientOf({ newness, shortfall }, gate.limits.maxShortfall);
    return likely ? Math.min(quotient, likely[n]) : quotient;
  });
}

/**
 * How likely images of a size are, as quotients like those of `noiseQuotients`; undefined where the plan does not limit it.
 *
 * @param pixels the images, one after another: those of the layer that follows, or images from noise where none follows
 */
export function* likelihoodQuotients(
  { kernels, trace, source }: OpenTask,
  pixels: Uint8Array,
  size: Size,
  attempts: readonly Attempt[],
): Steps<number[] | undefined> {
  if (!source?.likelihood) return undefined;
  for (const { place } of attempts) trace?.all(place);
  const shortfalls = yield* likelihoodShortfalls(kernels, source.likelihood, pixels, { ...source.training, ...size });
  return shortfalls.map(likelyQuotient);
}
