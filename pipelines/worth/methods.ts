/** Makes the images that methods add to few real ones. */
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { lengthOf, type Size } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import { range } from "../../core/numbers.ts";
import { type LabelledImages, pick } from "../../datasets/data_set.ts";
import { knownClasses, numbersOfClass } from "../../datasets/groups.ts";
import { withMorphImages } from "../../datasets/morphs/with_morphs.ts";
import { warpImages, type WarpKind, withWarpedImages } from "../../datasets/warps.ts";
import { morphsOf } from "../synthesis/morph_training.ts";
import { paddedImages } from "../assessment/padded_images.ts";
import { blend, type BlendKind } from "./blends.ts";
import type { Examples } from "./classifiers.ts";
import type { Method, SourceName } from "./names.ts";
import { syntheticImages } from "./synthetic.ts";

/** What a method's images are made of. */
interface MethodInput {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly real: LabelledImages;
  readonly seed: number;
  /** Keys the random choices together with the seed. */
  readonly draw: number;
  /** Images that a method adds to each class. */
  readonly added: number;
}

/** How many others of its class each image is morphed with, at most: all of few. */
const MAX_PARTNERS = 30;

/** How many images of a class, real ones and deformed copies, `patchloom-of-warps` learns from at least. */
const WARPED_CLASS = 150;

/**
 * Makes the images of sources, class by class, each once for all methods. Images are padded to the plan's size. Yields after each
 * step.
 */
export function* sourceImages(
  input: MethodInput,
  names: ReadonlySet<SourceName>,
): Steps<ReadonlyMap<SourceName, Examples>> {
  const { kernels, plan, real, seed, draw, added } = input;
  const [size] = plan.sizes, bySource = new Map<SourceName, Examples>();
  const from = (train: LabelledImages) => {
    return syntheticImages({ kernels, plan, train, seed, first: draw * added, count: added });
  };
  const isNeeded = (...some: readonly SourceName[]) => some.some((name) => names.has(name));
  const warped = (set: LabelledImages, kind: WarpKind) => padded(warpsOf(set, kind, input), size);
  const WARPS = { affine: "affine", elastic: "elastic", warps: "both" } as const;
  for (const [name, kind] of Object.entries(WARPS) as [keyof typeof WARPS, WarpKind][]) {
    if (names.has(name)) bySource.set(name, warped(real, kind));
    yield PROGRESS;
  }
  if (isNeeded("morphs", "affine-of-morphs")) {
    const morphed = withMorphImages(real, morphsOf(kernels, { set: real, partners: MAX_PARTNERS }));
    yield PROGRESS;
    const later = Array.from(range(morphed.images.count)).slice(real.images.count);
    // A class in which no two images can be morphed has its real ones.
    const morphs = classesIn(pick(morphed, later), real);
    if (names.has("morphs")) bySource.set("morphs", padded(inTurn(morphs, input), size));
    if (names.has("affine-of-morphs")) bySource.set("affine-of-morphs", warped(morphed, "affine"));
    yield PROGRESS;
  }
  for (const name of ["mixup", "smote", "gaussian"] satisfies BlendKind[]) {
    if (names.has(name)) bySource.set(name, padded(blendsOf(name, input), size));
    yield PROGRESS;
  }
  if (isNeeded("patchloom", "warps-of-patchloom")) {
    const synthetic = yield* from(real);
    bySource.set("patchloom", synthetic);
    if (names.has("warps-of-patchloom")) bySource.set("warps-of-patchloom", warped(synthetic, "both"));
  }
  if (names.has("patchloom-of-warps")) {
    const { labels, images } = real, ofClass = images.count / knownClasses(labels!).length;
    bySource.set(
      "patchloom-of-warps",
      yield* from(withWarpedImages(real, Math.ceil(WARPED_CLASS / ofClass) - 1, seed)),
    );
  }
  return bySource;
}

/** Joins the real images and what a method adds to them: the first images of each class of each of its sources. */
export function methodExamples(
  { sources }: Method,
  bySource: ReadonlyMap<SourceName, Examples>,
  { real, plan, added }: MethodInput,
): Examples {
  const shares = sources.map((name, i) => {
    const set = bySource.get(name)!, classes = knownClasses(set.labels);
    const share = Math.floor((added + i) / sources.length);
    return pick(
      set,
      classes.flatMap((label) => [...numbersOfClass(set.labels, label, set.images.count).subarray(0, share)]),
    );
  });
  return joined([padded(real, plan.sizes[0]), ...shares as Examples[]]);
}

/** Joins sets of images of one shape. */
function joined(sets: readonly Examples[]): Examples {
  const count = sets.reduce((sum, { images }) => sum + images.count, 0), [{ images: shape }] = sets;
  const length = lengthOf(shape), pixels = new Uint8Array(count * length), labels = new Uint8Array(count);
  let at = 0;
  for (const set of sets) {
    pixels.set(set.images.pixels, at * length);
    labels.set(set.labels, at);
    at += set.images.count;
  }
  return { images: { ...shape, count, pixels }, labels };
}

/** Pads a labelled set to a size. */
export function padded(set: LabelledImages, size: Size): Examples {
  const all = [...range(set.images.count)];
  return { images: paddedImages(set, all, size), labels: set.labels! };
}

/** The numbers of the images of each class in turn, `added` of each class. */
function numbersInTurn({ labels, images }: LabelledImages, added: number): number[] {
  return knownClasses(labels!).flatMap((label) => {
    const ofClass = numbersOfClass(labels, label, images.count);
    return Array.from({ length: added }, (_, i) => ofClass[i % ofClass.length]);
  });
}

/** Takes the images of each class in turn, `added` of each class: once as they are, then with other deformations each time. */
function inTurn(set: LabelledImages, input: MethodInput): LabelledImages {
  const taken = new Set<number>(), { images } = set, length = lengthOf(images);
  const deformed = warpsOf(set, "affine", input);
  numbersInTurn(set, input.added).forEach((number, i) => {
    if (taken.has(number)) return;
    taken.add(number);
    deformed.images.pixels.set(images.pixels.subarray(number * length, (number + 1) * length), i * length);
  });
  return deformed;
}

/** A set of images, and for each class of which it has none those of another set. */
function classesIn(set: LabelledImages, others: LabelledImages): LabelledImages {
  const known = new Set(set.labels);
  const missing = Array.from(range(others.images.count)).filter((i) => !known.has(others.labels![i]));
  return missing.length === 0 ? set : joined([set as Examples, pick(others, missing) as Examples]);
}

/** Deforms the images of each class in turn, `added` times in all. */
function warpsOf(set: LabelledImages, kind: WarpKind, { seed, draw, added }: MethodInput): LabelledImages {
  const { labels, images } = set, numbers = numbersInTurn(set, added);
  const warped: Images = warpImages(images, numbers, kind, { seed, first: draw * numbers.length });
  return { images: warped, labels: Uint8Array.from(numbers, (n) => labels![n]) };
}

function blendsOf(kind: BlendKind, { kernels, real, seed, draw, added }: MethodInput): LabelledImages {
  const classes = knownClasses(real.labels!), length = lengthOf(real.images);
  const pixels = new Uint8Array(classes.length * added * length);
  classes.forEach((label, turn) => {
    pixels.set(blend(kind, { kernels, real, seed, draw }, label, added).pixels, turn * added * length);
  });
  const labels = Uint8Array.from({ length: classes.length * added }, (_, i) => classes[Math.floor(i / added)]);
  return { images: { ...real.images, count: labels.length, pixels }, labels };
}
