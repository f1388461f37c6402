/** The contact sheet of a synthesis: seed images' originals in green, synthesized images in blue, nearest training images in red or orange. */
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { Picture } from "../../datasets/formats/write_png.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { realImages } from "../../datasets/left_out.ts";
import { type Colour, type Framed, type LegendEntry, sheet } from "../report/sheet.ts";
import { fittedImage } from "./fitted_images.ts";
import { repeatedImage } from "./repeated_image.ts";
import type { GroupImage } from "../run/synthesized_image.ts";
import type { PreparedSynthesis, SynthesizedImages } from "./synthesize_images.ts";

/** The parts of a run that the sheet shows. */
export type SheetInput = Pick<PreparedSynthesis, "input" | "groups" | "seedOf" | "originals"> & SynthesizedImages;

/** The sheet shows at most this many images. */
export const MAX_IMAGES = 100;
/** The approximate width of the sheet and of an aligned image on it, in pixels. */
const SHEET_WIDTH = 1400, IMAGE_SIDE = 96;

/** What stands below a sheet: the colours of its frames, and the numbers below them. */
const LEGEND: Readonly<Partial<Record<Colour, string>>> = {
  green: "SEED'S ORIGINAL",
  blue: "NEW: DISTANCE TO NEAREST",
  red: "NEAREST: DISTANCE TO ITS OWN NEAREST",
  orange: "MOST ALIKE IN STRUCTURE: % SHARED",
};

/** The legend of the colours that a sheet has, in their order. */
function legendOf(groups: readonly (readonly Framed[])[], texts = LEGEND): LegendEntry[] {
  const colours = new Set(groups.flat().map(({ colour }) => colour));
  return (Object.entries(texts) as LegendEntry[]).filter(([colour]) => colours.has(colour));
}

/**
 * Draws the first images, each beside its nearest training image. The number below an image is its distance to that training
 * image; the number below the training image is its distance to its own nearest one. Where the structure of another training image
 * is nearer, that one stands there, in an orange frame, and below it the structure that both share, in per cent.
 */
export function contactSheet(run: SheetInput): Picture {
  const { input: { plan, size }, done } = run;
  if (!plan.aligned) return textureSheet(run);
  const scale = Math.max(1, Math.floor(IMAGE_SIDE / Math.max(size.height, size.width)));
  const shown = done.slice(0, MAX_IMAGES).map((image) => imageFrames(run, image));
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / (shown[0].length * (size.width * scale + 12))));
  return sheet(shown, size, columns, scale, legendOf(shown));
}

/** An image of a run between the image that its seed image was made from and its nearest training image, as far as there are such. */
export function imageFrames(
  { input: { data, size }, groups, seedOf, originals }: Omit<SheetInput, "done" | "noise" | "times">,
  { number, group, pixels, nearest, structure }: GroupImage,
): Framed[] {
  const picture = (images: Images, index: number) => onPaper(fittedImage(images, index, size), data.transparent);
  const own = onPaper(pixels, data.transparent);
  if (!nearest) return [{ pixels: own, colour: "blue" }];
  // A morph is no real image: the nearest real image is shown beside an image.
  const { label } = groups[group], { train: real } = realImages(data), { train } = data;
  const { distance, trainingDistance } = nearest;
  const isShared = structure !== undefined && structure.image >= 0;
  const isOther = isShared && (data.real !== undefined || structure.image !== nearest.image);
  const shownImage = isOther
    ? picture(real.images, numbersOfClass(real.labels, label, real.images.count)[structure.image])
    : picture(train.images, numbersOfClass(train.labels, label, train.images.count)[nearest.image]);
  const sharedText = isOther ? `${Math.round(100 * structure.correlation)}%` : undefined;
  const original = originals && seedOf && picture(originals, seedOf[number]);
  const trainingText = Number.isFinite(trainingDistance) ? trainingDistance.toFixed(2) : undefined;
  return [
    ...(original ? [{ pixels: original, colour: "green" as const }] : []),
    { pixels: own, colour: "blue", text: distance.toFixed(2) },
    { pixels: shownImage, colour: isOther ? "orange" : "red", text: sharedText ?? trainingText },
  ];
}

/** Makes transparent pixels white: the sheet is paper. */
function onPaper(pixels: Uint8Array, transparent: readonly number[] | undefined): Uint8Array {
  if (!transparent) return pixels;
  const area = pixels.length / 3, out = pixels.slice();
  for (let p = 0; p < area; p++) {
    if (transparent.some((value, channel) => pixels[channel * area + p] !== value)) continue;
    for (let channel = 0; channel < 3; channel++) out[channel * area + p] = 255;
  }
  return out;
}

/** The exemplars of a run, in red. */
export function exemplarFrames({ input: { data }, groups: classes }: Pick<SheetInput, "input" | "groups">): Framed[] {
  const { images, labels } = data.train, length = lengthOf(images);
  const used = classes.flatMap(({ label }) => [...numbersOfClass(labels, label, images.count)]);
  const parts = used.map((i) => ({
    ...images,
    count: 1,
    pixels: images.pixels.subarray(i * length, (i + 1) * length),
  }));
  const { exemplars } = data;
  const wholes = exemplars && new Set(used.map((i) => exemplars.images[exemplars.crops[i].image]));
  const shown = [...wholes ?? parts].slice(0, MAX_IMAGES);
  return shown.map((image): Framed => ({ pixels: image.pixels, size: image, colour: "red" }));
}

/** Draws exemplars in red and the images synthesized from them in blue. */
function textureSheet(run: SheetInput): Picture {
  const { input: { size }, done } = run, exemplars = exemplarFrames(run);
  const images = done.slice(0, MAX_IMAGES).map(({ pixels }): Framed => ({ pixels, size, colour: "blue" }));
  const groups = [...exemplars, ...images].map((framed) => [framed]);
  const largest = (side: "height" | "width") => Math.max(size[side], ...exemplars.map(({ size }) => size![side]));
  const cell = { height: largest("height"), width: largest("width") };
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / (cell.width + 20)));
  const legend = legendOf(groups, { red: "EXEMPLAR", blue: "NEW" });
  return sheet(groups, cell, Math.min(columns, groups.length), 1, legend);
}

/** Draws images that tile, each repeated in the directions in which it does; undefined if they do not tile. */
export function tiledSheet(
  { input: { plan: { tile }, size }, done }: Pick<SheetInput, "input" | "done">,
): Picture | undefined {
  if (!tile) return undefined;
  const shown = done.slice(0, MAX_IMAGES).map(({ pixels }) => repeatedImage(size, pixels, tile)),
    [{ shape: cell }] = shown;
  const frames = shown.map(({ pixels }): Framed[] => [{ pixels, size: cell, colour: "blue" }]);
  return sheet(frames, cell, Math.min(Math.max(1, Math.floor(SHEET_WIDTH / (cell.width + 20))), frames.length), 1);
}
