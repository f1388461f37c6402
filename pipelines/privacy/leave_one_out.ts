/**
 * Leave-one-out: how much images change when the training images that they are most like are forgotten. Draws depend on each other,
 * so an image changes when any training image is forgotten: each is made a third time without another one, as a control.
 */
import { joinedBytes } from "../../core/array_bytes.ts";
import { mean } from "../../core/numbers.ts";
import { eachCorrelation } from "../../core/correlation.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { rowsOf } from "../../core/nearest.ts";
import type { Shape } from "../../core/shape.ts";
import { structureRows } from "../../core/structure.ts";
import { type Estimate, meanEstimate, type Summary, summaryOf } from "./statistics.ts";

/** An image, the training image that it is most like, and the same image made without. All pixels have the same shape. */
export interface LeftOutImage {
  /** The number of the image. */
  readonly number: number;
  /** The numbers in the data of the training image that it is most like, and of another one that is forgotten as a control. */
  readonly forgotten: number;
  readonly control: number;
  readonly pixels: Uint8Array;
  /** The pixels of that training image. */
  readonly training: Uint8Array;
  /** The image made without it, and without the control. */
  readonly without: Uint8Array;
  readonly withoutControl: Uint8Array;
}

/** How much an image changes when a training image is forgotten. */
interface Change {
  /** The structure that the image then shares with the training image that it was most like, in [-1, 1]; 0 where one is flat. */
  readonly structure: number;
  /** The structure that it shares with the image as it was; 1: the same. */
  readonly kept: number;
  /** The root mean square of the differences of both, in grey levels, 0..255. */
  readonly change: number;
}

/** How an image changes without the training image that it is most like, and without another one. */
interface LeftOutChange extends Pick<LeftOutImage, "number" | "forgotten" | "control"> {
  /** The structure that the image shares with the training image that it is most like. */
  readonly structure: number;
  readonly without: Change;
  readonly withoutControl: Change;
}

/** How a sample of images changes. */
export interface LeaveOneOut {
  readonly changes: readonly LeftOutChange[];
  readonly structure: Summary;
  readonly without: SampleChange;
  readonly withoutControl: SampleChange;
  /** The images, for a report. */
  readonly images: readonly LeftOutImage[];
  readonly shape: Shape;
}

/** What a change is over a sample of images. */
interface SampleChange extends Readonly<Record<keyof Change, Summary>> {
  /** By how much the structure falls that is shared with the training image that an image was most like. */
  readonly fall: Estimate;
}

/** Compares images with the same images made without the training images that they are most like, and without others. */
export function compareLeftOut(kernels: Kernels, shape: Shape, images: readonly LeftOutImage[]): LeaveOneOut {
  const shared = sharedStructures(kernels, shape, images);
  const changes = images.map(({ pixels, number, forgotten, control, ...made }, i): LeftOutChange => {
    const [image, training, ...others] = placesOf(i);
    const [without, withoutControl] = [made.without, made.withoutControl].map((other, o): Change => ({
      structure: shared(others[o], training),
      kept: shared(image, others[o]),
      change: rootMeanSquare(pixels, other),
    }));
    return { number, forgotten, control, structure: shared(image, training), without, withoutControl };
  });
  return {
    changes,
    structure: summaryOf(Float64Array.from(changes, ({ structure }) => structure)),
    without: sampleChange(changes, ({ without }) => without),
    withoutControl: sampleChange(changes, ({ withoutControl }) => withoutControl),
    images,
    shape,
  };
}

function sampleChange(changes: readonly LeftOutChange[], changeOf: (one: LeftOutChange) => Change): SampleChange {
  const summary = (name: keyof Change) => summaryOf(Float64Array.from(changes, (one) => changeOf(one)[name]));
  const falls = changes.map((one) => one.structure - changeOf(one).structure);
  return {
    structure: summary("structure"),
    kept: summary("kept"),
    change: summary("change"),
    fall: meanEstimate(falls),
  };
}

/** The places of an image's pictures among those of all: of itself, of the training image, and of the images made without. */
function placesOf(i: number): number[] {
  return [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3];
}

/** Returns the structure that two pictures share, by their places: 0 where one of them is flat. */
function sharedStructures(kernels: Kernels, { height, width, channels = 1 }: Shape, images: readonly LeftOutImage[]) {
  const parts = images.flatMap(({ pixels, training, without, withoutControl }) => {
    return [pixels, training, without, withoutControl];
  });
  const count = parts.length;
  const all = { count, height, width, channels, pixels: joinedBytes(parts) };
  const table = new Float64Array(count * count);
  borrowing(kernels, () => {
    const rows = structureRows(kernels, rowsOf(kernels, all));
    eachCorrelation(kernels, rows, rows, () => -1, (one, value, other) => table[one * count + other] = value);
  });
  return (one: number, other: number) => table[one * count + other];
}

function rootMeanSquare(one: Uint8Array, other: Uint8Array): number {
  return Math.sqrt(mean(Float64Array.from(one, (value, p) => (value - other[p]) ** 2)));
}
