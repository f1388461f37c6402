/** Morphs the training images of a data set: on all threads, with progress, and kept for later runs. */
import { cacheKey, decodeArrays, encodeArrays, joinedBytes } from "../../core/array_bytes.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { rowsOf } from "../../core/nearest.ts";
import type { Plan } from "../../core/plan.ts";
import { shapeText } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import { structureRows } from "../../core/structure.ts";
import { type DataSet, type LabelledImages, pick } from "../../datasets/data_set.ts";
import { knownClasses, numbersOfClass } from "../../datasets/groups.ts";
import { morphPairs, type Pair } from "../../datasets/morphs/pairs.ts";
import { originsOfClass } from "../../datasets/training_names.ts";
import { morphImages, type Morphs, withMorphedTraining, withoutFirst } from "../../datasets/morphs/with_morphs.ts";
import { counted } from "../../core/counted.ts";
import { keptNote, runKept } from "../run/kept_tasks.ts";
import type { KeptParts, Runner } from "../run/runner.ts";
import { sharedStructures } from "../run/structures.ts";
import { morphProgram, type MorphTask } from "./morph_program.ts";

/** Pairs of a task: half a second of work at 128x128, so that threads end together. */
const PAIRS = 24;

/** Pairs that are morphed for morphs of four: more would take minutes, and 31 photographs have 460. */
const MAX_PAIRS = 600;

/** Names the morphs that are kept. */
const KEPT = "morphs";

/** What a plan says of morphs. */
type MorphPlan = Pick<Plan, "morph" | "morphOf">;

/** How many other morphs a morph is morphed with, at most, for morphs of four images. */
const PARTNERS_OF_MORPHS = 4;

/**
 * Adds the morphs that a plan asks for to the training images of a data set, or takes them in their place.
 *
 * @throws {Error} if the runner was stopped, or if morphs of four images are to take the place of all images and there are none
 */
export async function morphTraining(runner: Runner, data: DataSet, plan: MorphPlan): Promise<DataSet> {
  if (plan.morph === 0) return data;
  const { kernels } = await runner.kernels(), steps = generations(kernels, data, plan);
  let step = steps.next();
  while (!step.done) step = steps.next(await keptMorphs(runner, kernels, step.value));
  return step.value;
}

/** The same in this thread, for hosts without others. */
export function morphHere(kernels: Kernels, data: DataSet, plan: MorphPlan): DataSet {
  if (plan.morph === 0) return data;
  const steps = generations(kernels, data, plan);
  let step = steps.next();
  while (!step.done) step = steps.next(morphsOf(kernels, step.value));
  return step.value;
}

/** Morphs the images of a set in this thread. */
export function morphsOf(kernels: Kernels, { set, partners, most, parents }: Generation): Morphs {
  return finish(morphImages(set.images, pairsOf(kernels, { set, partners, most, parents })));
}

/** Images to morph with some others each. */
interface Generation {
  readonly set: LabelledImages;
  readonly partners: number;
  /** The most pairs: those of the nearest partners of all images come first. No limit by default. */
  readonly most?: number;
  /** The real images behind each image, where they are morphs: two with one in common are not morphed, or it would give half. */
  readonly parents?: readonly (readonly number[])[];
}

/** Chooses the pairs of a generation. */
function pairsOf(kernels: Kernels, { set, partners, most, parents }: Generation): Pair[] {
  const mayMeet = (one: number, other: number) => {
    return !parents || !parents[one].some((image) => parents[other].includes(image));
  };
  return morphPairs(kernels, set, partners, mayMeet).slice(0, most);
}

/** Asks for the morphs of one generation after another, and returns the data with them. */
function* generations(
  kernels: Kernels,
  data: DataSet,
  { morph, morphOf }: MorphPlan,
): Generator<Generation, DataSet, Morphs> {
  const { train, origin } = data;
  const morphs = yield { set: train, partners: morph, most: morphOf === "fours" ? MAX_PAIRS : undefined };
  const refused = morphs.pairs.length - morphs.met.length;
  const unlike = refused === 0 ? "" : ` (${counted(refused, "pair")} too unlike to be morphed)`;
  const morphed = withMorphedTraining(data, morph, morphs);
  if (morphOf === "pairs") {
    return { ...morphed, origin: `${origin}, and ${counted(morphs.met.length, "morph")} of two of them${unlike}` };
  }
  const first = withoutFirst(morphed, train.images.count);
  const seconds = yield { set: first.train, partners: PARTNERS_OF_MORPHS, parents: originsOfClass(first) };
  const all = withoutFirst(withMorphedTraining(first, PARTNERS_OF_MORPHS, seconds), first.train.images.count);
  const fours = withoutMostAlike(kernels, all);
  return { ...fours, origin: `${origin}, as ${counted(fours.train.images.count, "morph")} of four of them${unlike}` };
}

/**
 * The part of the morphs of four that is left out: those that share most structure with one real image, because images from noise come
 * as near to it as the morphs do. For 25 faces from 31 photographs, the greatest structure is 0.67 with all morphs, 0.53 without 0.3 of
 * them, 0.47 without 0.4, and 0.45 without half. But then more faces have a defect at first sight: some 6, 8, 8 and 10.
 */
const MAX_ALIKE = 0.4;

/** Leaves out of the morphs of each class those that share most structure with one real image. */
function withoutMostAlike(kernels: Kernels, data: DataSet): DataSet {
  const { train: { images, labels }, kept } = data, { train: real } = data.real!;
  const alike = borrowing(kernels, () => {
    const structures = structureRows(kernels, rowsOf(kernels, real.images));
    const shape = { ...images, channels: images.channels ?? 1 };
    return sharedStructures(kernels, images.pixels, shape, structures).map(({ correlation }) => correlation);
  });
  const classes = labels ? knownClasses(labels) : [undefined];
  const stay = classes.flatMap((label) => {
    const ofClass = Array.from(numbersOfClass(labels, label, images.count)).sort((a, b) =>
      alike[a] - alike[b] || a - b
    );
    return ofClass.slice(0, Math.ceil((1 - MAX_ALIKE) * ofClass.length));
  }).sort((a, b) => a - b);
  const numbers = Uint32Array.from(stay, (place) => kept!.numbers[place]);
  return { ...data, train: pick(data.train, stay), kept: { ...kept!, numbers } };
}

/** Morphs on all threads, or takes the morphs that a run before has kept. */
async function keptMorphs(runner: Runner, kernels: Kernels, generation: Generation): Promise<Morphs> {
  const { set } = generation, key = keyOf(generation), kept = await runner.cache?.read(KEPT, key);
  if (kept) return decode(kept);
  const pairs = pairsOf(kernels, generation), begun = await runner.cache?.parts?.(KEPT, key);
  const morphs = await onThreads(runner, set, { pairs, begun, isSecond: generation.parents !== undefined });
  await runner.cache?.write(KEPT, key, encode(morphs));
  return morphs;
}

/** Pairs to morph, and the morphs of some of them that are kept. */
interface OpenPairs {
  readonly pairs: readonly Pair[];
  readonly begun: KeptParts | undefined;
  /** Whether their images are morphs. */
  readonly isSecond: boolean;
}

async function onThreads(
  runner: Runner,
  train: LabelledImages,
  { pairs, begun, isSecond }: OpenPairs,
): Promise<Morphs> {
  const tasks = Array.from({ length: Math.ceil(pairs.length / PAIRS) }, (_, t) => {
    return taskOf(train, pairs.slice(t * PAIRS, (t + 1) * PAIRS));
  });
  const results = new Array<Morphs>(tasks.length);
  const bar = runner.progress(
    `Morphing ${pairs.length} pairs of ${isSecond ? "morphs" : "training images"}`,
    keptNote(runner),
  );
  const parts = tasks.map(() => 0), show = () => bar.update(parts.reduce((sum, part) => sum + part, 0) / tasks.length);
  let finished = 0;
  try {
    const keeping = { places: tasks.map((_, number) => ({ parts: begun, number })), encode, decode };
    for await (const event of runKept(runner, morphProgram, { setUp: null, tasks }, keeping)) {
      parts[event.task] = event.type === "progress" ? parts[event.task] + event.part : 1;
      show();
      if (event.type !== "result") continue;
      results[event.task] = event.result;
      finished++;
    }
  } finally {
    bar.end();
  }
  if (finished < tasks.length) throw new Error("Stopped before all pairs of training images were morphed");
  return joined(pairs, results);
}

/** A task with the images of its pairs alone. */
function taskOf(train: LabelledImages, pairs: readonly Pair[]): MorphTask {
  const numbers = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))];
  const places = new Map(numbers.map((number, place) => [number, place]));
  return {
    images: pick(train, numbers).images,
    pairs: pairs.map(({ one, other, rank }) => ({ one: places.get(one)!, other: places.get(other)!, rank })),
  };
}

/** Joins the results of tasks, and names their pairs as the set does. */
function joined(pairs: readonly Pair[], results: readonly Morphs[]): Morphs {
  const met = results.flatMap(({ met }, task) => met.map((place) => task * PAIRS + place));
  return { pairs, met, pixels: joinedBytes(results.map(({ pixels }) => pixels)) };
}

/** Writes morphs as bytes. */
function encode({ pixels, ...head }: Morphs): Uint8Array {
  return encodeArrays(head, [pixels]);
}

/** Reads what `encode` wrote. */
function decode(bytes: Uint8Array): Morphs {
  const { head, arrays: [pixels] } = decodeArrays(bytes);
  return { ...head as Omit<Morphs, "pixels">, pixels };
}

/** Everything that morphs depend on, except the code. */
function keyOf({ set: { images, labels }, partners, most = Infinity, parents }: Generation): Uint8Array {
  const behind = parents ? parents.join(" ") + " " : "", { length = 0 } = labels ?? {};
  const head = `${partners}, ${most} of ${images.count} ${shapeText(images)} ${length} ${behind}`;
  return cacheKey(head, ...labels ? [labels] : [], images.pixels);
}
