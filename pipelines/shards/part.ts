/**
 * A part of a run: images of a range of numbers in files that are written together. Parts are made one after another, so that
 * a run of any length holds the pixels of one part in memory. A part depends on the settings of its run and on its range alone.
 */
import { numbersFrom } from "../../core/numbers.ts";
import { realImages } from "../../datasets/left_out.ts";
import { namedShares, namesOfClass } from "../../datasets/training_names.ts";
import { keepsLimits } from "../run/finished_limits.ts";
import { type NearCopies, nearCopies } from "../run/near_copies.ts";
import type { Runner } from "../run/runner.ts";
import { writeDependencies } from "../synthesis/dependency_file.ts";
import { type GroupImage, originalityOf } from "../run/synthesized_image.ts";
import { type OpenSynthesis, type SynthesisInput, synthesizeNumbers } from "../synthesis/synthesize_images.ts";
import type { Lineage } from "../run/image_bits.ts";
import { encodePart, type FormatName } from "./formats.ts";
import type { PartContext, PartFile, PartImage } from "./part_image.ts";
import { type NumberRange, rangeName } from "./ranges.ts";
import type { Settings } from "./settings.ts";

/** The value of `format` of an entry; the number changes with the meaning of its members. */
export const PART_FORMAT = "patchloom-part-1";

/** Describes a part: what the manifest lists, and the content of its file `parts/RANGE.json`. */
export interface PartEntry {
  readonly format: typeof PART_FORMAT;
  /** The SHA-256 of the run's settings as JSON. */
  readonly settings: string;
  /** The number of its first image. */
  readonly first: number;
  /** How many images it has. */
  readonly count: number;
  /** The bytes of its files. */
  readonly bytes: number;
  /** How often images were drawn until they were accepted; given if the run has a least originality or likelihood. */
  readonly acceptance?: Acceptance;
  /** Near copies of training images; given if there are any, and the run learns from no morphs. */
  readonly copies?: NearCopies;
  /** Paths of its files, and their SHA-256. */
  readonly files: Readonly<Record<string, string>>;
}

/** How often images were drawn to be accepted. */
export interface Acceptance {
  /** All drawings. */
  readonly drawn: number;
  /** Images that met the limits. */
  readonly accepted: number;
  /** Images of which no drawing met the limits: the best one was kept. */
  readonly unmet: number;
}

/** A part with its files. */
interface Part {
  readonly entry: PartEntry;
  /** Its files with their paths; the entry, `parts/RANGE.json`, is the last one. A host that writes files one by one keeps that order. */
  readonly files: readonly PartFile[];
}

/** A run that parts are made of. */
export interface PartedRun {
  readonly synthesis: OpenSynthesis;
  readonly settings: Settings;
  readonly format: FormatName;
  /** Returns the SHA-256 of bytes, in hexadecimal. */
  digest(bytes: Uint8Array): Promise<string>;
}

/** The folder of entries. */
export const ENTRIES = "parts";

/** The path of a part's entry. */
export function entryName(range: NumberRange, count: number): string {
  return `${ENTRIES}/${rangeName(range, count)}.json`;
}

/** The path of the file that says which training images a part's images depend on. */
export function dependenciesName(range: NumberRange, count: number): string {
  return `dependencies/${rangeName(range, count)}.npy.gz`;
}

/** The range of an entry. */
export function rangeOf({ first, count }: Pick<PartEntry, "first" | "count">): NumberRange {
  return { first, end: first + count };
}

/** An image that is kept when a part is made anew. */
export interface KeptImage {
  readonly image: PartImage;
  /** The training images of its class behind it, if the run has files that say so. */
  readonly lineage?: Lineage;
}

/** What the images of a run's parts have in common. */
export function partContext({ plan, size, data, classes, count }: SynthesisInput): PartContext {
  return {
    count,
    shape: { ...size, channels: plan.channels },
    transparent: data.transparent,
    classes: data.classes,
    labels: classes.filter((label) => label !== undefined),
  };
}

/**
 * Makes a part: synthesizes its images and encodes them.
 *
 * @param progress takes the part of the images that is done, 0..1
 * @param kept images that were made before: all others are made
 * @returns undefined if the runner was stopped
 */
export async function makePart(
  runner: Runner,
  run: PartedRun,
  range: NumberRange,
  progress: (done: number) => void = () => {},
  kept: readonly KeptImage[] = [],
): Promise<Part | undefined> {
  const { settings, synthesis, format, digest } = run, { input } = synthesis;
  const before = new Set(kept.map(({ image }) => image.index));
  const numbers = numbersFrom(range.first, range.end);
  const made = await synthesizeNumbers(runner, synthesis, numbers.filter((number) => !before.has(number)), progress);
  if (!made) return undefined;
  const all = [...kept, ...describedBy(run, made)].sort((a, b) => a.image.index - b.image.index);
  const images = all.map(({ image }) => image);
  const encoded = await encodePart(format, range, images, partContext(input));
  if (settings.dependencies) {
    const dependent = all.map(({ image: { label }, lineage }) => ({ label, lineage }));
    encoded.push([dependenciesName(range, settings.count), writeDependencies(input.data, dependent)]);
  }
  const sums = await Promise.all(encoded.map(async ([name, bytes]) => [name, await digest(bytes)] as const));
  const entry: PartEntry = {
    format: PART_FORMAT,
    settings: await fingerprint(settings, digest),
    first: range.first,
    count: images.length,
    bytes: encoded.reduce((sum, [, bytes]) => sum + bytes.length, 0),
    acceptance: acceptanceOf(settings, images),
    // An image that is near to a morph is near to no real image.
    copies: input.plan.morph > 0 ? undefined : nearCopies(images),
    files: Object.fromEntries(sums),
  };
  return { entry, files: [...encoded, [entryName(range, settings.count), jsonBytes(entry)]] };
}

/** The SHA-256 of settings as JSON: equal settings have the same one. */
export function fingerprint(settings: Settings, digest: PartedRun["digest"]): Promise<string> {
  return digest(jsonBytes(settings));
}

/** A value as JSON in UTF-8 that people can read, with a line feed at the end. */
export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value, null, 2) + "\n");
}

/** Names training images by their numbers in the data: threads number those of their class. */
function describedBy({ synthesis: { input } }: PartedRun, images: readonly GroupImage[]): KeptImage[] {
  const { data, classes, seed } = input, training = classes.map((label) => namesOfClass(data, label));
  const real = classes.map((label) => namesOfClass(realImages(data), label));
  return images.map((image): KeptImage => {
    const numberOf = (source: number) => training[image.group](source).image ?? -1;
    const described: PartImage = {
      index: image.number,
      label: classes[image.group],
      seed,
      pixels: image.pixels,
      originality: image.nearest && originalityOf(image),
      nearest: image.nearest && { image: numberOf(image.nearest.image), distance: image.nearest.distance },
      structure: image.structure && { ...image.structure, image: real[image.group](image.structure.image).image ?? -1 },
      ll: image.ll,
      tries: image.tries,
      // Patches that are no copies have the number -1.
      sources: namedShares(training[image.group], image)
        .map(({ image, share }) => ({ image: image ?? -1, share })),
    };
    return { image: described, lineage: image.lineage };
  });
}

/** Counts drawings; undefined if images are drawn once. */
function acceptanceOf({ limits }: Settings, images: readonly PartImage[]): Acceptance | undefined {
  if (Object.keys(limits).length === 0) return undefined;
  const accepted = images.filter((image) => keepsLimits(limits, image)).length;
  return {
    drawn: images.reduce((sum, { tries = 1 }) => sum + tries, 0),
    accepted,
    unmet: images.length - accepted,
  };
}
