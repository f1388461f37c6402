/** The contact sheet of a synthesis as a page: every image beside what it is compared with, explained in words. */
import type { Size } from "../../core/shape.ts";
import { classText } from "../../datasets/groups.ts";
import { realImages } from "../../datasets/left_out.ts";
import { type NamedImage, namedShares, namesOfClass } from "../../datasets/training_names.ts";
import { counted } from "../../core/counted.ts";
import { escape } from "../report/html.ts";
import type { Framed } from "../report/sheet.ts";
import { framedPicture, sheetDocument } from "../report/sheet_document.ts";
import { type GroupImage, originalityOf } from "../run/synthesized_image.ts";
import { exemplarFrames, imageFrames, MAX_IMAGES, type SheetInput } from "./contact_sheet.ts";

/** More exemplars than this many pixels are not put into the page. */
const MAX_PIXELS = 2e6;

/**
 * Writes the page of a run of at least one image, for the first hundred of them.
 *
 * @param fileOf returns the path of the file of an image, from the page
 * @param known what `imageFigure` returned before
 */
export function sheetPage(
  run: SheetInput,
  fileOf: (number: number) => string,
  known: ReadonlyMap<GroupImage, string> = new Map(),
): string {
  const { input: { plan }, done } = run, shown = done.slice(0, MAX_IMAGES);
  const title = `${plan.profile.name}: ${counted(done.length, "synthesized image")}`;
  const few = shown.length < done.length ? ` These are the first ${shown.length}.` : "";
  const figureOf = (image: GroupImage) => known.get(image) ?? imageFigure(run, image, fileOf);
  const figures = plan.aligned ? shown.map(figureOf) : textureFigures(run, fileOf);
  return sheetDocument({
    title,
    about: `${aboutText(run)}.${few}`,
    legend: legend(run),
    note: plan.aligned ? NUMBERS : undefined,
    zoom: plan.aligned ? 0 : 1,
    figures,
  });
}

/** What a profile says of its images, with the size that they have. */
function aboutText({ input: { plan: { profile: { about } }, size } }: SheetInput): string {
  return about.replace(/\d+x\d+$/, `${size.width}x${size.height}`);
}

/** What the colours of frames mean. */
function legend(
  { input: { plan }, originals, seedOf }: SheetInput,
): (readonly [colour: Framed["colour"], text: string])[] {
  if (!plan.aligned) return [["red", "an exemplar: what was learned from"], ["blue", "synthesized"]];
  const green =
    "the original: this image, made small, is the seed image that synthesis began with; it was not learned from";
  const red = "the nearest training image, by distance: compare with it";
  const orange = "the training image whose structure is nearest, where that is another: compare with it";
  return [
    ...originals && seedOf ? [["green", green] as const] : [],
    ["blue", "synthesized"],
    ["red", red],
    ["orange", orange],
  ];
}

const NUMBERS =
  "The distance of two images is the root of the summed squares of their differences, pixels from 0 to 1. " +
  "Originality is the distance to the nearest training image over the distance of that one to its own nearest: near 1 an " +
  "image is as new as training images are to each other, near 0 it is a copy.";

/** An aligned image beside its original and its nearest training image. */
export function imageFigure(
  run: Omit<SheetInput, "done" | "noise" | "times">,
  image: GroupImage,
  fileOf: (number: number) => string,
): string {
  const { input: { size, data }, groups } = run, { number, group } = image;
  const label = groups[group].label, file = fileOf(number);
  const pictures = imageFrames(run, image).map((framed) => {
    return pictureHtml(framed, size, framed.colour === "blue" ? file : undefined);
  });
  const nameOf = namesOfClass(data, label), realNameOf = namesOfClass(realImages(data), label);
  const textOf = (named: NamedImage) => nameText(data.pictures, named);
  const shares = namedShares(nameOf, image).slice(0, 3).map((named) => {
    return `${textOf(named)} (${Math.round(100 * named.share)} %)`;
  });
  const lines = [
    `<a href="${escape(file)}"><b>${escape(file)}</b></a>${
      label === undefined ? "" : `, class ${escape(classText(data.classes, label))}`
    }`,
    ...nearnessLines(image, (place) => textOf(nameOf(place)), (place) => textOf(realNameOf(place))),
    ...shares.length > 0 ? [`pixels from ${shares.join(", ")}`] : [],
  ];
  return `<figure id="image-${number}"><div class="row">${pictures.join("")}</div>
<figcaption>${lines.join("<br>")}</figcaption></figure>`;
}

/** Returns the text that names a training image by its place. */
type NameOf = (place: number) => string;

/** Names a training image: by the file of a picture, by its number, or as a morph of others. As HTML. */
function nameText(pictures: readonly string[] | undefined, { image, parents }: NamedImage): string {
  const one = (number: number) => escape(pictures ? pictures[number % pictures.length] : `training image ${number}`);
  if (parents) return `a morph of ${parents.map(one).join(", ")}`;
  return image === null ? "no image" : one(image);
}

/** How near an image is to training images; structure is compared with real ones. */
function nearnessLines(image: GroupImage, nameOf: NameOf, realNameOf: NameOf): string[] {
  const { nearest, structure } = image;
  if (!nearest) return [];
  const { distance, trainingDistance } = nearest, isCompared = Number.isFinite(trainingDistance);
  const own = isCompared ? `, ${trainingDistance.toFixed(2)} from that to its own nearest` : "";
  const originality = isCompared ? `; originality <b>${originalityOf(image).toFixed(2)}</b>` : "";
  return [
    `${distance.toFixed(2)} to ${nameOf(nearest.image)}${own}${originality}`,
    ...structure && structure.image >= 0
      ? [
        `shares ${Math.round(100 * structure.correlation)} % structure with ${realNameOf(structure.image)}`,
      ]
      : [],
  ];
}

/** The exemplars, and the images made of them. */
function textureFigures(run: SheetInput, fileOf: (number: number) => string): string[] {
  const { input: { size }, done } = run, exemplars = exemplarFrames(run);
  const pixels = exemplars.reduce((sum, { pixels }) => sum + pixels.length, 0);
  const figure = (picture: string, text: string) => {
    return `<figure><div class="row">${picture}</div><figcaption>${text}</figcaption></figure>`;
  };
  const images = done.slice(0, MAX_IMAGES).map(({ number, pixels }) => {
    const file = fileOf(number), link = `<a href="${escape(file)}"><b>${escape(file)}</b></a>`;
    return figure(pictureHtml({ pixels, colour: "blue" }, size, file), link);
  });
  if (pixels > MAX_PIXELS) return images;
  return [...exemplars.map((framed) => figure(pictureHtml(framed, size), "exemplar")), ...images];
}

/** A picture in its frame: that of a file, or else its own bytes. */
function pictureHtml(framed: Framed, usual: Size, file?: string): string {
  const training = "training image", names = { green: "original", blue: "synthesized", grey: "" };
  const alt = { ...names, red: training, orange: training }[framed.colour];
  return framedPicture(framed, usual, alt, file);
}
