/** Draws images of a task together and describes them. */
import type { Plan } from "../../core/plan.ts";
import { eachEvent, PROGRESS, type Progress } from "../../core/steps.ts";
import type { Provenance } from "../../core/provenance.ts";
import type { Batch, Draw, SynthesizedBatch } from "../../core/batch.ts";
import { type CoarseBatch, coarseBatch } from "../../core/coarse_batch.ts";
import { synthesize, synthesizeCoarse } from "../../core/synthesize.ts";
import { imagesFromNoise, seedValues } from "./noise/make.ts";
import { quiltedImages } from "./from_quilt.ts";
import type { SeedsEvent } from "./events.ts";
import { imagesAt } from "./job.ts";
import { type Attempt, attemptKey, type BatchSteps, type NoiseImage, type OpenTask } from "./open_task.ts";
import { describeImages, type TracedImage } from "./synthesized_image.ts";
import type { DependencyTrace } from "./trace.ts";

/** What `synthesize` is given to draw these attempts together. Seed images that come from noise are made here. */
export function* batchOf(task: OpenTask, attempts: readonly Attempt[]): BatchSteps<Batch> {
  const { job: { seed }, trace, numbers: _, seedImages, observed } = task;
  const chosen = attempts.map(({ place }) => place);
  const { numbers, ...images } = imagesAt({ numbers: task.numbers, seedImages, observed }, chosen);
  const begun = images.seedImages ? undefined : seedValues(yield* firstImages(task, attempts));
  if (begun) yield seedsEvent(task, attempts, begun);
  return {
    seed,
    images: numbers,
    observed: images.observed,
    seedImages: begun ?? images.seedImages!,
    attempts: attempts.map(({ attempt }) => attempt),
    onDraw: trace && ((draw) => trace.drew(draw, chosen)),
  };
}

/** Synthesizes and describes images in one batch. */
export function* drawBatch(task: OpenTask, attempts: readonly Attempt[]): BatchSteps<TracedImage[]> {
  const { group, model, trace, onDraw } = task;
  const numbers = attempts.map(({ place }) => task.numbers[place]);
  trace?.began(attempts.map(({ place }) => place));
  if (model.layers.length === 0) {
    const images = yield* firstImages(task, attempts);
    yield seedsEvent(task, attempts, seedValues(images));
    return yield* describe(task, attempts, yield* asBatch(images));
  }
  const batch = { ...yield* batchOf(task, attempts), coarse: yield* coarseOf(task, attempts) };
  const watched = (draw: Draw) => {
    batch.onDraw?.(draw);
    onDraw?.(draw);
  };
  const events = synthesize(model, { ...batch, onDraw: trace && onDraw ? watched : batch.onDraw ?? onDraw });
  const drawn = yield* eachEvent(events, (event) => {
    return [event.type === "iteration" ? { ...event, group, numbers } : event];
  });
  return yield* describe(task, attempts, drawn);
}

/** The images of some attempts up to the layer that was checked last, where one of them is kept; undefined where none is. */
function* coarseOf(task: OpenTask, attempts: readonly Attempt[]): BatchSteps<CoarseBatch | undefined> {
  const { coarse } = task,
    kept = attempts.map((one) => coarse?.get(attemptKey(one))),
    one = kept.find((image) => image);
  if (!one) return undefined;
  const missing = attempts.filter((_, n) => !kept[n]);
  if (missing.length > 0) {
    const events = synthesizeCoarse(task.model, yield* batchOf(task, missing), one.of.layer);
    const of = yield* eachEvent(events, () => [PROGRESS]);
    missing.forEach((attempt, image) => coarse!.set(attemptKey(attempt), { of, image }));
  }
  return coarseBatch(attempts.map((one) => coarse!.get(attemptKey(one))!));
}

/** Makes the images that no layer made: from noise, or quilted. */
function firstImages(task: OpenTask, attempts: readonly Attempt[]): BatchSteps<NoiseImage[]> {
  return task.source ? imagesFromNoise(task, task.source, attempts) : quiltedImages(task, attempts);
}

/** The event of images that no layer made, when they are chosen. */
function seedsEvent(
  { group, numbers, job: { plan: { sizes } } }: OpenTask,
  attempts: readonly Attempt[],
  seedImages: Float32Array,
): SeedsEvent {
  return {
    type: "seeds",
    group,
    layer: sizes.length - 1,
    ...sizes.at(-1)!,
    numbers: attempts.map(({ place }) => numbers[place]),
    attempts: attempts.map(({ attempt }) => attempt),
    seedImages,
  };
}

/** Images that no layer follows, as a finished batch. */
function* asBatch(images: readonly NoiseImage[]): Generator<Progress, SynthesizedBatch> {
  const [{ pixels: { length } }] = images, pixels = new Uint8Array(images.length * length);
  images.forEach((image, i) => pixels.set(image.pixels, i * length));
  const provenance: Provenance[] = [];
  for (const image of images) {
    provenance.push(image.provenance());
    yield PROGRESS;
  }
  return { pixels, provenance };
}

/**
 * Images that are described together. The kernel that compares them reads the training images once for all of them: with 4 it
 * took a quarter longer than with 16, which take a tenth of a second on 4500 faces.
 */
const DESCRIBED = 8;

/** Describes the images of a batch, some at a time. */
function* describe(
  { kernels, job: { plan }, numbers, training, trace }: OpenTask,
  attempts: readonly Attempt[],
  { pixels, provenance }: SynthesizedBatch,
): Generator<Progress, TracedImage[]> {
  const length = pixels.length / attempts.length, described: TracedImage[] = [];
  for (let first = 0; first < attempts.length; first += DESCRIBED) {
    const some = attempts.slice(first, first + DESCRIBED), end = first + some.length;
    const part = { pixels: pixels.subarray(first * length, end * length), provenance: provenance.slice(first, end) };
    const images = yield* describeImages({ kernels, plan }, training, some.map(({ place }) => numbers[place]), part);
    images.forEach((image, i) => {
      if (trace) noteDescription(trace, plan, some[i].place, image);
      described.push(image);
    });
    yield PROGRESS;
  }
  return described;
}

/** Notes what the description of an image depends on, and its pixels as far as they are not merged. */
function noteDescription(
  trace: DependencyTrace,
  { pixelArt }: Plan,
  place: number,
  { nearest, provenance: { sources } }: TracedImage,
): void {
  trace.measured(place, nearest);
  // A pixel that no copy covers takes the nearest colour of all training images.
  if (pixelArt && sources.some((value, i) => i % 3 === 0 && value < 0)) trace.all(place);
}
