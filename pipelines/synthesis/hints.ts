/** Sentences for users whose images are likely to disappoint: what is wrong, why, and what to try. */
import type { Plan, PlanNoise } from "../../core/plan.ts";
import { DEFAULT_DENOISER, type Profile, profileForFew } from "../../core/profile.ts";
import type { Option } from "../../core/plugin.ts";
import { areaOf, shapeText, type Size } from "../../core/shape.ts";
import type { Tile } from "../../core/tiling.ts";
import type { DataSet, LabelledImages } from "../../datasets/data_set.ts";
import { toBase64 } from "../../datasets/formats/base64.ts";
import { classesInTurn, classText, numbersOfClass } from "../../datasets/groups.ts";
import { counted } from "../../core/counted.ts";
import type { Periods } from "../quilting/structure_length.ts";
import { finishedLimits } from "../run/redraw_forecast.ts";
import { greatest, type MeasuredNearness } from "./nearness.ts";
import { isFromNearest, MAX_FROM_ONE, NEAR, type NearCopies, structureLimit } from "../run/near_copies.ts";
import { comparedOf, type GroupImage, largestShare, type SynthesizedImage } from "../run/synthesized_image.ts";

/** The limit that is recommended where images are near. */
const NEWER = 0.8;

/** With fewer training images, most patches of an image come from one of them. */
const FEW = 50;

/**
 * Warns of images that are nearer to a training image than training images are to each other, with the likely cause and what to
 * try. Returns undefined if there are none.
 *
 * @param copies the near copies among `count` images
 * @param training the number of training images; where they have classes, that of the smallest
 * @param missed the warning of the images that missed a limit, if near ones are among them: it becomes a part of this one
 */
export function copiesHint(
  plan: Plan,
  copies: NearCopies | undefined,
  count: number,
  training: number,
  missed?: string,
): string | undefined {
  // An image that is near to a morph is near to no real image; `nearnessHint` compares with the real ones.
  if (!copies?.near || plan.morph > 0) return undefined;
  const { near, leastOriginality } = copies, { cause, change } = causeOfCopies(plan, training);
  const of = missed ? `${missed}. ${near} of them` : `Warning: ${near} of ${counted(count, "image")}`;
  const who = `${of} ${near === 1 ? "is" : "are"}`;
  const { minOriginality } = finishedLimits(plan);
  // Images that missed a limit in all their tries would miss a higher one, too.
  const isLimited = minOriginality >= NEWER || leastOriginality! < minOriginality;
  const ways = [...change ?? [], ...isLimited ? [] : [`draw such images again with --min-originality ${NEWER}`]];
  return `${who} much nearer to a training image than training images are to each other ` +
    `(least originality ${leastOriginality!.toFixed(2)}): ${
      [cause, ...ways.length > 0 ? [ways.join(", or ")] : []].join("; ")
    }`;
}

/** Warns as `missedHint` and `copiesHint` do; in one warning where all near images have missed a limit, too. */
export function limitHints(
  plan: Plan,
  missed: string | undefined,
  ...near: [copies: NearCopies | undefined, count: number, training: number]
): string[] {
  const areMissed = finishedLimits(plan).minOriginality >= NEAR;
  const copies = copiesHint(plan, ...near, areMissed ? missed : undefined);
  return [areMissed && copies ? undefined : missed, copies].filter((warning) => warning !== undefined);
}

/** The likely cause of near copies, and what to change, if anything. */
function causeOfCopies({ layers, noise }: Plan, training: number): { cause: string; change?: string[] } {
  if (training < FEW) {
    const images = counted(training, "training image");
    return {
      cause: `there ${training === 1 ? "is" : "are"} ${images}, so that most patches come from one`,
      change: ["more images or --mirror help"],
    };
  }
  const change = noise && noiseAdvice(noise);
  if (change) {
    const { plugin: { name } } = noise;
    const cause = name === DEFAULT_DENOISER
      ? "windows are wide for these images"
      : `the denoiser "${name}" comes near to them`;
    return { cause, change: [`try ${change}`] };
  }
  const onePatch = layers.find(({ patch, height, width }) => patch >= height && patch >= width);
  if (onePatch) {
    const { layer, patch } = onePatch, half = Math.max(2, 2 * Math.floor(patch / 4));
    return {
      cause: `a patch of layer ${layer} is the whole image there`,
      change: [`try --set layers.${layer}.patch=${half} or a larger --size`],
    };
  }
  // More neighbours blur, where `auto` chose them, or where `neighboursHint` says that they are many.
  const fewer = layers.some(({ prior: { plugin, values } }) => {
    const neighbours = "neighbours" in plugin.options ? Number(values.neighbours) : 0;
    return neighbours > 0 && neighbours <= training * MAX_SHARE;
  });
  return {
    cause: "the patches of an image come from few training images",
    change: fewer ? ["try more neighbours (--set prior.neighbours=...)"] : undefined,
  };
}

/** What brings images from noise further from training images; undefined if nothing does. Other denoisers may have no windows. */
function noiseAdvice({ plugin, areWindowsChosen }: PlanNoise): string | undefined {
  if (plugin.name !== DEFAULT_DENOISER) return `--set noise.denoiser=${DEFAULT_DENOISER}`;
  return areWindowsChosen ? undefined : "--set noise.windows=auto";
}

/** The number of training images; where classes are synthesized from their own, that of the smallest. */
export function smallestCount(profile: Profile, { train: { images, labels } }: Pick<DataSet, "train">): number {
  const classes = classesInTurn(profile, labels);
  return classes.reduce<number>((least, label) => {
    return Math.min(least, numbersOfClass(labels, label, images.count).length);
  }, images.count);
}

/** A profile as it is for few training images; undefined if those of the data are not few, or drawn by rule. */
export function fewProfile(profile: Profile, data: Pick<DataSet, "train" | "isDrawn">): Profile | undefined {
  return data.isDrawn ? undefined : profileForFew(profile, smallestCount(profile, data));
}

/** Says beforehand what to expect of few training images, and what a profile changes for them. */
export function fewHint(profile: Profile, data: Pick<DataSet, "train">, { morph, morphOf }: Plan): string {
  const images = counted(smallestCount(profile, data), "training image is", "training images are");
  const learned = { pairs: "them and their morphs", fours: "morphs of four of them each" }[morphOf];
  const { below, expect } = profile.few!;
  const so = morph > 0 ? `, so images are made from ${learned}` : "";
  return `Hint: ${images} few (less than ${below})${so}: ${expect} (--set few.below=0 treats them as many)`;
}

/** Images that share so much of their structure most often show the same thing: a copy, perhaps in another light. */
const COPY = 0.75;

/**
 * Warns of images that stand nearer to a training image than held-out images do: by structure, or because most pixels come from one
 * training image that also is the nearest. Says whether they are copies, and what to change. Returns undefined if there are none.
 *
 * @param training the number of training images, without morphs
 */
export function nearnessHint(
  plan: Plan,
  { done, compared }: MeasuredNearness,
  training: number,
): string | undefined {
  const limits = compared.map((one) => one && structureLimit(one.greatest));
  const relit = done.filter(({ group, structure }) => structure && structure.correlation > (limits[group] ?? 1));
  // Most pixels from one morph are half as many from each of its parents.
  const fromOne = plan.morph > 0 ? [] : done.filter((image) => isFromNearest(comparedOf(image)));
  const reasons = [
    ...relit.length > 0 ? [structureReason(relit, done.length, compared)] : [],
    ...fromOne.length > 0 ? [shareReason(fromOne.length, greatest(fromOne.map(largestShare)), done.length)] : [],
  ];
  if (reasons.length === 0) return undefined;
  // The least of the classes that have such images: a higher limit would not draw all of them again.
  const limit = Math.min(...relit.map(({ group }) => limits[group]!));
  const sentences = [
    `Warning: ${reasons.join("; ")}`,
    ...copiesText(relit, fromOne, plan, training),
    ...adviceOnNearness(plan, Number.isFinite(limit) ? limit : undefined),
  ];
  return sentences.join(". ");
}

/** Warns as `nearnessHint` does of images of parts, whose structure is not measured. Returns undefined if there is no reason. */
export function shareHint(plan: Plan, copies: NearCopies | undefined, count: number): string | undefined {
  if (!copies?.fromNearest || plan.morph > 0) return undefined;
  const { fromNearest, largestShare } = copies;
  const reason = `Warning: ${shareReason(fromNearest, largestShare!, count)}`;
  const where = `In their metadata the first of \`sources\` has a share above ${MAX_FROM_ONE} and is \`nearest\``;
  return [reason, SUCH_COPIES, where, ...adviceOnNearness(plan, undefined)].join(". ");
}

const MAYBE_COPIES = "can be copies in another light or colour, which originality does not show";
const SUCH_COPIES = `Such images ${MAYBE_COPIES}`;

/** Says whether images that stand near are copies. */
function copiesText(
  relit: readonly SynthesizedImage[],
  fromOne: readonly SynthesizedImage[],
  { morph }: Plan,
  training: number,
): string[] {
  const copies = relit.filter(({ structure }) => structure!.correlation >= COPY).length;
  if (copies > 0 || fromOne.length > 0) {
    return [copies > 0 ? `${copies} of them, with ${COPY} or more, ${MAYBE_COPIES}` : SUCH_COPIES];
  }
  return [
    `They are no copies, which share ${COPY} or more, but resemble single training images more than new ones would`,
    ...morph > 0 ? [`With ${training} training images that is usual; more of them give newer images`] : [],
  ];
}

/** Says how many images share more than others of their class, and of the one that does by most how much it and they share. */
function structureReason(relit: readonly GroupImage[], count: number, compared: MeasuredNearness["compared"]): string {
  const above = relit.map(({ group, structure }) => {
    const { of, greatest } = compared[group]!, { correlation } = structure!;
    return { of, greatest, correlation, by: correlation - greatest };
  });
  const { of, correlation, greatest } = above.reduce((a, b) => b.by > a.by ? b : a);
  const share = relit.length === 1 ? "shares" : "share", isOfClass = compared.length > 1;
  return `${relit.length} of ${counted(count, "image")} ${share} more structure with a training image than ${of} do ` +
    `(${isOfClass ? "furthest above its class" : "greatest"} ${correlation.toFixed(2)}, theirs ${greatest.toFixed(2)})`;
}

function shareReason(fromOne: number, largest: number, count: number): string {
  const [takes, their] = fromOne === 1 ? ["takes", "its"] : ["take", "their"];
  return `${fromOne} of ${counted(count, "image")} ${takes} more than half of ${their} pixels from the training ` +
    `image that is nearest, by distance or by structure (largest share ${largest.toFixed(2)})`;
}

/** What can still be changed where images stand too near; `limit` is the structure above which they do. */
function adviceOnNearness(plan: Plan, limit: number | undefined): string[] {
  const { noise, layers, morph } = plan, { maxStructure } = finishedLimits(plan), advice = noise && noiseAdvice(noise);
  const shared = layers.findIndex(({ prior: { values } }) => Number(values.maxShare) > MAX_FROM_ONE);
  const most = Math.min(limit ?? 1, 0.99),
    rounded = Math.floor(100 * most + 1e-9) / 100,
    isLimited = maxStructure <= rounded;
  const ways = [
    ...noise ? [] : ["--from noise"],
    ...advice && morph === 0 ? [advice] : [],
    ...shared >= 0 ? [`a lower maxShare (--set layers.${shared}.prior.maxShare=0.25)`] : [],
    ...limit === undefined || isLimited ? [] : [`--max-structure ${rounded.toFixed(2)} to draw such images again`],
  ];
  if (ways.length > 0) return [`Try ${ways.join(", or ")}`];
  return ["Leave such images out, and make more (--count); more training images help, too"];
}

/** Above this many times the area of all exemplars, repetitions are visible at first sight. */
const MAX_TIMES = 16;

/** Tells that exemplars are too small for the size of the images. Returns undefined if they are not. */
export function exemplarHint(
  { train: { images }, exemplars }: Pick<DataSet, "train" | "exemplars">,
  size: Size,
): string | undefined {
  const areas = exemplars?.images.map(areaOf) ?? [images.count * areaOf(images)];
  const times = Math.round(areaOf(size) / areas.reduce((sum, area) => sum + area, 0));
  if (times <= MAX_TIMES) return undefined;
  const exemplar = shapeText({ ...images, channels: 1 });
  return `Hint: exemplars of ${exemplar} pixels are small for images of ${shapeText(size)}: ` +
    `what they show repeats about ${times} times; larger exemplars give more variety`;
}

/** Tells that several exemplars without classes are taken together. Returns undefined if there is one, or if they have classes. */
export function mixedHint(
  { train: { images, labels }, exemplars }: Pick<DataSet, "train" | "exemplars">,
): string | undefined {
  const count = exemplars?.images.length ?? images.count;
  if (count === 1 || labels) return undefined;
  return `Hint: ${count} exemplars are taken together: an image is made of any of them, or of several at once; ` +
    `for a texture of each, put each into a folder of its own, with --per-class 1, or name one of them with --data`;
}

/** Above this part of the training images, neighbours are hardly nearer than the others: their mean is blurred. */
const MAX_SHARE = 1 / 5;

/**
 * Tells that a prior draws from too large a part of few training images, which blurs the images. Returns undefined if none does.
 *
 * @param classes the classes to synthesize; [undefined] for all images together
 */
export function neighboursHint(
  { aligned, layers, pixelArt, profile }: Plan,
  { train, classes: names }: { readonly train: LabelledImages; readonly classes?: readonly string[] },
  classes: readonly (number | undefined)[],
): string | undefined {
  // Pixel art takes each pixel from one patch, by vote: nothing is blurred.
  if (!aligned || pixelArt) return undefined;
  const counts = classes.map((label) => ({
    label,
    count: numbersOfClass(train.labels, label, train.images.count).length,
  }));
  const smallest = counts.reduce((a, b) => b.count < a.count ? b : a);
  const blurring = layers.filter(({ prior }) => neighboursOf(prior) > smallest.count * MAX_SHARE);
  if (blurring.length === 0) return undefined;
  const neighbours = Math.max(...blurring.map(({ prior }) => neighboursOf(prior)));
  // A layer with a prior of its own does not take the option from the profile's.
  const owners = blurring.map(({ layer }) => profile.layers[layer].prior === undefined ? "" : `layers.${layer}.`);
  const settings = [...new Set(owners)].map((owner) => `--set ${owner}prior.neighbours=auto`);
  const ofClass = smallest.label === undefined ? "" : ` of class ${classText(names, smallest.label)}`;
  const images = `${counted(smallest.count, "training image")}${ofClass}`;
  return `Hint: ${neighbours} neighbours of ${images} blur the images; ${settings.join(" ")} takes fewer`;
}

/** The number of neighbours of a prior for which `auto` can choose it; 0 of others. */
function neighboursOf({ plugin, values }: Plan["prior"]): number {
  const { neighbours } = plugin.options as Readonly<Record<string, Option>>;
  return neighbours?.words?.auto === undefined ? 0 : Number(values.neighbours);
}

/**
 * A side gets a hint if it differs from a whole number of periods by more than this part of a period. Text with lines of 12.0 pixels
 * tiles at a height of 10.0 lines; at 10.3, 10.7 and 11.7 lines one line was garbled.
 */
const MAX_OFF = 0.15;
/** Sizes are looked for up to this part above and below the requested one. */
const REACH = 0.25;

/**
 * Tells which sizes tile better, where the exemplars repeat themselves and the size of the images holds no whole number of their
 * periods. Returns undefined if the size fits, or if none near it does.
 *
 * @param unit sizes are multiples of it
 */
export function tilingHint(periods: Periods, size: Size, tile: Tile, unit: number): string | undefined {
  const better = (["x", "y"] as const).flatMap((direction) => {
    const period = tile === "both" || tile === direction ? periods[direction] : undefined;
    if (period === undefined) return [];
    const name = direction === "x" ? "width" : "height", side = bestSide(size[name], period, unit);
    if (side === size[name]) return [];
    const every = `every ${period.toFixed(1)} pixels in ${direction}`, times = (of: number) => (of / period).toFixed(1);
    const fits = `${times(side)} repetitions, which are nearer to whole ones than ${times(size[name])}`;
    return [`${every}: a ${name} of ${side} holds ${fits}, and tiles better`];
  });
  return better.length === 0 ? undefined : `The exemplar repeats itself ${better.join(", and ")}`;
}

/** The multiple of `unit` nearest to a side that holds about a whole number of periods; the side if it does, or if there is none near. */
function bestSide(requested: number, period: number, unit: number): number {
  const off = (side: number) => Math.abs(side / period - Math.round(side / period));
  if (off(requested) <= MAX_OFF) return requested;
  for (let by = unit; by <= REACH * requested; by += unit) {
    const fitting = [requested + by, requested - by].find((side) => off(side) <= MAX_OFF / 2);
    if (fitting !== undefined) return fitting;
  }
  return requested;
}

/** Names the images of a run that are equal to an earlier one, at most ten of them. Returns undefined if there are none. */
export function equalHint(images: readonly Pick<SynthesizedImage, "number" | "pixels">[]): string | undefined {
  const first = new Map<string, number>();
  const equal = images.flatMap(({ number, pixels }) => {
    const key = toBase64(pixels), other = first.get(key);
    if (other === undefined) first.set(key, number);
    return other === undefined ? [] : [`${number} (${other})`];
  });
  if (equal.length === 0) return undefined;
  const more = equal.length > 10 ? " ..." : "";
  return `Warning: ${counted(equal.length, "image is", "images are")} equal to another image of the run: ${
    equal.slice(0, 10).join(", ")
  }${more}; other examples or settings give more variety`;
}
