/** Synthesizes images from a training pyramid: fits the prior, synthesizes batch after batch, and describes the images. */
import { byteOf } from "../../core/bytes.ts";
import type { Kernels } from "../../core/kernels.ts";
import { fitModelInSteps, type FittedParts, type Model } from "../../core/model.ts";
import { nearestTraining } from "../../core/nearest.ts";
import { iterationCount, type Plan } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { type Steps, withoutSteps, type WorkDone } from "../../core/steps.ts";
import type { Batch, Draw, IterationResult, SynthesizedBatch } from "../../core/batch.ts";
import { synthesizeInSteps } from "../../core/synthesize.ts";
import type { Observations } from "../../core/types.ts";
import { type DependencyTrace, dependencyTrace, type Traced } from "./dependencies.ts";
import { logLikelihoods } from "./log_likelihoods.ts";
import { imageWork, lastChecked } from "./request_work.ts";
import { isRedrawn, MAX_TRIES, type RedrawForecast, redrawForecast } from "./redraws.ts";
import { describeImages, describeWork, originalityOf, type SynthesizedImage } from "./synthesized_image.ts";

/** What the images of a group are synthesized from. */
export interface GroupModel {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly training: TrainingPyramid;
  /** The random seed. */
  readonly seed: number;
  /** The most images of a batch. */
  readonly batch: number;
  /** The prior's fit to the training pyramid, if it is fitted in parts and was fitted before. */
  readonly fitted?: FittedParts;
  /** The least log-likelihood of an image: see `SynthesisInput`. */
  readonly minLl?: number;
  /** What to trace of the training images behind each image; by default nothing. */
  readonly traced?: Traced;
  /** Called after each draw, as `Batch.onDraw`. */
  readonly onDraw?: Batch["onDraw"];
  /** Called with the work that the batch is expected to take still, whenever that is known better. */
  readonly onForecast?: (rest: WorkDone) => void;
}

/** The images to synthesize from one training pyramid. */
export interface GroupImages {
  /** Their numbers. */
  readonly images: readonly number[];
  /** A seed image for each: `images.length` x channels x height x width values in [0, 1]. */
  readonly seedImages: Float32Array;
  /** The observations of each layer, l = 0 first: see `Batch`. */
  readonly observed?: readonly Observations[];
}

/** The state that is yielded after every iteration of every batch. */
export interface GroupIteration extends IterationResult {
  /** The numbers of the batch's images, in the order of `images`. */
  readonly numbers: readonly number[];
}

/** A described image with the origin of each of its pixels. */
export interface TracedImage extends SynthesizedImage {
  /** Which training image each pixel was copied from. */
  readonly provenance: Provenance;
}

/**
 * Synthesizes the images of a group and yields after every iteration, also of images that are drawn again. Kernel memory is
 * released at the end, also if the caller closes the generator early.
 */
export function synthesizeGroup(group: GroupModel, images: GroupImages): Generator<GroupIteration, TracedImage[]> {
  return withoutSteps(synthesizeGroupInSteps(group, images));
}

/** What work yields that yields iterations, and the work of its steps in between. */
type GroupSteps<Result> = Generator<GroupIteration | WorkDone, Result>;

/** Does the same as `synthesizeGroup`, and yields also inside an iteration, and while it fits and describes. */
export function* synthesizeGroupInSteps(group: GroupModel, images: GroupImages): GroupSteps<TracedImage[]> {
  const { kernels, plan, training, batch, fitted } = group, count = images.images.length;
  const mark = kernels.mark(), described: TracedImage[] = [];
  let model: Model | undefined;
  try {
    model = yield* fitModelInSteps(kernels, plan, training, batch, fitted);
    const trace = group.traced ? dependencyTrace(count, training.count, group.traced) : undefined;
    for (let first = 0; first < count; first += batch) {
      const chosen = Array.from({ length: Math.min(batch, count - first) }, (_, i) => first + i);
      described.push(...yield* synthesizeOriginal({ ...group, trace }, model, images, chosen));
    }
    if (!trace) return described;
    return described.map((image, i) => ({ ...image, lineage: trace.images[i] }));
  } finally {
    model?.dispose();
    kernels.release(mark);
  }
}

/** A group whose images are being made. */
interface OpenGroup extends GroupModel {
  readonly trace?: DependencyTrace;
}

/** An image of a batch on its way to be original and likely enough. */
interface Draft {
  /** Its position in `GroupImages.images`. */
  readonly position: number;
  /** How often it was drawn, whole or in part. */
  tries: number;
  /** Which of the tries is drawn whole. */
  attempt: number;
  /** The best image so far, and its attempt. */
  best?: { readonly image: TracedImage; readonly attempt: number };
}

/**
 * Synthesizes images in one batch; `chosen` are their positions in `images`. An image that is nearer to a training image than the
 * plan allows, or less likely than `minLl`, is drawn again, and the best one is kept. It is yielded last.
 */
function* synthesizeOriginal(
  group: OpenGroup,
  model: Model,
  images: GroupImages,
  chosen: readonly number[],
): GroupSteps<TracedImage[]> {
  const { plan, training, minLl, onForecast } = group;
  const drafts = chosen.map((position): Draft => ({ position, tries: 0, attempt: 0 }));
  const isChecked = isRedrawn(plan, training.count), minOriginality = isChecked ? plan.layers[0].minOriginality : 0;
  if (minLl === undefined && !isChecked) return yield* synthesizeBatch(group, model, images, drafts);
  const forecast = redrawForecast(imageWork(plan, training.hr[0], training.count));
  // An originality above its minimum cannot make up for a low likelihood: it counts as the minimum.
  const originality = (image: TracedImage) => Math.min(originalityOf(image), minOriginality);
  const isBetter = (one: TracedImage, other: TracedImage) => {
    const more = originality(one) - originality(other);
    return more > 0 || more === 0 && (one.ll ?? 0) > (other.ll ?? 0);
  };
  const isAccepted = (image: TracedImage) => {
    return originalityOf(image) >= minOriginality && (minLl === undefined || image.ll! >= minLl);
  };
  let open = drafts;
  for (let whole = 0; whole < MAX_TRIES && open.length > 0; whole++) {
    yield* chooseAttempts(group, model, images, open, { forecast, whole });
    onForecast?.(forecast.beforeWhole(open.length, whole));
    const drawn = withLikelihood(group, yield* synthesizeBatch(group, model, images, open)), before = open.length;
    open.forEach((draft, n) => {
      const better = !draft.best || isBetter(drawn[n], draft.best.image);
      if (better) draft.best = { image: drawn[n], attempt: draft.attempt };
    });
    open = open.filter(({ best }) => !isAccepted(best!.image));
    forecast.drew("whole", before, open.length);
  }
  // Who watches or traces the iterations takes the last ones for those of the image.
  const earlier = drafts.filter(({ best, attempt }) => best!.attempt !== attempt);
  for (const draft of earlier) draft.attempt = draft.best!.attempt;
  if (earlier.length > 0) yield* synthesizeBatch(group, model, images, earlier);
  return drafts.map(({ best, tries }) => ({ ...best!.image, tries }));
}

/** Adds the likelihood of images, if there is a least one. */
function withLikelihood({ kernels, plan, training, minLl }: GroupModel, images: TracedImage[]): TracedImage[] {
  if (minLl === undefined) return images;
  const measured = logLikelihoods(kernels, plan, training.hr[0], images.map(({ pixels }) => pixels));
  return images.map((image, i) => ({ ...image, ll: measured[i] }));
}

/**
 * Gives each image its next attempt whose coarser layers are original enough, or else the most original of these attempts. Only
 * these layers are drawn here.
 */
function* chooseAttempts(
  group: OpenGroup,
  model: Model,
  images: GroupImages,
  drafts: readonly Draft[],
  { forecast, whole }: { readonly forecast: RedrawForecast; readonly whole: number },
): Steps<void> {
  const best = new Map(drafts.map((draft) => [draft, -1]));
  let open = drafts;
  for (let part = 0; part < MAX_TRIES && open.length > 0; part++) {
    group.onForecast?.(forecast.beforeCoarse(open.length, part, whole));
    const tried = open.map((draft) => ({ position: draft.position, attempt: draft.tries++ }));
    const found = yield* coarseOriginality(group, model, images, tried);
    open.forEach((draft, n) => {
      if (found[n] <= best.get(draft)!) return;
      best.set(draft, found[n]);
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
function* coarseOriginality(
  group: OpenGroup,
  model: Model,
  images: GroupImages,
  attempts: readonly Attempt[],
): Steps<number[]> {
  const { kernels, plan, plan: { layers }, training } = group, quotients = attempts.map(() => Infinity);
  const last = lastChecked(plan);
  if (!last) return quotients;
  const steps = synthesizeInSteps(model, batchOf(group, images, attempts));
  try {
    for (let step = steps.next(); !step.done; step = steps.next()) {
      if (typeof step.value === "number") {
        yield step.value;
        continue;
      }
      const { layer, iteration } = step.value, { minOriginality } = layers[layer];
      if (minOriginality === 0 || iteration < iterationCount(layers[layer]) - 1) continue;
      const pixels = Uint8Array.from(step.value.images, byteOf);
      nearestTraining(kernels, training, pixels, layer).forEach((nearest, n) => {
        group.trace?.measured(attempts[n].position, nearest);
        quotients[n] = Math.min(quotients[n], originalityOf({ nearest }) / minOriginality);
      });
      if (layer === last.layer) break;
    }
    return quotients;
  } finally {
    steps.return(NOTHING); // releases its memory
  }
}

/** An image to draw: its position in `GroupImages.images`, and which of its attempts. */
type Attempt = Pick<Draft, "position" | "attempt">;

/** What `synthesize` is given to draw these images together. */
function batchOf(
  { seed, trace }: OpenGroup,
  { images, seedImages, observed }: GroupImages,
  attempts: readonly Attempt[],
): Batch {
  const own = (values: Float32Array) => {
    const length = values.length / images.length, taken = new Float32Array(attempts.length * length);
    attempts.forEach(({ position: i }, n) => taken.set(values.subarray(i * length, (i + 1) * length), n * length));
    return taken;
  };
  const positions = attempts.map(({ position }) => position);
  return {
    seed,
    images: attempts.map(({ position }) => images[position]),
    seedImages: own(seedImages),
    observed: observed?.map(({ values, weights }) => ({ values: own(values), weights: own(weights) })),
    attempts: attempts.map(({ attempt }) => attempt),
    onDraw: trace && ((draw) => trace.drew(draw, positions)),
  };
}

/** Synthesizes and describes images of a group in one batch. */
function* synthesizeBatch(
  group: OpenGroup,
  model: Model,
  images: GroupImages,
  attempts: readonly Attempt[],
): GroupSteps<TracedImage[]> {
  const { kernels, plan, training, onDraw, trace } = group, batch = batchOf(group, images, attempts);
  const numbers = attempts.map(({ position }) => images.images[position]);
  trace?.began(attempts.map(({ position }) => position));
  const watched = (draw: Draw) => {
    batch.onDraw?.(draw);
    onDraw?.(draw);
  };
  const steps = synthesizeInSteps(model, { ...batch, onDraw: trace && onDraw ? watched : batch.onDraw ?? onDraw });
  try {
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      yield typeof step.value === "number" ? step.value : { ...step.value, numbers };
    }
    const { pixels, provenance } = step.value, length = pixels.length / numbers.length, described: TracedImage[] = [];
    for (let first = 0; first < numbers.length; first += DESCRIBED) {
      const some = numbers.slice(first, first + DESCRIBED), last = first + some.length;
      const part = {
        pixels: pixels.subarray(first * length, last * length),
        provenance: provenance.slice(first, last),
      };
      const images = describeImages({ kernels, plan }, training, some, part);
      if (trace) {
        images.forEach((image, i) =>
          noteDescription(trace, plan, attempts[first + i].position, image, part.provenance[i])
        );
      }
      described.push(...images.map((image, i) => ({ ...image, provenance: part.provenance[i] })));
      yield describeWork(plan, training.count, some.length);
    }
    return described;
  } finally {
    steps.return(NOTHING); // releases its memory if the caller closed this generator
  }
}

/** Notes what the description of an image depends on, and its pixels as far as they are not merged. */
function noteDescription(
  trace: DependencyTrace,
  { pixelArt }: Plan,
  position: number,
  { nearest }: SynthesizedImage,
  { sources }: Provenance,
): void {
  trace.measured(position, nearest);
  // A pixel that no copy covers takes the nearest colour of all training images.
  if (pixelArt && sources.some((value, i) => i % 3 === 0 && value < 0)) trace.all(position);
}

/** What a synthesis that is closed early returns. */
const NOTHING: SynthesizedBatch = { pixels: new Uint8Array(), provenance: [] };

/**
 * Images that are described together. The kernel that compares them reads the training images once for all of them: with 4 it
 * took a quarter longer than with 16, which take a tenth of a second on 4500 faces.
 */
const DESCRIBED = 8;

/** Returns the number of iterations of all layers, with those that project. */
export function iterationsOf({ layers }: Plan): number {
  return layers.reduce((sum, layer) => sum + iterationCount(layer), 0);
}
