/** Which finished images keep the limits of a run, and what to say of those that miss them after all tries. */
import type { Plan } from "../../core/plan.ts";
import { counted } from "../../core/counted.ts";
import { finishedLimits } from "./redraw_forecast.ts";
import { originalityOf, type SynthesizedImage } from "./synthesized_image.ts";

/** What finished images must be like. Images are drawn again until they are, `MAX_TRIES` times at most. */
export interface StatedLimits {
  readonly minOriginality?: number;
  readonly maxStructure?: number;
  readonly minLl?: number;
}

/** What is measured of an image. What is not given keeps every limit. */
interface MeasuredImage {
  readonly originality?: number;
  readonly structure?: { readonly correlation: number };
  readonly ll?: number;
}

/** The limits: their flags, which values are better, and the value of an image. */
const LIMITS = [
  // Where training images are all equal, no originality is given: it is Infinity.
  {
    name: "minOriginality",
    best: "greatest",
    flag: "min-originality",
    of: ({ originality = Infinity }: MeasuredImage) => originality,
  },
  {
    name: "maxStructure",
    best: "least",
    flag: "max-structure",
    of: ({ structure }: MeasuredImage) => structure?.correlation ?? -1,
  },
  { name: "minLl", best: "greatest", flag: "min-ll", of: ({ ll = Infinity }: MeasuredImage) => ll },
] as const;

/** The limits that a run states; a limit that every image keeps is left out. */
export function statedLimits(plan: Plan, minLl?: number): StatedLimits {
  const { minOriginality, maxStructure } = finishedLimits(plan);
  return {
    ...minOriginality > 0 && { minOriginality },
    ...maxStructure < 1 && { maxStructure },
    ...Number.isFinite(minLl) && { minLl },
  };
}

/** What is measured of a synthesized image. */
export function measuredOf(image: Pick<SynthesizedImage, "nearest" | "structure" | "ll">): MeasuredImage {
  return { ...image, originality: originalityOf(image) };
}

/** Whether an image keeps all limits. */
export function keepsLimits(limits: StatedLimits, image: MeasuredImage): boolean {
  return LIMITS.every((limit) => keeps(limit, limits[limit.name], image));
}

function keeps({ best, of }: typeof LIMITS[number], bound: number | undefined, image: MeasuredImage): boolean {
  if (bound === undefined) return true;
  return best === "least" ? of(image) <= bound : of(image) >= bound;
}

/**
 * Warns of images that miss limits: for each limit how many, and the best value of those. Returns undefined if there are none.
 *
 * @param given the limits that flags set; the others are the profile's
 */
export function missedHint(
  limits: StatedLimits,
  images: readonly MeasuredImage[],
  given: StatedLimits = {},
): string | undefined {
  const missed = LIMITS.flatMap((limit) => {
    const bound = limits[limit.name], values = images.filter((image) => !keeps(limit, bound, image)).map(limit.of);
    if (values.length === 0) return [];
    const best = values.reduce((a, b) => limit.best === "least" ? Math.min(a, b) : Math.max(a, b));
    const missed = given[limit.name] === undefined
      ? `the profile's limit ${limit.name} ${bound}`
      : `--${limit.flag} ${bound}`;
    const shown = shownBeyond(best, bound!);
    return [`${values.length} of ${counted(images.length, "image")} missed ${missed} (${limit.best} ${shown})`];
  });
  return missed.length === 0 ? undefined : `Warning: ${missed.join("; ")} ${KEPT}`;
}

/** Writes a value with two decimals, or as many as show that it lies beyond the limit. */
function shownBeyond(value: number, bound: number): string {
  for (let decimals = 2; decimals < 8; decimals++) {
    const text = value.toFixed(decimals);
    if (value < bound ? Number(text) < bound : Number(text) > bound) return text;
  }
  return String(value);
}

/** Warns of images of parts that miss limits, of which only their number is known. Returns undefined if there are none. */
export function unmetHint(unmet: number, count: number): string | undefined {
  return unmet === 0 ? undefined : `Warning: ${unmet} of ${counted(count, "image")} missed a limit ${KEPT}`;
}

const KEPT = "in all tries: the best try of each was kept";
