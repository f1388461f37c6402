/** Makes a pack of a data set: chooses the training images and the seed images, and writes the file's bytes. */
import type { Kernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import { seedImages } from "../../core/pyramid.ts";
import { lengthOf } from "../../core/shape.ts";
import { coverage } from "../../datasets/coverage.ts";
import { type DataSet, pick, type SeedImages } from "../../datasets/data_set.ts";
import { chosenBy, knownClasses } from "../../datasets/groups.ts";
import { type Pack, packLength, readPack, writePack } from "../../datasets/formats/pack.ts";
import type { Runner } from "../runner.ts";
import { openSynthesizer, takeSeedImages } from "./synthesizer.ts";

/** Says what goes into a pack. */
export interface PackOptions {
  /** These classes only; all by default. */
  readonly classes?: readonly number[];
  /** The most bytes that the file may have; no limit by default. */
  readonly most?: number;
  /** The most training images of each class; no limit by default. */
  readonly perClass?: number;
  /** The most seed images of each class (of all images where there are no classes): the first of the test images. */
  readonly seeds: number;
  /** Chooses training images where there is no room for all: `coverage` by default. */
  readonly choose?: typeof coverage;
  /** Takes the part of the choice that is done, 0..1. */
  readonly progress?: (done: number) => void;
}

/** A pack and the bytes of its file. */
export interface PackFile {
  readonly pack: Pack;
  readonly bytes: Uint8Array;
}

/**
 * Makes a pack's file, with progress, and checks that a synthesizer can be opened from it.
 *
 * @param path names the file in errors
 * @throws {Error} as `makePack`, and where the plan's profile and the images do not fit together
 */
export async function makePackFile(
  runner: Runner,
  plan: Plan,
  data: DataSet,
  options: Omit<PackOptions, "progress">,
  path: string,
): Promise<PackFile> {
  const bar = runner.progress("Choosing"), { kernels } = await runner.kernels();
  try {
    const bytes = writePack(makePack(kernels, plan, data, { ...options, progress: bar.update }));
    const pack = readPack(bytes, path);
    openSynthesizer((await runner.kernels()).kernels, pack, runner.plugins);
    return { pack, bytes };
  } finally {
    bar.end();
  }
}

/**
 * Makes a pack. Where `most` bytes have no room for all training images, each class gives up the same part of its own; those
 * that stay are in the order of the data set.
 *
 * @throws {Error} one sentence where a class is missing or has no test images, or where `most` has no room for an image of each
 */
export function makePack(kernels: Kernels, plan: Plan, data: DataSet, options: PackOptions): Pack {
  const { most = Infinity, perClass = Infinity, choose = coverage, progress = () => {} } = options, { train } = data;
  const known = train.labels ? knownClasses(train.labels) : [];
  const alien = options.classes?.find((label) => !known.includes(label));
  if (alien !== undefined) {
    throw new Error(
      train.labels
        ? `Class ${alien} has no training images (classes: ${known.join(", ")})`
        : `Cannot pack class ${alien}: the images of ${data.name} have no labels`,
    );
  }
  const classes = train.labels ? options.classes ?? known : [undefined];
  const seeds = seedsOf(kernels, plan, data, classes, options.seeds);
  const of = classes.map((label) => chosenBy(train.labels, label, train.images.count));
  const all = of.reduce((sum, { length }) => sum + length, 0);
  const each = lengthOf(train.images) + (train.labels ? 1 : 0);
  const packed = (count: number): Pack => {
    const title = data.title ?? data.name, whole = data.seeds && count === train.images.count;
    const origin = whole ? title : `${title}: ${count} of ${train.images.count} training images`;
    const images = { ...train.images, count, pixels: new Uint8Array() };
    return { profile: plan.profile, origin, train: { images, labels: train.labels?.subarray(0, 0) }, seeds };
  };
  // The header's length changes with the digits of its numbers; a few bytes less do no harm.
  const room = Math.min(all, Math.floor((most - packLength(packed(all)) + all * each) / each));
  if (room < classes.length) {
    const least = packLength(packed(all)) - (all - classes.length) * each;
    throw new Error(
      `Cannot make a pack of ${most} bytes: expected at least ${least}, for ${seeds.count} seed images and an example of ` +
        "each class",
    );
  }
  const counts = shares(of.map(({ length }) => length), room).map((count) => Math.min(count, perClass));
  let before = 0;
  const numbers = of.map((among, i) => {
    const chosen = choose(
      kernels,
      train.images,
      among,
      counts[i],
      (done) => progress((before + done * among.length) / all),
    );
    progress((before += among.length) / all);
    return chosen;
  }).flat().sort((a, b) => a - b);
  return { ...packed(numbers.length), train: pick(train, numbers) };
}

/** The seed images of the first test images of each class, in the order of the test images; of a pack, its own. */
function seedsOf(
  kernels: Kernels,
  { sizes, channels }: Plan,
  { name, test, seeds }: DataSet,
  classes: readonly (number | undefined)[],
  most: number,
): SeedImages {
  const { count, labels } = seeds ?? { count: test.images.count, labels: test.labels };
  const numbers = classes.flatMap((label) => {
    const of = chosenBy(labels, label, count);
    if (of.length > 0) return [...of.subarray(0, most)];
    throw new Error(`${label === undefined ? name : `Class ${label}`} has no test images to take seed images from`);
  }).sort((a, b) => a - b);
  return {
    count: numbers.length,
    ...sizes.at(-1)!,
    channels,
    images: seeds
      ? takeSeedImages(seeds, numbers, { sizes, channels })
      : seedImages(kernels, test.images, sizes, numbers),
    ...labels ? { labels: Uint8Array.from(numbers, (i) => labels[i]) } : {},
  };
}

/** Splits `room` in proportion to the counts: at least one each, what rounding leaves to the largest remainders. */
function shares(counts: readonly number[], room: number): number[] {
  const all = counts.reduce((a, b) => a + b), exact = counts.map((count) => room * count / all);
  const given = exact.map((share) => Math.max(1, Math.floor(share)));
  const byRest = exact.map((share, i) => ({ i, rest: share - given[i] })).sort((a, b) => b.rest - a.rest || a.i - b.i);
  let left = room - given.reduce((a, b) => a + b);
  for (const { i } of byRest) if (left > 0 && given[i] < counts[i]) given[i]++, left--;
  // Where many small classes took one each, the largest give it back.
  for (; left < 0; left++) given[given.indexOf(Math.max(...given))]--;
  return given;
}
