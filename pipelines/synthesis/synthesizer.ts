/** Synthesizes images from a pack, on every host, with or without files. The images are byte-identical to those of `synth`. */
import type { Kernels } from "../../core/kernels.ts";
import { fitAllPartsInSteps, fitText } from "../../core/model.ts";
import type { Nearest } from "../../core/nearest.ts";
import { leastSide, type Plan, plan } from "../../core/plan.ts";
import { trainingPyramidInSteps } from "../../core/pyramid.ts";
import type { Registry } from "../../core/registry.ts";
import { lengthOf, sameShape, shapeText, squareOf } from "../../core/shape.ts";
import { withoutSteps } from "../../core/steps.ts";
import type { Batch } from "../../core/batch.ts";
import type { Images } from "../../core/types.ts";
import type { SeedImages } from "../../datasets/data_set.ts";
import type { Pack } from "../../datasets/formats/pack.ts";
import { chosenBy, groupImages, knownClasses, seedNumbers } from "../../datasets/groups.ts";
import { trainingImages } from "./class_pyramid.ts";
import { checkRequest, requestedClasses, requestedPlan, RequestError, type SynthesisRequest } from "./request.ts";
import { mostDrawWork, type RequestWork, requestWork } from "./request_work.ts";
import { drawnSeeds } from "./seed_images.ts";
import { type GroupIteration, iterationsOf, synthesizeGroupInSteps, type TracedImage } from "./synthesize_group.ts";
import { keptFits, keptPyramids, pyramidBytes } from "./synthesizer_memory.ts";
import { seedShape, takeSeedImages } from "./take_seed_images.ts";

export { RequestError, type RequestWork, type SynthesisRequest };

/** A finished image. Training images are named by their numbers in the pack. */
export interface ResultImage extends TracedImage {
  /** The nearest training image; undefined if training images are exemplars, which cannot be compared with whole images. */
  readonly nearest?: Nearest;
  /** Its class; undefined if classes do not count. */
  readonly label?: number;
  /** channels x height x width values in [0, 1], of the last size. */
  readonly seedImage: Float32Array;
  /** The number of that seed image in the pack; undefined if the request brought its own. */
  readonly seedNumber?: number;
}

/** The finished images of a request. */
export interface SynthesisResult {
  /** The plan that the images were synthesized with. */
  readonly plan: Plan;
  /** The images, in the order of their numbers. */
  readonly images: readonly ResultImage[];
}

/** The state that is yielded after every iteration of every batch. */
export interface SynthesisProgress extends GroupIteration {
  /** The class of the batch's images; undefined if classes do not count. */
  readonly label?: number;
  /** The part of all iterations that is done, 0..1. */
  readonly done: number;
}

/** A pack in kernel memory. */
export interface Synthesizer {
  /** The pack that it synthesizes from. */
  readonly pack: Pack;
  /** The pack's profile, checked. */
  readonly plan: Plan;
  /** The classes of the pack, ascending; none if its images have no labels. */
  readonly classes: readonly number[];
  /**
   * Synthesizes images and yields after every iteration. Image i is byte-identical to image i of `synth` on the pack, whatever
   * else is requested with it. One request at a time: run the generator to its end, or call its `return`, before the next one.
   *
   * @param onDraw called after each draw, as `Batch.onDraw`
   * @throws {RequestError} at once, if an entry of the request is wrong
   */
  synthesize(request: SynthesisRequest, onDraw?: Batch["onDraw"]): Generator<SynthesisProgress, SynthesisResult>;
  /**
   * Does the same as `synthesize`, and yields also inside an iteration and while it fits: the work of each step, in comparisons.
   * A host that pauses often enough can answer other requests in between.
   */
  synthesizeInSteps(request: SynthesisRequest): Generator<SynthesisProgress | number, SynthesisResult>;
  /**
   * Returns the seed images that a request's images are made from, in the order of `images`: the request's own, or the pack's, or
   * for exemplars quilted ones.
   *
   * @throws {RequestError} as `synthesize`
   */
  seedImages(request: SynthesisRequest): SeedImages;
  /**
   * Estimates the work of a request before anything runs.
   *
   * @throws {RequestError} as `synthesize`
   */
  workOf(request: SynthesisRequest): RequestWork;
}

/** Images of a batch: enough to share the cost of a search, few enough for the memory of an edge worker. */
const BATCH = 16;
/** The most work of a draw for a batch: 10 to 40 ms, in which a host cannot pause. */
const MAX_DRAW = 2 ** 27;
/** Kernel memory for training pyramids that are kept: six classes of MNIST, of 6000 images each. */
const MEMORY = 64 * 2 ** 20;

/**
 * Opens a synthesizer. The kernels are its own from then on: nothing else may allocate in their memory. Its parts stay inside: they
 * share the pack and the pyramids that are kept.
 *
 * @example
 * ```ts
 * import { builtins, digits, openSynthesizer, referenceKernels } from "@patchloom/patchloom";
 *
 * // Usually `readPack` of a file that `deno task pack` wrote.
 * const pixels = Uint8Array.from({ length: 40 * 32 * 32 }, (_, i) => (i * i) % 256);
 * const train = { images: { count: 40, height: 32, width: 32, pixels } };
 * const seeds = { count: 1, height: 4, width: 4, images: new Float32Array(16).fill(0.5) };
 * const pack = { profile: digits, origin: "a pattern", train, seeds };
 * const synthesizer = openSynthesizer(referenceKernels(), pack, builtins);
 * const iterations = synthesizer.synthesize({ seed: 1, images: [0] });
 * let next = iterations.next();
 * while (!next.done) next = iterations.next(); // next.value is a SynthesisProgress
 * console.log(next.value.images[0].pixels.length); // 1024
 * ```
 *
 * @param memory bytes of kernel memory up to which training pyramids are kept for later requests. The one in use is always kept;
 * beyond the limit the one that was built last is released, so that the others stay.
 * @throws {Error} if the pack's profile is wrong or its images do not fit it
 */
export function openSynthesizer(kernels: Kernels, pack: Pack, plugins: Registry, memory = MEMORY): Synthesizer {
  const planned = plan(pack.profile, plugins), { images, labels } = pack.train;
  checkPack(pack, planned);
  const pyramids = keptPyramids(kernels, memory), fits = keptFits();
  let busy = false;

  /** Checks a request. Returns the plan and the images of each class that it asks for. */
  function prepare(request: SynthesisRequest): { requested: Plan; groups: readonly RequestGroup[] } {
    checkRequest(request);
    const requested = requestedPlan(pack.profile, request, plugins);
    if (requested.aligned !== planned.aligned) {
      throw new RequestError("set", planned.aligned ? "aligned images" : "exemplars", request.set);
    }
    const classes = requestedClasses(requested.profile, { labels, name: "the pack" }, request.class);
    const groups = groupImages(request.images, classes).map((group) => ({
      ...group,
      chosen: chosenBy(labels, group.label, images.count),
      ...seedsOf(pack, requested, request, group, classes.length),
    }));
    if (!isUsable(images, requested)) {
      throw new RequestError("set", `a size and channels for images of ${shapeText(images)}`, request.set);
    }
    return { requested, groups };
  }

  /** Returns the seed images of a group: those that it brought, or quilted ones. */
  function seedsFor(requested: Plan, { label, images, seedImages }: RequestGroup, seed: number): Float32Array {
    if (seedImages) return seedImages;
    return drawnSeeds(kernels, requested, pack.train, "quilt", { seed })([{ label, images }]).seeds[0];
  }

  function seedImagesOf(request: SynthesisRequest): SeedImages {
    const { requested, groups } = prepare(request), shape = seedShape(requested), values = lengthOf(shape);
    const count = request.images.length, out = new Float32Array(count * values);
    for (const group of groups) {
      const seeds = seedsFor(requested, group, request.seed);
      group.images.forEach((number, i) => {
        out.set(seeds.subarray(i * values, (i + 1) * values), request.images.indexOf(number) * values);
      });
    }
    return { count, ...shape, images: out };
  }

  function start(request: SynthesisRequest, onDraw?: Batch["onDraw"]): ReturnType<typeof run> {
    const { requested, groups } = prepare(request);
    return run(request, requested, groups, onDraw);
  }

  function workOf(request: SynthesisRequest): RequestWork {
    const { requested, groups } = prepare(request);
    return requestWork(requested, images, groups.map((group) => [group.chosen.length, group.images.length]));
  }

  function* run(
    { seed }: SynthesisRequest,
    requested: Plan,
    groups: readonly RequestGroup[],
    onDraw: Batch["onDraw"],
  ): Generator<SynthesisProgress | number, SynthesisResult> {
    if (busy) {
      throw new Error("Cannot start a request: expected the one before to be run to its end or closed by its `return`");
    }
    busy = true;
    const values = lengthOf(seedShape(requested)), finished: ResultImage[] = [];
    const { images: training, sizes } = trainingImages(requested, images);
    const most = Math.max(...groups.map(({ chosen }) => mostDrawWork(requested, images, chosen.length)));
    const together = Math.max(1, Math.min(BATCH, Math.floor(MAX_DRAW / most)));
    const batches = groups.reduce((sum, { images }) => sum + Math.ceil(images.length / together), 0);
    const iterations = batches * iterationsOf(requested);
    let done = 0;
    try {
      for (const group of groups) {
        const { label, images: wanted, chosen, numbers: seedOf } = group;
        const seedImages = seedsFor(requested, group, seed);
        const pyramid = yield* pyramids.get(
          `${label} ${sizes.map(shapeText)}`,
          pyramidBytes(training, sizes, chosen.length),
          () => trainingPyramidInSteps(kernels, training, sizes, chosen),
        );
        const fitted = yield* fits.get(`${label} ${fitText(requested)}`, () => {
          return fitAllPartsInSteps(kernels, requested, pyramid);
        });
        const batch = Math.min(together, wanted.length);
        const model = { kernels, plan: requested, training: pyramid, seed, batch, fitted, onDraw };
        const steps = synthesizeGroupInSteps(model, { images: wanted, seedImages });
        try {
          let step = steps.next();
          // Images that are drawn again take more iterations.
          for (; !step.done; step = steps.next()) {
            const { value } = step;
            yield typeof value === "number" ? value : { ...value, label, done: Math.min(++done / iterations, 1) };
          }
          step.value.forEach((image, i) => {
            finished.push({
              ...inPack(image, chosen),
              label,
              seedImage: seedImages.slice(i * values, (i + 1) * values),
              seedNumber: seedOf?.[i],
            });
          });
        } finally {
          steps.return([]); // releases its memory if the caller closed this generator
        }
      }
    } finally {
      busy = false;
    }
    return { plan: requested, images: finished.sort((a, b) => a.number - b.number) };
  }

  return {
    pack,
    plan: planned,
    classes: labels ? knownClasses(labels) : [],
    synthesize: (request, onDraw) => withoutSteps(start(request, onDraw)),
    synthesizeInSteps: (request) => start(request),
    seedImages: seedImagesOf,
    workOf,
  };
}

/** Throws one sentence if the images of a pack do not fit its plan. */
function checkPack({ train: { images }, seeds }: Pack, planned: Plan): void {
  if (!isUsable(images, planned)) {
    const { aligned, sizes: [size], channels } = planned, least = squareOf(leastSide(planned));
    const expected = aligned
      ? `up to ${shapeText({ ...size, channels })}`
      : `at least ${shapeText({ ...least, channels })}`;
    throw new Error(`Cannot use the pack: expected images of ${expected}, got ${shapeText(images)}`);
  }
  const last = seedShape(planned);
  if (planned.aligned && !sameShape(seeds, last)) {
    throw new Error(`Cannot use the pack: expected seed images of ${shapeText(last)}, got ${shapeText(seeds)}`);
  }
}

/** The images of one class, and what they are synthesized from. */
interface RequestGroup {
  readonly label?: number;
  readonly images: readonly number[];
  /** The training images' numbers in the pack. */
  readonly chosen: Uint32Array;
  /** One for each image; undefined if they are quilted of exemplars. */
  readonly seedImages?: Float32Array;
  /** The numbers of the seed images in the pack; undefined if they are not the pack's. */
  readonly numbers?: readonly number[];
}

/** Takes the seed images of a group: those of the request, or the pack's. Of exemplars they are quilted later. */
function seedsOf(
  { seeds }: Pack,
  planned: Plan,
  request: SynthesisRequest,
  group: { label?: number; images: readonly number[] },
  classes: number,
): Pick<RequestGroup, "seedImages" | "numbers"> {
  const shape = seedShape(planned), values = lengthOf(shape), count = request.images.length, own = request.seedImages;
  if (own !== undefined) {
    if (!(own instanceof Float32Array) || own.length !== count * values) {
      const wanted = `a Float32Array of ${count} x ${values} values`;
      throw new RequestError("seedImages", wanted, own instanceof Float32Array ? `one of ${own.length}` : own);
    }
    const wrong = own.findIndex((value) => !(value >= 0 && value <= 1));
    if (wrong >= 0) throw new RequestError("seedImages", "values from 0 to 1", own[wrong]);
    const places = new Map(request.images.map((image, i) => [image, i]));
    const numbers = group.images.map((image) => places.get(image)!);
    return { seedImages: takeSeedImages({ ...shape, count, images: own }, numbers, planned) };
  }
  if (!planned.aligned) return {};
  const numbers = seedNumbers(group, classes, seeds);
  try {
    return { numbers, seedImages: takeSeedImages(seeds, numbers, planned) };
  } catch (error) {
    throw new RequestError("set", `sizes that end at ${shapeText(seeds)}`, request.set, (error as Error).message);
  }
}

/** Whether a plan can use training images: they have its channels, are not larger than its images, or hold a patch as exemplars. */
function isUsable({ height, width, channels = 1 }: Images, planned: Plan): boolean {
  const { sizes: [size], channels: wanted, aligned } = planned;
  const fit = aligned ? height <= size.height && width <= size.width : Math.min(height, width) >= leastSide(planned);
  return fit && channels === wanted;
}

/** Renames training images: from their numbers in the class to those in the pack. -1, for no training image, stays. */
function inPack(image: TracedImage, chosen: Uint32Array): TracedImage {
  const { contributors, provenance, nearest } = image;
  return {
    ...image,
    ...nearest && { nearest: { ...nearest, image: chosen[nearest.image] ?? -1 } },
    contributors: contributors.map(({ image, share }) => ({ image: chosen[image] ?? -1, share })),
    provenance: {
      ...provenance,
      sources: provenance.sources.map((value, i) => i % 3 === 0 ? chosen[value] ?? -1 : value),
    },
  };
}
