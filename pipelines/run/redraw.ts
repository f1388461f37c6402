/** Draws images again until they are original and likely enough. */
import { byteOf } from "../../core/bytes.ts";
import { nearestTraining } from "../../core/nearest.ts";
import { iterationCount } from "../../core/plan.ts";
import { synthesize } from "../../core/synthesize.ts";
import { imageWork, lastChecked } from "./cost.ts";
import { logLikelihoods } from "./log_likelihoods.ts";
import { isRedrawn, MAX_TRIES, type RedrawForecast, redrawForecast } from "./redraw_forecast.ts";
import { batchOf, drawBatch } from "./draw_batch.ts";
import { imagesFromNoise, noiseQuotients } from "./from_noise.ts";
import type { Attempt, BatchSteps, OpenTask } from "./open_task.ts";
import { originalityOf, type TracedImage } from "./synthesized_image.ts";

/** An image of a batch on its way to be original and likely enough. */
interface Draft {
  /** Its place among the task's images. */
  readonly place: number;
  /** How often it was drawn, whole or in part. */
  tries: number;
  /** Which of the tries is drawn whole. */
  attempt: number;
  /** The best image so far, and its attempt. */
  best?: { readonly image: TracedImage; readonly attempt: number };
}

/** What an image must reach. */
interface Limits {
  readonly minOriginality: number;
  readonly minLl?: number;
}

/**
 * Synthesizes images in one batch. An image that is nearer to a training image than the plan allows, or less likely than `minLl`,
 * is drawn again, and the best one is kept. It is yielded last.
 */
export function* drawUntilAccepted(task: OpenTask, batch: readonly number[]): BatchSteps<TracedImage[]> {
  const { job: { plan, minLl }, training } = task;
  const minOriginality = isRedrawn(plan, training.count) ? plan.layers[0]?.minOriginality ?? 0 : 0;
  const limits = { minOriginality, minLl };
  const drafts = batch.map((place): Draft => ({ place, tries: 0, attempt: 0 }));
  const forecast = redrawForecast(imageWork(plan, training.hr[0], training.count));
  let open = drafts;
  for (let whole = 0; whole < MAX_TRIES && open.length > 0; whole++) {
    yield* chooseAttempts(task, open, forecast, whole);
    yield { type: "forecast", rest: forecast.beforeWhole(open.length, whole) };
    const images = withLikelihood(task, yield* drawBatch(task, open)), before = open.length;
    open.forEach((draft, n) => {
      const isBest = !draft.best || isBetter(images[n], draft.best.image, limits);
      if (isBest) draft.best = { image: images[n], attempt: draft.attempt };
    });
    open = open.filter(({ best }) => !isAccepted(best!.image, limits));
    forecast.drew("whole", before, open.length);
  }
  // Who watches or traces the iterations takes the last ones for those of the image.
  const earlier = drafts.filter(({ best, attempt }) => best!.attempt !== attempt);
  for (const draft of earlier) draft.attempt = draft.best!.attempt;
  if (earlier.length > 0) yield* drawBatch(task, earlier);
  return drafts.map(({ best, tries }) => ({ ...best!.image, tries }));
}

/** Whether an image is more original than another, up to the least originality, or as original and likelier. */
function isBetter(one: TracedImage, other: TracedImage, { minOriginality }: Limits): boolean {
  const [first, second] = [one, other].map((image) => Math.min(originalityOf(image), minOriginality));
  return first > second || first === second && (one.ll ?? 0) > (other.ll ?? 0);
}

function isAccepted(image: TracedImage, { minOriginality, minLl }: Limits): boolean {
  return originalityOf(image) >= minOriginality && (minLl === undefined || image.ll! >= minLl);
}

/** Adds the likelihood of images, if there is a least one. */
function withLikelihood({ kernels, job: { plan, minLl }, training }: OpenTask, images: TracedImage[]): TracedImage[] {
  if (minLl === undefined) return images;
  const measured = logLikelihoods(kernels, plan, training.hr[0], images.map(({ pixels }) => pixels));
  return images.map((image, i) => ({ ...image, ll: measured[i] }));
}

/**
 * Gives each image its next attempt whose coarser layers are original enough, or else the most original of these attempts. Only
 * these layers are drawn here.
 */
function* chooseAttempts(
  task: OpenTask,
  drafts: readonly Draft[],
  forecast: RedrawForecast,
  whole: number,
): BatchSteps<void> {
  const best = new Map(drafts.map((draft) => [draft, -1]));
  let open = drafts;
  for (let part = 0; part < MAX_TRIES && open.length > 0; part++) {
    yield { type: "forecast", rest: forecast.beforeCoarse(open.length, part, whole) };
    const tried = open.map((draft) => ({ place: draft.place, attempt: draft.tries++ }));
    const quotients = yield* coarseOriginality(task, tried);
    open.forEach((draft, n) => {
      if (quotients[n] <= best.get(draft)!) return;
      best.set(draft, quotients[n]);
      draft.attempt = tried[n].attempt;
    });
    open = open.filter((draft) => best.get(draft)! < 1);
    forecast.drew("coarse", tried.length, open.length);
  }
}

/**
 * Draws images up to the last layer but the finest that has a least originality. Returns for each the least quotient of its
 * originality and the layer's least; Infinity where only the finest layer has one.
 */
function* coarseOriginality(task: OpenTask, attempts: readonly Attempt[]): BatchSteps<number[]> {
  const { kernels, model, job: { plan, plan: { layers } }, training, trace } = task;
  const quotients = yield* noiseDistance(task, attempts), last = lastChecked(plan);
  if (!last) return quotients;
  for (const event of synthesize(model, yield* batchOf(task, attempts))) {
    if (event.type !== "iteration") {
      yield event;
      continue;
    }
    const { layer, iteration, images } = event, { minOriginality } = layers[layer];
    if (minOriginality === 0 || iteration < iterationCount(layers[layer]) - 1) continue;
    const pixels = Uint8Array.from(images, byteOf);
    nearestTraining(kernels, training, pixels, layer).forEach((nearest, n) => {
      trace?.measured(attempts[n].place, nearest);
      quotients[n] = Math.min(quotients[n], originalityOf({ nearest }) / minOriginality);
    });
    if (layer === last.layer) break;
  }
  return quotients;
}

/** For each attempt how far its image from noise keeps the distance that the plan asks for; Infinity where it comes from none. */
function* noiseDistance(task: OpenTask, attempts: readonly Attempt[]): BatchSteps<number[]> {
  const { source } = task;
  if (!source) return attempts.map(() => Infinity);
  return noiseQuotients(task, source, yield* imagesFromNoise(task, source, attempts), attempts);
}
