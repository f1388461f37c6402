/** The classifiers, and the methods of data augmentation, by name. */
import { suggestion } from "../../core/suggestion.ts";

/** The classifiers by name, and what they are in words. */
export const CLASSIFIERS = {
  nearest: "the label of the nearest training image",
  linear: "a linear support vector machine, C = 0.1",
  svm: "a support vector machine with a Gaussian kernel, C = 10",
  gradients: "the same on histograms of gradients instead of pixels",
} as const;

/** A classifier's name. */
export type ClassifierName = keyof typeof CLASSIFIERS;

/** What makes images of real ones, and what it is in words. */
export const SOURCES = {
  affine: "real images, moved, scaled, turned and sheared a little",
  elastic: "real images, bent a little",
  warps: "real images, deformed in both ways",
  morphs: "images half way between two real ones of the class; of few, deformed a little",
  "affine-of-morphs": "real images and such morphs, moved, scaled, turned and sheared a little",
  mixup: "mixtures of two real images, with the label of the larger share",
  smote: "mixtures of a real image and one of its 5 nearest of the class",
  gaussian: "draws from a Gaussian of the class",
  patchloom: "images synthesized from the real ones",
  "patchloom-of-warps": "images synthesized from the real ones and deformed copies of them",
  "warps-of-patchloom": "images synthesized from the real ones, then deformed",
} as const;

/** A source's name. */
export type SourceName = keyof typeof SOURCES;

/** The real images alone: what every other method is compared with. */
export const REAL = "real";

/** The methods that are measured unless others are named. */
export const USUAL_METHODS: readonly string[] = [
  ...[
    REAL,
    "affine",
    "elastic",
    "warps",
    "morphs",
    "affine-of-morphs",
    "mixup",
    "smote",
    "gaussian",
    "patchloom",
    "patchloom-of-warps",
  ],
  ...["mixup+patchloom", "smote+patchloom", "gaussian+patchloom", "elastic+patchloom", "affine+patchloom"],
  ...["affine+patchloom-of-warps", "affine+warps-of-patchloom", "affine+smote"],
];

/** A method, read from its name: sources that add equally many images to the real ones. */
export interface Method {
  readonly name: string;
  readonly sources: readonly SourceName[];
}

/**
 * Reads the name of a method: "real", a source, or sources joined by "+".
 *
 * @throws {RangeError} if a source is unknown or named twice
 */
export function readMethod(name: string): Method {
  const sources = name === REAL ? [] : name.split("+");
  for (const [i, source] of sources.entries()) {
    if (!Object.hasOwn(SOURCES, source)) {
      throw new RangeError(`There is no method "${source}"${suggestion(source, [REAL, ...Object.keys(SOURCES)])}`);
    }
    if (sources.indexOf(source) < i) throw new RangeError(`Cannot use method ${name}: it names ${source} twice`);
  }
  return { name, sources: sources as SourceName[] };
}

/**
 * Returns the simpler method that a method is compared with: the first of joined sources, affine deformations for morphs, the
 * deformations alone for sources that deform synthesized images. Returns undefined for other methods.
 */
export function partOf({ sources }: Method): string | undefined {
  if (sources.length > 1) return sources[0];
  if (sources[0] === "morphs" || sources[0] === "affine-of-morphs") return "affine";
  return sources[0]?.includes("-of-") ? "warps" : undefined;
}
